/* SPDX-License-Identifier: MIT */
/* What the supervisor takes from a relay that may have been taken over. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clean.h"
#include "relay/worker.h"

static struct relay_worker channel(void)
{
	struct relay_worker w = RELAY_EMPTY;

	assert_int_equal(relay_worker_renew(&w, NULL), 0);
	return w;
}

static struct relay_note note(uint32_t kind, uint16_t finding, const char *name)
{
	struct relay_note n = { .kind = kind, .finding = finding, .port = 40000 };

	memcpy(n.name, name, strlen(name));
	return n;
}

static int pass(const struct relay_note *n, size_t size)
{
	struct relay_worker w = channel();
	struct relay_note got;
	int r;

	assert_int_equal(send(w.channel, n, size, 0), size);
	r = relay_note_receive(&w, &got);
	if (r == 0)
		assert_memory_equal(&got, n, sizeof(got));
	relay_worker_done(&w);
	return r;
}

static void sound_notes_are_taken_and_others_are_not(void **state)
{
	const struct {
		struct relay_note note;
		int want;
	} ROWS[] = {
		{ note(RELAY_NOTE_ASK, RELAY_NAME, "a.test"), 0 },
		{ note(RELAY_NOTE_REFUSED, RELAY_NOT_TLS, ""), 0 },
		{ note(RELAY_NOTE_GONE, 0, ""), 0 },
		{ note(RELAY_NOTE_CUT, RELAY_OTHER_NAME, "b.test"), 0 },
		{ note(RELAY_NOTE_ASK, RELAY_NAME, ""), -EBADMSG },
		{ note(RELAY_NOTE_ASK, RELAY_NOT_TLS, "a.test"), -EBADMSG },
		{ note(RELAY_NOTE_ASK, RELAY_NAME, "a\ntest"), -EBADMSG },
		{ note(RELAY_NOTE_ASK, RELAY_NAME, "a\x7f"), -EBADMSG },
		{ note(RELAY_NOTE_ASK, RELAY_NAME, "\xc3\xa4"), -EBADMSG },
		{ note(RELAY_NOTE_REFUSED, RELAY_NAME, ""), -EBADMSG },
		{ note(RELAY_NOTE_REFUSED, RELAY_FINDINGS, ""), -EBADMSG },
		{ note(RELAY_NOTE_GONE, 0, "a.test"), -EBADMSG },
		{ note(RELAY_NOTE_NONE, 0, ""), -EBADMSG },
		{ note(RELAY_NOTE_MAX, RELAY_NOT_TLS, ""), -EBADMSG },
	};
	struct relay_note full = ROWS[0].note;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ROWS); i++)
		assert_int_equal(pass(&ROWS[i].note, sizeof(full)), ROWS[i].want);
	assert_int_equal(pass(&full, sizeof(full) - 1), -EBADMSG);
	memset(full.name, 'a', sizeof(full.name)); /* without an end */
	assert_int_equal(pass(&full, sizeof(full)), -EBADMSG);
}

static void an_end_is_told_from_silence(void **state)
{
	struct relay_worker w = channel();
	struct relay_note got;

	(void)state;
	assert_int_equal(relay_note_receive(&w, &got), -EAGAIN);
	relay_worker_started(&w);
	assert_int_equal(relay_note_receive(&w, &got), -EPIPE);
	assert_int_equal(relay_ruling_send(&w, 1, -1), -EPIPE);
	relay_worker_done(&w);
	relay_worker_done(&w);
}

static void a_relay_that_reads_nothing_does_not_block(void **state)
{
	struct relay_worker w = channel();
	int r = 0;

	(void)state;
	for (unsigned i = 0; i < 100000 && r == 0; i++)
		r = relay_ruling_send(&w, i, -1);
	assert_int_equal(r, -EAGAIN);
	relay_worker_done(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sound_notes_are_taken_and_others_are_not),
		cmocka_unit_test(an_end_is_told_from_silence),
		cmocka_unit_test(a_relay_that_reads_nothing_does_not_block),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
