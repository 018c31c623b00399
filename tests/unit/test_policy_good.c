/* SPDX-License-Identifier: MIT */
/* What a policy says and what comes back when it is printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clean.h"
#include "base/json5.h"
#include "policy_helper.h"

/* The text of one printed member, blanks removed; free() it. */
static char *printed(const char *text, const char *member)
{
	struct policy p = { 0 };
	struct pinfold_error e;
	char *out = NULL;
	char *at;
	size_t n = 0;

	if (helper_parse(text, &p, &e) < 0)
		fail_msg("%s\n  %s", text, e.text);
	assert_int_equal(policy_print(&p, &out), 0);
	policy_done(&p);
	for (at = out; *at; at++)
		if (!strchr("\n\t ", *at))
			out[n++] = *at;
	out[n] = '\0';
	at = strstr(out, member);
	if (!at)
		fail_msg("%s: no %s in %s", text, member, out);
	memmove(out, at + strlen(member), strlen(at + strlen(member)) + 1);
	return out;
}

struct good {
	const char *value;
	const char *canonical; /* NULL: the same */
};

/* before and after make a policy of a value; member is where it is printed. */
static void expect_printed(const char *before, const char *after, const char *member,
			   const struct good *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *wanted = rows[i].canonical ? rows[i].canonical : rows[i].value;
		char text[512];

		snprintf(text, sizeof(text), "%s%s%s", before, rows[i].value, after);
		auto_free char *out = printed(text, member);
		if (strncmp(out, wanted, strlen(wanted)) != 0 ||
		    !strchr(",]}", out[strlen(wanted)]))
			fail_msg("%s\n  prints %.80s\n  wanted %s", text, out, wanted);
	}
}

#define EXPECT_PRINTED(before, after, member, rows)                                                \
	expect_printed(before, after, member, rows, ARRAY_SIZE(rows))

static void prints_outbound_entries_in_one_form(void **state)
{
	static const struct good rows[] = {
		{ "\"api.test\"", NULL },
		{ "\"api.test:443\"", NULL },
		{ "\"api.test:443/tcp\"", "\"api.test:443\"" },
		{ "\"api.test/udp\"", NULL },
		{ "\"api.test:53/udp\"", NULL },
		{ "\"api.test:8000-8999\"", NULL },
		{ "\"api.test:80-80\"", "\"api.test:80\"" },
		{ "\"api.test:1-65535\"", NULL },
		{ "\"API.Test.\"", "\"api.test\"" },
		{ "\"*.api.test:443\"", NULL },
		{ "\"**.api.test\"", NULL },
		{ "\"*\"", NULL },
		{ "\"*:443\"", NULL },
		{ "\"b\\u00fccher.test\"", "\"xn--bcher-kva.test\"" },
		{ "\"localhost:5432\"", NULL },
		{ "\"LOCALHOST.\"", "\"localhost\"" },
		{ "\"203.0.113.9\"", NULL },
		{ "\"203.0.113.9/32:22\"", "\"203.0.113.9:22\"" },
		{ "\"203.0.113.0/24:5432\"", NULL },
		{ "\"203.0.113.0/24:53/udp\"", NULL },
		{ "\"203.0.113.0/24/udp\"", NULL },
		{ "\"0.0.0.0/0\"", NULL },
		{ "\"10.0.0.0/8\"", NULL },
		{ "\"127.0.0.1:80\"", NULL },
		{ "\"[2001:db8::7]:443\"", NULL },
		{ "\"[2001:DB8:0::7]\"", "\"[2001:db8::7]\"" },
		{ "\"[2001:db8::/32]:1-2\"", NULL },
		{ "\"[::ffff:203.0.113.9]:80\"", "\"203.0.113.9:80\"" },
		{ "\"[::ffff:203.0.113.0/120]\"", "\"203.0.113.0/24\"" },
		{ "\"[::ffff:0:0/96]\"", "\"0.0.0.0/0\"" },
		{ "\"[::1]:80\"", NULL },
		{ "\"[fc00::/7]\"", NULL },
		{ "\"[2000::/3]\"", NULL },
		{ "\"[::/0]:443\"", NULL },
		{ "\"[::/3]\"", NULL },
		{ "\"[8000::/1]\"", NULL },
		{ "\"192.0.0.0/16\"", NULL },
		{ "\"128.0.0.0/1\"", NULL },
		{ "{host: \"a.test:443\", verify: \"sni\"}",
		  "{\"host\":\"a.test:443\",\"verify\":\"sni\"}" },
		{ "{host: \"a.test\"}", "\"a.test\"" },
		{ "{host: \"*\", verify: \"sni\"}", "{\"host\":\"*\",\"verify\":\"sni\"}" },
	};

	(void)state;
	EXPECT_PRINTED("{network: {allowOutbound: [", "]}}", "\"allowOutbound\":[", rows);
}

