/* SPDX-License-Identifier: MIT */
/* The worker as an enemy of the supervisor. */
#include "dns_help.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clean.h"
#include "dns/notes.h"
#include "dns/worker.h"

static struct dns_worker channel(void)
{
	static const struct policy POLICY;
	struct dns_worker w = DNS_WORKER_EMPTY;
	int pair[2];

	w.policy = &POLICY;
	assert_int_equal(
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair), 0);
	w.channel = pair[0];
	w.supervisor = pair[1];
	return w;
}

static struct dns_note vouch(void)
{
	struct dns_note note = { .kind = DNS_NOTE_VOUCH,
				 .id = 3,
				 .name = "api.test",
				 .type = DNS_TYPE_A,
				 .n_addrs = 2,
				 .ttl_s = 60 };

	note.addrs[0] = ip("198.51.100.10");
	note.addrs[1] = ip("198.51.100.11");
	return note;
}

static struct dns_note refused(void)
{
	return (struct dns_note){ .kind = DNS_NOTE_REFUSED,
				  .name = "evil\\046.test",
				  .type = DNS_TYPE_TXT,
				  .folded = 1,
				  .refusal = DNS_REFUSAL_NAME };
}

static struct dns_note count(void)
{
	return (struct dns_note){ .kind = DNS_NOTE_COUNT, .folded = 17 };
}

static int sent(const struct dns_worker *w, const void *bytes, size_t n, struct dns_note *ret)
{
	assert_int_equal(send(w->channel, bytes, n, 0), n);
	return dns_note_receive(w, ret);
}

static void takes_each_kind_of_sound_note(void **state)
{
	struct dns_note (*const MAKE[])(void) = { vouch, refused, count };
	struct dns_worker w = channel();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(MAKE); i++) {
		struct dns_note note = MAKE[i]();
		struct dns_note got;

		assert_int_equal(sent(&w, &note, sizeof(note), &got), 0);
		assert_memory_equal(&got, &note, sizeof(note));
	}
	dns_worker_done(&w);
}

static void no_address(struct dns_note *n)
{
	n->n_addrs = 0;
}
static void too_many_addresses(struct dns_note *n)
{
	n->n_addrs = DNS_ADDRS_MAX + 1;
}
static void all_addresses(struct dns_note *n)
{
	n->n_addrs = UINT16_MAX;
}
static void upper_case(struct dns_note *n)
{
	n->name[0] = 'A';
}
static void trailing_dot(struct dns_note *n)
{
	memcpy(n->name, "api.test.", 10);
}
static void empty_name(struct dns_note *n)
{
	memset(n->name, 0, sizeof(n->name));
}
static void unterminated(struct dns_note *n)
{
	memset(n->name, 'a', sizeof(n->name));
}
static void too_long(struct dns_note *n)
{
	memset(n->name, 'a', sizeof(n->name) - 1);
}
static void quote(struct dns_note *n)
{
	n->name[1] = '"';
}
static void newline(struct dns_note *n)
{
	n->name[1] = '\n';
}
static void high_byte(struct dns_note *n)
{
	n->name[1] = (char)0xe4;
}
static void type_txt(struct dns_note *n)
{
	n->type = DNS_TYPE_TXT;
}
static void v6_as_a(struct dns_note *n)
{
	n->addrs[1] = ip("2001:db8::1");
}
static void long_life(struct dns_note *n)
{
	n->ttl_s = DNS_TTL_MAX_S + 1;
}
static void kind_zero(struct dns_note *n)
{
	n->kind = DNS_NOTE_NONE;
}
static void kind_unknown(struct dns_note *n)
{
	n->kind = DNS_NOTE_MAX;
}
static void kind_huge(struct dns_note *n)
{
	n->kind = UINT32_MAX;
}
static void some_refusal(struct dns_note *n)
{
	n->refusal = DNS_REFUSAL_NAME;
}
static void no_refusal(struct dns_note *n)
{
	n->refusal = DNS_REFUSAL_NONE;
}
static void huge_refusal(struct dns_note *n)
{
	n->refusal = DNS_REFUSAL_MAX;
}
static void stands_for_none(struct dns_note *n)
{
	n->folded = 0;
}
static void one_address(struct dns_note *n)
{
	n->n_addrs = 1;
}

