/* wrap: accounts_read account_home_of */
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
#include "policy/accounts.h"
#include "policy/paths.h"
#include "policy/read.h"
#include "policy_helper.h"

int __wrap_accounts_read(const char *path, struct accounts *ret);
int __wrap_account_home_of(uid_t uid, char **ret);

/* A host with four accounts; nothing here depends on the real one. */
int __wrap_accounts_read(const char *path, struct accounts *ret)
{
	static const char *const homes[] = { "/root", "/home/u", "/home/bob", "/var/lib/db" };
	struct accounts a = { 0 };

	(void)path;
	a.home = calloc(ARRAY_SIZE(homes), sizeof(*a.home));
	assert_non_null(a.home);
	for (; a.n < ARRAY_SIZE(homes); a.n++)
		a.home[a.n] = strdup(homes[a.n]);
	*ret = a;
	return 0;
}

int __wrap_account_home_of(uid_t uid, char **ret)
{
	if (uid != HELPER_CTX.uid)
		return -ENOENT;
	*ret = strdup("/home/u");
	return *ret ? 0 : -ENOMEM;
}

struct probe {
	const char *path;
	enum path_right right;
	const char *origin; /* a part of it; NULL: no rule */
};

static void expect(const char *text, const struct probe *rows, size_t n)
{
	struct policy p = { 0 };
	struct path_set s = { 0 };
	struct pinfold_error e;

	if (helper_parse(text, &p, &e) < 0)
		fail_msg("%s", e.text);
	assert_int_equal(path_set_build(&p, &HELPER_CTX, p.identity.home, &s, &e), 0);
	for (size_t i = 0; i < n; i++) {
		struct path_judgement j = path_set_judge(&s, rows[i].path);
		const char *origin = j.rule ? j.rule->origin : NULL;

		if (j.right != rows[i].right || !origin != !rows[i].origin ||
		    (origin && !strstr(origin, rows[i].origin)))
			fail_msg("%s: right %d by %s (%s), wanted %d by %s", rows[i].path, j.right,
				 j.rule ? j.rule->path : "nothing", origin ? origin : "-",
				 rows[i].right, rows[i].origin ? rows[i].origin : "nothing");
	}
	path_set_done(&s);
	policy_done(&p);
}

#define EXPECT(text, rows) expect(text, rows, ARRAY_SIZE(rows))

static void grants_the_workspace_and_the_system_set_by_default(void **state)
{
	static const struct probe rows[] = {
		{ "/data/ws", PATH_RW, "workspace (/etc/p/t.json)" },
		{ "/data/ws/a/b", PATH_RW, "workspace" },
		{ "/data/ws2", PATH_DENY, NULL },
		{ "/data", PATH_DENY, NULL },
		{ "/", PATH_DENY, NULL },
		{ "/usr/bin/env", PATH_ROX, "built-in (system)" },
		{ "/usr", PATH_ROX, "built-in (system)" },
		{ "/usr2", PATH_DENY, NULL },
		{ "/bin/sh", PATH_ROX, "system" },
		{ "/lib64/ld-linux-x86-64.so.2", PATH_ROX, "system" },
		{ "/libexec", PATH_DENY, NULL },
		{ "/opt/x", PATH_ROX, "system" },
		{ "/nix/store/x", PATH_ROX, "system" },
		{ "/snap/x", PATH_ROX, "system" },
		{ "/etc/passwd", PATH_RO, "system" },
		{ "/etc/shadow", PATH_DENY, "system" },
		{ "/etc/shadow-", PATH_DENY, "system" },
		{ "/etc/gshadow", PATH_DENY, "system" },
		{ "/etc/sudoers", PATH_DENY, "system" },
		{ "/etc/sudoers.d/agent", PATH_DENY, "system" },
		{ "/etc/ssh/ssh_host_rsa_key", PATH_DENY, "system" },
		{ "/etc/ssh/ssh_host_rsa_key.pub", PATH_RO, "system" },
		{ "/etc/ssh/sshd_config", PATH_RO, "system" },
		{ "/etc/pinfold/site.json", PATH_DENY, "system" },
		{ "/etc/pinfold", PATH_DENY, "system" },
		{ "/etc/ssl/private/key.pem", PATH_DENY, "system" },
		{ "/etc/ssl/certs/ca.pem", PATH_RO, "system" },
		{ "/var/log/syslog", PATH_DENY, NULL },
		{ "/home/u/.ssh/id_ed25519", PATH_DENY, "built-in (sensitive)" },
		{ "/home/u/notes", PATH_DENY, NULL },
		{ "/root", PATH_DENY, "sensitive" },
		{ "/home/bob/x", PATH_DENY, "sensitive" },
		{ "/tmp/x", PATH_DENY, NULL },
		{ "/proc/1", PATH_DENY, NULL },
	};

	(void)state;
	EXPECT("{}", rows);
}

