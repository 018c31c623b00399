/* SPDX-License-Identifier: MIT */
/* Counting in bounded space, and what another policy would have decided. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/clean.h"
#include "pinfold_review.h"
#include "review/tally.h"
#include "review/timeline.h"

#define TS "\"v\":1,\"ts\":\"2026-03-01T12:00:00Z\",\"seq\":1,\"session\":\"s\""
#define NET(event, dst, port, proto, more)                                                         \
	"{" TS ",\"event\":\"" event "\",\"dst\":\"" dst "\",\"port\":" port ",\"proto\":\"" proto \
	"\"" more "}\n"
#define DNS(event, name, more) "{" TS ",\"event\":\"" event "\",\"name\":\"" name "\"" more "}\n"
#define FS(path, op)                                                                               \
	"{" TS ",\"event\":\"fs_deny\",\"path\":\"" path "\",\"op\":\"" op "\"," DENY "}\n"
#define UNIX(path) "{" TS ",\"event\":\"unix_deny\",\"path\":\"" path "\"," DENY "}\n"
#define DENY "\"verdict\":\"deny\""

/* ---- tally ---------------------------------------------------------------------------------- */

static void the_most_frequent_comes_first(void **state)
{
	struct tally t = { 0 };
	const struct tally_entry **top;
	char part[8];

	(void)state;
	assert_int_equal(tally_add(&t, "b\tx", "first", 1, 20), 0);
	assert_int_equal(tally_add(&t, "a\ty", NULL, 5, 10), 0);
	assert_int_equal(tally_add(&t, "b\tx", "second", 7, 5), 0);
	assert_int_equal(tally_add(&t, "c", NULL, 5, 10), 0);
	assert_int_equal(tally_top(&t, 2, &top), 2);
	assert_string_equal(top[0]->key, "b\tx");
	assert_string_equal(top[0]->detail, "first");
	assert_int_equal(top[0]->count, 8);
	assert_int_equal(top[0]->first_us, 5);
	assert_int_equal(top[0]->last_us, 20);
	assert_string_equal(top[1]->key, "a\ty");
	tally_part(top[1]->key, 1, part, sizeof(part));
	assert_string_equal(part, "y");
	tally_part(top[1]->key, 2, part, sizeof(part));
	assert_string_equal(part, "");
	assert_int_equal(tally_sum(&t), 18);
	free(top);
	tally_done(&t);
	assert_int_equal(tally_top(&t, 2, &top), 0);
	free(top);
}

static void a_flood_of_rare_texts_leaves_the_frequent_one(void **state)
{
	struct tally t = { 0 };
	const struct tally_entry **top;
	char key[32];

	(void)state;
	for (int i = 0; i < 5 * TALLY_MAX; i++) {
		snprintf(key, sizeof(key), "rare%d", i);
		assert_int_equal(tally_add(&t, key, NULL, 1, 1), 0);
		if (i % 100 == 0)
			assert_int_equal(tally_add(&t, "frequent", NULL, 2, 1), 0);
	}
	assert_true(t.n <= TALLY_MAX);
	assert_int_equal(tally_top(&t, 1, &top), 1);
	assert_string_equal(top[0]->key, "frequent");
	assert_int_equal(tally_sum(&t), 5 * TALLY_MAX + 2 * ((5 * TALLY_MAX + 99) / 100));
	free(top);
	tally_done(&t);
}

/* ---- timeline ------------------------------------------------------------------------------- */

static void a_timeline_widens_to_both_sides_and_loses_nothing(void **state)
{
	static const int64_t TIMES[] = {
		1000, 1001, 1095, 1096, 5000, 400, 999999, 0, 253402300799
	};
	struct timeline t = { 0 };
	uint64_t sum = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(TIMES); i++) {
		int64_t at = TIMES[i] * 1000000;

		timeline_add(&t, TIMELINE_DENIED, 3, at);
		assert_true(t.start_us <= at);
		assert_true(at < t.start_us + TIMELINE_SLOTS * t.width_us);
	}
	for (int i = 0; i < TIMELINE_SLOTS; i++)
		sum += t.count[TIMELINE_DENIED][i];
	assert_int_equal(sum, 3 * ARRAY_SIZE(TIMES));
}

