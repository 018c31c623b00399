/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/io.h"
#include "pinfold_review.h"
#include "policy/handle.h"
#include "review/lint.h"
#include "review_random.h"

#define CODES_MAX 1024
#define RANDOM_POLICIES 120

struct heard {
	char codes[CODES_MAX]; /* "any-port(x.test) icmp(network.icmp)" */
	bool complete;         /* each finding had all its parts */
};

static void hear(void *data, const struct pinfold_lint_finding *f)
{
	struct heard *h = data;
	size_t used = strlen(h->codes);

	snprintf(h->codes + used, sizeof(h->codes) - used, "%s%s(%s)", used ? " " : "", f->code,
		 f->rule);
	if (!f->rule[0] || !f->origin[0] || !f->reason[0] || !f->fix[0])
		h->complete = false;
}

static void read_handle(const char *text, const char *file, struct pinfold_policy *ret)
{
	struct pinfold_error e = { 0 };

	memset(ret, 0, sizeof(*ret));
	ret->context.policy = HELPER_CTX;
	if (policy_parse(text, strlen(text), file, &HELPER_CTX, &ret->policy, &e) < 0)
		fail_msg("%s: %s", text, e.text);
}

struct row {
	const char *policy;
	const char *codes;
};

static void expect(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct heard h = { .complete = true };
		struct pinfold_policy p;
		struct pinfold_error e = { 0 };

		read_handle(rows[i].policy, "/nowhere/t.json", &p);
		assert_true(pinfold_lint(&p, hear, &h, &e) >= 0);
		if (strcmp(h.codes, rows[i].codes) != 0)
			fail_msg("%s: %s, not %s", rows[i].policy, h.codes, rows[i].codes);
		assert_true(h.complete);
		policy_done(&p.policy);
	}
}

#define NET(lists) "{workspace: '/data/ws', network: {" lists "}}"
#define ALLOW(entries) NET("allowOutbound: [" entries "]")
#define FS(lists) "{workspace: '/data/ws', filesystem: {" lists "}}"

static void finds_nothing_in_a_careful_policy(void **state)
{
	static const struct row rows[] = {
		{ "{workspace: '/data/ws'}", "" },
		{ ALLOW("'api.test:443', '*.data.test:443', '203.0.113.7:5432', 'localhost:5432', "
			"'ntp.test:123/udp'"),
		  "" },
		{ NET("allowOutbound: ['*.test:443'], denyOutbound: ['bad.test', '203.0.113.9']"),
		  "" },
		{ FS("rw: ['/data/cache'], ro: ['/data/cache/in'], deny: ['/data/ws/key', "
		     "'**/.env']"),
		  "" },
		{ "{workspace: '/data/ws', lane: 'a', fenceToLane: true}", "" },
		{ "{workspace: '/data/ws', identity: {uid: 10001, gid: 10001, keepEnv: ['LANG', "
		  "'API_T*']}}",
		  "" },
	};

	(void)state;
	expect(rows, ARRAY_SIZE(rows));
}

static void finds_entries_that_say_nothing_new(void **state)
{
	static const struct row rows[] = {
		{ ALLOW("'a.test:443', '*.test:443'"), "redundant(a.test:443)" },
		{ ALLOW("'a.test:443', 'a.test:443'"), "redundant(a.test:443)" },
		{ ALLOW("'a.test:443', '*.test:80-90'"), "plain-text(*.test:80-90)" },
		{ ALLOW("'203.0.113.7:443', '203.0.113.0/24:443'"), "redundant(203.0.113.7:443)" },
		{ ALLOW("'a.test:443', {host: '*.test:443', verify: 'sni'}"), "" },
		{ FS("rw: ['/data/a', '/data/a/b']"), "redundant(/data/a/b)" },
		{ FS("rw: ['/data/a', '/data/a/b/c'], ro: ['/data/a/b']"), "" },
		{ FS("rw: ['/data/ws/in']"), "redundant(/data/ws/in)" },
		{ FS("rox: ['/usr/share/x']"), "" }, /* patterns hold in it, and not in /usr */
		{ FS("rw: ['/d'], deny: ['/d/a', '/d/a/b', '**/x', '**/x']"),
		  "redundant(/d/a/b) redundant(**/x)" },
		{ "{workspace: '/data/ws', unixSockets: {allow: ['/run/a', '/run/b', '/run/a']}}",
		  "redundant(/run/a)" },
	};

	(void)state;
	expect(rows, ARRAY_SIZE(rows));
}

