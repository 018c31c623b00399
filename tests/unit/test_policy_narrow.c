/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clean.h"
#include "policy_helper.h"

static int narrow(const char *site_text, const char *text, struct policy *p,
		  struct pinfold_error *e)
{
	static const char site_file[] = "/etc/pinfold/site.json";
	struct policy site = { 0 };
	int rc;

	e->text[0] = '\0';
	if (policy_parse(site_text, strlen(site_text), site_file, &HELPER_CTX, &site, e) < 0 ||
	    helper_parse(text, p, e) < 0)
		fail_msg("%s", e->text);
	rc = policy_narrow(p, &site, e);
	policy_done(&site);
	return rc;
}

struct row {
	const char *site;
	const char *policy;
	const char *wider; /* what the refusal names; NULL: accepted */
};

static void expect(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct policy p = { 0 };
		struct pinfold_error e;
		int rc = narrow(rows[i].site, rows[i].policy, &p, &e);

		if (rc != (rows[i].wider ? -EPERM : 0) ||
		    (rows[i].wider && !strstr(e.text, rows[i].wider)))
			fail_msg("%s under %s: %d %s", rows[i].policy, rows[i].site, rc, e.text);
		if (rc < 0)
			assert_non_null(strstr(e.text, "is wider than"));
		policy_done(&p);
	}
}

static void keeps_outbound_entries_within_the_site(void **state)
{
#define SITE                                                                                       \
	"{network: {allowOutbound: ['*.corp.test:443', 'x.test', '203.0.113.0/24', "               \
	"'**.d.test:80-90', "                                                                      \
	"'localhost:5432']}}"
#define P(entry) "{network: {allowOutbound: ['" entry "']}}"
	static const struct row rows[] = {
		{ SITE, P("a.corp.test:443"), NULL },
		{ SITE, P("a.corp.test"), "'a.corp.test'" },
		{ SITE, P("a.corp.test:80"), "'a.corp.test:80'" },
		{ SITE, P("a.corp.test:443/udp"), "udp" },
		{ SITE, P("corp.test:443"), "'corp.test:443'" },
		{ SITE, P("*.corp.test:443"), NULL },
		{ SITE, P("*.b.corp.test:443"), NULL },
		{ SITE, P("**.b.corp.test:443"), NULL },
		{ SITE, P("**.corp.test:443"), "'**.corp.test:443'" },
		{ SITE, P("*.xcorp.test:443"), "xcorp" },
		{ SITE, P("*.test:443"), "'*.test:443'" },
		{ SITE, P("x.test:1"), NULL },
		{ SITE, P("*.x.test"), "'*.x.test'" },
		{ SITE, P("**.x.test"), "'**.x.test'" },
		{ SITE, P("d.test:80"), NULL },
		{ SITE, P("**.d.test:85-90"), NULL },
		{ SITE, P("d.test:80-91"), "80-91" },
		{ SITE, P("203.0.113.9"), NULL },
		{ SITE, P("203.0.113.0/25:22"), NULL },
		{ SITE, P("203.0.112.0/23"), "203.0.112.0/23" },
		{ SITE, P("203.0.114.1"), "203.0.114.1" },
		{ SITE, P("localhost:5432"), NULL },
		{ SITE, P("127.0.0.1:5432"), NULL },
		{ SITE, P("[::1]:5432"), NULL },
		{ SITE, P("127.0.0.2:5432"), "127.0.0.2" },
		{ SITE, P("localhost"), "'localhost'" },
		{ SITE, P("*"), "'*'" },
		{ SITE, "{}", NULL },
		{ "{}", P("*"), NULL },
		{ "{network: {allowOutbound: []}}", P("a.test"), "'a.test'" },
		{ "{network: {allowOutbound: ['*']}}", P("a.test"), NULL },
		{ "{network: {allowOutbound: ['*']}}", P("**.a.test"), NULL },
		{ "{network: {allowOutbound: ['*']}}", P("192.0.2.1"), "192.0.2.1" },
		{ "{network: {allowOutbound: ['*']}}", P("localhost"), "localhost" },
		{ "{network: {allowOutbound: ['[::/0]']}}", P("[2001:db8::1]"), NULL },
		{ "{network: {allowOutbound: ['[::/0]']}}", P("[::/0]:80"), NULL },
		{ "{network: {allowOutbound: ['[::/0]']}}", P("192.0.2.1"), "192.0.2.1" },
		{ "{network: {allowOutbound: [{host: 'a.test', verify: 'sni'}]}}", P("a.test"),
		  "'a.test'" },
	};
#undef P
#undef SITE

	(void)state;
	expect(rows, ARRAY_SIZE(rows));
}

