/* SPDX-License-Identifier: MIT */
/* A pen of the file fence alone, and a table of attempts to make inside it. */
#ifndef PINFOLD_TESTS_FS_PEN_H
#define PINFOLD_TESTS_FS_PEN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <linux/sched.h>

#include "base/clean.h"
#include "fs/fence.h"
#include "pinfold.h"
#include "policy/paths.h"

#define TENANT 54321
#define RULES_MAX 64
#define TRIES_MAX 128

static char built_in[] __attribute__((unused)) = PATH_ORIGIN_SYSTEM;
static char by_policy[] __attribute__((unused)) = "policy.json:1 (filesystem)";

struct pen {
	char base[64]; /* a directory of the test's own */
	struct policy policy;
	struct path_rule rule[RULES_MAX];
	struct path_set set;
	struct fs_tenant tenant;
	struct pinfold_error e;
};

/* One attempt inside; want is 0 or an errno. */
struct
try {
	const char *what;
	int (*fn)(const char *a, const char *b);
	const char *a;
	const char *b;
	int want;
};

/* ---- files ---- */

static inline char *in(const struct pen *pen, const char *name)
{
	char *s = NULL;

	assert_true(asprintf(&s, "%s%s%s", pen->base, name[0] ? "/" : "", name) > 0);
	return s; /* the test program is short-lived; nothing frees these */
}

static inline void make_dir(const char *path, uid_t owner)
{
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(chown(path, owner, owner), 0);
}

static inline void make_file(const char *path, uid_t owner, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	assert_int_equal(fchown(fd, owner, owner), 0);
	close(fd);
}

static inline int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

/* ---- the pen ---- */

static inline void allow(struct pen *pen, enum path_right right, const char *path, char *origin)
{
	assert_true(pen->set.n < RULES_MAX);
	pen->rule[pen->set.n++] = (struct path_rule){
		.right = right,
		.pattern = strncmp(path, "**/", 3) == 0,
		.path = strdup(path),
		.text = strdup(path),
		.origin = origin,
	};
}

static inline void pen_init(struct pen *pen, const char *parent)
{
	static const char *const system_set[] = { "/usr",   "/bin",   "/sbin",   "/lib",
						  "/lib64", "/lib32", "/libx32", "/opt",
						  "/etc",   "/nix",   "/snap" };

	memset(pen, 0, sizeof(*pen));
	snprintf(pen->base, sizeof(pen->base), "%s/pinfold-fs-XXXXXX", parent);
	assert_non_null(mkdtemp(pen->base));
	assert_int_equal(chmod(pen->base, 0755), 0);
	pen->set.rule = pen->rule;
	for (size_t i = 0; i < ARRAY_SIZE(system_set); i++)
		allow(pen, PATH_ROX, system_set[i], built_in);
	pen->policy.fs.tmp = TMP_PRIVATE;
	pen->policy.workspace_access = WORKSPACE_RW;
	pen->policy.degrade = fs_landlock_abi() < 6; /* the view alone has to hold all this */
	pen->tenant = (struct fs_tenant){ .uid = TENANT,
					  .gid = TENANT,
					  .home = "/home/tenant",
					  .home_is_private = true,
					  .resolv_conf = "nameserver 192.0.2.53\n" };
}

static inline void pen_done(struct pen *pen)
{
	for (size_t i = 0; i < pen->set.n; i++) {
		free(pen->rule[i].path);
		free(pen->rule[i].text);
	}
	assert_int_equal(nftw(pen->base, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT), 0);
}

struct pen_report {
	int got[TRIES_MAX];
	int code; /* of the enters; 0: inside */
	int step;
};

static inline int become_tenant(void)
{
	if (setgroups(0, NULL) < 0 || setresgid(TENANT, TENANT, TENANT) < 0 ||
	    setresuid(TENANT, TENANT, TENANT) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0)
		return -errno;
	return 0;
}

static inline void pen_child(const struct fs_fence *f, struct pen_report *r, const struct try *try,
			     size_t n)
{
	r->code = fs_fence_enter_view(f, &r->step);
	if (r->code == 0)
		r->code = become_tenant();
	if (r->code == 0)
		r->code = fs_fence_enter_domain(f, &r->step);
	if (r->code < 0)
		_exit(1);
	for (size_t i = 0; i < n; i++)
		r->got[i] = try[i].fn(try[i].a, try[i].b);
	_exit(0);
}

/* Masks and the system are read-only mounts as well where Landlock records nothing, and older
 * kernels ask the mount first. */
static inline bool is_refused_earlier(int got, int want)
{
	return want == EACCES && got == EROFS && fs_landlock_abi() < 7;
}