static void finds_entries_that_a_deny_takes_back(void **state)
{
	static const struct row rows[] = {
		{ NET("allowOutbound: ['a.test:443'], denyOutbound: ['*.test']"),
		  "shadowed(a.test:443)" },
		{ NET("allowOutbound: ['a.test:443'], denyOutbound: ['a.test:22']"),
		  "shadowed(a.test:443) deny-port(a.test:22)" },
		{ NET("allowOutbound: ['203.0.113.7:443'], denyOutbound: ['203.0.113.0/24:443']"),
		  "shadowed(203.0.113.7:443)" },
		{ NET("allowOutbound: ['203.0.113.7:443'], denyOutbound: ['203.0.113.0/24:22']"),
		  "deny-unbound(203.0.113.0/24:22)" },
		{ FS("ro: ['/d/a/b'], deny: ['/d/a']"), "shadowed(/d/a/b)" },
		{ FS("ro: ['/d/a', '/d/a/.env'], deny: ['**/.env']"), "shadowed(/d/a/.env)" },
		{ FS("ro: ['/home/u/.ssh/config']"), "shadowed(/home/u/.ssh/config)" },
	};

	(void)state;
	expect(rows, ARRAY_SIZE(rows));
}

static void finds_destinations_that_are_too_wide(void **state)
{
	static const struct row rows[] = {
		{ ALLOW("'*:443'"), "too-broad(*:443)" },
		{ ALLOW("'8.0.0.0/7:443'"), "too-broad(8.0.0.0/7:443)" },
		{ ALLOW("'203.0.0.0/16:443'"), "" },
		{ ALLOW("'[2600::/20]:443'"), "too-broad([2600::/20]:443)" },
		{ ALLOW("'*.com:443', '**.co.uk:443', '*.github.io:443'"),
		  "public-suffix(*.com:443) public-suffix(**.co.uk:443) "
		  "public-suffix(*.github.io:443)" },
		{ ALLOW("'*.example.com:443', '*.internal:443', '*.corp:443'"), "" },
		{ ALLOW("'a.test'"), "any-port(a.test)" },
		{ ALLOW("'a.test:1-65535'"), "any-port(a.test:1-65535)" },
		{ ALLOW("'localhost'"), "any-port(localhost)" },
		{ ALLOW("'a.test:10000-20000'"), "wide-ports(a.test:10000-20000)" },
		{ ALLOW("'10.0.0.5:5432'"), "private-literal(10.0.0.5:5432)" },
		{ ALLOW("'[fd12::1]:5432'"), "private-literal([fd12::1]:5432)" },
		{ ALLOW("'9.9.9.9:53/udp'"), "steered-port(9.9.9.9:53/udp)" },
	};

	(void)state;
	expect(rows, ARRAY_SIZE(rows));
}

static void finds_ports_that_speak_in_the_clear(void **state)
{
	static const struct row rows[] = {
		{ ALLOW("'a.test:80', 'b.test:21', 'c.test:23'"),
		  "plain-text(a.test:80) plain-text(b.test:21) plain-text(c.test:23)" },
		{ ALLOW("'a.test:69/udp', 'b.test:69/tcp'"), "plain-text(a.test:69/udp)" },
		{ ALLOW("'localhost:80', '127.0.0.1:6379'"), "" },
		{ ALLOW("'a.test:443', 'b.test:22', 'c.test:8443'"), "" },
	};

	(void)state;
	expect(rows, ARRAY_SIZE(rows));
}

