/* wrap: fork kill */
/* SPDX-License-Identifier: MIT */
/* A helper that could not be born is not killed: to kill(2) its pid would mean everybody. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/err.h"
#include "pinfold.h"
#include "session/session.h"

pid_t __wrap_fork(void);
int __wrap_kill(pid_t pid, int sig);

static int kills;

pid_t __wrap_fork(void)
{
	errno = EAGAIN;
	return -1;
}

int __wrap_kill(pid_t pid, int sig)
{
	(void)sig;
	kills++;
	if (pid <= 1)
		fail_msg("kill(%d)", (int)pid);
	return 0;
}

static void only_a_process_of_ours_is_killed(void **state)
{
	(void)state;
	kills = 0;
	errno = ENOENT;
	child_kill(-1);
	child_kill(0);
	child_kill(1);
	assert_int_equal(kills, 0);
	child_kill(4711);
	assert_int_equal(kills, 1);
	assert_int_equal(errno, ENOENT);
}

static void a_janitor_that_could_not_be_born_is_not_killed(void **state)
{
	struct session s;
	struct pinfold_error e = { "" };

	(void)state;
	memset(&s, 0, sizeof(s));
	s.janitor_pipe = -1;
	signal(SIGPIPE, SIG_IGN);
	kills = 0;
	assert_int_equal(session_start_janitor(&s, &e), -EAGAIN);
	assert_non_null(strstr(e.text, "janitor"));
	session_dismiss_janitor(&s);
	session_reap_janitor(&s);
	assert_int_equal(kills, 0);
	assert_int_equal(s.janitor_pipe, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_a_process_of_ours_is_killed),
		cmocka_unit_test(a_janitor_that_could_not_be_born_is_not_killed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
