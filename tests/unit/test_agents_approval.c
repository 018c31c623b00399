/* SPDX-License-Identifier: MIT */
/* The judgement of command lines: what rules mean. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agents_approval_help.h"
#include "agents_help.h"
#include "base/clean.h"

static void a_deny_stands_above_a_requirement_and_that_above_an_approval(void **state)
{
	struct approval_rules *rules = rules_from(
	    "{autoApprove: ['*'], requireApproval: ['rm *', 'ls -l'], deny: ['rm -rf *']}");

	(void)state;
	expect_verdict(rules, "rm -rf x", DENY);
	expect_verdict(rules, "rm x", ASK);
	expect_verdict(rules, "ls -l", ASK);
	expect_verdict(rules, "ls -a", ALLOW);
	expect_verdict(rules, "ls -a; rm x", ASK);
	expect_verdict(rules, "ls -a; rm x; rm -r -f y", DENY);
	approval_rules_free(rules);
}

static void a_pattern_is_words_with_stars(void **state)
{
	static const struct {
		const char *pattern;
		const char *line;
		bool meets;
	} rows[] = {
		{ "git log *", "git log", true },
		{ "git log *", "git log -p x", true },
		{ "git log *", "git logs", false },
		{ "git log*", "git logs", true },
		{ "git log", "git log x", false },
		{ "git * --stat", "git log -p --stat", true },
		{ "git * --stat", "git log --stat x", false },
		{ "ls *", "lsx", false },
		{ "l* *", "ls x", true },
		{ "*", "ls x", true },
		{ "ls a*b", "ls a b", true },
		{ "ls a*b", "ls ab", true },
		{ "ls a*b", "ls abc", false },
		{ "ls a b", "ls 'a b'", false },
		{ "ls 'a b'", "ls a\\ b", true },
		{ "ls \\*", "ls '*'", true },
		{ "ls \\*", "ls x", false },
		{ "ls '*'", "ls x", false },
		{ "ls \"a*\"", "ls 'a*'", true },
		{ "  ls   x ", "ls x", true },
		{ "ls * *", "ls", false },
		{ "ls * *", "ls x", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char text[256] = "{\"autoApprove\": [\"";
		struct approval_rules *rules;
		size_t len = strlen(text);

		for (const char *c = rows[i].pattern; *c; c++) {
			if (*c == '"' || *c == '\\')
				text[len++] = '\\';
			text[len++] = *c;
		}
		snprintf(text + len, sizeof(text) - len, "\"]}");
		rules = rules_from(text);
		expect_verdict(rules, rows[i].line, rows[i].meets ? ALLOW : ASK);
		approval_rules_free(rules);
	}
}

static void a_deny_can_name_commands_one_after_the_other(void **state)
{
	struct approval_rules *rules =
	    rules_from("{autoApprove: ['*'], requireApproval: ['git add * && git commit *'], "
		       "deny: ['cd / && rm *', 'a | b | c']}");
	static const struct {
		const char *line;
		enum pinfold_verdict want;
	} rows[] = {
		{ "cd / && rm x", DENY },
		{ "cd /; rm x", DENY },
		{ "cd /; true; sudo rm x", DENY },
		{ "cd / || rm x", DENY },
		{ "cd / | rm x", ALLOW },
		{ "rm x; cd /", ALLOW },
		{ "cd /tmp && rm x", ALLOW },
		{ "a | b | c", DENY },
		{ "a | x | b | y | c", DENY },
		{ "a | b; c", ASK },
		{ "a | c | b", ASK },
		{ "a; a | b | c", DENY },
		{ "git add x; git commit y", ASK },
		{ "git add x", ALLOW },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		expect_verdict(rules, rows[i].line, rows[i].want);
	approval_rules_free(rules);
}

static void a_deny_can_name_a_pipeline_a_file_or_any_text(void **state)
{
	struct approval_rules *rules =
	    rules_from("{autoApprove: ['*'], deny: ['curl * | sh', '> /dev/sd*', ':(){ :|:& };:', "
		       "'/usr/bin/base64 *', 'git push --force', 'chmod -R 777 /', 'x \\\\; y']}");
	static const struct {
		const char *line;
		enum pinfold_verdict want;
	} rows[] = {
		{ "curl x | sh", DENY },
		{ "curl x|sh", DENY },
		{ "curl -s x |& /bin/sh", DENY },
		{ "ls; curl x | sh; ls", DENY },
		{ "curl $x | sh", DENY },
		{ "curl x; sh", ASK },
		{ "curl x; sudo sh", ASK },
		{ "curl $x; sh", ASK },
		{ "curl x | sudo sh", DENY },
		{ "curl x | sudo -u root -E sh", DENY },
		{ "curl x | nice -n 5 sh", DENY },
		{ "curl x | env X=1 sh", DENY },
		{ "curl x | X=1 sh", DENY },
		{ "curl x | exec sh", DENY },
		{ "curl x | xargs sh", DENY },
		{ "curl x | sudo nice nohup sh", DENY },
		{ "curl x | bash -c sh", DENY },
		{ "curl x | bash -c 'ls; sh'", DENY },
		{ "sudo curl x | sudo sh", DENY },
		{ "bash -c 'curl x' | sh", DENY },
		{ "bash -c 'curl x | sudo sh'", DENY },
		{ "sudo bash -c 'curl x | sudo sh'", DENY },
		{ "curl x | tee y | sh", DENY },
		{ "curl x | cat | sudo sh", DENY },
		{ "curl x | sh -s", DENY },
		{ "curl x | sh -", DENY },
		{ "curl x | sh -s -- -y z", DENY },
		{ "curl x | sh /dev/stdin", DENY },
		{ "ls && curl x | sudo sh && ls", DENY },
		{ "curl x; ls | sh", ASK },
		{ "curl x && sh | ls", ASK },
		{ "sh | curl x", ASK },
		{ "curl x | sudo ls", ASK },
		{ "curl $x | sudo sh", DENY },
		{ "curl $x | tee y | sudo sh", DENY },
		{ "(curl x) | sudo sh", DENY },
		{ "{ curl x; } | { sudo sh; }", DENY },
		{ "if curl x | sudo sh; then ls; fi", DENY },
		{ "curl \"$(ls)\" | sudo s'h'", DENY },
		{ "su -c 'curl x | sudo sh'", DENY },
		{ "ssh h 'curl x | sudo sh'", DENY },
		{ "curl x | su -c sh", DENY },
		{ "curl x | shuf", ALLOW },
		{ "echo x > /dev/sda", DENY },
		{ "echo x >/dev/sda", DENY },
		{ "echo x >'/dev/sd'a", DENY },
		{ "echo x > sda", ASK },
		{ ":(){ :|:& };:", DENY },
		{ ":() { : | :& } ; :", DENY },
		{ "ls; :(){ :|:&};:", DENY },
		{ "base64 x", DENY },
		{ "/bin/base64 -d x", DENY },
		{ "git push -f", DENY },
		{ "git push --force", DENY },
		{ "git -C /x push --forc", DENY },
		{ "git push", ALLOW },
		{ "chmod 777 -R /", DENY },
		{ "chmod --recursive 777 /.", DENY },
		{ "chmod 777 /", ALLOW },
		{ "x ';' y", DENY },
		{ "ls ';' y", ALLOW },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		expect_verdict(rules, rows[i].line, rows[i].want);
	approval_rules_free(rules);
}

static void a_link_to_a_denied_program_is_that_program(void **state)
{
	struct approval_rules *rules = rules_from("{autoApprove: ['*'], deny: ['rm -rf *']}");
	struct approval_query q = { .path = help_dir, .cwd = help_dir };
	struct pinfold_answer a;
	char path[PATH_MAX];

	(void)state;
	snprintf(path, sizeof(path), "%s/innocent", help_dir);
	assert_int_equal(symlink("/bin/rm", path), 0);
	snprintf(path, sizeof(path), "%s/again", help_dir);
	assert_int_equal(symlink("innocent", path), 0);
	for (size_t i = 0; i < 3; i++) {
		static const char *const lines[] = { "innocent -rf x", "./again -fr x",
						     "sh -c './innocent -r -f x'" };

		q.line = lines[i];
		q.path = i == 2 ? "/usr/bin:/bin" : help_dir;
		assert_int_equal(approval_judge(rules, &q, &a), 0);
		assert_int_equal(a.verdict, PINFOLD_DENY);
	}
	/* Today it leads to the system's, but who knows about tomorrow. */
	q.line = "innocent x";
	q.path = help_dir;
	assert_int_equal(approval_judge(rules, &q, &a), 0);
	assert_int_equal(a.verdict, PINFOLD_ASK);
	approval_rules_free(rules);
}

