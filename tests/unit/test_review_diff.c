/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "pinfold_review.h"
#include "policy/handle.h"
#include "review_random.h"

#define LINES_MAX 4096
#define RANDOM_PAIRS 120

struct heard {
	char lines[LINES_MAX]; /* "+ a.test:443/tcp; - /srv: nothing" */
	int opens;
	int closes;
};

static void hear(void *data, const struct pinfold_change *c)
{
	struct heard *h = data;
	size_t used = strlen(h->lines);

	snprintf(h->lines + used, sizeof(h->lines) - used, "%s%c %s", used ? "; " : "",
		 "+-~"[c->effect], c -> what);
	h->opens += c->effect == PINFOLD_OPENS;
	h->closes += c->effect == PINFOLD_CLOSES;
}

static void read_handle(const char *text, struct pinfold_policy *ret)
{
	struct pinfold_error e = { 0 };

	memset(ret, 0, sizeof(*ret));
	ret->context.policy = HELPER_CTX;
	if (helper_parse(text, &ret->policy, &e) < 0)
		fail_msg("%s: %s", text, e.text);
}

static int compare(const char *old, const char *now, struct heard *h)
{
	struct pinfold_policy a;
	struct pinfold_policy b;
	struct pinfold_error e = { 0 };
	int n;

	memset(h, 0, sizeof(*h));
	read_handle(old, &a);
	read_handle(now, &b);
	n = pinfold_diff(&a, &b, hear, h, &e);
	if (n < 0)
		fail_msg("%s", e.text);
	policy_done(&a.policy);
	policy_done(&b.policy);
	return n;
}

struct row {
	const char *old;
	const char *now;
	const char *lines;
};

static void swap_signs(char *lines)
{
	for (char *c = lines; *c; c++)
		if ((c == lines || c[-1] == ' ') && c[1] == ' ' && (*c == '+' || *c == '-'))
			*c = *c == '+' ? '-' : '+';
}

/* What a change opens, its reverse closes. */
static void expect(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char swapped[LINES_MAX];
		struct heard h;

		compare(rows[i].old, rows[i].now, &h);
		if (strcmp(h.lines, rows[i].lines) != 0)
			fail_msg("%s -> %s: %s, not %s", rows[i].old, rows[i].now, h.lines,
				 rows[i].lines);
		snprintf(swapped, sizeof(swapped), "%s", h.lines);
		swap_signs(swapped);
		compare(rows[i].now, rows[i].old, &h);
		assert_int_equal(strlen(h.lines), strlen(swapped));
		if (!strstr(h.lines, ";"))
			assert_string_equal(h.lines, swapped);
	}
}

#define NET(lists) "{workspace: '/data/ws', network: {" lists "}}"
#define ALLOW(entries) NET("allowOutbound: [" entries "]")
#define FS(lists) "{workspace: '/data/ws', filesystem: {" lists "}}"

static void sees_no_difference_in_other_words(void **state)
{
	static const struct row rows[] = {
		{ ALLOW("'a.test:443', 'b.test:443'"), ALLOW("'B.test.:443/tcp', 'a.test:443'"),
		  "" },
		{ ALLOW("'**.a.test:443'"), ALLOW("'*.a.test:443', 'a.test:443'"), "" },
		{ ALLOW("'*.a.test:443', 'x.a.test:443'"), ALLOW("'*.a.test:443'"), "" },
		{ ALLOW("'203.0.113.0/24:443'"),
		  ALLOW("'203.0.113.0/25:443', '203.0.113.128/25:443'"), "" },
		{ ALLOW("'a.test:80-82'"), ALLOW("'a.test:80', 'a.test:81', 'a.test:82'"), "" },
		{ ALLOW("'localhost:80'"), ALLOW("'127.0.0.1:80', '[::1]:80'"), "" },
		{ ALLOW("'9.9.9.9:53/udp'"), ALLOW(""), "" },
		{ NET("allowOutbound: ['*.a.test:443'], denyOutbound: ['x.a.test:22']"),
		  NET("allowOutbound: ['*.a.test:443'], denyOutbound: ['x.a.test']"), "" },
		{ NET("denyOutbound: ['b.test', '169.254.169.254']"), NET("icmp: false"), "" },
		{ FS("rw: ['/d', '/d/a/'], deny: ['/nowhere']"), FS("rw: ['/d']"), "" },
		{ "{workspace: '/data/ws', limits: {pids: 512, memory: '1G'}}",
		  "{workspace: '/data/ws', limits: {memory: '1024M'}}", "" },
		{ "{workspace: '/data/ws', fenceToLane: true}", "{workspace: '/data/ws'}", "" },
	};

	(void)state;
	expect(rows, ARRAY_SIZE(rows));
}

