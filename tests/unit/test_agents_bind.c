/* SPDX-License-Identifier: MIT */
/* Bind mounts, judged: cases B1 to B16 of the gateway, and docker.sock wherever it is. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "agents/bind.h"
#include "agents_help.h"
#include "base/clean.h"

/* $D is the test's directory, $H a home below it. */
static char *expand(const char *text)
{
	char *out = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&out, &len);

	for (; *text; text++) {
		if (text[0] == '$' && text[1] == 'D')
			fputs(help_dir, f);
		else if (text[0] == '$' && text[1] == 'H')
			fprintf(f, "%s/home", help_dir);
		else
			fputc(*text, f);
		text += text[0] == '$';
	}
	fclose(f);
	return out;
}

static void make_world(void)
{
	static const char *const DIRS[] = { "ws", "ws/sub", "home", "out", "out/engine", "state" };
	static const char *const LINKS[][2] = { { "/var/run", "ws/runlink" },
						{ "/etc", "ws/etclink" },
						{ "$D/out", "ws/outlink" },
						{ "$D/out/engine/docker.sock", "ws/plain" } };

	for (size_t i = 0; i < ARRAY_SIZE(DIRS); i++) {
		auto_free char *path = NULL;

		assert_true(asprintf(&path, "%s/%s", help_dir, DIRS[i]) > 0);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(LINKS); i++) {
		auto_free char *path = NULL;
		auto_free char *target = expand(LINKS[i][0]);

		assert_true(asprintf(&path, "%s/%s", help_dir, LINKS[i][1]) > 0);
		assert_int_equal(symlink(target, path), 0);
	}
	help_write("out/engine/docker.sock", "");
}

enum { PLAIN = 0, EXTERNAL = 1, RESERVED = 2 };

/* words: NULL when the bind is accepted. */
static void judge(const char *text, unsigned flags, const char *words)
{
	auto_free char *entry = expand(text);
	auto_free char *workspace = expand("$D/ws");
	auto_free char *home = expand("$H");
	const char *homes[] = { home, NULL };
	const struct bind_world w = {
		.workspace = workspace,
		.homes = homes,
		.allow_external = flags & EXTERNAL,
		.allow_reserved = flags & RESERVED,
	};
	const struct json5 v = { .type = JSON5_STRING, .string = entry };
	struct pinfold_error e = { 0 };
	struct bind b = { 0 };
	int r = bind_read(&v, &w, &b, &e);

	bind_done(&b);
	if (!words && r < 0)
		fail_msg("%s: %s", entry, e.text);
	if (words && r != -EINVAL)
		fail_msg("%s: accepted", entry);
	if (words && !strstr(e.text, words))
		fail_msg("%s: '%s' does not say '%s'", entry, e.text, words);
}