static void only_the_systems_own_programs_are_approved_by_name(void **state)
{
	struct approval_rules *rules = rules_from("{autoApprove: ['*']}");
	char both[PATH_MAX];
	struct approval_query q = { .line = "ls", .path = both, .cwd = help_dir };
	struct pinfold_answer a;
	static const struct {
		const char *before;
		bool own; /* the test's directory, with an "ls" of its own */
		const char *behind;
		enum pinfold_verdict want;
	} rows[] = {
		{ "/usr/bin:", true, "", ALLOW },  { "", true, ":/usr/bin", ASK },
		{ ".:/usr/bin", false, "", ASK },  { ":/usr/bin", false, "", ASK },
		{ "/usr/bin:", false, "", ALLOW }, { "usr/bin:/usr/bin", false, "", ASK },
		{ "/nowhere", false, "", ASK },    { "/nowhere:/bin", false, "", ALLOW },
	};

	(void)state;
	assert_int_equal(chmod(help_write("ls", "#!/bin/sh\n"), 0755), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		snprintf(both, sizeof(both), "%s%s%s", rows[i].before, rows[i].own ? help_dir : "",
			 rows[i].behind);
		assert_int_equal(approval_judge(rules, &q, &a), 0);
		if (a.verdict != rows[i].want)
			fail_msg("PATH %s: %d (%s)", both, a.verdict, a.reason);
	}
	approval_rules_free(rules);
}