static void finds_denies_that_bind_nothing(void **state)
{
	static const struct row rows[] = {
		{ NET("denyOutbound: ['a.test']"), "deny-unbound(a.test)" },
		{ NET("allowOutbound: ['*.test:443'], denyOutbound: ['test']"),
		  "deny-unbound(test)" },
		{ NET("allowOutbound: ['**.test:443'], denyOutbound: ['test']"), "" },
		{ NET("denyOutbound: ['203.0.113.9']"), "deny-unbound(203.0.113.9)" },
		{ NET("allowOutbound: ['a.test:443'], denyOutbound: ['203.0.113.9']"), "" },
		{ NET("allowOutbound: ['a.test:443'], denyOutbound: ['203.0.113.9:22']"),
		  "deny-unbound(203.0.113.9:22)" },
		{ NET("allowOutbound: ['a.test:443'], denyOutbound: ['169.254.169.254', "
		      "'10.0.0.1']"),
		  "deny-unbound(169.254.169.254) deny-unbound(10.0.0.1)" },
		{ NET("denyOutbound: ['127.0.0.1:18789', 'localhost:1']"), "" },
		{ FS("deny: ['/nowhere/x']"), "deny-unbound(/nowhere/x)" },
		{ FS("deny: ['/data/ws/x', '/data']"), "redundant(/data/ws/x)" },
		{ "{workspaceAccess: 'none', filesystem: {deny: ['**/x']}}", "deny-unbound(**/x)" },
	};

	(void)state;
	expect(rows, ARRAY_SIZE(rows));
}

static void finds_switches_that_open_more_than_they_seem_to(void **state)
{
	static const struct row rows[] = {
		{ NET("dangerouslyAllowMetadata: true"),
		  "metadata(network.dangerouslyAllowMetadata)" },
		{ NET("icmp: true"), "icmp(network.icmp)" },
		{ NET("dns: {minTtl: 7200, newNamesPerMinute: 0}"),
		  "long-ttl(network.dns.minTtl) unlimited(network.dns.newNamesPerMinute)" },
		{ NET("allowInbound: ['8080', 'localhost:3000']"), "inbound-anywhere(8080)" },
		{ FS("sensitive: false, protectGit: false, tmp: 'shared'"),
		  "sensitive-off(filesystem.sensitive) git-unprotected(filesystem.protectGit) "
		  "shared-tmp(filesystem.tmp)" },
		{ "{workspace: '/data/ws', onUnavailable: 'degrade'}", "degrade(onUnavailable)" },
		{ "{workspace: '/data/ws', seccomp: {allowNested: true, families: ['vsock']}}",
		  "nested(seccomp.allowNested) odd-family(seccomp.families)" },
		{ "{workspace: '/data/ws', limits: {pids: 'none', memory: 'none', cpu: 'none', "
		  "timeout: 'none'}}",
		  "unlimited(limits.pids) unlimited(limits.memory) unlimited(limits.cpu) "
		  "unlimited(limits.timeout)" },
		{ "{workspace: '/data/ws', limits: {pids: 64, memory: '2G'}}", "" },
	};

	(void)state;
	expect(rows, ARRAY_SIZE(rows));
}

static void finds_places_that_are_more_than_a_place(void **state)
{
	static const struct row rows[] = {
		{ "{workspace: '/home/u'}", "home-workspace(workspace)" },
		{ "{workspace: '/home'}", "home-workspace(workspace)" },
		{ "{workspace: '/home/u/w'}", "" },
		{ "{workspace: '/home/u', workspaceAccess: 'none'}", "" },
		{ FS("rw: ['/etc'], ro: ['/var', '~']"),
		  "too-broad(/etc) too-broad(/var) too-broad(~)" },
		{ "{workspace: '/data/ws', lane: 'a'}", "unused-lane(lane)" },
		{ "{workspace: '/data/ws', fenceToLane: true}", "unused-lane(fenceToLane)" },
		{ "{workspace: '/data/ws', lane: 'a', fenceToLane: true, workspaceAccess: 'none'}",
		  "unused-lane(lane)" },
		{ FS("rw: ['/nowhere']"), "writable-policy(version)" },
		{ "{workspace: '/data/ws', audit: {path: '/data/ws/log'}}",
		  "writable-policy(audit.path)" },
		{ "{workspace: '/data/ws', unixSockets: {allow: ['/run/docker.sock', "
		  "'$SSH_AUTH_SOCK', "
		  "'/run/mine.sock']}}",
		  "root-socket(/run/docker.sock) agent-socket($SSH_AUTH_SOCK)" },
	};

	(void)state;
	expect(rows, ARRAY_SIZE(rows));
}

