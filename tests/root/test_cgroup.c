/* SPDX-License-Identifier: MIT */
/* Session cgroups on the real hierarchies: limits bite, nothing stays, many at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/io.h"
#include "pinfold.h"
#include "policy/policy.h"
#include "session/cgroup.h"
#include "session/cgroup_tree.h"

#define MIB (1024ul * 1024)
#define PARALLEL 200
#define LIFE_S 60 /* no child outlives this, whatever goes wrong */

static const struct limits_policy no_limits = { 0 };

/* An id that no other run of this test has. */
static const char *test_id(char ret[static CGROUP_ID_MAX + 1], const char *what)
{
	(void)snprintf(ret, CGROUP_ID_MAX + 1, "test-%d-%s", (int)getpid(), what);
	return ret;
}

static struct cgroup prepared(const char *what, const struct limits_policy *limits)
{
	struct cgroup c = CGROUP_EMPTY;
	struct pinfold_error e = { "" };
	char id[CGROUP_ID_MAX + 1];

	if (cgroup_prepare(&c, test_id(id, what), limits, false, &e) < 0)
		fail_msg("%s", e.text);
	return c;
}

/* A child in the cgroup that runs fn, or waits for its end when fn is NULL. */
static pid_t spawn_in(const struct cgroup *c, int (*fn)(void))
{
	pid_t pid = fork();
	char text[16];

	if (pid != 0)
		return pid;
	alarm(getenv("SLOW_MACHINE") ? 10 * LIFE_S : LIFE_S);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)snprintf(text, sizeof(text), "%d", (int)getpid());
	if (io_write_full(c->procs_fd, text, strlen(text)) < 0 || cgroup_join_v1(c, getpid()) < 0)
		_exit(111);
	if (fn)
		_exit(fn());
	for (;;)
		pause();
}

static void wait_populated(const struct cgroup *c)
{
	for (int i = 0; i < 5000 && cgroup_populated(c) == 0; i++)
		poll(NULL, 0, 1);
	assert_int_equal(cgroup_populated(c), 1);
}

static void end_session(struct cgroup *c)
{
	assert_int_equal(cgroup_kill(c), 0);
	assert_int_equal(cgroup_remove(c), 0);
	cgroup_done(c);
}

/* In how many hierarchies there is a directory for id. */
static int traces_of(const char *id)
{
	static const char *const controllers[] = { NULL, "pids", "memory", "cpu" };
	auto_free char *mountinfo = NULL;
	size_t len;
	int n = 0;

	assert_int_equal(io_read_file(AT_FDCWD, "/proc/self/mountinfo", MIB, &mountinfo, &len), 0);
	for (size_t i = 0; i < ARRAY_SIZE(controllers); i++) {
		auto_close int root = cgroup_find_root(mountinfo, controllers[i]);
		char path[128];

		(void)snprintf(path, sizeof(path), "%s/%s",
			       controllers[i] ? CGROUP_V1_SLICE : CGROUP_SLICE, id);
		n += root >= 0 && faccessat(root, path, F_OK, 0) == 0;
	}
	return n;
}

static void a_session_has_a_cgroup_while_it_lives_and_none_after(void **state)
{
	struct cgroup c = prepared("life", &no_limits);
	struct stat st;
	char id[CGROUP_ID_MAX + 1];
	pid_t pid = spawn_in(&c, NULL);
	int status;

	(void)state;
	memcpy(id, c.id, sizeof(id));
	assert_int_equal(fstat(c.dir_fd, &st), 0);
	assert_int_equal(c.number, st.st_ino);
	assert_int_equal(traces_of(id), 1);
	wait_populated(&c);
	end_session(&c);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	assert_int_equal(traces_of(id), 0);
}

static void an_id_is_used_once(void **state)
{
	struct cgroup c = prepared("once", &no_limits);
	struct cgroup again = CGROUP_EMPTY;
	struct pinfold_error e = { "" };

	(void)state;
	assert_int_equal(cgroup_prepare(&again, c.id, &no_limits, false, &e), -EEXIST);
	assert_int_equal(again.dir_fd, -1);
	assert_int_equal(traces_of(c.id), 1);
	end_session(&c);
}