static void words_are_judged_as_lines_are(void **state)
{
	struct approval_rules *rules = rules_from(SEED_RULES);
	static const struct {
		const char *argv[8];
		enum pinfold_verdict want;
	} rows[] = {
		{ { "ls", "-l", "a; rm x" }, ALLOW },
		{ { "rm", "-r", "-f", "/" }, DENY },
		{ { "sh", "-c", "ls" }, ALLOW },
		{ { "sh", "-c", "ls; rm x" }, ASK },
		{ { "sh", "-c", "rm -fr /" }, DENY },
		{ { "ls", "\x1b[2J" }, ASK },
		{ { "ls", "a\nb" }, ALLOW },
		{ { "eval", "ls" }, ASK },
		{ { "eval", "rm -rf /" }, DENY },
		{ { "" }, ASK },
		{ { "/bin/sh", "-c", "git log" }, ALLOW },
		{ { "./sh", "-c", "ls" }, ASK },
		{ { "ls; rm -rf /" }, ASK },
		{ { "exec", "ls" }, ASK }, /* no shell, no builtin */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *argv[8];
		struct approval_query q = { .argv = argv, .path = "/usr/bin:/bin", .cwd = "/" };
		struct pinfold_answer a;

		memcpy(argv, rows[i].argv, sizeof(argv));
		assert_int_equal(approval_judge(rules, &q, &a), 0);
		if (a.verdict != rows[i].want)
			fail_msg("row %zu: %d (%s)", i, a.verdict, a.reason);
	}
	approval_rules_free(rules);
}

