/* SPDX-License-Identifier: MIT */
/* Unix sockets by path; and what loading needs. */
#include "net_lab.h"

#include <sys/capability.h>
#include <sys/un.h>
#include <sys/utsname.h>

struct target {
	const char *path; /* '@' in front: abstract */
	int type;
};

static char dir[64];
static bool has_hooks; /* since Linux 6.7 */

static socklen_t unix_addr(const char *path, struct sockaddr_un *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->sun_family = AF_UNIX;
	snprintf(ret->sun_path, sizeof(ret->sun_path), "%s", path);
	if (path[0] == '@')
		ret->sun_path[0] = '\0';
	/* without its NUL, as some programs give it */
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
}

static int listen_unix(const char *path, int type)
{
	struct sockaddr_un sa;
	socklen_t len = unix_addr(path, &sa);
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&sa, len), 0);
	if (type == SOCK_STREAM)
		assert_int_equal(listen(fd, 4), 0);
	return fd;
}

static int reach_unix(void *data)
{
	const struct target *t = data;
	struct sockaddr_un sa;
	socklen_t len = unix_addr(t->path, &sa);
	int fd = socket(AF_UNIX, t->type, 0);

	if (chdir(dir) < 0)
		return 254;
	if (t->type == SOCK_STREAM)
		return connect(fd, (struct sockaddr *)&sa, len) < 0 ? errno : 0;
	return sendto(fd, "x", 1, 0, (struct sockaddr *)&sa, len) < 0 ? errno : 0;
}

struct seen {
	char path[128];
	char op[16];
	enum pf_reason reason;
};

static void note(void *data, const struct net_event *ev)
{
	struct seen *s = data;

	snprintf(s->path, sizeof(s->path), "%s", ev->path);
	snprintf(s->op, sizeof(s->op), "%s", ev->op);
	s->reason = ev->reason;
}

static bool kernel_is_before(int major, int minor)
{
	struct utsname u;
	int a = 0;
	int b = 0;

	assert_int_equal(uname(&u), 0);
	assert_int_equal(sscanf(u.release, "%d.%d", &a, &b), 2);
	return a < major || (a == major && b < minor);
}

static void sockets_outside_the_trees_are_refused_and_named(void **state)
{
	char in[128];
	char out[128];
	char exact[128];
	char beside[128];
	struct seen seen = { "", "", PF_DENY_UNFILLED };
	struct lab *lab = *state;
	char abstract[64];

	if (!has_hooks) {
		assert_true(kernel_is_before(6, 7));
		return;
	}
	snprintf(in, sizeof(in), "%s/tree/in.sock", dir);
	snprintf(out, sizeof(out), "%s/out.sock", dir);
	snprintf(exact, sizeof(exact), "%s/exact.sock", dir);
	snprintf(beside, sizeof(beside), "%s/exact.sock2", dir);
	snprintf(abstract, sizeof(abstract), "@pinfold-test-%d", (int)getpid());

	const struct {
		struct target t;
		int want;
	} CASES[] = {
		{ { in, SOCK_STREAM }, 0 },
		{ { out, SOCK_STREAM }, EPERM },
		{ { exact, SOCK_STREAM }, 0 },
		{ { beside, SOCK_STREAM }, EPERM },
		{ { abstract, SOCK_STREAM }, 0 },
		{ { "out.sock", SOCK_STREAM }, 0 },
		{ { "/dev/null", SOCK_DGRAM }, EPERM },
	};
	const int fds[] = { listen_unix(in, SOCK_STREAM), listen_unix(out, SOCK_STREAM),
			    listen_unix(exact, SOCK_STREAM), listen_unix(beside, SOCK_STREAM),
			    listen_unix(abstract, SOCK_STREAM) };

	for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++)
		if (lab_run(lab, true, reach_unix, (void *)(uintptr_t)&CASES[i].t) != CASES[i].want)
			fail_msg("%s", CASES[i].t.path);
	assert_int_equal(net_fence_read_events(lab->fence, note, &seen), 3);
	assert_string_equal(seen.path, "/dev/null");
	assert_string_equal(seen.op, "sendmsg");
	assert_int_equal(seen.reason, PF_DENY_UNIX);
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		close(fds[i]);
	unlink(in);
	unlink(out);
	unlink(exact);
	unlink(beside);
}

