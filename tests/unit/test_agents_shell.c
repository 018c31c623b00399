/* SPDX-License-Identifier: MIT */
/*
 * The shell reader.  Called as `test_agents_shell read` this prints how it reads lines from
 * standard input, for tests/e2e/shell_agrees.sh to compare with what real shells do.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agents/shell.h"
#include "base/clean.h"

static const char ARROWS[SHELL_DIRECTIONS][4] = { "<", ">", ">>", ">|", "<>", "<&", ">&" };

static void print_command(FILE *out, const struct shell_command *c)
{
	fprintf(out, "%s%s", shell_joint_text(c->joint), c->negated ? "!" : "");
	for (size_t i = 0; i < c->n_assigns; i++)
		fprintf(out, "{%s}", c->assigns[i]);
	for (size_t i = 0; i < c->n_words; i++)
		fprintf(out, "[%s]", c->words[i]);
	for (size_t i = 0; i < c->n_redirects; i++)
		fprintf(out, "%s(%s)", ARROWS[c->redirects[i].direction], c->redirects[i].target);
	for (size_t i = 0; i < c->n_redirects; i++)
		if (c->redirects[i].fd >= 0)
			fprintf(out, "#%d", c->redirects[i].fd);
}

/* How a line is read, in one string; free() it. */
static char *reading(const char *text)
{
	struct shell_line line;
	char *printed = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&printed, &size);

	assert_int_equal(shell_read(text, &line), 0);
	if (line.doubt)
		fprintf(out, "? %s", line.doubt);
	for (size_t i = 0; i < line.n; i++)
		print_command(out, &line.commands[i]);
	fclose(out);
	shell_line_done(&line);
	return printed;
}

static void expect_reading(const char *text, const char *want)
{
	auto_free char *got = reading(text);

	if (strcmp(got, want) != 0)
		fail_msg("'%s' is read as %s, not %s", text, got, want);
}

