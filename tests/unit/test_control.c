/* SPDX-License-Identifier: MIT */
/* What a peer of the control socket may send: one request of the right shape, or it is dropped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clean.h"
#include "session/control.h"

#define PEER 2

struct line {
	struct control control;
	int theirs;
};

static void open_line(struct line *l)
{
	int pair[2];

	l->control = (struct control)CONTROL_EMPTY;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	l->control.peer[PEER].fd = pair[0];
	l->theirs = pair[1];
}

static void close_line(struct line *l)
{
	control_done(&l->control);
	if (l->theirs >= 0)
		close(l->theirs);
}

static struct control_request request(uint32_t verb, const char *path)
{
	struct control_request r = { .version = CONTROL_VERSION, .verb = verb };

	memcpy(r.path, path, strlen(path));
	return r;
}

static void takes_each_verb_with_the_path_that_it_needs(void **state)
{
	static const struct {
		uint32_t verb;
		const char *path;
		int want;
	} rows[] = {
		{ CONTROL_INFO, "", 1 },
		{ CONTROL_SHOW, "", 1 },
		{ CONTROL_KILL, "", 1 },
		{ CONTROL_RELOAD, "/etc/p.json", 1 },
		{ CONTROL_RELOAD, "", -EBADMSG },
		{ CONTROL_RELOAD, "p.json", -EBADMSG },
		{ CONTROL_INFO, "/etc/p.json", -EBADMSG },
		{ CONTROL_NONE, "", -EBADMSG },
		{ CONTROL_VERBS, "", -EBADMSG },
		{ UINT32_MAX, "", -EBADMSG },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct control_request r = request(rows[i].verb, rows[i].path);
		struct control_request got = { .version = 0 };
		struct line l;

		open_line(&l);
		assert_int_equal(send(l.theirs, &r, sizeof(r), 0), sizeof(r));
		assert_int_equal(control_receive(&l.control, PEER, &got), rows[i].want);
		if (rows[i].want == 1)
			assert_memory_equal(&got, &r, sizeof(r));
		else
			assert_int_equal(l.control.peer[PEER].fd, -1);
		close_line(&l);
	}
}

static void drops_who_sends_another_size_or_version(void **state)
{
	static const size_t sizes[] = { 1, 8, sizeof(struct control_request) - 1,
					sizeof(struct control_request) + 1 };
	struct control_request r = request(CONTROL_INFO, "");
	struct line l;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		char bytes[sizeof(r) + 1] = { 0 };
		struct control_request got;

		memcpy(bytes, &r, sizeof(r));
		open_line(&l);
		assert_int_equal(send(l.theirs, bytes, sizes[i], 0), sizes[i]);
		assert_int_equal(control_receive(&l.control, PEER, &got), -EBADMSG);
		assert_int_equal(l.control.peer[PEER].fd, -1);
		close_line(&l);
	}
	r.version++;
	open_line(&l);
	assert_int_equal(send(l.theirs, &r, sizeof(r), 0), sizeof(r));
	assert_int_equal(control_receive(&l.control, PEER, &r), -EBADMSG);
	close_line(&l);
}

static void drops_a_path_without_an_end(void **state)
{
	struct control_request r = { .version = CONTROL_VERSION, .verb = CONTROL_RELOAD };
	struct control_request got;
	struct line l;

	(void)state;
	memset(r.path, '/', sizeof(r.path));
	open_line(&l);
	assert_int_equal(send(l.theirs, &r, sizeof(r), 0), sizeof(r));
	assert_int_equal(control_receive(&l.control, PEER, &got), -EBADMSG);
	close_line(&l);
}

static void waits_for_nobody_and_notices_who_is_gone(void **state)
{
	struct control_request got;
	struct line l;

	(void)state;
	open_line(&l);
	assert_int_equal(control_receive(&l.control, PEER, &got), 0);
	assert_true(l.control.peer[PEER].fd >= 0);
	close(take_fd(l.theirs));
	assert_int_equal(control_receive(&l.control, PEER, &got), -EPIPE);
	assert_int_equal(control_receive(&l.control, PEER, &got), -EBADF);
	close_line(&l);
}

static void drops_who_says_nothing_for_too_long(void **state)
{
	struct line l;

	(void)state;
	open_line(&l);
	l.control.peer[PEER].since_us = 1;
	control_tick(&l.control, CONTROL_PATIENCE_US + 1);
	assert_true(l.control.peer[PEER].fd >= 0);
	control_tick(&l.control, CONTROL_PATIENCE_US + 2);
	assert_int_equal(l.control.peer[PEER].fd, -1);
	close_line(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_each_verb_with_the_path_that_it_needs),
		cmocka_unit_test(drops_who_sends_another_size_or_version),
		cmocka_unit_test(drops_a_path_without_an_end),
		cmocka_unit_test(waits_for_nobody_and_notices_who_is_gone),
		cmocka_unit_test(drops_who_says_nothing_for_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
