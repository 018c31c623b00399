/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clean.h"
#include "identity/env.h"
#include "identity/identity.h"
#include "pinfold.h"
#include "policy/policy.h"

static const char *const launcher_env[] = {
	"PATH=/evil",
	"HOME=/root",
	"LANG=de_DE.UTF-8",
	"LC_TIME=en_GB",
	"TERM=xterm",
	"LD_PRELOAD=/x.so",
	"BASH_ENV=/x",
	"http_proxy=http://p",
	"OPENAI_API_KEY=sk-1",
	"LC_TOKEN=t",
	"my_password=p",
	"PINFOLD_SESSION=forged",
	"BASH_FUNC_x%%=() { x; }",
	"AGENT_NAME=a=b",
	"EMPTY=",
	"notavariable",
	NULL,
};

static const struct policy_context launcher = { .cwd = "/data", .env = launcher_env };

static struct policy fixed_policy(void)
{
	return (struct policy){ .identity = { .choice = UID_FIXED, .uid = 1234, .gid = 4321 } };
}

static const char *value_of(const struct identity *id, const char *name)
{
	return env_get((const char *const *)id->env, name);
}

static size_t count_of(const struct identity *id)
{
	size_t n = 0;

	while (id->env[n])
		n++;
	return n;
}

static void nothing_of_the_launcher_is_in_the_environment(void **state)
{
	struct policy p = fixed_policy();
	struct identity id = { 0 };
	struct pinfold_error e = { "" };

	(void)state;
	assert_int_equal(identity_prepare(&id, &p, &launcher, "s1", &e), 0);
	assert_int_equal(count_of(&id), 9);
	assert_string_equal(value_of(&id, "PATH"), "/usr/local/bin:/usr/bin:/bin");
	assert_string_equal(value_of(&id, "HOME"), IDENTITY_PRIVATE_HOME);
	assert_string_equal(value_of(&id, "LANG"), "C.UTF-8");
	assert_string_equal(value_of(&id, "TMPDIR"), id.home); /* fs.tmp is TMP_NONE */
	assert_string_equal(value_of(&id, "USER"), "1234");
	assert_string_equal(value_of(&id, "LOGNAME"), "1234");
	assert_string_equal(value_of(&id, "SHELL"), "/bin/sh");
	assert_string_equal(value_of(&id, "PWD"), "/data");
	assert_string_equal(value_of(&id, "PINFOLD_SESSION"), "s1");
	assert_string_equal(id.path, value_of(&id, "PATH"));
	assert_true(id.home_is_private);
	assert_int_equal(id.uid, 1234);
	assert_int_equal(id.gid, 4321);
	assert_int_equal(identity_set_dir(&id, "/data/sub"), 0);
	assert_string_equal(value_of(&id, "PWD"), "/data/sub");
	assert_int_equal(count_of(&id), 9);
	identity_done(&id);
	identity_done(&id);
}