static void finds_identities_and_variables_that_carry_power(void **state)
{
	static const struct row rows[] = {
		{ "{workspace: '/data/ws', identity: {uid: 33, gid: 33333}}",
		  "root-identity(identity.uid)" },
		{ "{workspace: '/data/ws', identity: {uid: 10001, gid: 6}}",
		  "root-identity(identity.gid)" },
		{ "{workspace: '/data/ws', identity: {keepEnv: ['API_TOKEN'], setEnv: {MY_KEY: "
		  "'x'}}}",
		  "secret-env(identity.keepEnv) secret-env(identity.setEnv)" },
	};

	(void)state;
	expect(rows, ARRAY_SIZE(rows));
}

/* ---- taking out ------------------------------------------------------------------------------ */

static void takes_out_only_what_it_should(void **state)
{
	static const struct {
		const char *text;
		const char *paths[3];
		const char *want;
	} ROWS[] = {
		{ "{\"a\": [1, 2, 3]}", { "a[0]" }, "{\"a\": [2, 3]}" },
		{ "{\"a\": [1, 2, 3]}", { "a[1]" }, "{\"a\": [1, 3]}" },
		{ "{\"a\": [1, 2, 3]}", { "a[2]" }, "{\"a\": [1, 2]}" },
		{ "{\"a\": [1, 2, 3]}", { "a[1]", "a[2]" }, "{\"a\": [1]}" },
		{ "{\"a\": [1]}", { "a[0]" }, "{\"a\": []}" },
		{ "{a: [1, 2,], b: 3}", { "a[1]", "b" }, "{a: [1,]}" },
		{ "{a: {b: true, c: 'x, y'}, d: 1}", { "a.b" }, "{a: {c: 'x, y'}, d: 1}" },
		{ "{a: {b: {c: [1]}}, d: 1}", { "a.b" }, "{a: {}, d: 1}" },
		{ "{a: [\n  1, // one\n  2, // two\n  3 // three\n]}",
		  { "a[1]" },
		  "{a: [\n  1, // one\n  3 // three\n]}" },
		{ "{a: [\n  1, // one\n  2 /* , */\n]}",
		  { "a[1]" },
		  "{a: [\n  1 // one\n   /* , */\n]}" },
		{ "{a: ['x\\'y', \"]\", '}']}", { "a[1]" }, "{a: ['x\\'y', '}']}" },
		{ "{a: [{host: 'x', verify: 'sni'}, 2]}", { "a[0]" }, "{a: [2]}" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ROWS); i++) {
		auto_free char *text = NULL;
		size_t n = 0;

		while (n < 3 && ROWS[i].paths[n])
			n++;
		assert_int_equal(
		    lint_cut_text(ROWS[i].text, strlen(ROWS[i].text), ROWS[i].paths, n, &text), 0);
		assert_string_equal(text, ROWS[i].want);
	}
}

static void refuses_to_take_out_what_is_not_there(void **state)
{
	static const char text[] = "{a: [1], b: {c: 2}}";
	static const char *const PATHS[] = { "a[1]", "c", "b.d", "b[1]x", "" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(PATHS); i++) {
		char *got = NULL;

		assert_int_equal(lint_cut_text(text, sizeof(text) - 1, &PATHS[i], 1, &got),
				 -ENOENT);
		assert_null(got);
	}
}

/* ---- the promise of --fix -------------------------------------------------------------------- */

static void count_fixable(void *data, const struct pinfold_lint_finding *f)
{
	*(int *)data += f->fixable;
}