static void takes_apart_what_every_shell_reads_alike(void **state)
{
	static const char *const rows[][2] = {
		{ "ls", "[ls]" },
		{ "ls -la /etc", "[ls][-la][/etc]" },
		{ " \t ls\t\t-l  ", "[ls][-l]" },
		{ "a; b", "[a];[b]" },
		{ "a;b;", "[a];[b]" },
		{ "a\nb\n\n c", "[a];[b];[c]" },
		{ "a && b||c", "[a]&&[b]||[c]" },
		{ "a &&\n\n b", "[a]&&[b]" },
		{ "a | b |& c", "[a]|[b]|&[c]" },
		{ "a & b", "[a]&[b]" },
		{ "a &", "[a]" },
		{ "a &\nb", "[a]&[b]" },
		{ "! a", "![a]" },
		{ "a && ! b", "[a]&&![b]" },
		{ "l''s", "[ls]" },
		{ "\"ls\"", "[ls]" },
		{ "\\ls", "[ls]" },
		{ "l\"s\" -l", "[ls][-l]" },
		{ "ls '$(rm x)'", "[ls][$(rm x)]" },
		{ "ls 'a; rm x' \"a && b\"", "[ls][a; rm x][a && b]" },
		{ "ls a\\;b", "[ls][a;b]" },
		{ "ls \"a\\\"b\\$c\\\\d\\e\"", "[ls][a\"b$c\\d\\e]" },
		{ "ls ''", "[ls][]" },
		{ "ls '' \"\"", "[ls][][]" },
		{ "ls 'a\nb'", "[ls][a\nb]" },
		{ "ls #; rm x", "[ls]" },
		{ "ls # c\nrm", "[ls];[rm]" },
		{ "ls a#b", "[ls][a#b]" },
		{ "ls \\#b", "[ls][#b]" },
		{ "ls \\\n -l", "[ls][-l]" },
		{ "ls 2>&1", "[ls]>&(1)#2" },
		{ "ls >/dev/null 2>&1", "[ls]>(/dev/null)>&(1)#2" },
		{ "ls > out x", "[ls][x]>(out)" },
		{ ">out ls", "[ls]>(out)" },
		{ "ls <in >>out", "[ls]<(in)>>(out)" },
		{ "ls >|out", "[ls]>|(out)" },
		{ "ls <>io", "[ls]<>(io)" },
		{ "ls 2>&-", "[ls]>&(-)#2" },
		{ "ls 2 >out", "[ls][2]>(out)" },
		{ "ls a2>out", "[ls][a2]>(out)" },
		{ "ls \"2\">out", "[ls][2]>(out)" },
		{ "ls>'a b'", "[ls]>(a b)" },
		{ "X=1 ls", "{X=1}[ls]" },
		{ "X=1 Y='2 3' ls", "{X=1}{Y=2 3}[ls]" },
		{ "X=1", "{X=1}" },
		{ "X=", "{X=}" },
		{ "ls X=1", "[ls][X=1]" },
		{ "'X=1' ls", "[X=1][ls]" },
		{ "1X=1 ls", "[1X=1][ls]" },
		{ "time ls", "[time][ls]" },
		{ "time -p ls -l", "[time][-p][ls][-l]" },
		{ "'time' -x ls", "[time][-x][ls]" },
		{ "'if' x", "[if][x]" },
		{ "ls if then", "[ls][if][then]" },
		{ "[ -f x ]", "[[][-f][x][]]" },
		{ "find . -exec ls {} \\;", "[find][.][-exec][ls][{}][;]" },
		{ "git show HEAD@{1} HEAD~2", "[git][show][HEAD@{1}][HEAD~2]" },
		{ "grep 'a$' x", "[grep][a$][x]" },
		{ "grep a$ x", "[grep][a$][x]" },
		{ "echo \"$\"", "[echo][$]" },
		{ "echo hi!", "[echo][hi!]" },
		{ "find . ! -name x", "[find][.][!][-name][x]" },
		{ "echo a=b }", "[echo][a=b][}]" },
		{ "echo h\xc3\xa9", "[echo][h\xc3\xa9]" },
		{ "a && >/dev/null", "[a]&&>(/dev/null)" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		expect_reading(rows[i][0], rows[i][1]);
}

static void doubts_whatever_depends_on_more_than_the_text(void **state)
{
	static const char *const rows[] = {
		"",
		" ",
		"\n",
		"# c",
		";",
		"; ls",
		"ls ;; ls",
		"ls && ",
		"&& ls",
		"ls | ",
		"| ls",
		"ls || ;",
		"ls & ; ls",
		"ls & & ls",
		"ls ; & ls",
		"ls &&& ls",
		"!",
		"! !  ls",
		"ls | ! ls",
		"!\nls",
		"ls $HOME",
		"ls ${HOME}",
		"ls \"$HOME\"",
		"ls ${IFS}x",
		"$CMD",
		"$CMD ls",
		"ls $((1+1))",
		"ls $(rm x)",
		"ls `rm x`",
		"ls \"$(rm x)\"",
		"ls \"`rm x`\"",
		"ls <(rm x)",
		"ls >(rm x)",
		"ls $'\\x41'",
		"ls $\"x\"",
		"ls $1",
		"ls $@",
		"ls $?",
		"ls \"$*\"",
		"ls a$b",
		"ls *",
		"ls ?",
		"ls [a]",
		"ls a[b",
		"ls ~",
		"ls ~/x",
		"ls a=~",
		"ls a:~b",
		"ls ''~",
		"ls {a,b}",
		"ls {1..3}",
		"ls a{b,c}d",
		"ls {a\",\"b}",
		"{ ls; }",
		"(ls)",
		"(ls",
		"ls )",
		"if ls; then ls; fi",
		"for x in a; do ls; done",
		"while ls; do ls; done",
		"until ls; do ls; done",
		"case a in a) ls;; esac",
		"f() { ls; }",
		"f () ls",
		"function f { ls; }",
		"select x in a; do ls; done",
		"coproc ls",
		"[[ -f x ]]",
		"((1))",
		"let x=1",
		"cat <<E\nx\nE",
		"cat <<-E\nx\nE",
		"cat <<<x",
		"ls &>out",
		"ls &>>out",
		"ls >&out",
		"ls >&1x",
		"ls <&x",
		"ls 12>out",
		"ls {fd}>out",
		"ls >",
		"ls > ;",
		"ls >#x",
		"ls >a>b x(",
		"ls >*",
		"ls >$x",
		"eval ls",
		"\"eval\" ls",
		"source x.sh",
		". x.sh",
		"alias ls=rm",
		"unalias ls",
		"trap ls EXIT",
		"set -f",
		"shopt -s extglob",
		"enable -n ls",
		"hash -p /x ls",
		"mapfile -C x",
		"fc -s",
		"history -c",
		"bind x",
		"!!",
		"!ls",
		"ls !$",
		"ls !rm",
		"ls \"a!b\"",
		"^a^b",
		"%1",
		"ls 'x",
		"ls \"x",
		"ls x\\",
		"ls x\\\ny",
		"l\\\ns",
		"ls &\\\n& ls",
		"ls \"a\\\nb\"",
		"ls \\\n#x",
		"X+=1 ls",
		"X[0]=1 ls",
		"UID=1 ls",
		"BASHOPTS=x ls",
		"POSIXLY_CORRECT=1 ls",
		"time",
		"time -p",
		"time -x ls",
		"time ! ls",
		"time X=1 ls",
		"time time ls",
		"X=1 time ls",
		"ls | time ls",
		"! time ls",
		"time >x ls",
		"time if",
		"\"\"",
		"'' ls",
		"ls \x01",
		"ls a\rb",
		"ls \x7f",
		"ls \x1b[2J",
		"ls \xff",
		"ls \xc3",
		"ls \xc3(",
		"ls \xa0",
		"in x",
		"do ls",
		"fi",
		"} ls",
		"{",
		"if",
		"ls\n;ls",
		"ls |\n",
		"ls &&\n# c\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		auto_free char *got = reading(rows[i]);

		if (got[0] != '?')
			fail_msg("'%s' is read as %s", rows[i], got);
	}
}

static char *repeat(const char *what, size_t n)
{
	const size_t len = strlen(what);
	char *text = malloc(n * len + 1);

	assert_non_null(text);
	for (size_t i = 0; i < n; i++)
		memcpy(text + i * len, what, len);
	text[n * len] = '\0';
	return text;
}

static void doubts_what_is_too_long(void **state)
{
	static const struct {
		const char *what;
		size_t n;
		bool doubted;
	} rows[] = {
		{ "a;", SHELL_COMMANDS_MAX - 1, false }, { "a;", SHELL_COMMANDS_MAX + 1, true },
		{ "a ", SHELL_WORDS_MAX, false },        { "a ", SHELL_WORDS_MAX + 1, true },
		{ "a", SHELL_LINE_MAX, false },          { "a", SHELL_LINE_MAX + 1, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		auto_free char *text = repeat(rows[i].what, rows[i].n);
		auto_free char *got = reading(text);

		assert_int_equal(got[0] == '?', rows[i].doubted);
	}
}

static void says_what_it_doubts_and_where(void **state)
{
	static const struct {
		const char *text;
		const char *doubt;
		size_t at;
	} rows[] = {
		{ "ls $(rm x)", "a command substitution or arithmetic", 3 },
		{ "ls; if x", "an if", 4 },
		{ "ls; alias a=b", "an alias", 4 },
		{ "ls *.c", "a pattern for file names", 3 },
		{ "cat <<E", "a here-document", 4 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct shell_line line;

		assert_int_equal(shell_read(rows[i].text, &line), 0);
		assert_string_equal(line.doubt, rows[i].doubt);
		assert_int_equal(line.doubt_at, rows[i].at);
		shell_line_done(&line);
	}
}

/* One line that ends with a NUL in, one record out: for each command joint, words and files, all
 * ended by NULs, with their numbers in front. */
static int print_readings(void)
{
	char *text = NULL;
	size_t size = 0;

	while (getdelim(&text, &size, '\0', stdin) > 0) {
		struct shell_line line;

		if (shell_read(text, &line) < 0)
			return 1;
		printf("%s%c%zu%c", line.doubt ? line.doubt : "", 0, line.n, 0);
		for (size_t i = 0; i < line.n; i++) {
			const struct shell_command *c = &line.commands[i];

			printf("%s%c%d%c%zu%c", shell_joint_text(c->joint), 0, c->negated, 0,
			       c->n_words, 0);
			for (size_t k = 0; k < c->n_words; k++)
				printf("%s%c", c->words[k], 0);
			printf("%zu%c", c->n_redirects, 0);
			for (size_t k = 0; k < c->n_redirects; k++)
				printf("%s%c", c->redirects[k].target, 0);
		}
		shell_line_done(&line);
	}
	free(text);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_apart_what_every_shell_reads_alike),
		cmocka_unit_test(doubts_whatever_depends_on_more_than_the_text),
		cmocka_unit_test(doubts_what_is_too_long),
		cmocka_unit_test(says_what_it_doubts_and_where),
	};

	if (argc == 2 && strcmp(argv[1], "read") == 0)
		return print_readings();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