static void holds_the_sensitive_set_inside_grants(void **state)
{
	static const struct probe rows[] = {
		{ "/home/u", PATH_RW, "filesystem.rw[0]" },
		{ "/home/u/src/x.c", PATH_RW, "filesystem.rw[0]" },
		{ "/home/u/.ssh", PATH_DENY, "sensitive" },
		{ "/home/u/.sshx", PATH_RW, "filesystem.rw[0]" },
		{ "/home/u/.gnupg/x", PATH_DENY, "sensitive" },
		{ "/home/u/.config", PATH_RW, "filesystem.rw[0]" },
		{ "/home/u/.config/gh/hosts.yml", PATH_DENY, "sensitive" },
		{ "/home/u/.config/gcloud", PATH_DENY, "sensitive" },
		{ "/home/u/.local/share/keyrings", PATH_DENY, "sensitive" },
		{ "/home/u/.mozilla/firefox", PATH_DENY, "sensitive" },
		{ "/home/u/p/.env", PATH_DENY, "sensitive" },
		{ "/home/u/.env", PATH_DENY, "sensitive" },
		{ "/home/u/p/.env/inside", PATH_DENY, "sensitive" },
		{ "/home/u/p/.env.local", PATH_DENY, "sensitive" },
		{ "/home/u/p/.env.example", PATH_RW, "filesystem.rw[0]" },
		{ "/home/u/p/.env.sample", PATH_RW, "filesystem.rw[0]" },
		{ "/home/u/p/.env.template", PATH_RW, "filesystem.rw[0]" },
		{ "/home/u/p/.env.example.bak", PATH_DENY, "sensitive" },
		{ "/home/u/p/.envrc", PATH_RW, "filesystem.rw[0]" },
		{ "/home/u/p/x.env", PATH_RW, "filesystem.rw[0]" },
		{ "/home/u/p/.env.d/.env.example", PATH_DENY, "sensitive" },
		{ "/data/ws/.env", PATH_DENY, "sensitive" },
		{ "/usr/share/x/.env", PATH_ROX, "system" },
	};

	(void)state;
	EXPECT("{filesystem: {rw: ['~']}}", rows);
}

static void switches_the_sets_off(void **state)
{
	static const struct probe rows[] = {
		{ "/home/u/.ssh", PATH_RO, "filesystem.ro[0]" },
		{ "/data/ws/.env", PATH_RW, "workspace" },
		{ "/usr/bin/env", PATH_DENY, NULL },
		{ "/etc/passwd", PATH_DENY, NULL },
		{ "/home/bob/x", PATH_DENY, NULL },
	};

	(void)state;
	EXPECT("{filesystem: {ro: ['~'], sensitive: false, system: false}}", rows);
}

static void denies_whole_homes_of_others(void **state)
{
	static const struct probe all[] = {
		{ "/home", PATH_RO, "filesystem.ro[0]" },
		{ "/home/u/x", PATH_RO, "filesystem.ro[0]" },
		{ "/home/bob", PATH_DENY, "sensitive" },
		{ "/home/bob/share/x", PATH_DENY, "sensitive" },
		{ "/home/new/x", PATH_RO, "filesystem.ro[0]" },
	};
	static const struct probe inside[] = {
		{ "/home/bob/x", PATH_DENY, "sensitive" },
		{ "/home/bob/share/x", PATH_RW, "filesystem.rw[0]" },
		{ "/home/bob/share/.env", PATH_DENY, "sensitive" },
		{ "/home/bob", PATH_DENY, "sensitive" },
	};
	static const struct probe itself[] = {
		{ "/home/bob/x", PATH_RO, "filesystem.ro[1]" },
		{ "/home/bob/.ssh/x", PATH_DENY, "sensitive" },
	};
	static const struct probe workspace[] = {
		{ "/home/bob/ws/x", PATH_RW, "workspace" },
		{ "/home/bob/x", PATH_DENY, NULL },
	};

	(void)state;
	EXPECT("{filesystem: {ro: ['/home']}}", all);
	EXPECT("{filesystem: {ro: ['/home'], rw: ['/home/bob/share']}}", inside);
	EXPECT("{filesystem: {ro: ['/home', '/home/bob']}}", itself);
	EXPECT("{workspace: '/home/bob/ws'}", workspace);
}