static int fork_until_refused(void)
{
	for (int i = 0; i < 20; i++) {
		pid_t pid = fork();

		if (pid < 0)
			return errno == EAGAIN ? i : 200;
		if (pid == 0) {
			alarm(getenv("SLOW_MACHINE") ? 10 * LIFE_S : LIFE_S);
			for (;;)
				pause();
		}
	}
	return 100;
}

static void the_pids_limit_stops_forks(void **state)
{
	const struct limits_policy limits = { .pids = 5 };
	struct cgroup c = prepared("pids", &limits);
	pid_t pid = spawn_in(&c, fork_until_refused);
	int status;

	(void)state;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 4);
	end_session(&c);
}

static int use_memory(size_t bytes)
{
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return 1;
	memset(p, 1, bytes);
	return munmap(p, bytes) == 0 ? 0 : 2;
}

static int use_little(void)
{
	return use_memory(8 * MIB);
}

static int use_much(void)
{
	return use_memory(128 * MIB);
}

static void the_memory_limit_kills(void **state)
{
	const struct limits_policy limits = { .memory = 32 * MIB };
	struct cgroup c = prepared("memory", &limits);
	pid_t pid = spawn_in(&c, use_little);
	int status;

	(void)state;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	pid = spawn_in(&c, use_much);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	end_session(&c);
}

/* How much processor time half a second of spinning yields, in units of 4 ms. */
static int spin(void)
{
	int64_t end = cgroup_now_ms() + 500;
	struct timespec t;

	while (cgroup_now_ms() < end)
		;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (int)(t.tv_nsec / 4000000 + t.tv_sec * 250);
}

static void the_cpu_limit_slows_down(void **state)
{
	const struct limits_policy limits = { .cpu_percent = 10 };
	struct cgroup c = prepared("cpu", &limits);
	pid_t pid = spawn_in(&c, spin);
	int status;

	(void)state;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	/* A tenth of 500 ms, and slack for the periods at both ends. */
	assert_true(WEXITSTATUS(status) * 4 < 200);
	end_session(&c);
}

static void all_limits_together_leave_nothing(void **state)
{
	const struct limits_policy limits = { .pids = 10, .memory = 64 * MIB, .cpu_percent = 100 };
	struct cgroup c = prepared("all", &limits);
	char id[CGROUP_ID_MAX + 1];
	pid_t pid = spawn_in(&c, NULL);

	(void)state;
	memcpy(id, c.id, sizeof(id));
	wait_populated(&c);
	assert_int_equal(c.missing, 0);
	assert_true(traces_of(id) >= 1);
	end_session(&c);
	waitpid(pid, NULL, 0);
	assert_int_equal(traces_of(id), 0);
}

/* The kernel refuses the number; only with degrade that is no error. */
static void a_limit_that_cannot_be_had_is_an_error_unless_degraded(void **state)
{
	const struct limits_policy limits = { .pids = UINT64_MAX };
	struct cgroup c = CGROUP_EMPTY;
	struct pinfold_error e = { "" };
	char id[CGROUP_ID_MAX + 1];

	(void)state;
	test_id(id, "missing");
	assert_int_equal(cgroup_prepare(&c, id, &limits, false, &e), -EOPNOTSUPP);
	assert_non_null(strstr(e.text, "limits.pids"));
	assert_int_equal(traces_of(id), 0);
	assert_int_equal(cgroup_prepare(&c, id, &limits, true, &e), 0);
	assert_int_equal(c.missing, 1u << CGROUP_PIDS);
	end_session(&c);
	assert_int_equal(traces_of(id), 0);
}

static void removing_a_cgroup_in_use_times_out_and_a_nested_one_goes(void **state)
{
	struct cgroup c = prepared("nested", &no_limits);
	pid_t pid = spawn_in(&c, NULL);
	int64_t start = cgroup_now_ms();

	(void)state;
	assert_int_equal(mkdirat(c.dir_fd, "inner", 0755), 0);
	assert_int_equal(mkdirat(c.dir_fd, "inner/most", 0755), 0);
	wait_populated(&c);
	assert_int_equal(cgroup_remove(&c), -ETIMEDOUT);
	assert_true(cgroup_now_ms() - start >= CGROUP_REMOVE_MS - 10);
	end_session(&c);
	waitpid(pid, NULL, 0);
}