static void binds_are_judged_as_the_gateway_does_or_more_strictly(void **state)
{
	static const struct {
		const char *entry;
		unsigned flags;
		const char *words;
	} CASES[] = {
		/* B1 */
		{ "/etc:/x", PLAIN, "lies in /etc" },
		{ "/etc/passwd:/x:ro", PLAIN, "lies in /etc" },
		{ "/home/../etc:/x", PLAIN, "lies in /etc" },
		{ "/./etc/:/x", PLAIN, "lies in /etc" },
		/* B2 */
		{ "/etcetera:/x", PLAIN, "outside the workspace" },
		{ "/etcetera:/x", EXTERNAL, NULL },
		/* B3 */
		{ "/:/x", EXTERNAL, "holds everything" },
		{ "//:/x", EXTERNAL, "holds everything" },
		/* B4 */
		{ "/var:/x", EXTERNAL, "holds /var/run" },
		/* B5, B6 */
		{ "$H:/x", EXTERNAL, "/home/.aws" },
		{ "$H/.aws/creds:/x", EXTERNAL, "lies in" },
		{ "$H/.config/gh:/x", EXTERNAL, "lies in" },
		/* B7: what the sensitive set names is blocked by name. */
		{ "$H/.kube:/x", EXTERNAL, "/home/.kube" },
		{ "$H/.npmrc:/x", EXTERNAL, "/home/.npmrc" },
		{ "/usr:/x:ro", PLAIN, "outside the workspace" },
		{ "/usr:/x:ro", EXTERNAL, NULL },
		/* B8: docker.sock is blocked everywhere, with the flag as well. */
		{ "/tmp/docker.sock:/x", PLAIN, "engine's socket" },
		{ "/tmp/docker.sock:/x", EXTERNAL, "engine's socket" },
		{ "$D/ws/docker.sock:/x", PLAIN, "engine's socket" },
		{ "$D/ws/sub/../docker.sock/:/x", PLAIN, "engine's socket" },
		{ "$D/ws/plain:/x", EXTERNAL, "engine's socket" },
		{ "$D/out/engine:/x", EXTERNAL, "engine's socket" },
		{ "$D/ws/docker.socket:/x", PLAIN, NULL },
		{ "$D/state:/x", EXTERNAL, NULL },
		/* B9 */
		{ "relative:/x", EXTERNAL, "no absolute path" },
		{ "~/x:/x", EXTERNAL, "no absolute path" },
		{ "volname:/x", EXTERNAL, "no absolute path" },
		/* B10, B11, B12 */
		{ "$D/ws/runlink:/x", EXTERNAL, "lies in /run" },
		{ "$D/ws/runlink/new/file:/x", EXTERNAL, "lies in /run" },
		{ "$D/ws/etclink/hosts:/x", EXTERNAL, "lies in /etc" },
		{ "$D/ws/outlink:/x", PLAIN, "outside the workspace" },
		{ "$D/ws/outlink:/x", EXTERNAL, NULL },
		/* B13 */
		{ "$D/ws/sub:/workspace", PLAIN, "the target lies in /workspace" },
		{ "$D/ws/sub:/workspace/in", PLAIN, "the target lies in /workspace" },
		{ "$D/ws/sub:/x/../agent", PLAIN, "the target lies in /agent" },
		{ "$D/ws/sub:/agent", RESERVED, NULL },
		/* B14 */
		{ "$D/ws/sub:/workspaces", PLAIN, NULL },
		{ "$D/ws/nope/x:/x", PLAIN, NULL },
		{ "$D/ws:/data", PLAIN, NULL },
		/* B15 */
		{ "/srv/x:/x", EXTERNAL, NULL },
		{ "/etc:/x", EXTERNAL, "lies in /etc" },
		/* Forms */
		{ "$D/ws/sub", PLAIN, "SOURCE:TARGET" },
		{ "$D/ws/sub:", PLAIN, "SOURCE:TARGET" },
		{ "$D/ws/sub:x", PLAIN, "target is no absolute path" },
		{ "", PLAIN, "no absolute path" },
	};

	(void)state;
	make_world();
	for (size_t i = 0; i < ARRAY_SIZE(CASES); i++)
		judge(CASES[i].entry, CASES[i].flags, CASES[i].words);
}

static void only_the_option_ro_makes_a_bind_read_only(void **state)
{
	static const struct {
		const char *entry;
		bool read_only;
	} CASES[] = { { "/srv/a:/b", false },     { "/srv/a:/b:ro", true },
		      { "/srv/a:/b:z,RO", true }, { "/srv/a:/b:rox", false },
		      { "/srv/a:/b:rw", false },  { "/srv/a:/b:", false } };
	const struct bind_world w = { .allow_external = true };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(CASES); i++) {
		auto_free char *entry = strdup(CASES[i].entry);
		const struct json5 v = { .type = JSON5_STRING, .string = entry };
		struct pinfold_error e = { 0 };
		struct bind b = { 0 };

		assert_int_equal(bind_read(&v, &w, &b, &e), 0);
		assert_int_equal(b.read_only, CASES[i].read_only);
		bind_done(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, help_make_dir, help_remove_dir)
		T(binds_are_judged_as_the_gateway_does_or_more_strictly),
		T(only_the_option_ro_makes_a_bind_read_only),
#undef T
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