/* Runs the attempts inside and fails the test for each that went otherwise than wanted. */
static inline void pen_try(struct pen *pen, const struct try *try, size_t n)
{
	struct clone_args args = { .flags = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC,
				   .exit_signal = SIGCHLD };
	struct pen_report *r =
	    mmap(NULL, sizeof(*r), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct fs_fence *f = NULL;
	int status = 0;
	int bad = 0;

	assert_true(n <= TRIES_MAX);
	assert_true(r != MAP_FAILED);
	if (fs_fence_new(&pen->policy, &pen->set, &pen->tenant, &f, &pen->e) < 0)
		fail_msg("fs_fence_new: %s", pen->e.text);
	memset(r->got, 0xff, sizeof(r->got));
	pid_t pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));

	if (pid == 0)
		pen_child(f, r, try, n);
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (r->code < 0) {
		fs_fence_explain(f, r->step, r->code, &pen->e);
		fail_msg("enter: %s", pen->e.text);
	}
	for (size_t i = 0; i < n; i++) {
		if (r->got[i] == try[i].want || is_refused_earlier(r->got[i], try[i].want))
			continue;
		print_error("%s (%s %s): got %s, wanted %s\n", try[i].what, try[i].a,
			    try[i].b ? try[i].b : "",
			    r->got[i] < 0 ? "nothing" : strerrorname_np(r->got[i]),
			    strerrorname_np(try[i].want));
		bad++;
	}
	fs_fence_free(f);
	munmap(r, sizeof(*r));
	assert_int_equal(bad, 0);
	assert_int_equal(status, 0);
}

/* ---- attempts: 0 or an errno ---- */

static inline int done(long r)
{
	return r < 0 ? errno : 0;
}

static inline int try_open(const char *path, int flags)
{
	auto_close int fd = open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0644);
	char c;

	if (fd < 0)
		return errno;
	if ((flags & O_ACCMODE) == O_RDONLY && !(flags & O_DIRECTORY))
		return done(read(fd, &c, 1));
	return 0;
}

static inline int t_read(const char *a, const char *b)
{
	(void)b;
	return try_open(a, O_RDONLY);
}

static inline int t_write(const char *a, const char *b)
{
	(void)b;
	return try_open(a, O_WRONLY);
}

static inline int t_create(const char *a, const char *b)
{
	(void)b;
	return try_open(a, O_WRONLY | O_CREAT | O_EXCL);
}

static inline int t_list(const char *a, const char *b)
{
	auto_close int fd = open(a, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char buf[4096];

	(void)b;
	return fd < 0 ? errno : done(syscall(SYS_getdents64, fd, buf, sizeof(buf)));
}

static inline int t_stat(const char *a, const char *b)
{
	struct stat st;

	(void)b;
	return done(lstat(a, &st));
}

static inline int t_mkdir(const char *a, const char *b)
{
	(void)b;
	return done(mkdir(a, 0755));
}

static inline int t_unlink(const char *a, const char *b)
{
	(void)b;
	return done(unlink(a));
}

static inline int t_rmdir(const char *a, const char *b)
{
	(void)b;
	return done(rmdir(a));
}

static inline int t_rename(const char *a, const char *b)
{
	return done(rename(a, b));
}

static inline int t_exchange(const char *a, const char *b)
{
	return done(renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE));
}

static inline int t_link(const char *a, const char *b)
{
	return done(link(a, b));
}

static inline int t_symlink(const char *a, const char *b)
{
	return done(symlink(a, b));
}

static inline int t_truncate(const char *a, const char *b)
{
	(void)b;
	return done(truncate(a, 0));
}

static inline int t_chmod(const char *a, const char *b)
{
	(void)b;
	return done(chmod(a, 0755));
}

static inline int t_setxattr(const char *a, const char *b)
{
	(void)b;
	return done(setxattr(a, "user.pinfold", "x", 1, 0));
}

static inline int t_inotify(const char *a, const char *b)
{
	auto_close int fd = inotify_init1(IN_CLOEXEC);

	(void)b;
	return done(inotify_add_watch(fd, a, IN_ALL_EVENTS));
}

static inline int t_connect(const char *a, const char *b)
{
	auto_close int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un sun = { .sun_family = AF_UNIX };

	(void)b;
	snprintf(sun.sun_path, sizeof(sun.sun_path), "%s", a);
	return done(connect(fd, (struct sockaddr *)&sun, sizeof(sun)));
}

static inline int t_bind(const char *a, const char *b)
{
	auto_close int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un sun = { .sun_family = AF_UNIX };

	(void)b;
	snprintf(sun.sun_path, sizeof(sun.sun_path), "%s", a);
	return done(bind(fd, (struct sockaddr *)&sun, sizeof(sun)));
}

/* EACCES, ENOENT ... of execve itself; ECHILD when the program failed. */
static inline int run(const char *file, char *const argv[])
{
	char *const env[] = { (char[]){ "PATH=/usr/bin:/bin" }, (char[]){ "HOME=/home/tenant" },
			      (char[]){ "TMPDIR=/tmp" }, NULL };
	int status = 0;
	pid_t pid = fork();

	if (pid < 0)
		return errno;
	if (pid == 0) {
		int fd = open("/dev/null", O_RDWR);

		dup2(fd, 0);
		if (!getenv("FS_PEN_LOUD")) {
			dup2(fd, 1);
			dup2(fd, 2);
		}
		execve(file, argv, env);
		_exit(errno == ENOENT ? 112 : errno == EACCES ? 113 : 114);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return ECHILD;
	switch (WEXITSTATUS(status)) {
	case 0:
		return 0;
	case 112:
		return ENOENT;
	case 113:
		return EACCES;
	default:
		return ECHILD;
	}
}

static inline int t_exec(const char *a, const char *b)
{
	char *argv[] = { strdup(a), NULL };

	(void)b;
	return run(a, argv);
}

static inline int t_sh(const char *a, const char *b)
{
	char *argv[] = { (char[]){ "sh" }, (char[]){ "-ec" }, strdup(a), NULL };

	(void)b;
	return run("/bin/sh", argv);
}

#endif
