/* SPDX-License-Identifier: MIT */
/* Printing what was parsed, and parsing that again, changes nothing: over generated policies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/clean.h"
#include "policy_helper.h"

#define ROUNDS 3000
#define CHOICES_MAX 12
#define TEXT_MAX 16384

/* One member and values for it; NULL ends them. */
struct member_values {
	const char *object; /* NULL: at the root */
	const char *key;
	const char *value[CHOICES_MAX];
};

static const struct member_values VALUES[] = {
	{ NULL, "version", { "1" } },
	{ NULL, "workspace", { "'/srv/a'", "'sub'", "'~/w'", "'../w'" } },
	{ NULL, "workspaceAccess", { "'none'", "'ro'", "'rw'" } },
	{ NULL, "fenceToLane", { "true", "false" } },
	{ NULL, "onUnavailable", { "'refuse'", "'degrade'" } },
	{ "filesystem", "rw", { "[]", "['/v/c', '~/x', '$PWD/y']", "['a', 'b/../c'.]" } },
	{ "filesystem", "ro", { "[]", "['/opt/t', '~root/z']" } },
	{ "filesystem", "rox", { "['/opt/bin/']" } },
	{ "filesystem", "deny", { "[]", "['~/.ssh', '**/.env', '**/a/*.k?']" } },
	{ "filesystem", "system", { "true", "false" } },
	{ "filesystem", "tmp", { "'none'", "'private'", "'shared'" } },
	{ "filesystem", "sensitive", { "true", "false" } },
	{ "filesystem", "strictDeny", { "true", "false" } },
	{ "filesystem", "protectGit", { "true", "false" } },
	{ "network",
	  "allowOutbound",
	  { "[]", "['a.test:443', '*.b.test', '**.C.test:1-9/udp', '*:443']",
	    "['203.0.113.0/24:5432', '[2001:db8::7]:443', 'localhost:1', '[::/2]']",
	    "[{host: 'x.test', verify: 'sni'}, '[::/0]', '[::/0]:443/udp', '0.0.0.0/0']" } },
	{ "network",
	  "denyOutbound",
	  { "[]", "['bad.test', '203.0.113.9/tcp', '[::/0]', '*/udp']" } },
	{ "network", "allowInbound", { "false", "[]", "['8080', '53/udp', 'localhost:3000']" } },
	{ "network", "icmp", { "true", "false" } },
	{ "network",
	  "denyErrno",
	  { "'EPERM'", "'EACCES'", "'ECONNREFUSED'", "'EHOSTUNREACH'", "'ENETUNREACH'" } },
	{ "network", "onRevoke", { "'keep'", "'cut'" } },
	{ "network", "dangerouslyAllowMetadata", { "true", "false" } },
	{ "network",
	  "dns",
	  { "{}", "{upstream: ['192.0.2.1', '[2001:db8::1]:54']}",
	    "{minTtl: 0, maxAddresses: 1, newNamesPerMinute: 0, deniedAnswer: 'refused'}" } },
	{ "unixSockets", "allow", { "[]", "['$SSH_AUTH_SOCK', '/run/x']" } },
	{ "identity", "uid", { "'auto'", "7, gid: 8" } },
	{ "identity", "home", { "'/var/h'", "'~'" } },
	{ "identity", "path", { "'/bin'", "'/usr/bin:/bin'" } },
	{ "identity", "keepEnv", { "[]", "['TERM', 'LC_*']" } },
	{ "identity", "setEnv", { "{}", "{CI: '1', Q: '\"\\\\\\u00e9'}" } },
	{ "identity", "handover", { "true", "false" } },
	{ "seccomp", "allowNested", { "true", "false" } },
	{ "seccomp", "families", { "[]", "['vsock', 'alg']" } },
	{ "limits", "pids", { "1", "'none'", "4194304" } },
	{ "limits", "memory", { "'2G'", "1048577", "'none'" } },
	{ "limits", "cpu", { "'150%'", "'none'" } },
	{ "limits", "timeout", { "'90s'", "'1ms'", "'none'", "'7d'" } },
	{ "limits", "files", { "0", "64", "1048576" } },
	{ "audit", "path", { "'/var/log/p.jsonl'", "'log'" } },
	{ "audit", "allowed", { "true", "false" } },
	{ "audit", "quiet", { "[]", "['a.test', '*.b.test', '10.0.0.0/8', 'localhost']" } },
};

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

