/* SPDX-License-Identifier: MIT */
/*
 * DOC: entering the pen, and why in this order
 *
 *  1. The child is born (clone3) inside the session's cgroup, and in mount, pid and IPC namespaces
 *     of its own.  It runs our code only, and makes no socket, while the supervisor loads and
 *     attaches the network fence beside it.
 *  2. View: the only step that needs root's power over mounts, so it is first.  From here on
 *     nothing that isn't granted has a name.
 *     The guard (fs/guard.h) then masks what has a denied name, or says that it needs longer: in
 *     that case changes by path wait for it from 4 on.
 *     Where there is no terminal to share, it leaves the launcher's process group and session too:
 *     some calls reach everybody in them, whatever the pid namespace.
 *  3. Identity: an own session keyring, no groups, the session's gid and uid, no capability in any
 *     set, no_new_privs.  After it nothing can be undone by privilege.
 *  4. Domain: Landlock needs no_new_privs (3) and must see the final view (2), whose files it ties
 *     its rules to; it also ends all changing of mounts.
 *  5. Death: a change of credentials clears the parent-death signal, so it is set after 3.  Should
 *     the supervisor have died before that, the link is closed and 8 fails.
 *  6. Descriptors: whatever the launcher left open is closed; the link stays with init alone.
 *  7. Filter: last, since the steps above need system calls that it refuses.
 *     Then the self-test, where there are state directories: by the very rights of the command.
 *     An observed session gets one more filter, which refuses nothing: it tells the supervisor.
 *  8. Handshake: init says READY; the supervisor says GO once the network fence bites as well.
 *     Only then is the command born, as a child of init, with every fence closed around it.
 *
 * Everything here makes system calls only: what can fail with words has failed in the parent.
 */
#include <errno.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/err.h"
#include "base/tty.h"
#include "fs/fence.h"
#include "fs/guard.h"
#include "net/fence.h"
#include "policy/policy.h"
#include "session/init.h"
#include "session/link.h"
#include "session/log_call.h"
#include "session/look.h"
#include "session/session.h"
#include "session/tenancy.h"
#include "session/terminal.h"

#define KEEP_FDS_MAX 64

static const char *const STAGE_WORDS[] = {
	[STAGE_NONE] = "start",
	[STAGE_VIEW] = "build the file view",
	[STAGE_GUARD] = "hold denied names",
	[STAGE_IDENTITY] = "take the session's identity",
	[STAGE_SESSION] = "leave the caller's process group",
	[STAGE_DOMAIN] = "enter the Landlock domain",
	[STAGE_DESCRIPTORS] = "close inherited descriptors",
	[STAGE_FILTER] = "enter the seccomp filter",
	[STAGE_SELF_TEST] = "pass its self-test",
	[STAGE_LOOK] = "be observed (does something in here observe already?)",
	[STAGE_FORK] = "start a process (is the limit on processes too low?)",
};
_Static_assert(ARRAY_SIZE(STAGE_WORDS) == STAGE_MAX, "a word for every stage");

/* keep_fds is sorted; the link goes where it belongs among them. */
static int close_descriptors(const struct session_command *c, int link)
{
	int keep[KEEP_FDS_MAX];
	size_t n = 0;
	size_t i = 0;

	while (i < c->n_keep_fds && c->keep_fds[i] < link)
		keep[n++] = c->keep_fds[i++];
	keep[n++] = link;
	while (i < c->n_keep_fds)
		keep[n++] = c->keep_fds[i++];
	return identity_close_fds(keep, n);
}

static int enter(const struct session *s, int link, struct link_message *failed)
{
	bool hold;
	int r;

	failed->stage = STAGE_VIEW;
	r = fs_fence_enter_view(s->fs, &failed->step);
	if (r < 0)
		return r;
	failed->stage = STAGE_GUARD;
	r = guard_meet(s->guard, &hold);
	if (r < 0)
		return r;
	failed->stage = STAGE_SESSION;
	if (!s->command.has_terminal && setsid() < 0)
		return -errno;
	failed->stage = STAGE_IDENTITY;
	r = identity_enter(&s->identity);
	if (r < 0)
		return r;
	failed->stage = STAGE_DOMAIN;
	r = fs_fence_enter_domain(s->fs, &failed->step);
	if (r < 0)
		return r;
	failed->stage = STAGE_GUARD;
	r = hold ? guard_hold(s->guard) : 0;
	if (r < 0)
		return r;
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || prctl(PR_SET_DUMPABLE, 0) < 0)
		return -errno;
	failed->stage = STAGE_DESCRIPTORS;
	r = close_descriptors(&s->command, link);
	if (r < 0)
		return r;
	failed->stage = STAGE_FILTER;
	r = seccomp_filter_enter(&s->filter);
	if (r < 0)
		return r;
	failed->stage = STAGE_SELF_TEST;
	r = tenancy_try(s, failed);
	if (r < 0 || !s->look)
		return r;
	failed->stage = STAGE_LOOK;
	return look_enter(s->look);
}