static void prints_denied_entries_with_both_protocols(void **state)
{
	static const struct good rows[] = {
		{ "\"api.test\"", NULL },
		{ "\"api.test/tcp\"", NULL },
		{ "\"api.test:80/udp\"", NULL },
		{ "\"203.0.113.9\"", NULL },
		{ "\"169.254.169.254\"", NULL },
		{ "\"224.0.0.0/4\"", NULL },
		{ "\"metadata\"", NULL },
		{ "\"[::/0]\"", NULL },
		{ "\"*\"", NULL },
	};

	(void)state;
	EXPECT_PRINTED("{network: {denyOutbound: [", "]}}", "\"denyOutbound\":[", rows);
}

static void prints_paths_absolute_and_clean(void **state)
{
	static const struct good rows[] = {
		{ "\"/a/b\"", NULL },
		{ "\"/a//b/./\"", "\"/a/b\"" },
		{ "\"/\"", NULL },
		{ "\"~\"", "\"/home/u\"" },
		{ "\"~/x/\"", "\"/home/u/x\"" },
		{ "\"~root\"", "\"/root\"" },
		{ "\"~root/x\"", "\"/root/x\"" },
		{ "\"$HOME/x\"", "\"/home/u/x\"" },
		{ "\"$PWD\"", "\"/data/ws\"" },
		{ "\"$XDG_RUNTIME_DIR/bus\"", "\"/run/user/1000/bus\"" },
		{ "\"x/y\"", "\"/etc/p/x/y\"" },
		{ "\".\"", "\"/etc/p\"" },
		{ "\"./x\"", "\"/etc/p/x\"" },
		{ "\"../x\"", "\"/etc/x\"" },
		{ "\"../../../../x\"", "\"/x\"" },
		{ "\"/a/.../b\"", NULL },
		{ "\"/a b/\\u00e9\"", "\"/ab/\xc3\xa9\"" },
	};

	(void)state;
	EXPECT_PRINTED("{filesystem: {ro: [", "]}}", "\"ro\":[", rows);
}

static void prints_patterns_as_they_are(void **state)
{
	static const struct good rows[] = {
		{ "\"**/.env\"", NULL },
		{ "\"**/*.key\"", NULL },
		{ "\"**/a/b?/\"", "\"**/a/b?\"" },
		{ "\"**//a\"", "\"**/a\"" },
		{ "\"~/.ssh\"", "\"/home/u/.ssh\"" },
	};

	(void)state;
	EXPECT_PRINTED("{filesystem: {deny: [", "]}}", "\"deny\":[", rows);
}

static void prints_limits_in_the_greatest_unit(void **state)
{
	static const struct good memory[] = {
		{ "\"2G\"", NULL },           { "\"2048M\"", "\"2G\"" }, { "2147483648", "\"2G\"" },
		{ "\"1048577\"", "1048577" }, { "\"1536M\"", NULL },     { "\"1T\"", NULL },
		{ "\"none\"", NULL },         { "\"1024T\"", NULL },
	};
	static const struct good pids[] = { { "512", NULL },
					    { "\"7\"", "7" },
					    { "\"none\"", NULL } };
	static const struct good cpu[] = { { "\"200%\"", NULL }, { "\"none\"", NULL } };
	static const struct good timeout[] = {
		{ "\"30m\"", NULL },   { "\"90s\"", NULL },     { "\"60s\"", "\"1m\"" },
		{ "\"500ms\"", NULL }, { "\"48h\"", "\"2d\"" }, { "\"none\"", NULL },
	};

	(void)state;
	EXPECT_PRINTED("{limits: {memory: ", "}}", "\"memory\":", memory);
	EXPECT_PRINTED("{limits: {pids: ", "}}", "\"pids\":", pids);
	EXPECT_PRINTED("{limits: {cpu: ", "}}", "\"cpu\":", cpu);
	EXPECT_PRINTED("{limits: {timeout: ", "}}", "\"timeout\":", timeout);
}