static void keeps_files_within_the_site(void **state)
{
#define SITE                                                                                       \
	"{workspace: '/srv', filesystem: {ro: ['/data', '/srv/shared'], rw: ['/data/rw'], rox: "   \
	"['/t']}}"
#define P(fs) "{workspace: '/srv/a', filesystem: {" fs "}}"
	static const struct row rows[] = {
		{ SITE, P(""), NULL },
		{ SITE, "{workspace: '/srv'}", NULL },
		{ SITE, "{}", "'/data/ws' of workspace" },
		{ SITE, "{workspaceAccess: 'none'}", NULL },
		{ SITE, "{workspace: '/srv/shared/x'}", "'/srv/shared/x'" },
		{ SITE, "{workspace: '/srv/shared/x', workspaceAccess: 'ro'}", NULL },
		{ SITE, P("ro: ['/data/x']"), NULL },
		{ SITE, P("rw: ['/data/x']"), "'/data/x' of /etc/p/t.json:1 (filesystem.rw[0])" },
		{ SITE, P("rox: ['/data/x']"), "'/data/x'" },
		{ SITE, P("rw: ['/data/rw/x']"), NULL },
		{ SITE, P("rox: ['/t/bin']"), NULL },
		{ SITE, P("ro: ['/t/bin']"), NULL },
		{ SITE, P("rw: ['/t/bin']"), "'/t/bin'" },
		{ SITE, P("ro: ['/home']"), "'/home'" },
		{ SITE, P("ro: ['/usr/share']"), NULL },
		{ SITE, P("rw: ['/usr/share']"), "'/usr/share'" },
		{ SITE, P("rox: ['/etc/x']"), "'/etc/x'" },
		{ SITE, "{workspace: '/srv/a', identity: {home: '/var/h'}}",
		  "'/var/h' of identity.home" },
		{ SITE, "{workspace: '/srv/a', identity: {home: '/srv/h'}}", NULL },
		{ "{}", P("rw: ['/anything']"), NULL },
		{ "{filesystem: {rw: ['/x'], system: false}}", P("ro: ['/usr']"), "'/usr'" },
		{ "{filesystem: {rw: ['/']}, workspace: '/x/ro', workspaceAccess: 'ro'}",
		  "{workspace: '/y', workspaceAccess: 'ro', filesystem: {rw: ['/x']}}", "'/x'" },
		{ "{unixSockets: {allow: ['/run/a']}}", "{unixSockets: {allow: ['/run/a']}}",
		  NULL },
		{ "{unixSockets: {allow: ['/run/a']}}", "{unixSockets: {allow: ['/run/b']}}",
		  "'/run/b'" },
		{ "{}", "{unixSockets: {allow: ['/run/b']}}", NULL },
	};
#undef P
#undef SITE

	(void)state;
	expect(rows, ARRAY_SIZE(rows));
}

static void refuses_plain_members_that_are_set_wider(void **state)
{
	static const struct row rows[] = {
		{ "{network: {icmp: false}}", "{network: {icmp: true}}", "network.icmp" },
		{ "{network: {icmp: true}}", "{network: {icmp: false}}", NULL },
		{ "{}", "{network: {icmp: true}}", NULL },
		{ "{filesystem: {sensitive: true}}", "{filesystem: {sensitive: false}}",
		  "filesystem.sensitive" },
		{ "{filesystem: {sensitive: false}}", "{filesystem: {sensitive: true}}", NULL },
		{ "{filesystem: {protectGit: true}}", "{filesystem: {protectGit: false}}",
		  "filesystem.protectGit" },
		{ "{filesystem: {strictDeny: true}}", "{filesystem: {strictDeny: false}}",
		  "filesystem.strictDeny" },
		{ "{filesystem: {system: false}}", "{filesystem: {system: true}}",
		  "filesystem.system" },
		{ "{filesystem: {tmp: 'private'}}", "{filesystem: {tmp: 'shared'}}",
		  "filesystem.tmp" },
		{ "{filesystem: {tmp: 'private'}}", "{filesystem: {tmp: 'none'}}", NULL },
		{ "{workspaceAccess: 'ro'}", "{workspaceAccess: 'rw'}", "workspaceAccess" },
		{ "{fenceToLane: true}", "{fenceToLane: false}", "fenceToLane" },
		{ "{network: {dangerouslyAllowMetadata: false}}",
		  "{network: {dangerouslyAllowMetadata: true}}", "dangerouslyAllowMetadata" },
		{ "{network: {onRevoke: 'cut'}}", "{network: {onRevoke: 'keep'}}",
		  "network.onRevoke" },
		{ "{network: {dns: {minTtl: 60}}}", "{network: {dns: {minTtl: 61}}}", "minTtl" },
		{ "{network: {dns: {newNamesPerMinute: 10}}}",
		  "{network: {dns: {newNamesPerMinute: 0}}}", "newNamesPerMinute" },
		{ "{network: {dns: {newNamesPerMinute: 0}}}",
		  "{network: {dns: {newNamesPerMinute: 999999}}}", NULL },
		{ "{network: {dns: {maxAddresses: 10}}}", "{network: {dns: {maxAddresses: 11}}}",
		  "maxAddresses" },
		{ "{network: {dns: {upstream: ['192.0.2.1']}}}",
		  "{network: {dns: {upstream: ['192.0.2.2']}}}", "upstream" },
		{ "{network: {dns: {upstream: ['192.0.2.1']}}}",
		  "{network: {dns: {upstream: ['192.0.2.1:53']}}}", NULL },
		{ "{network: {allowInbound: ['80']}}", "{network: {allowInbound: ['80']}}", NULL },
		{ "{network: {allowInbound: ['80']}}",
		  "{network: {allowInbound: ['localhost:80']}}", NULL },
		{ "{network: {allowInbound: ['localhost:80']}}",
		  "{network: {allowInbound: ['80']}}", "'80'" },
		{ "{network: {allowInbound: false}}", "{network: {allowInbound: ['80']}}", "'80'" },
		{ "{network: {allowInbound: ['80']}}", "{network: {allowInbound: ['80/udp']}}",
		  "'80/udp'" },
		{ "{identity: {handover: false}}", "{identity: {handover: true}}", "handover" },
		{ "{identity: {uid: 5, gid: 5}}", "{identity: {uid: 6, gid: 5}}", "identity.uid" },
		{ "{identity: {uid: 5, gid: 5}}", "{identity: {uid: 5, gid: 5}}", NULL },
		{ "{identity: {keepEnv: ['TERM', 'LC_*']}}", "{identity: {keepEnv: ['LC_ALL']}}",
		  NULL },
		{ "{identity: {keepEnv: ['TERM']}}", "{identity: {keepEnv: ['LANG']}}", "'LANG'" },
		{ "{identity: {keepEnv: ['A*']}}", "{identity: {keepEnv: ['A_TOKEN']}}",
		  "'A_TOKEN'" },
		{ "{seccomp: {allowNested: false}}", "{seccomp: {allowNested: true}}",
		  "allowNested" },
		{ "{seccomp: {families: []}}", "{seccomp: {families: ['vsock']}}", "'vsock'" },
		{ "{onUnavailable: 'refuse'}", "{onUnavailable: 'degrade'}", "onUnavailable" },
		{ "{audit: {path: '/var/log/a'}}", "{audit: {path: '/var/log/b'}}", "audit.path" },
		{ "{audit: {allowed: true}}", "{audit: {allowed: false}}", "audit.allowed" },
		{ "{audit: {quiet: []}}", "{audit: {quiet: ['a.test']}}", "'a.test'" },
	};

	(void)state;
	expect(rows, ARRAY_SIZE(rows));
}