struct birth {
	const struct session *s;
	int link;
};

static void be_init(void *data)
{
	const struct session *s = ((const struct birth *)data)->s;
	int link = ((const struct birth *)data)->link;
	int listener;
	struct link_message m = { .word = LINK_FAILED };
	struct init_work work = {
		.command = &s->command,
		.env = s->identity.env,
		.path = s->identity.path,
		.start_dir = fs_fence_start_dir(s->fs, s->context->cwd),
		.link = link,
	};

	m.error = listener = enter(s, link, &m);
	if (m.error < 0) {
		link_send(link, &m);
		_exit(1);
	}
	m.word = LINK_READY;
	m.value = listener;
	if (link_send(link, &m) < 0 || link_receive(link, &m) < 0 || m.word != LINK_GO)
		_exit(1);
	if (listener > 0)
		close(listener);
	_exit(init_run(&work));
}

static int explain(const struct session *s, const struct link_message *m, struct pinfold_error *e)
{
	int code = m->error < 0 ? m->error : -EPROTO;

	if (m->word != LINK_FAILED || m->stage >= STAGE_MAX)
		return err_set(e, -EPROTO, "the pen's init broke off");
	if (m->stage == STAGE_VIEW || m->stage == STAGE_DOMAIN)
		return fs_fence_explain(s->fs, m->step, code, e);
	if (m->stage == STAGE_SELF_TEST)
		return tenancy_explain(s, m, e);
	if (m->stage == STAGE_GUARD && s->guard)
		return session_explain_guard(s, code, e);
	return err_set(e, code, "cannot %s: %s", STAGE_WORDS[m->stage], strerror(-code));
}

/* Below the guard's pid namespace, where there is a guard. */
static pid_t give_birth(const struct session *s, const struct clone_args *args, struct birth *birth)
{
	pid_t pid;

	if (s->guard)
		return guard_clone(s->guard, args, be_init, birth);
	pid = (pid_t)syscall(SYS_clone3, args, sizeof(*args));
	if (pid == 0)
		be_init(birth);
	return pid < 0 ? -errno : pid;
}

int session_spawn(struct session *s, struct pinfold_error *e)
{
	auto_close int theirs = -1;
	struct birth birth;
	int pair[2];
	int r;
	struct clone_args args = {
		.flags =
		    CLONE_PIDFD | CLONE_INTO_CGROUP | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC,
		.pidfd = (uintptr_t)&s->init_pidfd,
		/* Without a signal it is ours to wait for, whatever the caller does with SIGCHLD.
		 */
		.exit_signal = 0,
		.cgroup = (uint64_t)s->cgroup.dir_fd,
	};

	if (s->command.n_keep_fds >= KEEP_FDS_MAX)
		return err_set(e, -EINVAL, "more than %d descriptors to keep", KEEP_FDS_MAX - 1);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_set(e, -errno, "cannot make a socket pair: %s", strerror(errno));
	s->link = pair[0];
	theirs = pair[1];
	s->command.has_terminal = tty_is_controlling();
	birth = (struct birth){ .s = s, .link = theirs };
	s->init = give_birth(s, &args, &birth);
	if (s->init < 0)
		return err_set(e, s->init,
			       "cannot start a process in namespaces of its own: %s; 'pinfold "
			       "doctor' says what is missing",
			       strerror(-s->init));
	r = cgroup_join_v1(&s->cgroup, s->init);
	if (r < 0)
		return err_set(e, r, "cannot put the session under its limits: %s", strerror(-r));
	return 0;
}

int session_release(struct session *s, struct pinfold_error *e)
{
	struct link_message m = { 0 };
	int r = link_receive(s->link, &m);

	if (r < 0)
		return session_explain_guard(s, r, e);
	if (m.word != LINK_READY)
		return explain(s, &m, e);
	log_calls_start(s);
	r = look_take(s, m.value, e);
	if (r < 0)
		return r;
	m = (struct link_message){ .word = LINK_GO };
	r = link_send(s->link, &m);
	guard_go(s->guard);
	net_loader_free(take_ptr(s->loader)); /* it has ended; reaped while the command starts */
	return r < 0 ? err_set(e, r, "the pen's init died before it could start the command") : 0;
}
