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

struct bad {
	const char *text;
	const char *words; /* a part of the message */
};

static void expect_refusals(const struct bad *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct policy p = { 0 };
		struct pinfold_error e;
		int rc = helper_parse(rows[i].text, &p, &e);

		if (rc != -EINVAL || !strstr(e.text, rows[i].words) ||
		    strncmp(e.text, "/etc/p/t.json:1:", 16) != 0)
			fail_msg("%s\n  gives %d \"%s\"\n  wanted \"%s\"", rows[i].text, rc, e.text,
				 rows[i].words);
		assert_null(p.source);
	}
}

#define EXPECT_REFUSALS(rows) expect_refusals(rows, ARRAY_SIZE(rows))

static void refuses_what_is_no_policy(void **state)
{
	static const struct bad rows[] = {
		{ "", "a value was expected" },
		{ "[]", "an object is wanted" },
		{ "1", "an object is wanted" },
		{ "{} {}", "after the end" },
		{ "{a: 1}", "1:5: a: no such member" },
		{ "{network: {allow: []}}", "1:19: network.allow: no such member" },
		{ "{network: {dns: {ttl: 1}}}", "network.dns.ttl: no such member" },
		{ "{'network.icmp': true}", "no such member" },
		{ "{network: {'dns.minTtl': 1}}", "no such member" },
		{ "{'': 1}", "no such member" },
		{ "{network: []}", "network: an object is wanted" },
		{ "{network: null}", "network: an object is wanted" },
		{ "{filesystem: 'rw'}", "filesystem: an object is wanted" },
		{ "{version: 1, version: 1}", "'version' stands twice" },
		{ "{network: {icmp: true, icmp: true}}", "'icmp' stands twice" },
		{ "{version: 2}", "version: only the number 1 is known" },
		{ "{version: '1'}", "version: only the number 1 is known" },
		{ "{version: 1.5}", "version: only the number 1 is known" },
	};

	(void)state;
	EXPECT_REFUSALS(rows);
}