/* ---- replay --------------------------------------------------------------------------------- */

static int size_of(const cJSON *o, const char *list)
{
	return cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(o, list));
}

static char *write_file(const char *text)
{
	char *path = strdup("/tmp/pinfold-replay.XXXXXX");
	int fd = path ? mkstemp(path) : -1;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	return path;
}

/* The replay of record under policy, as JSON; what it returned has to fit that. */
static cJSON *replay(const char *policy, const char *record)
{
	char *policy_path = write_file(policy);
	char *record_path = write_file(record);
	struct pinfold_policy *p = NULL;
	struct pinfold_error e = { 0 };
	struct pinfold_log_query q = { .path = record_path, .only = true };
	char *text = NULL;
	cJSON *o;
	int r;

	if (pinfold_policy_load(policy_path, &p, &e) < 0)
		fail_msg("%s", e.text);
	q.policy = p;
	r = pinfold_log_replay(&q, &text, &e);
	o = cJSON_Parse(text);
	assert_non_null(o);
	assert_int_equal(r, size_of(o, "newlyAllowed") + size_of(o, "newlyDenied") > 0);
	free(text);
	pinfold_policy_free(p);
	unlink(policy_path);
	unlink(record_path);
	free(policy_path);
	free(record_path);
	return o;
}

static int count_of(const cJSON *o, const char *group, const char *key)
{
	const cJSON *m = cJSON_GetObjectItemCaseSensitive(o, group);

	if (key)
		m = cJSON_GetObjectItemCaseSensitive(m, key);
	return m ? (int)m->valuedouble : -1;
}

/* One line under one policy: '+' newly allowed, '-' newly denied, 'a' and 'd' as before, '?' not
 * judged. */
static char outcome(const char *policy, const char *line)
{
	cJSON *o = replay(policy, line);
	char c = '!';

	if (size_of(o, "newlyAllowed") == 1)
		c = '+';
	else if (size_of(o, "newlyDenied") == 1)
		c = '-';
	else if (count_of(o, "unchanged", "allowed") == 1)
		c = 'a';
	else if (count_of(o, "unchanged", "denied") == 1)
		c = 'd';
	else if (count_of(o, "notJudged", NULL) == 1)
		c = '?';
	cJSON_Delete(o);
	return c;
}

#define POLICY                                                                                     \
	"{\"version\":1,\"workspace\":\"/srv/ws\",\"filesystem\":{\"rw\":[\"/srv/rw\"],"           \
	"\"ro\":[\"/srv/ro\"],\"rox\":[\"/srv/rox\"],\"deny\":[\"/srv/rw/secret\",\"**/.key\"]},"  \
	"\"unixSockets\":{\"allow\":[\"/run/a.sock\"]},\"network\":{\"allowOutbound\":["           \
	"\"api.test:443\",\"*.wild.test\",\"203.0.113.0/24:53443/udp\",\"10.1.2.3:5432\","         \
	"{\"host\":\"sni.test:443\",\"verify\":\"sni\"}],"                                         \
	"\"denyOutbound\":[\"bad.wild.test\",\"203.0.113.9\"]}}"

struct replay_case {
	const char *line;
	char want;
};

static void assert_outcomes(const struct replay_case *c, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char got = outcome(POLICY, c[i].line);

		if (got != c[i].want)
			fail_msg("%c, not %c: %s", got, c[i].want, c[i].line);
	}
}

