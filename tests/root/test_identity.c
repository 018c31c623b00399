/* SPDX-License-Identifier: MIT */
/* What is left of root after identity_enter, looked at from inside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/keyctl.h>
#include <linux/securebits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "identity/identity.h"

#define UID 10001
#define GID 10002
#define COULD_NOT_ENTER 111

static const struct identity who = { .uid = UID, .gid = GID };

/* What look() returned in a child that entered the identity. */
static int inside(int (*look)(void))
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(identity_enter(&who) < 0 ? COULD_NOT_ENTER : look());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int look_at_ids(void)
{
	uid_t u[3];
	gid_t g[3];

	if (getresuid(&u[0], &u[1], &u[2]) < 0 || getresgid(&g[0], &g[1], &g[2]) < 0)
		return 1;
	for (int i = 0; i < 3; i++)
		if (u[i] != UID || g[i] != GID)
			return 2;
	if (getgroups(0, NULL) != 0)
		return 3;
	return setuid(0) == 0 || setgid(0) == 0 || setgroups(0, NULL) == 0 ? 4 : 0;
}

static void all_ids_change_for_good(void **state)
{
	(void)state;
	assert_int_equal(inside(look_at_ids), 0);
}

/* The line of /proc/self/status that starts with key, as a hexadecimal number.  Read by a child of
 * ours that runs cat, since we are not dumpable. */
static unsigned long long status_of(const char *text, const char *key)
{
	const char *line = strstr(text, key);

	return line ? strtoull(line + strlen(key), NULL, 16) : ~0ull;
}

static int look_at_status(void)
{
	static const char *const sets[] = { "CapInh:", "CapPrm:", "CapEff:", "CapBnd:", "CapAmb:" };
	char text[8192];
	FILE *f = popen("exec cat /proc/self/status", "r");
	size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

	if (!f || pclose(f) != 0 || n == 0)
		return 1;
	text[n] = '\0';
	for (size_t i = 0; i < 5; i++)
		if (status_of(text, sets[i]) != 0)
			return 10 + (int)i;
	return status_of(text, "NoNewPrivs:") == 1 ? 0 : 2;
}

static void no_capability_is_left_in_any_set(void **state)
{
	(void)state;
	assert_int_equal(inside(look_at_status), 0);
}

static int look_at_process(void)
{
	struct rlimit core;
	int bits = prctl(PR_GET_SECUREBITS);

	if (getrlimit(RLIMIT_CORE, &core) < 0 || core.rlim_max != 0)
		return 1;
	if (prctl(PR_GET_DUMPABLE) != 0 || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
		return 2;
	if (!(bits & SECBIT_NOROOT) || !(bits & SECBIT_NOROOT_LOCKED) ||
	    !(bits & SECBIT_KEEP_CAPS_LOCKED) || !(bits & SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED))
		return 3;
	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == 0 || prctl(PR_CAPBSET_READ, 0, 0, 0, 0) != 0)
		return 4;
	return umask(0) == 022 ? 0 : 5;
}

/* "" where the kernel has no audit. */
static void login_uid(char ret[16])
{
	FILE *f = fopen("/proc/self/loginuid", "re");

	ret[0] = '\0';
	if (f && !fgets(ret, 16, f))
		ret[0] = '\0';
	if (f)
		fclose(f);
}

static int choose_a_login_uid(void)
{
	char before[16];
	char after[16];
	FILE *f;

	login_uid(before);
	if (!before[0])
		return 0;
	if (strcmp(before, "4294967295") == 0)
		return 1;
	f = fopen("/proc/self/loginuid", "we");
	if (f) {
		fputs("4242", f);
		fclose(f);
	}
	login_uid(after);
	return strcmp(before, after) == 0 ? 0 : 2;
}

static void the_login_uid_is_not_the_sessions_to_choose(void **state)
{
	(void)state;
	assert_int_equal(inside(choose_a_login_uid), 0);
}

static void what_protects_the_process_is_set(void **state)
{
	(void)state;
	assert_int_equal(inside(look_at_process), 0);
}

static long outer_key;

static int look_for_the_key(void)
{
	char buf[8];

	if (syscall(SYS_keyctl, KEYCTL_READ, outer_key, buf, sizeof(buf)) >= 0)
		return 1;
	return syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_SESSION_KEYRING, "user", "pinfold-test",
		       0) >= 0
		   ? 2
		   : 0;
}

/* Our own keyring first, so that nothing of the test stays in the one of whoever runs it. */
static int with_a_key(void)
{
	char buf[8];

	if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0)
		return errno == ENOSYS ? 0 : 20;
	outer_key =
	    syscall(SYS_add_key, "user", "pinfold-test", "abc", 3, KEY_SPEC_SESSION_KEYRING);
	if (outer_key < 0 || syscall(SYS_keyctl, KEYCTL_READ, outer_key, buf, sizeof(buf)) != 3)
		return 21;
	return identity_enter(&who) < 0 ? COULD_NOT_ENTER : look_for_the_key();
}

static void the_launchers_keys_stay_behind(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	if (pid == 0)
		_exit(with_a_key());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static int enter_with_groups(void)
{
	const gid_t groups[] = { 0, 4, 27 };

	if (setgroups(3, groups) < 0)
		return 20;
	return identity_enter_helper(UID, GID) < 0 ? COULD_NOT_ENTER : look_at_ids();
}

static void supplementary_groups_are_dropped(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	if (pid == 0)
		_exit(enter_with_groups());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static int read_the_init(void)
{
	char path[64];
	int fds[2];
	char byte;
	pid_t init;
	int fd;

	if (pipe(fds) < 0)
		return 1;
	init = fork();
	if (init == 0) {
		close(fds[1]);
		_exit(read(fds[0], &byte, 1) < 0);
	}
	snprintf(path, sizeof(path), "/proc/%d/environ", init);
	fd = open(path, O_RDONLY);
	close(fds[1]);
	waitpid(init, NULL, 0);
	return fd < 0 ? 0 : 2;
}

static void a_process_that_does_not_exec_is_unreadable_for_its_own_uid(void **state)
{
	(void)state;
	assert_int_equal(inside(read_the_init), 0);
}

static int enter_without_setpcap(void)
{
	/* Dropping the right to drop: the effective set without CAP_SETPCAP. */
	if (prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0) < 0 || setresuid(UID, UID, UID) < 0)
		return 20;
	return identity_enter_helper(UID + 1, GID) == -EPERM ? 0 : 1;
}

static void an_unprivileged_launcher_gets_an_error(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	if (pid == 0)
		_exit(enter_without_setpcap());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_ids_change_for_good),
		cmocka_unit_test(no_capability_is_left_in_any_set),
		cmocka_unit_test(what_protects_the_process_is_set),
		cmocka_unit_test(the_login_uid_is_not_the_sessions_to_choose),
		cmocka_unit_test(the_launchers_keys_stay_behind),
		cmocka_unit_test(supplementary_groups_are_dropped),
		cmocka_unit_test(a_process_that_does_not_exec_is_unreadable_for_its_own_uid),
		cmocka_unit_test(an_unprivileged_launcher_gets_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