/* Makes a session, and dies without removing it. */
static void orphan(const char *id, const struct limits_policy *limits)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		struct cgroup c = CGROUP_EMPTY;

		_exit(cgroup_prepare(&c, id, limits, false, NULL) < 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void a_sweep_takes_what_is_dead_and_leaves_what_lives(void **state)
{
	const struct limits_policy limits = { .pids = 10, .memory = 64 * MIB, .cpu_percent = 100 };
	struct cgroup idle = prepared("idle", &limits);
	struct cgroup busy = prepared("busy", &no_limits);
	pid_t pid = spawn_in(&busy, NULL);
	char dead[CGROUP_ID_MAX + 1];
	int before = traces_of(idle.id);

	(void)state;
	orphan(test_id(dead, "dead"), &limits);
	wait_populated(&busy);
	assert_true(cgroup_sweep() >= 0); /* another run's sweep may have been first */
	assert_int_equal(traces_of(dead), 0);
	assert_int_equal(traces_of(idle.id), before);
	assert_int_equal(traces_of(busy.id), 1);
	end_session(&idle);
	end_session(&busy);
	waitpid(pid, NULL, 0);
}

static void a_sweep_leaves_a_populated_cgroup_whose_owner_is_gone(void **state)
{
	struct cgroup c = prepared("alive", &no_limits);
	pid_t pid = spawn_in(&c, NULL);

	(void)state;
	wait_populated(&c);
	assert_int_equal(flock(c.dir_fd, LOCK_UN), 0);
	assert_true(cgroup_sweep() >= 0);
	assert_int_equal(traces_of(c.id), 1);
	end_session(&c);
	waitpid(pid, NULL, 0);
}

/* One of many: makes, enters, sweeps, removes, several times. */
static int live_and_die(int number)
{
	const struct limits_policy limits = { .pids = 10 };

	for (int i = 0; i < 3; i++) {
		struct cgroup c = CGROUP_EMPTY;
		struct pinfold_error e = { "" };
		char id[CGROUP_ID_MAX + 1];
		pid_t pid;

		(void)snprintf(id, sizeof(id), "test-%d-%d-%d", (int)getppid(), number, i);
		if (cgroup_prepare(&c, id, &limits, false, &e) < 0) {
			print_error("%s\n", e.text);
			return 1;
		}
		pid = spawn_in(&c, NULL);
		if (number % 8 == 0 && cgroup_sweep() < 0)
			return 2;
		if (pid < 0 || faccessat(c.dir_fd, "cgroup.procs", F_OK, 0) < 0)
			return 3;
		while (cgroup_populated(&c) == 0)
			poll(NULL, 0, 1);
		if (cgroup_kill(&c) < 0 || waitpid(pid, NULL, 0) != pid)
			return 4;
		if (cgroup_remove(&c) < 0)
			return 5;
		cgroup_done(&c);
	}
	return 0;
}

static void many_at_once_do_not_disturb_each_other(void **state)
{
	pid_t pids[PARALLEL];
	int failed = 0;

	(void)state;
	for (int i = 0; i < PARALLEL; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			alarm(getenv("SLOW_MACHINE") ? 10 * LIFE_S : LIFE_S);
			_exit(live_and_die(i));
		}
	}
	for (int i = 0; i < PARALLEL; i++) {
		int status = -1;

		if (pids[i] > 0)
			waitpid(pids[i], &status, 0);
		if (status == 0)
			continue;
		failed++;
		print_error("number %d: status %#x\n", i, (unsigned)status);
	}
	assert_int_equal(failed, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_session_has_a_cgroup_while_it_lives_and_none_after),
		cmocka_unit_test(an_id_is_used_once),
		cmocka_unit_test(the_pids_limit_stops_forks),
		cmocka_unit_test(the_memory_limit_kills),
		cmocka_unit_test(the_cpu_limit_slows_down),
		cmocka_unit_test(all_limits_together_leave_nothing),
		cmocka_unit_test(a_limit_that_cannot_be_had_is_an_error_unless_degraded),
		cmocka_unit_test(removing_a_cgroup_in_use_times_out_and_a_nested_one_goes),
		cmocka_unit_test(a_sweep_takes_what_is_dead_and_leaves_what_lives),
		cmocka_unit_test(a_sweep_leaves_a_populated_cgroup_whose_owner_is_gone),
		cmocka_unit_test(many_at_once_do_not_disturb_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