static void prints_the_lists_of_the_network(void **state)
{
	static const struct good inbound[] = {
		{ "false", NULL },
		{ "[]", "false" },
		{ "[\"8080\"]", NULL },
		{ "[\"53/udp\",\"localhost:3000\"]", NULL },
		{ "[\"80/tcp\"]", "[\"80\"]" },
	};
	static const struct good upstream[] = {
		{ "[]", NULL },
		{ "[\"192.0.2.1\"]", "[\"192.0.2.1:53\"]" },
		{ "[\"127.0.0.53\",\"[2001:db8::1]:5353\"]",
		  "[\"127.0.0.53:53\",\"[2001:db8::1]:5353\"]" },
	};
	static const struct good quiet[] = {
		{ "[\"mdns.local\"]", NULL },
		{ "[\"MDNS.local.\",\"*.x.test\"]", "[\"mdns.local\",\"*.x.test\"]" },
		{ "[\"224.0.0.251\",\"[ff02::fb]\",\"10.0.0.0/8\"]", NULL },
	};

	(void)state;
	EXPECT_PRINTED("{network: {allowInbound: ", "}}", "\"allowInbound\":", inbound);
	EXPECT_PRINTED("{network: {dns: {upstream: ", "}}}", "\"upstream\":", upstream);
	EXPECT_PRINTED("{audit: {quiet: ", "}}", "\"quiet\":", quiet);
}

static void prints_the_rest(void **state)
{
	static const struct good sockets[] = {
		{ "[\"$SSH_AUTH_SOCK\"]", "[\"/tmp/ssh/agent.1\"]" },
		{ "[\"/run/x.sock\"]", NULL },
		{ "[\"~/.x.sock\"]", "[\"/home/u/.x.sock\"]" },
	};
	static const struct good uid[] = { { "10001, gid: 10002", "10001,\"gid\":10002" },
					   { "4294967294, gid: 1", "4294967294,\"gid\":1" },
					   { "\"auto\"", NULL } };
	static const struct good keep[] = { { "[\"TERM\",\"LC_*\",\"MY_TOKEN\"]", NULL } };
	static const struct good set[] = { { "{\"A\":\"\",\"B\":\"x=y\"}", NULL }, { "{}", NULL } };
	static const struct good families[] = { { "[\"vsock\",\"bluetooth\"]", NULL } };
	static const struct good lane[] = { { "\"a\"", "\"/data/ws/a\"" },
					    { "\"a/b\"", "\"/data/ws/a/b\"" },
					    { "\"/data/ws/a\"", NULL } };

	(void)state;
	EXPECT_PRINTED("{unixSockets: {allow: ", "}}", "\"unixSockets\":{\"allow\":", sockets);
	EXPECT_PRINTED("{identity: {uid: ", "}}", "\"uid\":", uid);
	EXPECT_PRINTED("{identity: {keepEnv: ", "}}", "\"keepEnv\":", keep);
	EXPECT_PRINTED("{identity: {setEnv: ", "}}", "\"setEnv\":", set);
	EXPECT_PRINTED("{seccomp: {families: ", "}}", "\"families\":", families);
	EXPECT_PRINTED("{lane: ", "}", "\"lane\":", lane);
}

static void fills_in_the_defaults(void **state)
{
	struct policy p = { 0 };
	struct pinfold_error e;

	(void)state;
	assert_int_equal(helper_parse("{}", &p, &e), 0);
	assert_string_equal(p.workspace, "/data/ws");
	assert_int_equal(p.workspace_access, WORKSPACE_RW);
	assert_true(p.fs.system && p.fs.sensitive && p.fs.protect_git && !p.fs.strict_deny);
	assert_int_equal(p.fs.tmp, TMP_PRIVATE);
	assert_int_equal(p.net.allow.n + p.net.deny.n + p.net.n_inbound, 0);
	assert_true(!p.net.icmp && !p.net.allow_metadata && p.net.on_revoke == REVOKE_KEEP);
	assert_int_equal(p.net.deny_errno, EPERM);
	assert_int_equal(p.net.dns.min_ttl_s, 60);
	assert_int_equal(p.net.dns.max_addresses, 4096);
	assert_int_equal(p.net.dns.new_names_per_minute, 6000);
	assert_int_equal(p.limits.pids, 512);
	assert_true(!p.limits.memory && !p.limits.cpu_percent && !p.limits.timeout_ms);
	assert_int_equal(p.identity.choice, UID_DEFAULT);
	assert_string_equal(p.identity.path, "/usr/local/bin:/usr/bin:/bin");
	assert_true(!p.identity.home && !p.lane && !p.audit.path && !p.degrade);
	policy_done(&p);
}

static void opens_metadata_only_when_asked(void **state)
{
	struct policy p = { 0 };
	struct pinfold_error e;

	(void)state;
	assert_int_equal(
	    helper_parse("{network: {allowOutbound: ['169.254.169.254', '192.0.0.192', "
			 "'metadata'], dangerouslyAllowMetadata: true}}",
			 &p, &e),
	    0);
	policy_done(&p);
	assert_int_equal(helper_parse("{network: {allowOutbound: ['192.0.0.0/24'], "
				      "dangerouslyAllowMetadata: true}}",
				      &p, &e),
			 -EINVAL);
}