static void refuses_each_lie(void **state)
{
	static const struct {
		const char *why;
		struct dns_note (*make)(void);
		void (*spoil)(struct dns_note *);
	} LIES[] = {
		{ "no address", vouch, no_address },
		{ "too many addresses", vouch, too_many_addresses },
		{ "65535 addresses", vouch, all_addresses },
		{ "upper case", vouch, upper_case },
		{ "trailing dot", vouch, trailing_dot },
		{ "empty name", vouch, empty_name },
		{ "unterminated name", vouch, unterminated },
		{ "name too long", vouch, too_long },
		{ "quote", vouch, quote },
		{ "newline", vouch, newline },
		{ "high byte", vouch, high_byte },
		{ "type TXT", vouch, type_txt },
		{ "an IPv6 address for A", vouch, v6_as_a },
		{ "too long a life", vouch, long_life },
		{ "kind 0", vouch, kind_zero },
		{ "kind unknown", vouch, kind_unknown },
		{ "kind huge", vouch, kind_huge },
		{ "a refusal", vouch, some_refusal },
		{ "refused without a name", refused, empty_name },
		{ "refused, unterminated", refused, unterminated },
		{ "refused with a newline", refused, newline },
		{ "refused with a high byte", refused, high_byte },
		{ "refused with an address", refused, one_address },
		{ "refused without a reason", refused, no_refusal },
		{ "refused for a huge reason", refused, huge_refusal },
		{ "refused, standing for none", refused, stands_for_none },
		{ "count with a name", count, too_long },
		{ "count with an address", count, one_address },
	};
	struct dns_worker w = channel();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(LIES); i++) {
		struct dns_note note = LIES[i].make();
		struct dns_note got;

		LIES[i].spoil(&note);
		if (sent(&w, &note, sizeof(note), &got) != -EBADMSG)
			fail_msg("taken: %s", LIES[i].why);
	}
	dns_worker_done(&w);
}

static void refuses_every_other_size(void **state)
{
	struct dns_worker w = channel();
	char big[sizeof(struct dns_note) + 64] = { 0 };
	struct dns_note note = vouch();
	struct dns_note got;

	(void)state;
	memcpy(big, &note, sizeof(note));
	assert_int_equal(sent(&w, big, 1, &got), -EBADMSG);
	assert_int_equal(sent(&w, big, sizeof(note) - 1, &got), -EBADMSG);
	assert_int_equal(sent(&w, big, sizeof(note) + 1, &got), -EBADMSG);
	assert_int_equal(sent(&w, big, sizeof(big), &got), -EBADMSG);
	assert_int_equal(sent(&w, big, sizeof(note), &got), 0);
	dns_worker_done(&w);
}

static void what_stands_behind_the_addresses_does_not_come_through(void **state)
{
	struct dns_worker w = channel();
	struct dns_note note = vouch();
	struct dns_note got;

	(void)state;
	memset(note.addrs + 2, 0xff, sizeof(note.addrs) - 2 * sizeof(note.addrs[0]));
	assert_int_equal(sent(&w, &note, sizeof(note), &got), 0);
	for (size_t i = 2; i < DNS_ADDRS_MAX; i++)
		assert_true(addr_equal(&got.addrs[i], &(struct addr){ 0 }));
	dns_worker_done(&w);
}

static void tells_silence_from_death(void **state)
{
	struct dns_worker w = channel();
	struct dns_note got;

	(void)state;
	assert_int_equal(dns_note_receive(&w, &got), -EAGAIN);
	dns_worker_started(&w);
	assert_int_equal(dns_note_receive(&w, &got), -EPIPE);
	assert_int_equal(dns_ruling_send(&w, 1, 0), -EPIPE);
	assert_int_equal(dns_worker_renew(&w, NULL), 0);
	assert_int_equal(dns_note_receive(&w, &got), -EAGAIN);
	assert_int_equal(dns_ruling_send(&w, 1, 0), 0);
	dns_worker_done(&w);
}