static void refuses_bad_paths(void **state)
{
	static const struct bad rows[] = {
		{ "{workspace: 1}", "workspace: a string is wanted" },
		{ "{workspace: ''}", "workspace: an empty string" },
		{ "{workspace: '/'}", "can't be a workspace" },
		{ "{workspace: '//.'}", "can't be a workspace" },
		{ "{workspace: '/a/../b'}", "'..' behind a name" },
		{ "{workspace: '/a/*'}", "wildcards" },
		{ "{workspace: '/a\\u0001'}", "control character" },
		{ "{workspace: null}", "a string is wanted" },
		{ "{workspaceAccess: 'rwx'}", "one of \"none\", \"ro\", \"rw\" is wanted" },
		{ "{workspaceAccess: true}", "one of" },
		{ "{lane: '/elsewhere'}", "lane: not a directory below the workspace" },
		{ "{lane: '.'}", "not a directory below" },
		{ "{lane: '/data/ws'}", "not a directory below" },
		{ "{lane: '/data/ws2'}", "not a directory below" },
		{ "{lane: '../x'}", "not a directory below" },
		{ "{fenceToLane: 'yes'}", "true or false is wanted" },
		{ "{fenceToLane: 1}", "true or false is wanted" },
		{ "{filesystem: {rw: '/a'}}", "filesystem.rw: a list is wanted" },
		{ "{filesystem: {rw: {a: 'b'}}}", "filesystem.rw: a list is wanted" },
		{ "{filesystem: {rw: [1]}}", "filesystem.rw[0]: a string is wanted" },
		{ "{filesystem: {rw: ['/a', '']}}", "filesystem.rw[1]: an empty string" },
		{ "{filesystem: {rw: ['**/x']}}", "wildcards" },
		{ "{filesystem: {ro: ['/a?']}}", "wildcards" },
		{ "{filesystem: {ro: ['/a[b]']}}", "wildcards" },
		{ "{filesystem: {ro: ['$NOPE/x']}}", "'$NOPE' is not one of" },
		{ "{filesystem: {ro: ['$HOMEX']}}", "'$HOMEX' is not one of" },
		{ "{filesystem: {ro: ['$']}}", "'$' is not one of" },
		{ "{filesystem: {ro: ['/a/$HOME']}}", "'$' stands only at the start" },
		{ "{filesystem: {ro: ['$TMPDIR/x']}}", "plain absolute path" },
		{ "{filesystem: {ro: ['$HOME/../x']}}", "'..' behind a name" },
		{ "{filesystem: {ro: ['~/../x']}}", "'..' behind a name" },
		{ "{filesystem: {ro: ['~no-such-account/x']}}", "no such account" },
		{ "{filesystem: {rox: ['a/../b']}}", "'..' behind a name" },
		{ "{filesystem: {deny: ['/']}}", "denies everything" },
		{ "{filesystem: {deny: ['/a/*.key']}}", "wildcards" },
		{ "{filesystem: {deny: ['**']}}", "wildcards" },
		{ "{filesystem: {deny: ['**/']}}", "nothing stands behind" },
		{ "{filesystem: {deny: ['**/*']}}", "denies everything" },
		{ "{filesystem: {deny: ['**/a/**']}}", "can't stand in a pattern" },
		{ "{filesystem: {deny: ['**/../x']}}", "can't stand in a pattern" },
		{ "{filesystem: {deny: ['**/./x']}}", "can't stand in a pattern" },
		{ "{filesystem: {deny: ['**/[ab]']}}", "knows * and ? only" },
		{ "{filesystem: {deny: ['**/{a,b}']}}", "knows * and ? only" },
		{ "{filesystem: {rw: ['/a'], ro: ['/a/']}}",
		  "filesystem.ro[0]: '/a/' is 'ro' here and 'rw' in" },
		{ "{filesystem: {system: 0}}", "true or false" },
		{ "{filesystem: {tmp: 'public'}}", "one of \"none\", \"private\", \"shared\"" },
		{ "{filesystem: {sensitive: 'no'}}", "true or false" },
		{ "{filesystem: {strictDeny: null}}", "true or false" },
		{ "{filesystem: {protectGit: []}}", "true or false" },
		{ "{unixSockets: {allow: '/a'}}", "a list is wanted" },
		{ "{unixSockets: {allow: ['run/a.sock']}}", "must be absolute" },
		{ "{unixSockets: {allow: ['./a.sock']}}", "must be absolute" },
		{ "{unixSockets: {allow: ['/run/']}}", "not a directory" },
		{ "{unixSockets: {allow: ['/run/*.sock']}}", "wildcards" },
		{ "{unixSockets: {allow: ['/']}}", "not a directory" },
		{ "{unixSockets: {allow: ['/a/../b']}}", "'..' behind a name" },
		{ "{unixSockets: {allow: ['@abstract']}}", "must be absolute" },
		{ "{unixSockets: {deny: []}}", "no such member" },
		{ "{audit: {path: 7}}", "a string is wanted" },
		{ "{identity: {home: '/'}}", "can't be a home" },
		{ "{identity: {home: ''}}", "an empty string" },
	};

	(void)state;
	EXPECT_REFUSALS(rows);
}