static void lets_a_gateway_keep_its_workspace_in_a_sensitive_place(void **state)
{
	static const struct probe alone[] = {
		{ "/home/u/.openclaw/workspace/x", PATH_RW, "workspace" },
		{ "/home/u/.openclaw/openclaw.json", PATH_DENY, NULL },
	};
	static const struct probe covered[] = {
		{ "/home/u/.openclaw/workspace/x", PATH_RW, "workspace" },
		{ "/home/u/.openclaw/openclaw.json", PATH_DENY, "sensitive" },
		{ "/home/u/x", PATH_RO, "filesystem.ro[0]" },
	};
	static const struct probe other[] = {
		{ "/home/u/.openclaw/skills/x", PATH_DENY, "sensitive" },
		{ "/home/u/.ssh/known_hosts", PATH_DENY, "sensitive" },
	};

	(void)state;
	EXPECT("{workspace: '~/.openclaw/workspace'}", alone);
	EXPECT("{workspace: '~/.openclaw/workspace', filesystem: {ro: ['~']}}", covered);
	EXPECT("{filesystem: {ro: ['~/.openclaw/skills', '~/.ssh/known_hosts']}}", other);
}

/* The overlaps that other tools refuse or unite wrongly. */
static void takes_the_longest_match_and_then_denies(void **state)
{
	static const struct probe nested[] = {
		{ "/w/out", PATH_RW, "filesystem.rw[0]" },
		{ "/w/out/x", PATH_RW, "filesystem.rw[0]" },
		{ "/w/output", PATH_RO, "filesystem.ro[0]" },
		{ "/w/x", PATH_RO, "filesystem.ro[0]" },
		{ "/w", PATH_RO, "filesystem.ro[0]" },
		{ "/w/out/keep", PATH_DENY, "filesystem.deny[0]" },
		{ "/w/out/keep/x", PATH_DENY, "filesystem.deny[0]" },
		{ "/w/out/keeper", PATH_RW, "filesystem.rw[0]" },
		{ "/w/out/ro", PATH_RO, "filesystem.ro[1]" },
		{ "/w/out/ro/bin/tool", PATH_ROX, "filesystem.rox[0]" },
		{ "/w/out/ro/x", PATH_RO, "filesystem.ro[1]" },
		{ "/wx", PATH_DENY, NULL },
	};
	static const struct probe above[] = {
		{ "/home/u/ws/x", PATH_DENY, "filesystem.deny[0]" },
		{ "/home", PATH_DENY, "filesystem.deny[0]" },
		{ "/homes", PATH_DENY, NULL },
	};
	static const struct probe same[] = {
		{ "/opt/x", PATH_RO, "filesystem.ro[0]" },
		{ "/usr/local/x", PATH_RW, "filesystem.rw[0]" },
		{ "/data/ws/x", PATH_RO, "filesystem.ro[1]" },
	};
	static const struct probe pattern[] = {
		{ "/usr/share/keys/a.key", PATH_ROX, "system" },
		{ "/data/ws/a.key", PATH_DENY, "filesystem.deny[0]" },
		{ "/data/ws/b/c/a.key/d", PATH_DENY, "filesystem.deny[0]" },
		{ "/data/ws/a.keys", PATH_RW, "workspace" },
		{ "/data/ws/x/.git/hooks/pre-push", PATH_DENY, "filesystem.deny[1]" },
		{ "/data/ws/x/.git/hooks", PATH_DENY, "filesystem.deny[1]" },
		{ "/data/ws/x/.git/config", PATH_RW, "workspace" },
		{ "/data/ws/hooks/.git", PATH_RW, "workspace" },
		{ "/data/ws/q1", PATH_DENY, "filesystem.deny[2]" },
		{ "/data/ws/q12", PATH_RW, "workspace" },
	};

	(void)state;
	EXPECT("{filesystem: {ro: ['/w', '/w/out/ro'], rw: ['/w/out'], rox: ['/w/out/ro/bin'], "
	       "deny: ['/w/out/keep']}}",
	       nested);
	EXPECT("{filesystem: {ro: ['/home/u/ws'], deny: ['/home']}}", above);
	EXPECT("{filesystem: {ro: ['/opt', '/data/ws'], rw: ['/usr/local']}}", same);
	EXPECT("{filesystem: {deny: ['**/*.key', '**/.git/hooks', '**/q?']}}", pattern);
}

