/* SPDX-License-Identifier: MIT */
/* Reading a gateway's configuration: files, values of the environment, places. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "agents_help.h"
#include "base/clean.h"

static const char *text_at(const struct agents_config *c, const char *name)
{
	const struct json5 *v = agents_config_global(c, name);

	return v && v->type == JSON5_STRING ? v->string : "(none)";
}

static void refuses(const char *text, const char *words)
{
	struct agents_config *c = NULL;
	struct pinfold_error e;

	assert_int_equal(help_load(text, &c, &e), -EINVAL);
	if (!strstr(e.text, words))
		fail_msg("'%s' does not say '%s'", e.text, words);
	assert_null(c);
}

static void an_included_file_stands_in_for_its_object(void **state)
{
	struct agents_config *c = NULL;
	struct pinfold_error e;

	(void)state;
	help_write("a.json", "{ defaults: { workspace: '/from/a', sandbox: { mode: 'all' } } }");
	assert_int_equal(help_load("{ agents: { $include: './a.json' } }", &c, &e), 0);
	assert_string_equal(text_at(c, "agents.defaults.workspace"), "/from/a");
	assert_string_equal(text_at(c, "agents.defaults.sandbox.mode"), "all");
	assert_int_equal(c->files.n, 2);
	agents_config_free(c);
}

static void a_later_file_wins_and_siblings_win_over_both(void **state)
{
	struct agents_config *c = NULL;
	struct pinfold_error e;
	const struct json5 *deny;

	(void)state;
	help_write("a.json", "{ x: { p: 'a', q: 'a', r: 'a' }, deny: ['a'] }");
	help_write("b.json", "{ x: { q: 'b', r: 'b' }, deny: ['b'] }");
	assert_int_equal(
	    help_load("{ session: { $include: ['a.json', 'b.json'], x: { r: 'c' } } }", &c, &e), 0);
	assert_string_equal(text_at(c, "session.x.p"), "a");
	assert_string_equal(text_at(c, "session.x.q"), "b");
	assert_string_equal(text_at(c, "session.x.r"), "c");
	deny = agents_config_global(c, "session.deny");
	assert_non_null(deny->child);
	assert_string_equal(deny->child->string, "a");
	assert_string_equal(deny->child->next->string, "b");
	assert_int_equal(deny->child->next->index, 1);
	agents_config_free(c);
}

static void files_include_files_relative_to_themselves(void **state)
{
	struct agents_config *c = NULL;
	struct pinfold_error e;
	char dir[PATH_MAX];

	(void)state;
	snprintf(dir, sizeof(dir), "%s/sub", help_dir);
	assert_int_equal(mkdir(dir, 0700), 0);
	help_write("sub/b.json", "{ $include: ['c.json'], who: 'b' }");
	help_write("sub/c.json", "{ who: 'c', below: { $include: '../d.json' } }");
	help_write("d.json", "{ deep: 'd' }");
	assert_int_equal(help_load("{ session: { $include: ['sub/b.json'] } }", &c, &e), 0);
	assert_string_equal(text_at(c, "session.who"), "b");
	assert_string_equal(text_at(c, "session.below.deep"), "d");
	agents_config_free(c);
}

static void errors_of_an_included_file_name_it_and_the_joined_path(void **state)
{
	struct agents_config *c = NULL;
	struct pinfold_error e;

	(void)state;
	help_write("a.json", "{\n  defaults: []\n}");
	assert_int_equal(help_load("{ agents: { $include: 'a.json' } }", &c, &e), -EINVAL);
	assert_non_null(strstr(e.text, "a.json:2:13: agents.defaults: an object is wanted"));
}

static void files_outside_the_directory_are_not_included(void **state)
{
	char link_path[PATH_MAX];

	(void)state;
	snprintf(link_path, sizeof(link_path), "%s/link.json", help_dir);
	assert_int_equal(symlink("/etc/passwd", link_path), 0);
	refuses("{ x: { $include: '/etc/passwd' } }", "outside the configuration's directory");
	refuses("{ x: { $include: '../../etc/passwd' } }", "outside the configuration's directory");
	refuses("{ x: { $include: 'link.json' } }", "outside the configuration's directory");
	refuses("{ x: { $include: 'nosuch.json' } }", "cannot include");
	refuses("{ x: { $include: [] } }", "an empty list");
	refuses("{ x: { $include: 7 } }", "the name of a file is wanted");
}

static void circles_and_deep_chains_end_in_an_error(void **state)
{
	struct agents_config *c = NULL;
	struct pinfold_error e;

	(void)state;
	help_write("loop.json", "{ $include: 'loop.json' }");
	refuses("{ x: { $include: 'loop.json' } }", "more than 10 deep");
	for (int i = 1; i <= 10; i++) {
		char name[32];
		char text[64];

		snprintf(name, sizeof(name), "n%d.json", i);
		snprintf(text, sizeof(text),
			 i < 10 ? "{ $include: 'n%d.json' }" : "{ end: 'here' }", i + 1);
		help_write(name, text);
	}
	assert_int_equal(help_load("{ x: { $include: 'n1.json' } }", &c, &e), 0);
	assert_string_equal(text_at(c, "x.end"), "here");
	agents_config_free(c);
	help_write("n10.json", "{ $include: 'n11.json' }");
	help_write("n11.json", "{ end: 'too far' }");
	refuses("{ x: { $include: 'n1.json' } }", "more than 10 deep");
}

static void variables_are_put_in_and_missing_ones_stay_with_a_warning(void **state)
{
	struct agents_config *c = NULL;
	struct pinfold_error e;

	(void)state;
	setenv("PF_TEST_DIR", "/srv/x", 1);
	unsetenv("PF_TEST_NONE");
	assert_int_equal(help_load("{ session: { a: '${PF_TEST_DIR}/y', b: '$${PF_TEST_DIR}', "
				   "c: '${PF_TEST_NONE}', d: '${lower} $X ${1A}' }, "
				   "models: { key: '${PF_TEST_DIR}' } }",
				   &c, &e),
			 0);
	assert_string_equal(text_at(c, "session.a"), "/srv/x/y");
	assert_string_equal(text_at(c, "session.b"), "${PF_TEST_DIR}");
	assert_string_equal(text_at(c, "session.c"), "${PF_TEST_NONE}");
	assert_string_equal(text_at(c, "session.d"), "${lower} $X ${1A}");
	/* Secrets of other parts don't enter this process's tree. */
	assert_string_equal(text_at(c, "models.key"), "${PF_TEST_DIR}");
	assert_int_equal(c->warnings.n, 1);
	assert_non_null(strstr(c->warnings.s[0], "${PF_TEST_NONE}"));
	agents_config_free(c);
	setenv("PF_TEST_DIR", "a\nb", 1);
	refuses("{ session: { a: '${PF_TEST_DIR}' } }", "session.a: the value of ${PF_TEST_DIR}");
	unsetenv("PF_TEST_DIR");
}

