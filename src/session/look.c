/* SPDX-License-Identifier: MIT */
#include "session/look.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/ioctl.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <linux/seccomp.h>

#include "base/clean.h"
#include "base/err.h"
#include "fs/resolve.h"
#include "policy/path_text.h"
#include "seccomp/notify.h"
#include "session/calls.h"
#include "session/log.h"
#include "session/look_gate.h"
#include "session/look_judge.h"
#include "session/look_log.h"
#include "session/session.h"
#include "session/shown.h"

/* Newer than the headers of some. */
#define NOTIF_SET_FLAGS _IOW('!', 4, __u64)
#define NOTIF_SYNC_WAKE_UP 1UL

#define CALLS_AT_ONCE 64   /* before others have their turn */
#define INTERPRETERS_MAX 4 /* scripts that name scripts; the kernel goes no deeper */
#define LINE_BYTES 256     /* of a "#!" line that the kernel reads */

struct look {
	struct path_set shown; /* as written; rules has it as it leads */
	struct look_rules rules;
	struct seccomp_program program;
	struct look_gate gate;
	int listener;
};

/* One path of one call, on its way. */
struct wish {
	struct session *s;
	pid_t pid;
	const struct call_path *path;
	struct fs_resolved at;
	unsigned need;
};

/* ---- the caller's memory and its paths ------------------------------------------------------ */

static int read_memory(void *data, uint64_t from, void *to, size_t size)
{
	const pid_t *pid = data;
	struct iovec local = { to, size };
	struct iovec remote = { .iov_len = size };
	ssize_t n;

	memcpy(&remote.iov_base, &from, sizeof(remote.iov_base)); /* an address of theirs */
	n = process_vm_readv(*pid, &local, 1, &remote, 1, 0);
	if (n < 0)
		return -errno;
	return (size_t)n == size ? 0 : -EFAULT;
}

/* A text may end shortly before memory that is not there: pieces that don't cross a page. */
static int read_text(pid_t pid, uint64_t from, char ret[static PATH_MAX])
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t len = 0;

	while (len < PATH_MAX) {
		size_t piece = page - (from + len) % page;
		int r;

		if (piece > PATH_MAX - len)
			piece = PATH_MAX - len;
		r = read_memory(&pid, from + len, ret + len, piece);
		if (r < 0)
			return r;
		if (memchr(ret + len, '\0', piece))
			return 0;
		len += piece;
	}
	return -ENAMETOOLONG;
}

static int read_link(pid_t pid, const char *what, char ret[static PATH_MAX])
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/%s", (int)pid, what);
	n = readlink(link, ret, PATH_MAX - 1);
	if (n < 0)
		return -errno;
	ret[n] = '\0';
	return ret[0] == '/' ? 0 : -ENOENT;
}

static int base_of(pid_t pid, int dirfd, char ret[static PATH_MAX])
{
	char what[32];

	if (dirfd == AT_FDCWD)
		return read_link(pid, "cwd", ret);
	snprintf(what, sizeof(what), "fd/%d", dirfd);
	return read_link(pid, what, ret);
}