/* Each is one entry of allowOutbound. */
static void refuses_bad_outbound_entries(void **state)
{
	static const struct bad rows[] = {
		{ "''", "an empty string" },
		{ "','", "one HOST[:PORT][/PROTO] is wanted" },
		{ "' '", "one HOST[:PORT][/PROTO] is wanted" },
		{ "'a.test,b.test'", "one HOST" },
		{ "'https://api.test'", "not a URL" },
		{ "'//api.test'", "is no protocol" },
		{ "'api.test/v1'", "is no protocol" },
		{ "'api.test/24'", "paths have no meaning" },
		{ "'api.test:443/sctp'", "is no protocol" },
		{ "'api.test:443/TCP'", "is no protocol" },
		{ "'user@api.test'", "one HOST" },
		{ "'api.test:0'", "is no port" },
		{ "'api.test:65536'", "is no port" },
		{ "'api.test:'", "is no port" },
		{ "'api.test:http'", "is no port" },
		{ "'api.test:0443'", "is no port" },
		{ "'api.test:+443'", "is no port" },
		{ "'api.test:-5'", "is no port" },
		{ "'api.test:5-'", "is no port" },
		{ "'api.test:9-8'", "range of ports '9-8' is empty" },
		{ "'api.test:1-2-3'", "is no port" },
		{ "'api.test:443:444'", "brackets" },
		{ "':443'", "no host" },
		{ "'/tcp'", "no host" },
		{ "'a*.test'", "'*' stands alone" },
		{ "'*a.test'", "'*' stands alone" },
		{ "'a.*.test'", "'*' stands alone" },
		{ "'*.*.test'", "'*' stands alone" },
		{ "'***.test'", "'*' stands alone" },
		{ "'**'", "'*' stands alone" },
		{ "'*.'", "is no name" },
		{ "'**.'", "is no name" },
		{ "'.'", "is no address" },
		{ "'a..test'", "is no name" },
		{ "'.a.test'", "is no name" },
		{ "'a.test..'", "is no name" },
		{ "'a!b.test'", "is no name" },
		{ "'\\u2603\\ufffd.test'", "is no name" },
		{ "'1.2.3'", "is no address" },
		{ "'1.2.3.4.5'", "is no address" },
		{ "'1.2.3.256'", "is no address" },
		{ "'010.0.0.1'", "is no address" },
		{ "'1.2.3.4.'", "is no address" },
		{ "'16909060'", "neither a name nor an IPv4 address" },
		{ "'0x7f.0.0.1'", "neither a name nor an IPv4 address" },
		{ "'127.0x1'", "neither a name nor an IPv4 address" },
		{ "'127.0.0.0x1'", "neither a name nor an IPv4 address" },
		{ "'a.1'", "neither a name nor an IPv4 address" },
		{ "'203.0.113.9/24'", "bits set behind its prefix" },
		{ "'203.0.113.0/33'", "no length of a prefix" },
		{ "'203.0.113.0/024'", "no length of a prefix" },
		{ "'203.0.113.0/'", "is no protocol" },
		{ "'203.0.113.0/24/32'", "no length of a prefix" },
		{ "'2001:db8::7'", "stands in brackets" },
		{ "'2001:db8::/32'", "stands in brackets" },
		{ "'[2001:db8::7'", "stands in brackets" },
		{ "'[2001:db8::7]443'", "in brackets" },
		{ "'[2001:db8::7/32]'", "bits set behind its prefix" },
		{ "'[2001:db8::/129]'", "no length of a prefix" },
		{ "'[2001:db8::]/32'", "in brackets" },
		{ "'[fe80::1%eth0]'", "one HOST" },
		{ "'[192.0.2.1]'", "in brackets" },
		{ "'[api.test]'", "in brackets" },
		{ "'[]'", "in brackets" },
		{ "'x.localhost'", "not resolved; write localhost" },
		{ "'*.localhost'", "not resolved; write localhost" },
		{ "'0.0.0.0'", "never opened" },
		{ "'0.0.0.0/8'", "never opened" },
		{ "'0.1.2.3'", "never opened" },
		{ "'192.0.0.0/24'", "never opened" },
		{ "'192.0.0.8'", "never opened" },
		{ "'224.0.0.0/4'", "never opened" },
		{ "'224.0.0.0/3'", "never opened" },
		{ "'239.1.1.1'", "never opened" },
		{ "'240.0.0.0/4'", "never opened" },
		{ "'255.255.255.255'", "never opened" },
		{ "'[::ffff:224.0.0.1]'", "never opened" },
		{ "'[::]'", "never opened" },
		{ "'[::1.2.3.4]'", "never opened" },
		{ "'[::/96]'", "never opened" },
		{ "'[ff00::/8]'", "never opened" },
		{ "'[ff02::1]'", "never opened" },
		{ "'[2001::/32]'", "never opened" },
		{ "'[2001:0:4136::1]'", "never opened" },
		{ "'[64:ff9b:1::/48]'", "never opened" },
		{ "'[64:ff9b:1::a00:1]'", "never opened" },
		{ "'[2001:db8::5efe:c633:6401]'", "never opened" },
		{ "'[2001:db8::200:5efe:c633:6401]'", "never opened" },
		{ "'[64:ff9b::c633:6401]'", "judged as the IPv4 address inside" },
		{ "'[64:ff9b::/96]'", "judged as the IPv4 address inside" },
		{ "'[2002:c633:6401::1]'", "judged as the IPv4 address inside" },
		{ "'[2002::/16]'", "judged as the IPv4 address inside" },
		{ "'[::ffff:0:c633:6401]'", "judged as the IPv4 address inside" },
		{ "'[::/16]'", "IPv4 in IPv6 clothes" },
		{ "'[::/80]'", "IPv4 in IPv6 clothes" },
		{ "'[::fffe:0:0/95]'", "IPv4 in IPv6 clothes" },
		{ "'169.254.169.254'", "only dangerouslyAllowMetadata" },
		{ "'169.254.0.0/16'", "only dangerouslyAllowMetadata" },
		{ "'[::ffff:169.254.169.254]'", "only dangerouslyAllowMetadata" },
		{ "'100.100.100.200'", "only dangerouslyAllowMetadata" },
		{ "'168.63.129.16'", "only dangerouslyAllowMetadata" },
		{ "'192.0.0.192'", "only dangerouslyAllowMetadata" },
		{ "'[fe80::1]'", "only dangerouslyAllowMetadata" },
		{ "'[fd00:ec2::254]'", "only dangerouslyAllowMetadata" },
		{ "'[fd20:ce::254]'", "only dangerouslyAllowMetadata" },
		{ "'[fd00:c1::a9fe:a9fe]'", "only dangerouslyAllowMetadata" },
		{ "'[fd00:42::42]'", "only dangerouslyAllowMetadata" },
		{ "'metadata.google.internal'", "only dangerouslyAllowMetadata" },
		{ "'METADATA.'", "only dangerouslyAllowMetadata" },
		{ "'instance-data.ec2.internal'", "only dangerouslyAllowMetadata" },
		{ "{}", "'host' is missing" },
		{ "{host: 'a.test', verify: 'cert'}", "one of \"sni\"" },
		{ "{host: 'a.test', name: 'x'}", "no such member" },
		{ "{host: 5}", "a string is wanted" },
		{ "{host: '192.0.2.1', verify: 'sni'}", "wants a name and tcp" },
		{ "{host: 'a.test/udp', verify: 'sni'}", "wants a name and tcp" },
		{ "5", "a string is wanted" },
		{ "['a.test']", "a string is wanted" },
		{ "null", "a string is wanted" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bad row = { .words = rows[i].words };
		char text[256];

		snprintf(text, sizeof(text), "{network: {allowOutbound: [%s]}}", rows[i].text);
		row.text = text;
		expect_refusals(&row, 1);
	}
}

static void refuses_the_rest_of_the_network(void **state)
{
	static const struct bad rows[] = {
		{ "{network: {allowOutbound: 'a.test'}}", "a list is wanted" },
		{ "{network: {allowOutbound: {}}}", "a list is wanted" },
		{ "{network: {allowOutbound: true}}", "a list is wanted" },
		{ "{network: {denyOutbound: ['']}}", "network.denyOutbound[0]: an empty string" },
		{ "{network: {denyOutbound: [{host: 'a.test'}]}}", "a string is wanted" },
		{ "{network: {denyOutbound: ['[64:ff9b::1]']}}", "IPv4 address inside" },
		{ "{network: {denyOutbound: ['a/b']}}", "no protocol" },
		{ "{network: {allowInbound: true}}", "false or a list" },
		{ "{network: {allowInbound: 8080}}", "false or a list" },
		{ "{network: {allowInbound: [8080]}}", "a string is wanted" },
		{ "{network: {allowInbound: ['0']}}", "not PORT[/PROTO]" },
		{ "{network: {allowInbound: ['70000']}}", "not PORT[/PROTO]" },
		{ "{network: {allowInbound: ['80/xyz']}}", "is no protocol" },
		{ "{network: {allowInbound: ['0.0.0.0:80']}}", "not PORT[/PROTO]" },
		{ "{network: {allowInbound: ['localhost:']}}", "not PORT[/PROTO]" },
		{ "{network: {allowInbound: ['80-90']}}", "not PORT[/PROTO]" },
		{ "{network: {allowInbound: ['']}}", "an empty string" },
		{ "{network: {icmp: 'on'}}", "true or false" },
		{ "{network: {denyErrno: 'EIO'}}", "one of \"EPERM\", \"EACCES\"" },
		{ "{network: {denyErrno: 1}}", "one of \"EPERM\"" },
		{ "{network: {onRevoke: 'kill'}}", "one of \"keep\", \"cut\"" },
		{ "{network: {dangerouslyAllowMetadata: 'true'}}", "true or false" },
		{ "{network: {dns: {upstream: '192.0.2.1'}}}", "a list is wanted" },
		{ "{network: {dns: {upstream: ['dns.test']}}}", "ADDRESS or ADDRESS:PORT" },
		{ "{network: {dns: {upstream: ['192.0.2.0/24']}}}", "ADDRESS or ADDRESS:PORT" },
		{ "{network: {dns: {upstream: ['192.0.2.1/udp']}}}", "ADDRESS or ADDRESS:PORT" },
		{ "{network: {dns: {upstream: ['192.0.2.1:1-2']}}}", "ADDRESS or ADDRESS:PORT" },
		{ "{network: {dns: {upstream: ['1.1.1.1','1.1.1.2','1.1.1.3','1.1.1.4','1.1.1.5',"
		  "'1.1.1.6','1.1.1.7','1.1.1.8','1.1.1.9']}}}",
		  "network.dns.upstream[8]: more than 8" },
		{ "{network: {dns: {minTtl: -1}}}", "from 0 to 86400" },
		{ "{network: {dns: {minTtl: 86401}}}", "from 0 to 86400" },
		{ "{network: {dns: {minTtl: '60'}}}", "from 0 to 86400" },
		{ "{network: {dns: {maxAddresses: 0}}}", "from 1 to 1000000" },
		{ "{network: {dns: {newNamesPerMinute: 1.5}}}", "from 0 to 1000000" },
		{ "{network: {dns: {deniedAnswer: 'drop'}}}", "one of \"nxdomain\", \"refused\"" },
	};

	(void)state;
	EXPECT_REFUSALS(rows);
}

static void refuses_the_other_members(void **state)
{
	static const struct bad rows[] = {
		{ "{identity: {uid: 0, gid: 1}}", "identity.uid: a whole number from 1" },
		{ "{identity: {uid: 1, gid: 0}}", "identity.gid: a whole number from 1" },
		{ "{identity: {uid: 4294967295, gid: 1}}", "from 1 to 4294967294" },
		{ "{identity: {uid: 10001}}", "wants a gid" },
		{ "{identity: {gid: 10001}}", "wants a uid" },
		{ "{identity: {uid: 'auto', gid: 5}}", "no gid to choose" },
		{ "{identity: {uid: 'root', gid: 5}}", "a whole number" },
		{ "{identity: {path: ''}}", "an empty string" },
		{ "{identity: {path: '/bin:'}}", "absolute directories" },
		{ "{identity: {path: '/bin::/usr/bin'}}", "absolute directories" },
		{ "{identity: {path: '.:/bin'}}", "absolute directories" },
		{ "{identity: {keepEnv: 'TERM'}}", "a list is wanted" },
		{ "{identity: {keepEnv: ['*']}}", "no name of a variable" },
		{ "{identity: {keepEnv: ['A=B']}}", "no name of a variable" },
		{ "{identity: {keepEnv: ['1A']}}", "no name of a variable" },
		{ "{identity: {keepEnv: ['L*C']}}", "no name of a variable" },
		{ "{identity: {keepEnv: ['PINFOLD_SESSION']}}", "no name of a variable" },
		{ "{identity: {setEnv: ['A']}}", "an object is wanted" },
		{ "{identity: {setEnv: {A: 1}}}", "identity.setEnv.A: a string is wanted" },
		{ "{identity: {setEnv: {'A=B': '1'}}}", "no name of a variable" },
		{ "{identity: {setEnv: {'A*': '1'}}}", "no name of a variable" },
		{ "{identity: {setEnv: {'': '1'}}}", "no name of a variable" },
		{ "{identity: {setEnv: {PINFOLD_SESSION: '1'}}}", "one that pinfold sets" },
		{ "{identity: {setEnv: {A: '1', A: '2'}}}", "stands twice" },
		{ "{identity: {setEnv: {A: 'x\\u0000y'}}}", "\\u0000" },
		{ "{identity: {handover: 'once'}}", "true or false" },
		{ "{seccomp: {allowNested: 1}}", "true or false" },
		{ "{seccomp: {families: ['inet']}}", "no family of sockets" },
		{ "{seccomp: {families: ['VSOCK']}}", "no family of sockets" },
		{ "{seccomp: {families: [40]}}", "a string is wanted" },
		{ "{limits: {pids: 0}}", "a number from 1 to 4194304" },
		{ "{limits: {pids: -5}}", "a number from 1" },
		{ "{limits: {pids: 1.5}}", "a number from 1" },
		{ "{limits: {pids: 1e3}}", "a number from 1" },
		{ "{limits: {pids: true}}", "a number from 1" },
		{ "{limits: {memory: '2g'}}", "'2g': \"512M\"" },
		{ "{limits: {memory: '2GB'}}", "\"512M\"" },
		{ "{limits: {memory: '0.5G'}}", "\"512M\"" },
		{ "{limits: {memory: '1K'}}", "1M to 1024T" },
		{ "{limits: {memory: '99999999999999999999G'}}", "1M to 1024T" },
		{ "{limits: {memory: '17179869184G'}}", "1M to 1024T" },
		{ "{limits: {memory: ''}}", "\"512M\"" },
		{ "{limits: {memory: 'G'}}", "\"512M\"" },
		{ "{limits: {memory: ' 2G'}}", "\"512M\"" },
		{ "{limits: {cpu: 2}}", "\"50%\"" },
		{ "{limits: {cpu: '0%'}}", "1% to" },
		{ "{limits: {cpu: '200'}}", "\"50%\"" },
		{ "{limits: {files: -1}}", "a whole number from 0 to 1048576" },
		{ "{limits: {files: 1048577}}", "a whole number from 0 to 1048576" },
		{ "{limits: {timeout: 30}}", "\"90s\"" },
		{ "{limits: {timeout: '30'}}", "\"90s\"" },
		{ "{limits: {timeout: '30min'}}", "\"90s\"" },
		{ "{limits: {timeout: '0s'}}", "1ms to 365d" },
		{ "{limits: {timeout: '366d'}}", "1ms to 365d" },
		{ "{limits: {disk: 5}}", "no such member" },
		{ "{onUnavailable: 'warn'}", "one of \"refuse\", \"degrade\"" },
		{ "{onUnavailable: true}", "one of \"refuse\", \"degrade\"" },
		{ "{audit: {allowed: 'no'}}", "true or false" },
		{ "{audit: {quiet: ['*']}}", "a name, *.NAME, an address" },
		{ "{audit: {quiet: ['a.test:80']}}", "a name, *.NAME, an address" },
		{ "{audit: {quiet: ['a b']}}", "one HOST" },
		{ "{audit: {quiet: 'a.test'}}", "a list is wanted" },
	};

	(void)state;
	EXPECT_REFUSALS(rows);
}

static void refuses_more_than_a_mebibyte(void **state)
{
	size_t len = POLICY_TEXT_MAX + 1;
	auto_free char *text = malloc(len);
	struct policy p = { 0 };
	struct pinfold_error e;

	(void)state;
	assert_non_null(text);
	memset(text, ' ', len);
	memcpy(text, "{}", 2);
	assert_int_equal(policy_parse(text, len, "big", &HELPER_CTX, &p, &e), -EINVAL);
	assert_non_null(strstr(e.text, "more than 1048576 bytes"));
	assert_int_equal(policy_parse(text, len - 1, "big", &HELPER_CTX, &p, &e), 0);
	policy_done(&p);
}

/* n entries of "192.0.2.1" in each of two lists. */
static char *two_lists(size_t n)
{
	static const char entry[] = "'192.0.2.1',";
	char *text = malloc(2 * n * strlen(entry) + 100);
	char *at = text;

	assert_non_null(text);
	at = stpcpy(at, "{network: {allowOutbound: [");
	for (size_t i = 0; i < n; i++)
		at = stpcpy(at, entry);
	at = stpcpy(at, "], denyOutbound: [");
	for (size_t i = 0; i < n; i++)
		at = stpcpy(at, entry);
	stpcpy(at, "]}}");
	return text;
}

static void counts_entries_over_all_lists(void **state)
{
	auto_free char *fits = two_lists(POLICY_ENTRIES_MAX / 2);
	auto_free char *over = two_lists(POLICY_ENTRIES_MAX / 2 + 1);
	struct policy p = { 0 };
	struct pinfold_error e;

	(void)state;
	assert_int_equal(helper_parse(fits, &p, &e), 0);
	assert_int_equal(p.net.allow.n, POLICY_ENTRIES_MAX / 2);
	policy_done(&p);
	assert_int_equal(helper_parse(over, &p, &e), -EINVAL);
	assert_non_null(strstr(e.text, "denyOutbound[9999]: more than 20000 entries"));
}

static void refuses_the_root_as_the_workspace_by_default(void **state)
{
	struct policy_context ctx = HELPER_CTX;
	struct policy p = { 0 };
	struct pinfold_error e;

	(void)state;
	ctx.cwd = "/";
	assert_int_equal(policy_parse("{}", 2, "t", &ctx, &p, &e), -EINVAL);
	assert_non_null(strstr(e.text, "the current directory is /"));
	assert_int_equal(policy_default(NULL, &ctx, &p, &e), -EINVAL);
	assert_int_equal(policy_default("relative", &ctx, &p, &e), -EINVAL);
	assert_int_equal(policy_default("/srv/a", &ctx, &p, &e), 0);
	assert_string_equal(p.workspace, "/srv/a");
	policy_done(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refuses_what_is_no_policy),
		cmocka_unit_test(refuses_bad_paths),
		cmocka_unit_test(refuses_bad_outbound_entries),
		cmocka_unit_test(refuses_the_rest_of_the_network),
		cmocka_unit_test(refuses_the_other_members),
		cmocka_unit_test(refuses_more_than_a_mebibyte),
		cmocka_unit_test(counts_entries_over_all_lists),
		cmocka_unit_test(refuses_the_root_as_the_workspace_by_default),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