static void takes_the_site_where_the_policy_is_silent(void **state)
{
	static const char site[] =
	    "{workspaceAccess: 'ro', filesystem: {tmp: 'none', system: false, deny: ['/srv/x', "
	    "'**/.env']}, network: {denyErrno: 'EACCES', denyOutbound: ['bad.test', '[::/0]'], "
	    "dns: "
	    "{minTtl: 5, upstream: ['192.0.2.1']}}, limits: {memory: '1G', pids: 100, timeout: "
	    "'1h'}, identity: {uid: 5, gid: 6}, audit: {path: '/var/log/a'}}";
	struct policy p = { 0 };
	struct pinfold_error e;

	(void)state;
	if (narrow(site, "{limits: {memory: '2G', timeout: '5m'}, filesystem: {deny: ['/srv/x']}}",
		   &p, &e) < 0)
		fail_msg("%s", e.text);
	assert_int_equal(p.workspace_access, WORKSPACE_RO);
	assert_int_equal(p.fs.tmp, TMP_NONE);
	assert_false(p.fs.system);
	assert_int_equal(p.fs.n, 2);
	assert_string_equal(p.fs.rule[1].path, "**/.env");
	assert_true(p.fs.rule[1].pattern);
	assert_non_null(strstr(p.fs.rule[1].origin, "/etc/pinfold/site.json:1"));
	assert_int_equal(p.net.deny_errno, EACCES);
	assert_string_equal(p.net.deny.rule[0].name, "bad.test");
	assert_int_equal(p.net.deny.n, 17);
	assert_int_equal(p.net.dns.min_ttl_s, 5);
	assert_int_equal(p.net.dns.n_upstream, 1);
	assert_int_equal(p.limits.memory, 1 << 30);
	assert_int_equal(p.limits.pids, 100);
	assert_int_equal(p.limits.timeout_ms, 300000);
	assert_int_equal(p.identity.uid, 5);
	assert_string_equal(p.audit.path, "/var/log/a");
	policy_done(&p);
}

/* A wide grant of the policy must not swallow a narrow one of the site inside it. */
static void keeps_smaller_grants_of_the_site_inside_greater_ones(void **state)
{
	struct policy p = { 0 };
	struct pinfold_error e;

	(void)state;
	assert_int_equal(narrow("{filesystem: {rw: ['/srv'], ro: ['/srv/shared']}}",
				"{workspace: '/srv/a', filesystem: {rw: ['/srv']}}", &p, &e),
			 0);
	assert_int_equal(p.fs.n, 2);
	assert_string_equal(p.fs.rule[1].path, "/srv/shared");
	assert_int_equal(p.fs.rule[1].right, PATH_RO);
	policy_done(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_outbound_entries_within_the_site),
		cmocka_unit_test(keeps_files_within_the_site),
		cmocka_unit_test(refuses_plain_members_that_are_set_wider),
		cmocka_unit_test(takes_the_site_where_the_policy_is_silent),
		cmocka_unit_test(keeps_smaller_grants_of_the_site_inside_greater_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