static int absolute(const struct wish *w, const char *text, char ret[static PATH_MAX])
{
	char base[PATH_MAX];
	int n;
	int r;

	if (text[0] == '/') {
		snprintf(ret, PATH_MAX, "%s", text);
		return 0;
	}
	if (!text[0] && w->path->text && !w->path->may_be_empty)
		return -ENOENT;
	r = base_of(w->pid, w->path->dirfd, base);
	if (r < 0)
		return r;
	n = snprintf(ret, PATH_MAX, "%s%s%s", base, text[0] ? "/" : "", text);
	return n < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* ---- what the session itself could do ------------------------------------------------------- */

/* By the session's own rights: what those refuse is not the policy's doing.  Its uid takes root's
 * power over files from this thread for as long. */
static void take_rights(const struct session *s)
{
	setfsgid(s->identity.gid);
	setfsuid(s->identity.uid);
}

static void drop_rights(void)
{
	setfsuid(geteuid());
	setfsgid(getegid());
}

static bool may(int fd, int mode)
{
	return syscall(SYS_faccessat2, fd, "", mode, AT_EMPTY_PATH | AT_EACCESS) == 0;
}

static bool may_change_parent(const char *path)
{
	char parent[PATH_MAX];
	const char *slash = strrchr(path, '/');
	size_t len = slash == path ? 1 : (size_t)(slash - path);

	memcpy(parent, path, len);
	parent[len] = '\0';
	auto_close int fd = open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return fd >= 0 && may(fd, W_OK | X_OK);
}

/* What remains of the need when the call is one that can go well at all. */
static unsigned possible(const struct wish *w)
{
	const struct fs_resolved *at = &w->at;
	unsigned need = w->need;

	if (at->fd < 0)
		return (need & CALL_MAKE) && may_change_parent(at->path)
			   ? need & ~(CALL_REMOVE | CALL_LOOK)
			   : 0;
	if ((need & CALL_MAKE) && w->path->is_exclusive)
		return CALL_LOOK;
	need &= ~CALL_MAKE;
	if ((need & CALL_REMOVE) && !may_change_parent(at->path))
		return 0;
	if ((need & CALL_CHANGE) && at->st.st_uid != w->s->identity.uid)
		return 0;
	if ((need & CALL_READ) && !may(at->fd, R_OK))
		return 0;
	if ((need & (CALL_WRITE | CALL_SOCKET)) && !may(at->fd, W_OK))
		return 0;
	if ((need & CALL_EXEC) && w->path->text && !may(at->fd, X_OK))
		return 0;
	return need;
}

static int resolve(struct wish *w, const char *text)
{
	enum fs_follow how = w->path->keeps_link ? FS_FOLLOW_PARENTS : FS_FOLLOW_ALL;
	int r;

	take_rights(w->s);
	r = fs_resolve(text, how, &w->at);
	if (r == 0)
		w->need = possible(w);
	drop_rights();
	return r;
}

/* ---- one path ------------------------------------------------------------------------------- */

/* A symlink that lies where nothing is granted is not there to be followed. */
static void settle_links(const struct wish *w)
{
	for (size_t i = 0; i < w->at.n_links; i++) {
		const struct look_use use = { w->at.link[i].path, CALL_LOOK, false, false };
		struct look_verdict v;

		look_judge(&w->s->look->rules, &use, &v);
		if (v.said == LOOK_WOULD_DENY)
			look_log(w->s, w->pid, &use, NULL, &v);
	}
}

static enum look_said settle(const struct wish *w)
{
	struct look_rules *rules = &w->s->look->rules;
	bool is_dir = w->at.fd >= 0 && S_ISDIR(w->at.st.st_mode);
	bool makes = w->need & CALL_MAKE;
	bool tries = w->path->need & CALL_MAKE;
	const struct look_use use = { w->at.path, w->need, is_dir, tries };
	struct look_verdict v;

	settle_links(w);
	look_judge(rules, &use, &v);
	look_log(w->s, w->pid, &use, w->path->word, &v);
	if (((makes && v.said != LOOK_SHUT) || (tries && v.said == LOOK_ALLOWED && !v.rule)) &&
	    look_note_made(rules, w->at.path,
			   w->path->word && strcmp(w->path->word, "fs.make_dir") == 0) < 0)
		log_lost(w->s, "names that were made", 1);
	return v.said;
}

/* The kernel opens a script's interpreter by itself: nobody calls for it. */
static bool read_interpreter(const struct wish *w, char ret[static LINE_BYTES])
{
	char path[64];
	char line[LINE_BYTES + 1] = { 0 };

	if (!(w->need & CALL_EXEC) || !w->path->text || !S_ISREG(w->at.st.st_mode))
		return false;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", w->at.fd);
	auto_close int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0 || pread(fd, line, LINE_BYTES, 0) < 3 || memcmp(line, "#!", 2) != 0)
		return false;
	const char *from = line + 2 + strspn(line + 2, " \t");

	snprintf(ret, LINE_BYTES, "%.*s", (int)strcspn(from, " \t\r\n"), from);
	return ret[0] == '/';
}

static bool is_own_place(const struct look_rules *rules, const char *text)
{
	auto_free char *clean = NULL;

	return path_clean("/", text, &clean) == 0 && look_is_own_place(rules, clean);
}

/* False: it stays shut. */
static bool look_at(struct wish *w, char *text)
{
	char line[LINE_BYTES];
	bool is_shut = false;

	for (int i = 0; i < INTERPRETERS_MAX; i++) {
		bool goes_on;

		w->at = (struct fs_resolved){ .fd = -1 };
		w->need = w->path->need;
		if (is_own_place(&w->s->look->rules, text) || resolve(w, text) < 0)
			break;
		if (w->need)
			is_shut = settle(w) == LOOK_SHUT || is_shut;
		goes_on = read_interpreter(w, line);
		fs_resolved_done(&w->at);
		if (!goes_on)
			break;
		memcpy(text, line, sizeof(line));
	}
	return !is_shut;
}

/* ---- one call ------------------------------------------------------------------------------- */

/* False: the socket's name is no path. */
static bool read_socket(pid_t pid, const struct call *c, char ret[static PATH_MAX])
{
	struct sockaddr_un un = { 0 };
	size_t size = c->address_size < sizeof(un) ? c->address_size : sizeof(un);

	if (size <= sizeof(un.sun_family) || read_memory(&pid, c->address, &un, size) < 0)
		return false;
	if (un.sun_family != AF_UNIX || un.sun_path[0] == '\0')
		return false;
	snprintf(ret, PATH_MAX, "%.*s", (int)sizeof(un.sun_path), un.sun_path);
	return true;
}