static void grants_the_workspace_as_asked(void **state)
{
	static const struct probe ro[] = { { "/data/ws/x", PATH_RO, "workspace" } };
	static const struct probe none[] = { { "/data/ws/x", PATH_DENY, NULL } };
	static const struct probe none_covered[] = {
		{ "/data/ws/x", PATH_DENY, "workspace" },
		{ "/data/x", PATH_RW, "filesystem.rw[0]" },
		{ "/data/ws/open/x", PATH_RO, "filesystem.ro[0]" },
	};

	(void)state;
	EXPECT("{workspaceAccess: 'ro'}", ro);
	EXPECT("{workspaceAccess: 'none'}", none);
	EXPECT("{workspaceAccess: 'none', filesystem: {rw: ['/data'], ro: ['/data/ws/open']}}",
	       none_covered);
}

static void fences_to_the_lane(void **state)
{
	static const struct probe fenced[] = {
		{ "/data/ws/a/x", PATH_RW, "lane (/etc/p/t.json)" },
		{ "/data/ws/b/x", PATH_DENY, NULL },
		{ "/data/ws/ab", PATH_DENY, NULL },
		{ "/data/ws", PATH_DENY, NULL },
	};
	static const struct probe ro[] = {
		{ "/data/ws/a/x", PATH_RO, "lane" },
		{ "/data/ws/b", PATH_DENY, NULL },
	};
	static const struct probe unfenced[] = { { "/data/ws/b/x", PATH_RW, "workspace" } };
	static const struct probe no_lane[] = { { "/data/ws/b/x", PATH_RW, "workspace" } };
	static const struct probe closed[] = { { "/data/ws/a/x", PATH_DENY, NULL } };
	static const struct probe covered[] = {
		{ "/data/ws/a/x", PATH_RW, "lane" },
		{ "/data/ws/b/x", PATH_DENY, "lane" },
		{ "/data/ws/shared/x", PATH_RO, "filesystem.ro[1]" },
		{ "/data/x", PATH_RO, "filesystem.ro[0]" },
	};

	(void)state;
	EXPECT("{lane: 'a', fenceToLane: true}", fenced);
	EXPECT("{lane: '/data/ws/a', fenceToLane: true, workspaceAccess: 'ro'}", ro);
	EXPECT("{lane: 'a'}", unfenced);
	EXPECT("{fenceToLane: true}", no_lane);
	EXPECT("{lane: 'a', fenceToLane: true, workspaceAccess: 'none'}", closed);
	EXPECT("{lane: 'a', fenceToLane: true, filesystem: {ro: ['/data', '/data/ws/shared']}}",
	       covered);
}

static void grants_home_and_tmp_when_named(void **state)
{
	static const struct probe home[] = {
		{ "/var/lib/h/x", PATH_RW, "built-in (home)" },
		{ "/var/lib/h/.ssh/x", PATH_DENY, "built-in (sensitive)" },
		{ "/tmp/x", PATH_RW, "built-in (tmp)" },
		{ "/var/tmp/x", PATH_RW, "built-in (tmp)" },
	};

	(void)state;
	EXPECT("{identity: {home: '/var/lib/h'}, filesystem: {tmp: 'shared'}}", home);
}

static void tells_where_the_session_could_write(void **state)
{
	struct policy p = { 0 };
	struct path_set s = { 0 };
	struct pinfold_error e;

	(void)state;
	assert_int_equal(helper_parse("{}", &p, &e), 0);
	assert_int_equal(path_set_build(&p, &HELPER_CTX, NULL, &s, &e), 0);
	assert_int_equal(path_set_refuse_writable(&s, "/etc/p/t.json", "the policy", &e), 0);
	assert_int_equal(path_set_refuse_writable(&s, "/data/ws/log", "the log", &e), -EINVAL);
	assert_non_null(strstr(e.text, "the log '/data/ws/log' lies where the session may write"));
	path_set_done(&s);
	policy_done(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grants_the_workspace_and_the_system_set_by_default),
		cmocka_unit_test(holds_the_sensitive_set_inside_grants),
		cmocka_unit_test(switches_the_sets_off),
		cmocka_unit_test(denies_whole_homes_of_others),
		cmocka_unit_test(lets_a_gateway_keep_its_workspace_in_a_sensitive_place),
		cmocka_unit_test(takes_the_longest_match_and_then_denies),
		cmocka_unit_test(grants_the_workspace_as_asked),
		cmocka_unit_test(fences_to_the_lane),
		cmocka_unit_test(grants_home_and_tmp_when_named),
		cmocka_unit_test(tells_where_the_session_could_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
