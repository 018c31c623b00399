/* SPDX-License-Identifier: MIT */
/* Many commands that wait at once, and everybody who could decide about them, in a /run and
 * /var/lib of the test's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "agents/queue_inner.h"
#include "base/clean.h"
#include "pinfold.h"

#define MANY 1000
#define ROUNDS 30
#define FAILED 99
#define PATIENCE_MS 600000 /* a loaded machine takes a minute for the thousand */

static int own_directories(void **state)
{
	/* Not QUEUE_RUN_DIR: the host's goes with its last session, and the mounts on it as well.
	 */
	static const char *const dirs[] = { "/run", QUEUE_ALWAYS_DIR };

	(void)state;
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		mkdir(dirs[i], 0700);
		if (mount("none", dirs[i], "tmpfs", 0, "mode=0755") < 0)
			return -1;
	}
	return 0;
}

/* A process that waits; it ends with the result. */
static pid_t start(uint64_t timeout_ms)
{
	const pid_t pid = fork();
	char *argv[] = { (char[]){ "touch" }, (char[]){ "x" }, NULL };
	const struct queue_request q = {
		.argv = argv,
		.cwd = "/",
		.agent = "main",
		.session = "agent:main:main",
		.location = "host",
		.rule = "",
		.origin = "",
		.reason = "no rule approves it",
		.timeout_ms = timeout_ms,
	};
	struct queue_outcome outcome;
	struct pinfold_error e;

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(queue_wait(&q, &outcome, &e) < 0 ? FAILED : (int)outcome.result);
	return pid;
}

static int end_of(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static cJSON *list(void)
{
	auto_free char *text = NULL;
	struct pinfold_error e = { "" };
	cJSON *all;

	if (queue_list(&text, &e) < 0)
		fail_msg("%s", e.text);
	all = cJSON_Parse(text);
	assert_non_null(all);
	return all;
}

/* What waits, once it is n. */
static cJSON *list_of(int n)
{
	for (int i = 0; i < PATIENCE_MS / 100; i++) {
		cJSON *all = list();

		if (cJSON_GetArraySize(all) == n)
			return all;
		cJSON_Delete(all);
		usleep(100000);
	}
	fail_msg("%d never wait", n);
	return NULL;
}

static const char *id_of(const cJSON *request)
{
	return cJSON_GetStringValue(cJSON_GetObjectItem(request, "id"));
}

static pid_t pid_of(const cJSON *request)
{
	return (pid_t)cJSON_GetNumberValue(cJSON_GetObjectItem(request, "pid"));
}

static void nothing_is_left(void)
{
	DIR *d = opendir(QUEUE_DIR);

	assert_non_null(d);
	for (const struct dirent *f = readdir(d); f; f = readdir(d))
		if (f->d_name[0] != '.')
			fail_msg("%s is left", f->d_name);
	closedir(d);
}

static void a_thousand_wait_and_each_gets_its_own_decision(void **state)
{
	pid_t *pids = calloc(MANY, sizeof(*pids));
	const cJSON *request;
	cJSON *all;

	(void)state;
	for (size_t i = 0; i < MANY; i++)
		pids[i] = start(PATIENCE_MS);
	all = list_of(MANY);
	cJSON_ArrayForEach(request, all) {
		const struct queue_decision d = { .grant = pid_of(request) % 3 == 0 };
		struct pinfold_error e;

		assert_int_equal(queue_decide(id_of(request), &d, &e), 0);
	}
	cJSON_Delete(all);
	for (size_t i = 0; i < MANY; i++)
		assert_int_equal(end_of(pids[i]), pids[i] % 3 == 0 ? QUEUE_GRANTED : QUEUE_DENIED);
	free(pids);
	nothing_is_left();
}

static pid_t decide_elsewhere(const char *id, bool grant, int gate)
{
	const pid_t pid = fork();
	const struct queue_decision d = { .grant = grant };
	struct pinfold_error e;
	char byte;
	int r;

	assert_true(pid >= 0);
	if (pid > 0)
		return pid;
	if (read(gate, &byte, 1) != 1)
		_exit(FAILED);
	r = queue_decide(id, &d, &e);
	_exit(r == 0 ? 0 : r == -EALREADY || r == -ENOENT ? 1 : FAILED);
}

static void of_many_who_decide_at_once_one_counts(void **state)
{
	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		const pid_t waiter = start(PATIENCE_MS);
		cJSON *all = list_of(1);
		pid_t who[4];
		int gate[2];
		int winner = -1;

		assert_int_equal(pipe2(gate, O_CLOEXEC), 0);
		for (size_t i = 0; i < ARRAY_SIZE(who); i++)
			who[i] = decide_elsewhere(id_of(all->child), i % 2 == 0, gate[0]);
		assert_int_equal(write(gate[1], "....", 4), 4);
		for (size_t i = 0; i < ARRAY_SIZE(who); i++) {
			const int code = end_of(who[i]);

			assert_true(code == 0 || code == 1);
			assert_true(code == 1 || winner < 0);
			winner = code == 0 ? (int)i : winner;
		}
		assert_true(winner >= 0);
		assert_int_equal(end_of(waiter), winner % 2 == 0 ? QUEUE_GRANTED : QUEUE_DENIED);
		close(gate[0]);
		close(gate[1]);
		cJSON_Delete(all);
	}
	nothing_is_left();
}

static void a_decision_for_another_request_is_a_denial(void **state)
{
	static const char text[] = "{\"decision\":\"allow\",\"request\":\"0000\",\"by\":\"x\"}";
	const pid_t waiter = start(PATIENCE_MS);
	cJSON *all = list_of(1);
	auto_close int queue = open(QUEUE_DIR, O_DIRECTORY | O_CLOEXEC);
	auto_close int own = queue_open_request(queue, id_of(all->child));

	(void)state;
	assert_true(own >= 0);
	assert_int_equal(queue_put(own, QUEUE_DECISION, text), 0);
	assert_int_equal(end_of(waiter), QUEUE_DENIED);
	cJSON_Delete(all);
	nothing_is_left();
}

static void without_a_decision_time_decides(void **state)
{
	(void)state;
	assert_int_equal(end_of(start(50)), QUEUE_TIMED_OUT);
	assert_int_equal(end_of(start(0)), QUEUE_TIMED_OUT);
	nothing_is_left();
}

static void whoever_is_killed_while_waiting_leaves_nothing_to_allow(void **state)
{
	const struct queue_decision d = { .grant = true };
	struct pinfold_error e;
	pid_t pids[20];
	cJSON *all;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pids); i++)
		pids[i] = start(PATIENCE_MS);
	all = list_of(ARRAY_SIZE(pids));
	for (size_t i = 0; i < ARRAY_SIZE(pids); i++) {
		kill(pids[i], i % 2 ? SIGKILL : SIGTERM);
		assert_int_equal(end_of(pids[i]), 128 + (i % 2 ? SIGKILL : SIGTERM));
	}
	for (const cJSON *r = all->child; r; r = r->next)
		assert_int_equal(queue_decide(id_of(r), &d, &e), -ENOENT);
	cJSON_Delete(all);
	cJSON_Delete(list_of(0));
	nothing_is_left();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thousand_wait_and_each_gets_its_own_decision),
		cmocka_unit_test(of_many_who_decide_at_once_one_counts),
		cmocka_unit_test(a_decision_for_another_request_is_a_denial),
		cmocka_unit_test(without_a_decision_time_decides),
		cmocka_unit_test(whoever_is_killed_while_waiting_leaves_nothing_to_allow),
	};

	return cmocka_run_group_tests(tests, own_directories, NULL);
}