static bool read_path(pid_t pid, const struct call *c, const struct call_path *p,
		      char ret[static PATH_MAX])
{
	if (c->address)
		return read_socket(pid, c, ret);
	ret[0] = '\0';
	return !p->text || read_text(pid, p->text, ret) == 0;
}

static bool look_at_call(struct session *s, const struct seccomp_notif *n)
{
	pid_t pid = (pid_t)n->pid;
	bool goes = true;
	struct call c;

	if (call_decode(&n->data, read_memory, &pid, &c) < 0)
		return true;
	for (size_t i = 0; i < c.n; i++) {
		struct wish w = { .s = s, .pid = pid, .path = &c.path[i] };
		char text[PATH_MAX];
		char path[PATH_MAX];

		if (read_path(pid, &c, w.path, text) && absolute(&w, text, path) == 0 &&
		    ioctl(s->look->listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &n->id) == 0)
			goes = look_at(&w, path) && goes;
	}
	return goes;
}

static void serve_one(struct session *s)
{
	struct seccomp_notif_resp go = { .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE };
	struct seccomp_notif n;

	memset(&n, 0, sizeof(n));
	if (ioctl(s->look->listener, SECCOMP_IOCTL_NOTIF_RECV, &n) < 0)
		return; /* the caller was killed meanwhile */
	if (!look_at_call(s, &n))
		go = (struct seccomp_notif_resp){ .error = -EACCES };
	go.id = n.id;
	ioctl(s->look->listener, SECCOMP_IOCTL_NOTIF_SEND, &go);
}

int look_serve(struct session *s)
{
	struct pollfd p = { .fd = s->look->listener, .events = POLLIN };

	for (int i = 0; i < CALLS_AT_ONCE && poll(&p, 1, 0) == 1; i++) {
		if (!(p.revents & POLLIN))
			return -EPIPE;
		serve_one(s);
	}
	return 0;
}

/* ---- life ----------------------------------------------------------------------------------- */

static int prepare(struct session *s, struct look *l)
{
	const char *home = s->identity.home_is_private ? s->identity.home : NULL;
	struct notify_call calls[CALLS_MAX];
	struct path_set set = { 0 };
	struct path_set copy = { 0 };
	int r = shown_build(&s->paths, home, &l->shown);

	if (r == 0)
		r = shown_build(&s->paths, home, &set);
	if (r == 0)
		r = why_view_follow(&set, &l->rules.shown);
	if (r == 0)
		r = path_set_build(s->policy, &s->context->policy, home ? NULL : s->identity.home,
				   &copy, NULL);
	if (r == 0)
		r = why_view_follow(&copy, &l->rules.view);
	if (r == 0)
		r = seccomp_notify_prepare(calls, calls_watched(calls), &l->program);
	return r;
}

int look_prepare(struct session *s, struct pinfold_error *e)
{
	struct look *l = calloc(1, sizeof(*l));
	int r;

	if (!l)
		return err_set(e, -ENOMEM, "out of memory");
	l->listener = l->gate.fd = -1;
	l->rules.policy = s->policy;
	l->rules.home = s->identity.home_is_private ? s->identity.home : NULL;
	r = prepare(s, l);
	if (r < 0) {
		look_free(l);
		return err_set(e, r, "cannot prepare to observe files: %s", strerror(-r));
	}
	s->look = l;
	return 0;
}

const struct path_set *look_shown(const struct look *l)
{
	return &l->shown;
}

int look_enter(const struct look *l)
{
	return l ? seccomp_notify_enter(&l->program) : -1;
}

int look_take(struct session *s, int number, struct pinfold_error *e)
{
	if (!s->look)
		return 0;
	s->look->listener = pidfd_getfd(s->init_pidfd, number, 0);
	if (s->look->listener < 0)
		return err_set(e, -errno, "cannot observe the session's system calls: %s",
			       strerror(errno));
	fcntl(s->look->listener, F_SETFD, FD_CLOEXEC);
	/* Caller and observer take turns, so one processor does (since Linux 6.6); without, they
	 * are only slower. */
	ioctl(s->look->listener, NOTIF_SET_FLAGS, NOTIF_SYNC_WAKE_UP);
	return look_gate_open(&s->look->gate, &s->look->rules.shown.set, s->init, e);
}

int look_fd(const struct look *l)
{
	return l ? l->listener : -1;
}

int look_gate_fd(const struct look *l)
{
	return l ? l->gate.fd : -1;
}

void look_serve_gate(const struct session *s)
{
	look_gate_serve(&s->look->gate);
}

void look_free(struct look *l)
{
	if (!l)
		return;
	look_rules_done(&l->rules);
	path_set_done(&l->shown);
	free(l->program.code);
	if (l->listener >= 0)
		close(l->listener);
	look_gate_done(&l->gate);
	free(l);
}