static void tells_what_names_are_opened(void **state)
{
	static const struct row rows[] = {
		{ ALLOW(""), ALLOW("'a.test:443'"), "+ a.test:443/tcp" },
		{ ALLOW(""), ALLOW("'*.a.test:443'"), "+ *.a.test:443/tcp" },
		{ ALLOW(""), ALLOW("'**.a.test:443', 'x.a.test:443'"), "+ **.a.test:443/tcp" },
		{ ALLOW("'a.test:443'"), ALLOW("'a.test:443', 'a.test:443/udp'"),
		  "+ a.test:443/udp" },
		{ ALLOW("'a.test:443'"), ALLOW("'a.test'"),
		  "+ a.test:1-442/tcp; + a.test:444-65535/tcp" },
		{ ALLOW("{host: 'a.test:443', verify: 'sni'}"), ALLOW("'a.test:443'"),
		  "+ a.test:443/tcp" },
		{ NET("allowOutbound: ['*.a.test:443'], denyOutbound: ['x.a.test']"),
		  ALLOW("'*.a.test:443'"), "+ **.x.a.test:443/tcp" },
	};

	(void)state;
	/* A deny of a name leaves what lies below it. */
	expect(rows, ARRAY_SIZE(rows) - 1);

	struct heard h;

	compare(rows[6].old, rows[6].now, &h);
	assert_string_equal(h.lines, "+ x.a.test:443/tcp");
}

static void tells_what_addresses_are_opened(void **state)
{
	static const struct row rows[] = {
		{ ALLOW(""), ALLOW("'203.0.113.7:443'"), "+ 203.0.113.7:443/tcp" },
		{ ALLOW("'203.0.113.0/25:443'"), ALLOW("'203.0.113.0/24:443'"),
		  "+ 203.0.113.0/24:443/tcp" },
		{ ALLOW(""), ALLOW("'[2001:db8::/32]:22'"), "+ [2001:db8::/32]:22/tcp" },
		{ NET("allowOutbound: ['203.0.113.0/24:443'], denyOutbound: ['203.0.113.9']"),
		  ALLOW("'203.0.113.0/24:443'"), "+ 203.0.113.9:443/tcp" },
		{ ALLOW("'203.0.113.0/24:443'"), ALLOW("'203.0.113.0/24:443', '203.0.113.9:22'"),
		  "+ 203.0.113.9:22/tcp" },
		{ NET("denyOutbound: ['127.0.0.1:80']"), ALLOW(""),
		  "+ 127.0.0.1:80/tcp; + 127.0.0.1:80/udp" },
	};

	(void)state;
	expect(rows, ARRAY_SIZE(rows));
}

static void tells_what_the_star_opens(void **state)
{
	struct heard h;

	(void)state;
	compare(ALLOW(""), ALLOW("'*:443'"), &h);
	assert_non_null(strstr(h.lines, "+ * (every other name):443/tcp"));
	assert_non_null(strstr(h.lines, "+ 0.0.0.0/0:443/tcp"));
	assert_null(strstr(h.lines, "10.0.0.0")); /* never private space */
	assert_null(strstr(h.lines, "169.254"));
}

static void tells_what_metadata_opens(void **state)
{
	struct heard h;

	(void)state;
	compare(NET("dangerouslyAllowMetadata: true"),
		NET("dangerouslyAllowMetadata: true, allowOutbound: ['169.254.169.254:80']"), &h);
	assert_string_equal(h.lines, "+ 169.254.169.254:80/tcp");
	compare(ALLOW("'0.0.0.0/0:80'"),
		NET("dangerouslyAllowMetadata: true, "
		    "allowOutbound: ['0.0.0.0/0:80']"),
		&h);
	assert_non_null(strstr(h.lines, "+ 169.254.0.0/16:80/tcp"));
	assert_non_null(strstr(h.lines, "+ network.dangerouslyAllowMetadata"));
}