static void connections_are_judged_by_name_address_port_and_protocol(void **state)
{
	static const struct replay_case CASES[] = {
		{ NET("net_deny", "198.51.100.1", "443", "tcp", ",\"name\":\"api.test\"," DENY),
		  '+' },
		{ NET("net_deny", "198.51.100.1", "443", "tcp", ",\"name\":\"API.Test.\"," DENY),
		  '+' },
		{ NET("net_deny", "198.51.100.1", "444", "tcp", ",\"name\":\"api.test\"," DENY),
		  'd' },
		{ NET("net_deny", "198.51.100.1", "443", "udp", ",\"name\":\"api.test\"," DENY),
		  'd' },
		{ NET("net_deny", "198.51.100.1", "443", "tcp", "," DENY), 'd' },
		{ NET("net_deny", "10.0.0.1", "443", "tcp", ",\"name\":\"api.test\"," DENY), 'd' },
		{ NET("net_deny", "198.51.100.1", "1", "tcp", ",\"name\":\"a.wild.test\"," DENY),
		  '+' },
		{ NET("net_deny", "198.51.100.1", "1", "tcp", ",\"name\":\"bad.wild.test\"," DENY),
		  'd' },
		{ NET("net_allow", "198.51.100.1", "1", "tcp", ",\"name\":\"bad.wild.test\""),
		  '-' },
		{ NET("net_deny", "203.0.113.1", "53443", "udp", "," DENY), '+' },
		{ NET("net_deny", "203.0.113.1", "53443", "tcp", "," DENY), 'd' },
		{ NET("net_deny", "203.0.113.9", "53443", "udp", "," DENY), 'd' },
		{ NET("net_allow", "203.0.113.9", "53443", "udp", ""), '-' },
		{ NET("net_deny", "10.1.2.3", "5432", "tcp", "," DENY), '+' },
		{ NET("net_allow", "10.1.2.4", "5432", "tcp", ""), '-' },
		{ NET("net_allow", "169.254.169.254", "80", "tcp", ""), '-' },
		{ NET("net_allow", "198.51.100.1", "443", "tcp", ",\"name\":\"api.test\""), 'a' },
		{ NET("net_deny", "2001:db8::1", "443", "tcp", ",\"name\":\"api.test\"," DENY),
		  '+' },
		{ NET("net_deny", "198.51.100.1", "443", "tcp",
		      ",\"name\":\"api.test\",\"verdict\":\"would_deny\""),
		  '+' },
		{ NET("net_deny", "198.51.100.2", "443", "tcp", ",\"verdict\":\"would_deny\""),
		  'd' },
	};

	(void)state;
	assert_outcomes(CASES, ARRAY_SIZE(CASES));
}

static void what_no_entry_decides_stays_as_it_was(void **state)
{
	static const struct replay_case CASES[] = {
		{ NET("net_allow", "127.0.0.1", "3000", "tcp", ",\"reason\":\"own\""), 'a' },
		{ NET("net_allow", "127.0.0.1", "3000", "tcp", ",\"reason\":\"literal\""), '-' },
		{ NET("net_deny", "198.51.100.1", "443", "tcp",
		      ",\"name\":\"api.test\",\"reason\":\"expired\"," DENY),
		  'd' },
		{ NET("net_deny", "198.51.100.1", "443", "tcp",
		      ",\"name\":\"sni.test\",\"reason\":\"sni_mismatch\"," DENY),
		  'd' },
		{ NET("net_deny", "198.51.100.1", "443", "tcp",
		      ",\"name\":\"sni.test\",\"reason\":\"unmatched\"," DENY),
		  '+' },
		{ NET("net_deny", "198.51.100.1", "0", "tcp", ",\"reason\":\"socket\"," DENY),
		  '?' },
		{ NET("net_deny", "198.51.100.1", "443", "icmp", "," DENY), '?' },
		{ NET("net_deny", "198.51.100.1", "443", "tcp", ",\"cut\":true," DENY), '?' },
		{ NET("net_deny", "nowhere", "443", "tcp", "," DENY), '?' },
		{ NET("bind_deny", "0.0.0.0", "80", "tcp", "," DENY), '?' },
		{ "{" TS ",\"event\":\"syscall_deny\",\"op\":\"mount\"," DENY "}\n", '?' },
	};

	(void)state;
	assert_outcomes(CASES, ARRAY_SIZE(CASES));
}