static void keep_caps(const cap_value_t *keep, int n)
{
	cap_t caps = cap_init();

	if (n > 0 && (cap_set_flag(caps, CAP_PERMITTED, n, keep, CAP_SET) < 0 ||
		      cap_set_flag(caps, CAP_EFFECTIVE, n, keep, CAP_SET) < 0))
		abort();
	if (cap_set_proc(caps) < 0)
		abort();
	cap_free(caps);
}

static int load_with(void *data)
{
	static const cap_value_t CAPS[] = { CAP_BPF, CAP_NET_ADMIN, CAP_PERFMON };
	struct pinfold_error e = { "" };
	struct lab *lab = data;
	struct lab mine = *lab;

	/* Older verifiers want the third as well. */
	keep_caps(CAPS, !lab->server ? 0 : kernel_is_before(6, 7) ? 3 : 2);
	mine.fence = NULL;
	if (net_fence_new(&mine.policy, NULL, &mine.fence, &e) < 0)
		return strstr(e.text, "CAP_BPF") ? 201 : 202;
	return net_fence_attach(mine.fence, mine.cgroup_fd, NULL, &e) < 0 ? 203 : 0;
}

static void two_capabilities_are_enough_to_load_and_attach(void **state)
{
	struct lab lab = *(struct lab *)*state;

	lab_cgroup(&lab, "caps");
	assert_int_equal(lab_run(&lab, false, load_with, &lab), 0);
	lab.server = 0;
	assert_int_equal(lab_run(&lab, false, load_with, &lab), 201);
	close(lab.cgroup_fd);
	assert_int_equal(rmdir(lab.cgroup), 0);
}

static int any_socket(void *data)
{
	int fd = socket(AF_INET, *(int *)data, 0);

	return fd < 0 ? errno : 0;
}

/* The programs are attached and nothing was filled: as if attach had stopped half way. */
static void an_unfilled_session_is_denied_everything(void **state)
{
	struct lab lab = *(struct lab *)*state;
	const struct net_resolver none = { 0 };
	struct pinfold_error e = { "" };
	struct net_fence *first;
	int stream = SOCK_STREAM;
	int datagram = SOCK_DGRAM;

	lab_cgroup(&lab, "unfilled");
	assert_int_equal(net_fence_new(&lab.policy, NULL, &first, &e), 0);
	assert_int_equal(net_fence_attach(first, lab.cgroup_fd, &none, &e), 0);
	assert_int_equal(lab_run(&lab, true, any_socket, &stream), 0);
	assert_int_equal(net_fence_forget(first), 0);
	assert_int_equal(lab_run(&lab, true, any_socket, &stream), EPERM);
	assert_int_equal(lab_run(&lab, true, any_socket, &datagram), EPERM);
	net_fence_free(first);
	close(lab.cgroup_fd);
	assert_int_equal(rmdir(lab.cgroup), 0);
}

static int setup(void **state)
{
	static struct lab lab;
	char tree[128];
	char exact[128];
	const struct net_unix_tree trees[] = { { tree, true }, { exact, true } };
	struct pinfold_error e = { "" };

	snprintf(dir, sizeof(dir), "/tmp/pinfold-test-XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(tree, sizeof(tree), "%s/tree", dir);
	snprintf(exact, sizeof(exact), "%s/exact.sock", dir);
	assert_int_equal(mkdir(tree, 0755), 0);
	lab_prepare(&lab, "unix");
	if (net_fence_new(&lab.policy, NULL, &lab.fence, &e) < 0)
		fail_msg("%s", e.text);
	has_hooks = net_fence_unix_trees(lab.fence, trees, 2) == 0;
	if (net_fence_attach(lab.fence, lab.cgroup_fd, NULL, &e) < 0)
		fail_msg("%s", e.text);
	*state = &lab;
	return 0;
}

static int teardown(void **state)
{
	char tree[128];

	snprintf(tree, sizeof(tree), "%s/tree", dir);
	lab_done(*state);
	assert_int_equal(rmdir(tree), 0);
	assert_int_equal(rmdir(dir), 0);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sockets_outside_the_trees_are_refused_and_named),
		cmocka_unit_test(two_capabilities_are_enough_to_load_and_attach),
		cmocka_unit_test(an_unfilled_session_is_denied_everything),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