static void a_worker_that_reads_no_rulings_blocks_nobody(void **state)
{
	struct dns_worker w = channel();
	int err = 0;

	(void)state;
	for (unsigned i = 0; i < 1000000 && err == 0; i++)
		err = dns_ruling_send(&w, i, 1);
	assert_int_equal(err, -EAGAIN);
	dns_worker_done(&w);
}

/* ---- the honest worker's half -------------------------------------------------------------- */

static struct dns_notes *notes_over(const struct dns_worker *w)
{
	struct dns_notes *n = calloc(1, sizeof(*n));

	assert_non_null(n);
	n->channel = w->channel;
	return n;
}

static unsigned drain(const struct dns_worker *w, uint32_t kind, unsigned *ret_folded)
{
	struct dns_note got;
	unsigned n = 0;
	int err;

	*ret_folded = 0;
	while ((err = dns_note_receive(w, &got)) == 0) {
		if (got.kind != kind)
			continue;
		n++;
		*ret_folded += got.folded;
	}
	assert_int_equal(err, -EAGAIN);
	return n;
}

static void folds_refusals_of_one_name_to_one_a_second(void **state)
{
	struct dns_worker w = channel();
	auto_free struct dns_notes *n = notes_over(&w);
	unsigned folded;

	(void)state;
	for (uint64_t ms = 5000; ms < 5900; ms++)
		dns_notes_refused(n, "evil.test", DNS_TYPE_A, DNS_REFUSAL_NAME, ms);
	assert_int_equal(drain(&w, DNS_NOTE_REFUSED, &folded), 1);
	assert_int_equal(folded, 1);
	assert_true(dns_notes_tick(n, 5950));
	assert_int_equal(drain(&w, DNS_NOTE_REFUSED, &folded), 0);
	assert_false(dns_notes_tick(n, 6001));
	assert_int_equal(drain(&w, DNS_NOTE_REFUSED, &folded), 1);
	assert_int_equal(folded, 899);
	dns_worker_done(&w);
}

static void a_flood_of_names_is_counted_and_every_refusal_told(void **state)
{
	struct dns_worker w = channel();
	auto_free struct dns_notes *n = notes_over(&w);
	unsigned folded;
	unsigned counted;
	unsigned told;

	(void)state;
	for (unsigned i = 0; i < 10000; i++) {
		char name[DNS_NAME_PRINT_MAX];

		snprintf(name, sizeof(name), "x%u.evil.test", i);
		dns_notes_refused(n, name, DNS_TYPE_A, DNS_REFUSAL_NAME, 5000);
	}
	told = drain(&w, DNS_NOTE_REFUSED, &folded);
	assert_in_range(told, 1, DNS_REFUSED_RATE);
	dns_notes_tick(n, 7000);
	assert_int_equal(drain(&w, DNS_NOTE_COUNT, &counted), 1);
	assert_int_equal(folded + counted, 10000);
	dns_worker_done(&w);
}

static void a_full_channel_holds_nothing_up(void **state)
{
	struct dns_worker w = channel();
	auto_free struct dns_notes *n = notes_over(&w);
	struct dns_answer a = { .n_addrs = 1 };
	struct dns_question q;
	int err = 0;

	(void)state;
	assert_int_equal(dns_question_make("api.test", DNS_TYPE_A, &q), 0);
	a.addrs[0] = ip("198.51.100.10");
	for (unsigned i = 0; i < 100000 && err == 0; i++)
		err = dns_notes_vouch(n, i, &q, &a);
	assert_int_equal(err, -EAGAIN);
	dns_notes_refused(n, "evil.test", DNS_TYPE_A, DNS_REFUSAL_NAME, 5000);
	assert_int_equal(n->lost, 1);
	dns_worker_done(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_each_kind_of_sound_note),
		cmocka_unit_test(refuses_each_lie),
		cmocka_unit_test(refuses_every_other_size),
		cmocka_unit_test(what_stands_behind_the_addresses_does_not_come_through),
		cmocka_unit_test(tells_silence_from_death),
		cmocka_unit_test(a_worker_that_reads_no_rulings_blocks_nobody),
		cmocka_unit_test(folds_refusals_of_one_name_to_one_a_second),
		cmocka_unit_test(a_flood_of_names_is_counted_and_every_refusal_told),
		cmocka_unit_test(a_full_channel_holds_nothing_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