static char *put(char *at, const char *text)
{
	return stpcpy(at, text);
}

/* Each member is left out half of the time. */
static void generate(uint32_t *seed, char *text)
{
	const char *open = NULL;
	char *at = put(text, "{ // generated\n");

	for (size_t i = 0; i < ARRAY_SIZE(VALUES); i++) {
		const struct member_values *m = &VALUES[i];
		size_t n = 0;

		if (open && (!m->object || strcmp(open, m->object) != 0)) {
			at = put(at, "},\n");
			open = NULL;
		}
		if (next_random(seed) % 2)
			continue;
		if (m->object && !open) {
			at = put(put(at, m->object), ": {");
			open = m->object;
		}
		while (n < CHOICES_MAX && m->value[n])
			n++;
		at = put(put(at, m->key), ": ");
		at = put(put(at, m->value[next_random(seed) % n]), ",");
	}
	put(at, open ? "}}" : "}");
}

static char *print(const char *text, bool *accepted)
{
	struct policy p = { 0 };
	struct pinfold_error e;
	char *out = NULL;

	*accepted = helper_parse(text, &p, &e) == 0;
	if (*accepted)
		assert_int_equal(policy_print(&p, &out), 0);
	policy_done(&p);
	return out;
}

static void parsing_a_printed_policy_prints_the_same(void **state)
{
	auto_free char *text = malloc(TEXT_MAX);
	uint32_t seed = 20;
	size_t n_accepted = 0;

	(void)state;
	assert_non_null(text);
	for (int i = 0; i < ROUNDS; i++) {
		bool accepted;
		bool again = true;

		generate(&seed, text);
		auto_free char *once = print(text, &accepted);
		if (!accepted)
			continue;
		n_accepted++;
		auto_free char *twice = print(once, &again);
		if (!again || strcmp(once, twice) != 0)
			fail_msg("%s\n prints\n%s\n then\n%s", text, once,
				 twice ? twice : "nothing");
	}
	/* Some values are wrong on purpose; most policies must not be. */
	assert_true(n_accepted > ROUNDS / 2);
}

static void every_member_is_printed(void **state)
{
	static const char *const absent[] = { "uid", "gid", "home", "path", "lane" };
	bool accepted;
	auto_free char *out = print("{}", &accepted);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(VALUES); i++) {
		char key[64];
		bool optional = false;

		for (size_t k = 0; k < ARRAY_SIZE(absent); k++)
			optional = optional || strcmp(VALUES[i].key, absent[k]) == 0;
		snprintf(key, sizeof(key), "\"%s\":", VALUES[i].key);
		if (!optional && !strstr(out, key))
			fail_msg("%s is not printed", key);
	}
}

/* The parts of a split prefix are one entry again, also between others that look like it. */
static void a_split_prefix_stays_one_entry(void **state)
{
	bool accepted;
	auto_free char *out =
	    print("{network: {allowOutbound: ['[8000::/1]', '[::/0]', '[4000::/2]', "
		  "'[::/0]', '[::/1]', '[::/15]']}}",
		  &accepted);

	(void)state;
	assert_true(accepted);
	assert_non_null(strstr(out, "[\"[8000::/1]\", \"[::/0]\", \"[4000::/2]\", \"[::/0]\", "
				    "\"[::/1]\", \"[1::/16]\"]"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parsing_a_printed_policy_prints_the_same),
		cmocka_unit_test(every_member_is_printed),
		cmocka_unit_test(a_split_prefix_stays_one_entry),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