static void look_ups_are_judged(void **state)
{
	static const struct replay_case CASES[] = {
		{ DNS("dns_deny", "api.test", ",\"reason\":\"unmatched\"," DENY), '+' },
		{ DNS("dns_deny", "other.test", ",\"reason\":\"unmatched\"," DENY), 'd' },
		{ DNS("dns_vouch", "api.test", ""), 'a' },
		{ DNS("dns_vouch", "other.test", ""), '-' },
		{ DNS("dns_vouch", "bad.wild.test", ""), '-' },
		{ DNS("dns_deny", "api.test", ",\"reason\":\"record type\"," DENY), '?' },
		{ DNS("dns_deny", "not a name", ",\"reason\":\"malformed\"," DENY), '?' },
	};

	(void)state;
	assert_outcomes(CASES, ARRAY_SIZE(CASES));
}

static void files_and_sockets_are_judged(void **state)
{
	static const struct replay_case CASES[] = {
		{ FS("/srv/rw/x", "fs.write_file"), '+' },
		{ FS("/srv/rw/x", "fs.execute"), '+' },
		{ FS("/srv/rw/secret", "fs.read_file"), 'd' },
		{ FS("/srv/rw/secret/x", "fs.write_file"), 'd' },
		{ FS("/srv/rw/a/.key", "fs.read_file"), 'd' },
		{ FS("/srv/ro/x", "fs.read_file"), '+' },
		{ FS("/srv/ro/x", "fs.read_dir"), '+' },
		{ FS("/srv/ro/x", "fs.write_file"), 'd' },
		{ FS("/srv/ro/x", "fs.read_file,fs.write_file"), 'd' },
		{ FS("/srv/ro/x", "fs.make_reg"), 'd' },
		{ FS("/srv/ro/x", "fs.remove_file"), 'd' },
		{ FS("/srv/ro/x", "fs.truncate"), 'd' },
		{ FS("/srv/ro/x", "fs.execute"), 'd' },
		{ FS("/srv/rox/x", "fs.execute"), '+' },
		{ FS("/srv/rox/x", "fs.write_file"), 'd' },
		{ FS("/srv/none", "fs.read_file"), 'd' },
		{ FS("/srv/rw/.key", "plant"), 'd' },
		{ FS("/srv/rw/x", "something new"), '+' },
		{ FS("/srv/ro/x", "something new"), 'd' },
		{ FS("/srv/ro/x", "scope.signal"), '?' },
		{ FS("relative", "fs.read_file"), '?' },
		{ UNIX("/run/a.sock"), '+' },
		{ UNIX("/run/b.sock"), 'd' },
		{ UNIX("/srv/rw/c.sock"), '+' },
		{ UNIX("/srv/ro/c.sock"), 'd' },
		{ UNIX("@abstract"), 'd' },
	};

	(void)state;
	assert_outcomes(CASES, ARRAY_SIZE(CASES));
}

static void folded_lines_count_for_all_they_stand_for(void **state)
{
	cJSON *o = replay(POLICY,
			  NET("net_deny", "10.1.2.3", "5432", "tcp", "," DENY)
			      NET("net_deny", "10.1.2.3", "5432", "tcp", ",\"suppressed\":40," DENY)
				  NET("net_deny", "10.1.2.3", "5432", "tcp", ",\"count\":9," DENY));
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(o, "newlyAllowed");

	(void)state;
	assert_int_equal(cJSON_GetArraySize(list), 1);
	assert_int_equal(cJSON_GetObjectItem(cJSON_GetArrayItem(list, 0), "count")->valuedouble,
			 50);
	cJSON_Delete(o);
}

static void a_replay_without_a_policy_is_refused(void **state)
{
	struct pinfold_log_query q = { .path = "/dev/null" };
	char *text = NULL;

	(void)state;
	assert_int_equal(pinfold_log_replay(&q, &text, NULL), -EINVAL);
	assert_null(text);
}

#define TEST(name) cmocka_unit_test(name)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_most_frequent_comes_first),
		TEST(a_flood_of_rare_texts_leaves_the_frequent_one),
		TEST(a_timeline_widens_to_both_sides_and_loses_nothing),
		TEST(connections_are_judged_by_name_address_port_and_protocol),
		TEST(what_no_entry_decides_stays_as_it_was),
		TEST(look_ups_are_judged),
		TEST(files_and_sockets_are_judged),
		TEST(folded_lines_count_for_all_they_stand_for),
		TEST(a_replay_without_a_policy_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
