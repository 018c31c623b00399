/* SPDX-License-Identifier: MIT */
/* The least that walls like a pen's cost here, so that a start is judged by what is possible.
 *
 *   floor walls COMMAND...   namespaces, a root of bind mounts, Landlock, seccomp, the
 *                            command: nothing is decided, checked, watched, logged or cleaned up
 *   floor programs OBJECT    the network fence's programs verified and compiled, and let go
 *
 * A static program that reads no policy: what pinfold does besides comes on top of both. */
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define TENANT 10001

static const char *const SHOWN[] = { "/usr",   "/bin", "/sbin", "/lib",
				     "/lib64", "/etc", "/dev",  "/proc" };

static void must(long r, const char *what)
{
	if (r >= 0)
		return;
	perror(what);
	_exit(125);
}

static void show(const char *root, const char *path)
{
	char at[256];

	if (access(path, F_OK) < 0)
		return;
	snprintf(at, sizeof(at), "%s%s", root, path);
	must(mkdir(at, 0755), at);
	must(mount(path, at, NULL, MS_BIND, NULL), path);
}

static void build_root(const char *root, const char *workspace)
{
	must(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), "private");
	must(mount("tmpfs", root, "tmpfs", 0, NULL), "root");
	for (size_t i = 0; i < sizeof(SHOWN) / sizeof(SHOWN[0]) - 1; i++)
		show(root, SHOWN[i]);
	must(chdir(root), root);
	must(mkdir("proc", 0755), "proc");
	must(mount("proc", "proc", "proc", 0, NULL), "proc");
	must(mkdir("tmp", 01777), "tmp");
	must(mount("tmpfs", "tmp", "tmpfs", 0, NULL), "tmp");
	must(mkdir("work", 0755), "work");
	must(mount(workspace, "work", NULL, MS_BIND, NULL), workspace);
	must(syscall(SYS_pivot_root, ".", "."), "pivot_root");
	must(umount2(".", MNT_DETACH), "old root");
	must(chdir("/work"), "work");
}

static void restrict_files(void)
{
	struct landlock_ruleset_attr a = { .handled_access_fs = (1ULL << 13) - 1 };
	int set = (int)syscall(SYS_landlock_create_ruleset, &a, sizeof(a), 0);

	must(set, "landlock");
	for (size_t i = 0; i < sizeof(SHOWN) / sizeof(SHOWN[0]); i++) {
		struct landlock_path_beneath_attr rule = {
			.allowed_access = LANDLOCK_ACCESS_FS_EXECUTE |
					  LANDLOCK_ACCESS_FS_READ_FILE |
					  LANDLOCK_ACCESS_FS_READ_DIR,
			.parent_fd = open(SHOWN[i], O_PATH | O_CLOEXEC),
		};

		if (rule.parent_fd >= 0)
			must(syscall(SYS_landlock_add_rule, set, LANDLOCK_RULE_PATH_BENEATH, &rule,
				     0),
			     "rule");
	}
	must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs");
	must(syscall(SYS_landlock_restrict_self, set, 0), "landlock");
}

static void restrict_calls(void)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog p = { .len = 1, .filter = &allow };

	must(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &p), "seccomp");
}

static int walls(char **argv)
{
	char root[] = "/tmp/floor.XXXXXX";
	char cwd[256];
	int status;
	pid_t pid;

	if (!mkdtemp(root) || !getcwd(cwd, sizeof(cwd)))
		return 1;
	pid = (pid_t)syscall(SYS_clone, CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | SIGCHLD, 0, 0,
			     0, 0);
	must(pid, "clone");
	if (pid == 0) {
		build_root(root, cwd);
		must(setresgid(TENANT, TENANT, TENANT), "gid");
		must(setresuid(TENANT, TENANT, TENANT), "uid");
		restrict_files();
		restrict_calls();
		execv(argv[0], argv);
		_exit(127);
	}
	must(waitpid(pid, &status, 0), "wait");
	rmdir(root);
	return status != 0;
}

static int programs(const char *path)
{
	struct bpf_object *o = bpf_object__open_file(path, NULL);
	int r = o ? bpf_object__load(o) : -1;

	bpf_object__close(o);
	return r < 0;
}

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "walls") == 0)
		return walls(argv + 2);
	if (argc == 3 && strcmp(argv[1], "programs") == 0)
		return programs(argv[2]);
	fprintf(stderr, "usage: floor walls COMMAND... | floor programs OBJECT\n");
	return 64;
}