/* All of IPv6 is no rule for IPv4, although both live in one space of 128 bits. */
static void a_prefix_of_ipv6_never_covers_ipv4(void **state)
{
	static const char *const in[] = { "2001:db8::1", "8000::1", "1::1" };
	static const char *const out[] = { "203.0.113.9", "127.0.0.1", "::1" };
	struct policy p = { 0 };
	struct pinfold_error e;

	(void)state;
	assert_int_equal(helper_parse("{network: {allowOutbound: ['[::/0]:443']}}", &p, &e), 0);
	for (size_t k = 0; k < ARRAY_SIZE(in) + ARRAY_SIZE(out); k++) {
		bool inside = k < ARRAY_SIZE(in);
		struct addr a;
		size_t hits = 0;

		assert_int_equal(addr_parse(inside ? in[k] : out[k - ARRAY_SIZE(in)], &a), 0);
		for (size_t i = 0; i < p.net.allow.n; i++)
			hits += addr_in_prefix(&a, &p.net.allow.rule[i].addr,
					       p.net.allow.rule[i].prefix_len);
		assert_int_equal(hits, inside ? 1 : 0);
	}
	policy_done(&p);
}

static void adds_rules_of_the_command_line(void **state)
{
	static const struct {
		enum pinfold_rule kind;
		const char *text;
		int rc;
	} rows[] = {
		{ PINFOLD_RULE_ALLOW, "a.test:443", 0 },
		{ PINFOLD_RULE_ALLOW, "http://a.test", -EINVAL },
		{ PINFOLD_RULE_ALLOW, "169.254.169.254", -EINVAL },
		{ PINFOLD_RULE_ALLOW, "", -EINVAL },
		{ PINFOLD_RULE_DENY_NET, "b.test", 0 },
		{ PINFOLD_RULE_RW, "/r", -EINVAL },
		{ PINFOLD_RULE_RO, "/r", 0 },
		{ PINFOLD_RULE_RO, "/w", 0 },
		{ PINFOLD_RULE_RW, "sub", 0 },
		{ PINFOLD_RULE_ROX, "~/bin", 0 },
		{ PINFOLD_RULE_ROX, "*", -EINVAL },
		{ PINFOLD_RULE_DENY_PATH, "**/.env", 0 },
		{ PINFOLD_RULE_DENY_PATH, "/", -EINVAL },
		{ PINFOLD_RULE_UNIX, "$SSH_AUTH_SOCK", 0 },
		{ PINFOLD_RULE_UNIX, "x.sock", -EINVAL },
		{ (enum pinfold_rule)99, "x", -EINVAL },
	};
	struct policy p = { 0 };
	struct pinfold_error e;

	(void)state;
	assert_int_equal(helper_parse("{filesystem: {ro: ['/r'], rw: ['/w']}}", &p, &e), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int rc =
		    policy_add(&p, rows[i].kind, rows[i].text, "command line", &HELPER_CTX, &e);

		if (rc != rows[i].rc)
			fail_msg("%s: %d %s", rows[i].text, rc, rc < 0 ? e.text : "");
		if (rc < 0)
			assert_int_equal(strncmp(e.text, "command line: ", 14), 0);
	}
	assert_int_equal(p.net.allow.n, 1);
	assert_int_equal(p.net.deny.rule[0].protos, PROTO_TCP | PROTO_UDP);
	assert_int_equal(p.fs.n, 5);
	/* rw stands first in the order of reading, and was narrowed in place. */
	assert_string_equal(p.fs.rule[0].path, "/w");
	assert_int_equal(p.fs.rule[0].right, PATH_RO);
	assert_string_equal(p.fs.rule[2].path, "/data/ws/sub");
	assert_int_equal(p.n_unix_allow, 1);
	policy_done(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prints_outbound_entries_in_one_form),
		cmocka_unit_test(prints_denied_entries_with_both_protocols),
		cmocka_unit_test(prints_paths_absolute_and_clean),
		cmocka_unit_test(prints_patterns_as_they_are),
		cmocka_unit_test(prints_limits_in_the_greatest_unit),
		cmocka_unit_test(prints_the_lists_of_the_network),
		cmocka_unit_test(prints_the_rest),
		cmocka_unit_test(fills_in_the_defaults),
		cmocka_unit_test(opens_metadata_only_when_asked),
		cmocka_unit_test(a_prefix_of_ipv6_never_covers_ipv4),
		cmocka_unit_test(adds_rules_of_the_command_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