static void agents_are_found_by_all_spellings_in_any_case(void **state)
{
	struct agents_config *c = NULL;
	struct pinfold_error e;
	char id[AGENT_ID_MAX + 1];

	(void)state;
	assert_int_equal(help_load("{ agents: { list: [{ id: 'One', workspace: '/1' }, "
				   "{ id: 'two', default: true, workspace: '/list' }], "
				   "entries: { Two: { workspace: '/entries' } }, "
				   "instances: { three: { workspace: '/3' } } } }",
				   &c, &e),
			 0);
	assert_int_equal(agents_config_count(c), 3);
	assert_int_equal(agents_config_agent_id(c, " ONE ", id, &e), 0);
	assert_string_equal(id, "one");
	assert_string_equal(agents_config_node(c, "one", "workspace")->string, "/1");
	assert_string_equal(agents_config_node(c, "two", "workspace")->string, "/entries");
	assert_string_equal(agents_config_node(c, "three", "workspace")->string, "/3");
	assert_null(agents_config_node(c, "one", "sandbox"));
	assert_int_equal(agents_config_agent_id(c, "four", id, &e), -ENOENT);
	assert_int_equal(agents_config_agent_id(c, NULL, id, &e), -ENOENT);
	agents_config_free(c);
}

static void the_agent_that_is_meant_without_a_name_is_clear_or_an_error(void **state)
{
	static const struct {
		const char *text;
		const char *id; /* NULL: an error */
	} CASES[] = {
		{ "{}", "main" },
		{ "{ agents: { list: [{ id: 'solo' }] } }", "solo" },
		{ "{ agents: { list: [{ id: 'a' }, { id: 'b', default: true }] } }", "b" },
		{ "{ agents: { list: [{ id: 'a' }, { id: 'b' }] } }", NULL },
		{ "{ agents: { list: [{ id: 'a', default: true }, { id: 'b', default: true }] } }",
		  NULL },
	};
	char id[AGENT_ID_MAX + 1];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(CASES); i++) {
		struct agents_config *c = NULL;
		struct pinfold_error e;
		int r;

		assert_int_equal(help_load(CASES[i].text, &c, &e), 0);
		r = agents_config_agent_id(c, NULL, id, &e);
		assert_int_equal(r, CASES[i].id ? 0 : -ENOENT);
		if (CASES[i].id)
			assert_string_equal(id, CASES[i].id);
		agents_config_free(c);
	}
}

static void a_part_in_two_spellings_is_refused(void **state)
{
	(void)state;
	refuses("{ security: { sandbox: {} }, sandbox: {} }", "sandbox: this stands twice");
	refuses("{ security: { 'exec-approvals': {} }, 'exec-approvals': {} }",
		"exec-approvals: this stands twice");
}

static void a_copy_tells_where_the_original_stands(void **state)
{
	struct agents_config *c = NULL;
	struct json5 *copy = NULL;
	struct pinfold_error e;
	char path[128];

	(void)state;
	assert_int_equal(
	    help_load("{ session: { allow: ['a', { b: [1, 2] }], deny: [] } }", &c, &e), 0);
	assert_int_equal(json5_copy(agents_config_global(c, "session"), &copy), 0);
	json5_path(copy->child->child->next->child->child->next, path, sizeof(path));
	assert_string_equal(path, "session.allow[1].b[1]");
	assert_string_equal(copy->child->next->key, "deny");
	json5_free(copy);
	agents_config_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, help_make_dir, help_remove_dir)
		T(an_included_file_stands_in_for_its_object),
		T(a_later_file_wins_and_siblings_win_over_both),
		T(files_include_files_relative_to_themselves),
		T(errors_of_an_included_file_name_it_and_the_joined_path),
		T(files_outside_the_directory_are_not_included),
		T(circles_and_deep_chains_end_in_an_error),
		T(variables_are_put_in_and_missing_ones_stay_with_a_warning),
		T(agents_are_found_by_all_spellings_in_any_case),
		T(the_agent_that_is_meant_without_a_name_is_clear_or_an_error),
		T(a_part_in_two_spellings_is_refused),
		T(a_copy_tells_where_the_original_stands),
#undef T
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