static void tells_what_rights_change(void **state)
{
	static const struct row rows[] = {
		{ FS(""), FS("ro: ['/d']"), "+ /d" },
		{ FS("ro: ['/d']"), FS("rw: ['/d']"), "+ /d" },
		{ FS("rw: ['/d']"), FS("rw: ['/d'], ro: ['/d/a']"), "- /d/a" },
		{ FS("rw: ['/d']"), FS("rw: ['/d'], deny: ['/d/a', '**/x']"), "- /d/a; - **/x" },
		{ FS("rw: ['/d', '/d/a/b'], ro: ['/d/a']"), FS("rw: ['/d/a/b'], ro: ['/d/a']"),
		  "- /d" },
		{ FS("protectGit: false"), FS(""), "- filesystem.protectGit" },
		{ "{workspace: '/data/ws'}", "{workspace: '/data/ws', workspaceAccess: 'ro'}",
		  "- /data/ws" },
	};

	(void)state;
	expect(rows, ARRAY_SIZE(rows));
}

static void tells_what_else_opens(void **state)
{
	static const struct row rows[] = {
		{ "{workspace: '/data/ws', limits: {pids: 64}}",
		  "{workspace: '/data/ws', limits: {pids: 'none'}}", "+ limits.pids" },
		{ "{workspace: '/data/ws', limits: {memory: '1G'}}", "{workspace: '/data/ws'}",
		  "+ limits.memory" },
		{ "{workspace: '/data/ws'}", "{workspace: '/data/ws', onUnavailable: 'degrade'}",
		  "+ onUnavailable" },
		{ "{workspace: '/data/ws'}",
		  "{workspace: '/data/ws', unixSockets: {allow: ['/run/a']}}", "+ /run/a" },
		{ "{workspace: '/data/ws'}",
		  "{workspace: '/data/ws', seccomp: {families: ['vsock']}}", "+ vsock" },
		{ NET(""), NET("allowInbound: ['localhost:80']"), "+ inbound 80/tcp" },
		{ NET("allowInbound: ['localhost:80']"),
		  NET("allowInbound: ['80', 'localhost:80']"), "+ inbound 80/tcp" },
		{ NET(""), NET("dns: {minTtl: 600, newNamesPerMinute: 0}"),
		  "+ network.dns.minTtl; + network.dns.newNamesPerMinute" },
		{ "{workspace: '/data/ws'}", "{workspace: '/data/ws', identity: {keepEnv: ['A']}}",
		  "+ A" },
	};

	(void)state;
	expect(rows, ARRAY_SIZE(rows));
}

static void never_tells_the_values_of_variables(void **state)
{
	struct heard h;

	(void)state;
	compare("{workspace: '/data/ws', identity: {setEnv: {A: 'one'}}}",
		"{workspace: '/data/ws', identity: {setEnv: {A: 'two'}}}", &h);
	assert_string_equal(h.lines, "~ setEnv A");
}

/* ---- against the judges of the fences ---------------------------------------------------------
 */

static void compare_samples(const char *old, const char *now)
{
	auto_free struct sample *a = calloc(1, sizeof(*a));
	auto_free struct sample *b = calloc(1, sizeof(*b));
	struct pinfold_policy p;
	struct heard h;
	bool opens = false;
	bool closes = false;

	compare(old, now, &h);
	read_handle(old, &p);
	sample_take(&p.policy, a);
	policy_done(&p.policy);
	read_handle(now, &p);
	sample_take(&p.policy, b);
	policy_done(&p.policy);
	for (int i = 0; i < a->n; i++) {
		opens = opens || b->value[i] > a->value[i];
		closes = closes || b->value[i] < a->value[i];
	}
	if ((opens && !h.opens) || (closes && !h.closes))
		fail_msg("missed: %s -> %s: %s", old, now, h.lines);
}

static void misses_nothing_that_the_fences_decide_otherwise(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < RANDOM_PAIRS; seed++) {
		auto_free char *old = random_policy(seed);
		auto_free char *now = random_policy(seed + 100000);
		struct heard h;

		compare_samples(old, now);
		assert_int_equal(compare(old, old, &h), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sees_no_difference_in_other_words),
		cmocka_unit_test(tells_what_names_are_opened),
		cmocka_unit_test(tells_what_addresses_are_opened),
		cmocka_unit_test(tells_what_the_star_opens),
		cmocka_unit_test(tells_what_metadata_opens),
		cmocka_unit_test(tells_what_rights_change),
		cmocka_unit_test(tells_what_else_opens),
		cmocka_unit_test(never_tells_the_values_of_variables),
		cmocka_unit_test(misses_nothing_that_the_fences_decide_otherwise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