/* Everything that was denied before is still denied, and nothing fixable is left. */
static int fix_and_compare(const char *file, uint64_t seed)
{
	auto_free char *text = random_policy(seed);
	auto_free char *fixed = NULL;
	auto_free struct sample *before = calloc(1, sizeof(*before));
	auto_free struct sample *after = calloc(1, sizeof(*after));
	struct pinfold_policy p;
	struct pinfold_error e = { 0 };
	int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
	int left = 0;
	size_t len;
	int n;

	assert_int_equal(io_write_full(fd, text, strlen(text)), 0);
	close(fd);
	read_handle(text, file, &p);
	sample_take(&p.policy, before);
	n = pinfold_lint_fix(&p, NULL, NULL, &e);
	if (n < 0)
		fail_msg("%s: %s", text, e.text);
	policy_done(&p.policy);
	assert_int_equal(io_read_file(AT_FDCWD, file, 1 << 20, &fixed, &len), 0);
	read_handle(fixed, file, &p);
	sample_take(&p.policy, after);
	assert_true(pinfold_lint(&p, count_fixable, &left, &e) >= 0);
	policy_done(&p.policy);
	if (left)
		fail_msg("%d findings stay fixable: %s\n%s", left, text, fixed);
	assert_int_equal(before->n, after->n);
	for (int i = 0; i < before->n; i++)
		if (after->value[i] > before->value[i])
			fail_msg("%s opened: %s\n%s", before->what[i], text, fixed);
	return n;
}

static void fixing_never_opens_anything(void **state)
{
	char dir[] = "/tmp/pinfold-lint.XXXXXX";
	char file[64];
	int fixed = 0;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(file, sizeof(file), "%s/p.json", dir);
	for (uint64_t seed = 0; seed < RANDOM_POLICIES; seed++)
		fixed += fix_and_compare(file, seed);
	assert_true(fixed > RANDOM_POLICIES); /* there was something to fix */
	unlink(file);
	rmdir(dir);
}

static void fixing_keeps_mode_and_comments(void **state)
{
	static const char TEXT[] =
	    "{ // first\n  workspace: '/data/ws',\n  filesystem: {\n"
	    "    sensitive: false, // gone\n    rw: ['/d'] /* kept */\n  }\n}\n";
	char dir[] = "/tmp/pinfold-lint.XXXXXX";
	auto_free char *text = NULL;
	struct pinfold_policy p;
	struct pinfold_error e = { 0 };
	char file[64];
	struct stat st;
	size_t len;
	int fd;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(file, sizeof(file), "%s/p.json", dir);
	fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(io_write_full(fd, TEXT, strlen(TEXT)), 0);
	assert_int_equal(fchmod(fd, 0604), 0);
	close(fd);
	read_handle(TEXT, file, &p);
	assert_int_equal(pinfold_lint_fix(&p, NULL, NULL, &e), 1);
	assert_int_equal(io_read_file(AT_FDCWD, file, 4096, &text, &len), 0);
	assert_string_equal(text, "{ // first\n  workspace: '/data/ws',\n  filesystem: {\n"
				  "    rw: ['/d'] /* kept */\n  }\n}\n");
	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0604);
	policy_done(&p.policy);
	unlink(file);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_nothing_in_a_careful_policy),
		cmocka_unit_test(finds_entries_that_say_nothing_new),
		cmocka_unit_test(finds_entries_that_a_deny_takes_back),
		cmocka_unit_test(finds_destinations_that_are_too_wide),
		cmocka_unit_test(finds_ports_that_speak_in_the_clear),
		cmocka_unit_test(finds_denies_that_bind_nothing),
		cmocka_unit_test(finds_switches_that_open_more_than_they_seem_to),
		cmocka_unit_test(finds_places_that_are_more_than_a_place),
		cmocka_unit_test(finds_identities_and_variables_that_carry_power),
		cmocka_unit_test(takes_out_only_what_it_should),
		cmocka_unit_test(refuses_to_take_out_what_is_not_there),
		cmocka_unit_test(fixing_never_opens_anything),
		cmocka_unit_test(fixing_keeps_mode_and_comments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