static void what_a_harmless_program_can_be_made_to_do_is_asked(void **state)
{
	struct approval_rules *rules =
	    rules_from("{autoApprove: ['git *', 'sort *', 'sed *', 'awk *', 'find *', 'test *', "
		       "'[ *', 'printf *', 'tar *', 'date *', 'git log --output=x', 'uniq *', "
		       "'split *', 'shuf *', 'make *', 'gcc *', 'env', 'choom *', 'nsenter *', "
		       "'sqlite3 *', 'curl *', 'systemd-run ls']}");
	static const struct {
		const char *line;
		enum pinfold_verdict want;
	} rows[] = {
		{ "git log --output=x", ALLOW }, /* it is spelled out */
		{ "git log --output=y", ASK },
		{ "git diff --outp=x", ASK },
		{ "git -c a=b log", ASK },
		{ "git clone ext::sh", ASK },
		{ "git log -p", ALLOW },
		{ "sort x", ALLOW },
		{ "sort -o x y", ASK },
		{ "sort -ro x", ASK },
		{ "sort -ox y", ASK },
		{ "sort --o=x y", ASK },
		{ "sed -n 5p x", ALLOW },
		{ "sed s/a/b/g x", ALLOW },
		{ "sed s/a/b/e x", ASK },
		{ "sed 's/a/b/w y' x", ASK },
		{ "sed '1e id' x", ASK },
		{ "sed s/a/b/ -e '1e id'", ASK },
		{ "sed -i s/a/b/ x", ASK },
		{ "awk '{print $1}' x", ALLOW },
		{ "awk 'BEGIN{system(1)}'", ASK },
		{ "awk '{print > 1}'", ASK },
		{ "awk 1 -f x", ASK },
		{ "find . -name x", ALLOW },
		{ "find . -delete", ASK },
		{ "find . -fprintf x y", ASK },
		{ "test -f x", ALLOW },
		{ "test -v 'a[$(id)]'", ASK },
		{ "[ -f x ]", ALLOW },
		{ "[ -v 'a[$(id)]' ]", ASK },
		{ "printf x", ALLOW },
		{ "printf -v PATH x", ASK },
		{ "tar -tf x", ALLOW },
		{ "tar -tF x", ASK },
		{ "tar -t", ALLOW },
		{ "date +%s", ALLOW },
		{ "date -s x", ASK },
		{ "uniq -c x", ALLOW },
		{ "uniq x y", ASK },
		{ "uniq - y", ASK },
		{ "split --filter=id x", ASK },
		{ "split --fil id x", ASK },
		{ "shuf x", ALLOW },
		{ "shuf -nox", ASK },
		{ "make test", ALLOW },
		{ "make test SHELL=./x", ASK },
		{ "make -fx", ASK },
		{ "gcc -Wall x.c", ALLOW },
		{ "gcc -wrapper ./x x.c", ASK },
		{ "gcc -fplugin=./x.so x.c", ASK },
		{ "curl x", ALLOW },
		{ "curl -so x y", ASK },
		{ "curl -K x", ASK },
		{ "choom -n 1 -- id", ASK },
		{ "nsenter -t 1 id", ASK },
		{ "sqlite3 x '.shell id'", ASK },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		expect_verdict(rules, rows[i].line, rows[i].want);
	approval_rules_free(rules);
}

static void a_pen_spares_the_question_but_lifts_no_deny(void **state)
{
	struct approval_rules *rules =
	    rules_from("{autoApprove: ['ls'], deny: ['reboot *'], inSandbox: 'skip'}");
	struct approval_query q = { .path = "/bin", .cwd = "/", .in_pen = true };
	struct pinfold_answer a;

	(void)state;
	q.line = "rm x";
	assert_int_equal(approval_judge(rules, &q, &a), 0);
	assert_int_equal(a.verdict, PINFOLD_ALLOW);
	q.line = "reboot";
	assert_int_equal(approval_judge(rules, &q, &a), 0);
	assert_int_equal(a.verdict, PINFOLD_DENY);
	q.line = "rm x";
	q.in_pen = false;
	assert_int_equal(approval_judge(rules, &q, &a), 0);
	assert_int_equal(a.verdict, PINFOLD_ASK);
	approval_rules_free(rules);
}

static void answers_name_the_rule_and_where_it_stands(void **state)
{
	struct approval_rules *rules = rules_from("{\n deny: ['x',\n 'reboot *'] }");
	struct pinfold_answer a;

	(void)state;
	assert_int_equal(help_judge(rules, "ls; sudo reboot", &a), 0);
	assert_string_equal(a.rule, "reboot *");
	assert_string_equal(a.reason, "'reboot' is denied");
	assert_non_null(strstr(a.origin, "deny[1]"));
	assert_true(a.fix[0] != '\0');
	assert_int_equal(help_judge(rules, "ls\x1b[2J", &a), 0);
	assert_null(strchr(a.reason, '\x1b'));
	approval_rules_free(rules);
}

static void without_rules_everything_is_asked(void **state)
{
	struct approval_rules *rules = NULL;
	struct pinfold_error e;

	(void)state;
	assert_int_equal(approval_rules_parse(NULL, &rules, &e), 0);
	assert_int_equal(rules->timeout_ms, 300000);
	expect_verdict(rules, "ls", ASK);
	approval_rules_free(rules);
}

static void refuses_rules_that_it_does_not_understand(void **state)
{
	static const char *const rows[][2] = {
		{ "{autoAprove: []}", "autoAprove" },
		{ "{deny: 'x'}", "deny" },
		{ "{deny: [1]}", "deny[0]" },
		{ "{deny: ['']}", "deny[0]" },
		{ "{deny: ['ok', ' ']}", "deny[1]" },
		{ "{deny: [\"it's\"]}", "not closed" },
		{ "{deny: ['a | ']}", "missing" },
		{ "{deny: ['| a']}", "behind no command" },
		{ "{autoApprove: ['a | b']}", "one plain command" },
		{ "{autoApprove: ['a > b']}", "one plain command" },
		{ "{autoApprove: ['$X']}", "one plain command" },
		{ "{approvalTimeout: '5'}", "milliseconds" },
		{ "{approvalTimeout: -1}", "milliseconds" },
		{ "{approvalTimeout: 1.5}", "milliseconds" },
		{ "{approvalTimeout: 86400001}", "milliseconds" },
		{ "{inSandbox: true}", "skip" },
		{ "{inSandbox: 'no'}", "skip" },
		{ "[]", "object" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct approval_rules *rules = NULL;
		struct pinfold_error e = { "" };

		assert_int_equal(help_rules(rows[i][0], &rules, &e), -EINVAL);
		if (!strstr(e.text, rows[i][1]))
			fail_msg("%s: %s", rows[i][0], e.text);
		assert_null(rules);
	}
}

/* What is too long to be judged is not left to a person either. */
static void denies_what_is_too_deep_or_too_long(void **state)
{
	struct approval_rules *rules = rules_from(SEED_RULES);
	auto_free char *deep = malloc(400);
	auto_free char *big = malloc(70001);

	(void)state;
	memset(deep, '(', 200);
	deep[200] = '\0';
	expect_verdict(rules, deep, DENY);
	memset(big, 'a', 70000);
	big[70000] = '\0';
	expect_verdict(rules, big, DENY);
	big[60000] = '\0';
	expect_verdict(rules, big, ASK);
	approval_rules_free(rules);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_deny_stands_above_a_requirement_and_that_above_an_approval),
		cmocka_unit_test(a_pattern_is_words_with_stars),
		cmocka_unit_test(a_deny_can_name_commands_one_after_the_other),
		cmocka_unit_test(a_deny_can_name_a_pipeline_a_file_or_any_text),
		cmocka_unit_test_setup_teardown(a_link_to_a_denied_program_is_that_program,
						help_make_dir, help_remove_dir),
		cmocka_unit_test_setup_teardown(only_the_systems_own_programs_are_approved_by_name,
						help_make_dir, help_remove_dir),
		cmocka_unit_test(words_are_judged_as_lines_are),
		cmocka_unit_test(what_a_harmless_program_can_be_made_to_do_is_asked),
		cmocka_unit_test(a_pen_spares_the_question_but_lifts_no_deny),
		cmocka_unit_test(answers_name_the_rule_and_where_it_stands),
		cmocka_unit_test(without_rules_everything_is_asked),
		cmocka_unit_test(refuses_rules_that_it_does_not_understand),
		cmocka_unit_test(denies_what_is_too_deep_or_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