/* What one entry of keepEnv makes of the launcher's environment. */
static void keep_env_takes_names_and_patterns_but_no_secrets(void **state)
{
	static const struct {
		const char *entry;
		const char *name;
		const char *value; /* NULL: absent */
		int result;
	} cases[] = {
		{ "TERM", "TERM", "xterm", 0 },
		{ "TERM", "LC_TIME", NULL, 0 },
		{ "LANG", "LANG", "de_DE.UTF-8", 0 },
		{ "PATH", "PATH", "/evil", 0 },
		{ "EMPTY", "EMPTY", "", 0 },
		{ "ABSENT", "ABSENT", NULL, 0 },
		{ "AGENT_NAME", "AGENT_NAME", "a=b", 0 },
		{ "OPENAI_API_KEY", "OPENAI_API_KEY", "sk-1", 0 },
		{ "OPENAI_*", "OPENAI_API_KEY", NULL, 0 },
		{ "LC_*", "LC_TIME", "en_GB", 0 },
		{ "LC_*", "LC_TOKEN", NULL, 0 },
		{ "my_*", "my_password", NULL, 0 },
		{ "*", "TERM", "xterm", 0 },
		{ "*", "LD_PRELOAD", NULL, 0 },
		{ "*", "http_proxy", NULL, 0 },
		{ "*", "BASH_ENV", NULL, 0 },
		{ "*", "BASH_FUNC_x%%", NULL, 0 },
		{ "*", "PATH", "/usr/local/bin:/usr/bin:/bin", 0 },
		{ "*", "HOME", IDENTITY_PRIVATE_HOME, 0 },
		{ "*", "PINFOLD_SESSION", "s1", 0 },
		{ "LD_PRELOAD", NULL, NULL, -EINVAL },
		{ "ld_preload", NULL, NULL, -EINVAL },
		{ "http_proxy", NULL, NULL, -EINVAL },
		{ "BASH_ENV", NULL, NULL, -EINVAL },
		{ "SUDO_COMMAND", NULL, NULL, -EINVAL },
		{ "PINFOLD_SESSION", NULL, NULL, -EINVAL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct policy p = fixed_policy();
		auto_free char *entry = strdup(cases[i].entry);
		struct identity id = { 0 };
		struct pinfold_error e = { "" };
		int r;

		p.identity.keep_env = (struct string_list){ &entry, 1 };
		r = identity_prepare(&id, &p, &launcher, "s1", &e);
		if (r != cases[i].result)
			fail_msg("%s: %d, %s", cases[i].entry, r, e.text);
		if (r < 0) {
			assert_non_null(strstr(e.text, cases[i].entry));
			assert_null(id.env);
			continue;
		}
		const char *got = value_of(&id, cases[i].name);

		if (cases[i].value ? !got || strcmp(got, cases[i].value) != 0 : got != NULL)
			fail_msg("%s: %s is %s", cases[i].entry, cases[i].name, got);
		identity_done(&id);
	}
}

static void set_env_says_the_last_word(void **state)
{
	char n1[] = "LD_PRELOAD", v1[] = "/mine.so", n2[] = "PATH", v2[] = "/opt/bin";
	char n3[] = "PINFOLD_SESSION", n4[] = "A=B";
	struct env_var good[] = { { n1, v1 }, { n2, v2 } };
	struct env_var forged[] = { { n3, v1 } };
	struct env_var broken[] = { { n4, v1 } };
	struct policy p = fixed_policy();
	struct identity id = { 0 };
	struct pinfold_error e = { "" };

	(void)state;
	p.identity.set_env = good;
	p.identity.n_set_env = 2;
	assert_int_equal(identity_prepare(&id, &p, &launcher, "s1", &e), 0);
	assert_string_equal(value_of(&id, "LD_PRELOAD"), "/mine.so");
	assert_string_equal(id.path, "/opt/bin");
	assert_int_equal(count_of(&id), 10);
	identity_done(&id);
	p.identity.n_set_env = 1;
	p.identity.set_env = forged;
	assert_int_equal(identity_prepare(&id, &p, &launcher, "s1", &e), -EINVAL);
	p.identity.set_env = broken;
	assert_int_equal(identity_prepare(&id, &p, &launcher, "s1", &e), -EINVAL);
	assert_true(e.text[0] != '\0');
}

static void root_is_refused_by_uid_and_by_gid(void **state)
{
	static const struct {
		uid_t uid;
		gid_t gid;
		int want;
	} cases[] = {
		{ 1, 1, 0 },         { 0, 1, -EINVAL },         { 1, 0, -EINVAL },
		{ 0, 0, -EINVAL },   { (uid_t)-1, 1, -EINVAL }, { 1, (gid_t)-1, -EINVAL },
		{ 65534, 65534, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct policy p = { .identity = { .choice = UID_FIXED,
						  .uid = cases[i].uid,
						  .gid = cases[i].gid } };
		struct identity id = { 0 };
		struct pinfold_error e = { "" };

		assert_int_equal(identity_prepare(&id, &p, &launcher, "s1", &e), cases[i].want);
		assert_int_equal(e.text[0] != '\0', cases[i].want != 0);
		identity_done(&id);
		assert_int_equal(
		    identity_enter_helper(cases[i].want ? cases[i].uid : 0, cases[i].gid), -EINVAL);
	}
}

static void sudo_names_the_identity_only_for_root(void **state)
{
	static const struct {
		const char *env[3];
		uid_t uid;
		gid_t gid;
		int want;
	} cases[] = {
		{ { NULL }, 10001, 10001, 0 },
		{ { "SUDO_UID=1000", "SUDO_GID=100" }, 1000, 100, 0 },
		{ { "SUDO_UID=0", "SUDO_GID=0" }, 10001, 10001, 0 },
		{ { "SUDO_UID=1000", "SUDO_GID=0" }, 0, 0, -EINVAL },
		{ { "SUDO_UID=1000" }, 0, 0, -EINVAL },
		{ { "SUDO_UID=-1", "SUDO_GID=5" }, 0, 0, -EINVAL },
		{ { "SUDO_UID=4294967295", "SUDO_GID=5" }, 0, 0, -EINVAL },
		{ { "SUDO_UID=", "SUDO_GID=5" }, 0, 0, -EINVAL },
		{ { "SUDO_GID=5" }, 10001, 10001, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct policy_context ctx = { .cwd = "/", .env = cases[i].env };
		struct policy p = { .identity = { .choice = UID_DEFAULT } };
		struct identity id = { 0 };
		int r = identity_prepare(&id, &p, &ctx, "s1", NULL);

		if (getuid() != 0) {
			assert_int_equal(r, 0);
			assert_int_equal(id.uid, 10001);
		} else {
			assert_int_equal(r, cases[i].want);
			assert_int_equal(id.uid, cases[i].uid);
			assert_int_equal(id.gid, cases[i].gid);
		}
		identity_done(&id);
	}
}

static void auto_takes_an_uid_of_no_account(void **state)
{
	struct policy p = { .identity = { .choice = UID_AUTO } };
	struct identity a = { 0 };
	struct identity b = { 0 };

	(void)state;
	assert_int_equal(identity_prepare(&a, &p, &launcher, "s1", NULL), 0);
	assert_int_equal(identity_prepare(&b, &p, &launcher, "s2", NULL), 0);
	assert_int_equal(a.uid, a.gid);
	assert_true(a.uid >= 1879048192 && a.uid < 2147352576);
	assert_true(a.uid != b.uid);
	identity_done(&a);
	identity_done(&b);
}

static void known_accounts_have_their_name(void **state)
{
	char home[] = "/var/tmp";
	struct policy p = { .identity = { .choice = UID_FIXED, .uid = 1, .gid = 1, .home = home } };
	struct identity id = { 0 };

	(void)state;
	assert_int_equal(identity_prepare(&id, &p, &launcher, "s1", NULL), 0);
	assert_string_equal(value_of(&id, "USER"), "daemon");
	assert_string_equal(value_of(&id, "HOME"), "/var/tmp");
	assert_false(id.home_is_private);
	identity_done(&id);
}

/* ---- descriptors ---------------------------------------------------------------------------- */

static int open_tcp(void)
{
	return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

static int open_udp6(void)
{
	return socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

static int open_netlink(void)
{
	return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, 0);
}

static int open_unix_free(void)
{
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

static int open_pair(int type)
{
	int pair[2];

	if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, pair) < 0)
		return -1;
	close(pair[1]);
	return pair[0];
}

static int open_unix_stream(void)
{
	return open_pair(SOCK_STREAM);
}

static int open_unix_dgram(void)
{
	return open_pair(SOCK_DGRAM);
}

static int open_unix_listener(void)
{
	struct sockaddr_un any = { .sun_family = AF_UNIX };
	int fd = open_unix_free();

	if (bind(fd, (struct sockaddr *)&any, sizeof(any.sun_family)) < 0 || listen(fd, 1) < 0)
		return -1;
	return fd;
}

static int open_directory(void)
{
	return open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int open_path_handle(void)
{
	return open("/etc/passwd", O_PATH | O_CLOEXEC);
}

static int open_file(void)
{
	return open("/etc/passwd", O_RDONLY | O_CLOEXEC);
}

static int open_null(void)
{
	return open("/dev/null", O_RDWR | O_CLOEXEC);
}

static int open_proc(void)
{
	return open("/proc/self/status", O_RDONLY | O_CLOEXEC);
}

static int open_namespace(void)
{
	return open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
}

static int open_pidfd(void)
{
	return (int)syscall(SYS_pidfd_open, getpid(), 0);
}

static int open_eventfd(void)
{
	return eventfd(0, EFD_CLOEXEC);
}

static int open_pipe(void)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	close(ends[1]);
	return ends[0];
}

static void only_harmless_descriptors_pass(void **state)
{
	static const struct {
		const char *name;
		int (*open)(void);
		int want;
	} cases[] = {
		{ "file", open_file, 0 },
		{ "/dev/null", open_null, 0 },
		{ "pipe", open_pipe, 0 },
		{ "eventfd", open_eventfd, 0 },
		{ "connected unix stream", open_unix_stream, 0 },
		{ "listening unix stream", open_unix_listener, 0 },
		{ "tcp socket", open_tcp, -EPERM },
		{ "udp6 socket", open_udp6, -EPERM },
		{ "netlink socket", open_netlink, -EPERM },
		{ "unix stream without a peer", open_unix_free, -EPERM },
		{ "unix datagrams", open_unix_dgram, -EPERM },
		{ "directory", open_directory, -EPERM },
		{ "O_PATH", open_path_handle, -EPERM },
		{ "file of /proc", open_proc, -EPERM },
		{ "namespace", open_namespace, -EPERM },
		{ "pidfd", open_pidfd, -EPERM },
	};

	(void)state;
	assert_int_equal(identity_check_fds(NULL, 0, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		auto_close int fd = cases[i].open();
		struct pinfold_error e = { "" };
		int r;

		assert_true(fd > 2);
		r = identity_check_fds(&fd, 1, &e);
		if (r != cases[i].want)
			fail_msg("%s: %d (%s)", cases[i].name, r, e.text);
		assert_int_equal(e.text[0] != '\0', r < 0);
	}
	assert_int_equal(identity_check_fds((const int[]){ 1000 }, 1, NULL), -EBADF);
	assert_int_equal(identity_check_fds((const int[]){ -1 }, 1, NULL), -EBADF);
}

static void an_inet_socket_as_standard_input_is_refused(void **state)
{
	auto_close int saved = fcntl(0, F_DUPFD_CLOEXEC, 10);
	auto_close int tcp = open_tcp();
	int r;

	(void)state;
	dup2(tcp, 0);
	r = identity_check_fds(NULL, 0, NULL);
	if (saved >= 0)
		dup2(saved, 0);
	else
		close(0);
	assert_int_equal(r, -EPERM);
}

/* Bit i: descriptor i of a child is open after the call. */
static unsigned open_after(const int *close_first, const int *keep, size_t n)
{
	pid_t pid = fork();
	unsigned open_fds = 0;
	int status;

	if (pid == 0) {
		for (int fd = 3; fd < 12; fd++)
			dup2(open_null(), fd);
		for (; *close_first >= 0; close_first++)
			close(*close_first);
		if (identity_close_fds(keep, n) < 0)
			_exit(255);
		for (int fd = 0; fd < 3; fd++)
			if (fcntl(fd, F_GETFD) < 0)
				_exit(254);
		for (int fd = 4; fd < 12; fd++)
			open_fds |= fcntl(fd, F_GETFD) >= 0 ? 1u << (fd - 4) : 0;
		_exit((int)open_fds);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return (unsigned)WEXITSTATUS(status);
}

static void everything_but_the_kept_is_closed(void **state)
{
	(void)state;
	assert_int_equal(open_after((const int[]){ -1 }, NULL, 0), 0);
	assert_int_equal(open_after((const int[]){ -1 }, (const int[]){ 5 }, 1), 1 << 1);
	assert_int_equal(open_after((const int[]){ -1 }, (const int[]){ 1, 4, 5, 5, 9 }, 5),
			 1 << 0 | 1 << 1 | 1 << 5);
	assert_int_equal(open_after((const int[]){ 0, 2, -1 }, (const int[]){ 4 }, 1), 1);
	assert_int_equal(open_after((const int[]){ 0, 1, 2, -1 }, NULL, 0), 0);
	assert_int_equal(open_after((const int[]){ -1 }, (const int[]){ -1 }, 1), 255);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_of_the_launcher_is_in_the_environment),
		cmocka_unit_test(keep_env_takes_names_and_patterns_but_no_secrets),
		cmocka_unit_test(set_env_says_the_last_word),
		cmocka_unit_test(root_is_refused_by_uid_and_by_gid),
		cmocka_unit_test(sudo_names_the_identity_only_for_root),
		cmocka_unit_test(auto_takes_an_uid_of_no_account),
		cmocka_unit_test(known_accounts_have_their_name),
		cmocka_unit_test(only_harmless_descriptors_pass),
		cmocka_unit_test(an_inet_socket_as_standard_input_is_refused),
		cmocka_unit_test(everything_but_the_kept_is_closed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
