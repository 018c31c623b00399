/* SPDX-License-Identifier: MIT */
/* Holes around the pen: files by mode and place, settings by value. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>

#include "agents/credential.h"
#include "agents_help.h"
#include "base/clean.h"
#include "pinfold_agents.h"

struct seen {
	char text[16384]; /* "CHECK PLACE|" each */
	int n;
};

static void note(void *data, const struct pinfold_hole *h)
{
	struct seen *s = data;
	size_t len = strlen(s->text);

	assert_true(h->detail[0] && h->fix[0]);
	s->n++;
	snprintf(s->text + len, sizeof(s->text) - len, "%s %s|", h->check, h->place);
}

/* What is found with that configuration; the directory is the workspace's parent and the state's.
 */
static struct seen *look(const char *config)
{
	static struct seen s;
	struct pinfold_error e = { 0 };
	char state[PATH_MAX];
	const char *dirs[] = { state };
	int r;

	s = (struct seen){ .n = 0 };
	snprintf(state, sizeof(state), "%s/state", help_dir);
	r = pinfold_doctor_config(help_write("c.json", config), dirs, 1, note, &s, &e);
	if (r != s.n)
		fail_msg("%d, not %d: %s", r, s.n, e.text);
	return &s;
}

static void make(const char *name, mode_t mode)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", help_dir, name);
	assert_int_equal(mkdir(path, mode), 0);
	assert_int_equal(chmod(path, mode), 0);
}

static void put(const char *name, mode_t mode)
{
	assert_int_equal(chmod(help_write(name, "x"), mode), 0);
}

static void has(const struct seen *s, const char *check, const char *place)
{
	char text[PATH_MAX];

	snprintf(text, sizeof(text), "%s %s/%s|", check, help_dir, place);
	if (!strstr(s->text, text))
		fail_msg("no '%s' in '%s'", text, s->text);
}

static int start(void **state)
{
	if (help_make_dir(state) < 0 || chmod(help_dir, 0755) < 0)
		return -1;
	setenv("HOME", help_dir, 1);
	unsetenv("OPENCLAW_STATE_DIR");
	unsetenv("OPENCLAW_HOME");
	return 0;
}

static void what_others_can_read_is_told_by_kind(void **state)
{
	const struct seen *s;

	(void)state;
	make("state", 0755);
	make("state/credentials", 0755);
	put("state/.env", 0644);
	put("state/credentials/x.json", 0640);
	put("state/openclaw.sqlite", 0604);
	put("state/closed.sqlite", 0600);
	put("state/notes.txt", 0644);
	s = look("{}");
	has(s, "state", "state");
	has(s, "env", "state/.env");
	has(s, "oauth", "state/credentials/x.json");
	has(s, "state", "state/openclaw.sqlite");
	assert_int_equal(s->n, 4);
}

static void a_closed_directory_closes_what_is_in_it(void **state)
{
	(void)state;
	make("state", 0700);
	put("state/.env", 0644);
	put("state/openclaw.sqlite", 0666);
	assert_int_equal(look("{}")->n, 0);
}

static void what_lies_in_a_workspace_is_told_whatever_its_mode(void **state)
{
	const struct seen *s;

	(void)state;
	make("ws", 0700);
	put("ws/.env", 0600);
	put("ws/.env.sample", 0600);
	put("ws/auth-profiles.json", 0600);
	put("ws/data.json", 0644);
	s = look("{agents: {list: [{id: 'a', workspace: 'ws'}, {id: 'b', workspace: '~/ws/'}]}}");
	has(s, "env", "ws/.env");
	has(s, "oauth", "ws/auth-profiles.json");
	assert_int_equal(s->n, 2);
}

static void settings_that_pass_the_pen_by_are_told(void **state)
{
	static const struct {
		const char *config;
		const char *check; /* NULL: no hole */
	} cases[] = {
		{ "{tools: {exec: {host: 'gateway'}}}", "exec-host" },
		{ "{tools: {exec: {host: 'node'}}}", "exec-host" },
		{ "{tools: {exec: {host: 'sandbox'}}}", NULL },
		{ "{tools: {exec: 5}}", NULL },
		{ "{agents: {entries: {a: {tools: {exec: {host: 'Gateway'}}}}}}", "exec-host" },
		{ "{tools: {codeMode: {}}}", "code-mode" },
		{ "{tools: {codeMode: true}}", "code-mode" },
		{ "{tools: {codeMode: false}}", NULL },
		{ "{tools: {codeMode: null}}", NULL },
		{ "{tools: {codeMode: {executor: 'quickjs'}}}", NULL },
		{ "{tools: {codeMode: {executor: 7}}}", "code-mode" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct seen *s = look(cases[i].config);

		if (s->n != (cases[i].check ? 1 : 0) ||
		    (cases[i].check &&
		     strncmp(s->text, cases[i].check, strlen(cases[i].check)) != 0))
			fail_msg("%s: '%s'", cases[i].config, s->text);
	}
}

static void the_list_has_an_end(void **state)
{
	char name[64];

	(void)state;
	make("state", 0755);
	for (int i = 0; i < CREDENTIAL_HOLES_MAX + 20; i++) {
		snprintf(name, sizeof(name), "state/.env.%d", i);
		put(name, 0644);
	}
	assert_int_equal(look("{}")->n, CREDENTIAL_HOLES_MAX);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, start, help_remove_dir)
	const struct CMUnitTest tests[] = {
		T(what_others_can_read_is_told_by_kind),
		T(a_closed_directory_closes_what_is_in_it),
		T(what_lies_in_a_workspace_is_told_whatever_its_mode),
		T(settings_that_pass_the_pen_by_are_told),
		T(the_list_has_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
