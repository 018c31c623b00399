/* SPDX-License-Identifier: MIT */
/* Whatever a line could run is found in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agents/shell.h"
#include "base/clean.h"

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

struct wanted {
	const char *words;
	bool found;
};

static int look_for(void *data, char *const *words, size_t n)
{
	struct wanted *w = data;
	char text[256] = "";
	size_t len = 0;

	assert_null(words[n]);
	for (size_t i = 0; i < n && len < sizeof(text); i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s", i ? " " : "",
					words[i]);
	w->found |= strcmp(text, w->words) == 0;
	return 0;
}

static void skims_every_command_that_hides_in_a_line(void **state)
{
	static const char *const rows[] = {
		"rm -rf /",
		"$(rm -rf /)",
		"`rm -rf /`",
		"echo \"$(rm -rf /)\"",
		"echo \"`rm -rf /`\"",
		"(rm -rf /)",
		"{ rm -rf /; }",
		"{\nrm -rf /\n}",
		"if rm -rf /; then x; fi",
		"if x; then rm -rf /; fi",
		"for i in a; do rm -rf /; done",
		"while rm -rf /; do x; done",
		"case x in x) rm -rf /;; esac",
		"f() { rm -rf /; }",
		"f()\n{\n\trm -rf /\n}",
		"function f { rm -rf /; }",
		"x <(rm -rf /)",
		"x >(rm -rf /)",
		"cat <<E\nrm -rf /\nE",
		"cat <<E | sh\n  rm -rf /\nE",
		"cat <<E\ndon't\nE\nrm -rf /",
		"sh <<< 'rm -rf /'",
		"eval 'rm -rf /'",
		"trap 'rm -rf /' EXIT",
		"a=$(b; rm -rf /)",
		"x $(y $(z; rm -rf /))",
		"$'rm' -rf /",
		"$'\\x72\\155' -rf /",
		"r$@m -rf /",
		"r$*m -rf /",
		"r$1m -rf /",
		"r$()m -rf /",
		"r``m -rf /",
		"X=rm; $X -rf /",
		"X=rm Y=/; ${X} -rf $Y",
		"X='rm -rf /'; $X",
		"export X=rm; $X -rf /",
		"rm$IFS-rf$IFS/",
		"rm${IFS}-rf${IFS}/",
		"{rm,-rf,/}",
		"rm -{r,x}f / ; rm -rf /",
		"${X:-rm} -rf /",
		"rm &>x -rf /",
		"rm >x -rf /",
		"rm 2>&1 -rf /",
		"rm <x -rf /",
		"ls $x # \nrm -rf /",
		"\\rm -rf /",
		"'r'\"m\" -r'f' /",
		"r\\\nm -rf /",
		"! rm -rf /",
		"$x || rm -rf /",
		"$x & rm -rf /",
		"$x |& rm -rf /",
		"coproc rm -rf /",
		"echo \"a $(b \"c $(rm -rf /)\")\"",
		"`echo #`; rm -rf /",
		"\"`echo \\`rm -rf /\\``\"",
		"'unclosed\nrm -rf /",
		"\"unclosed; rm -rf /",
		"x=${y:-$(rm -rf /)}",
		"${x/$(rm -rf /)/}",
		"$((rm -rf /))",
		"elif rm -rf /",
		"else rm -rf /",
		"do rm -rf /",
		"rm -rf \"/\"",
		"PATH=/x rm -rf /",
		"time rm -rf / $x; rm -rf /",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct wanted w = { "rm -rf /", false };

		assert_int_equal(shell_skim(rows[i], look_for, &w), 0);
		if (!w.found)
			fail_msg("'%s' hides it", rows[i]);
	}
}

static void marks_what_it_cannot_know(void **state)
{
	static const char *const rows[][2] = {
		{ "rm -rf $x/", "rm -rf \x1a/" },   { "rm -rf $(x)/", "rm -rf \x1a/" },
		{ "rm -rf $HOME", "rm -rf ~" },     { "rm -rf \"${HOME}\"", "rm -rf ~" },
		{ "rm -rf ${x}y", "rm -rf \x1ay" }, { "echo $?", "echo \x1a" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct wanted w = { rows[i][1], false };

		assert_int_equal(shell_skim(rows[i][0], look_for, &w), 0);
		if (!w.found)
			fail_msg("'%s' is not skimmed as %s", rows[i][0], rows[i][1]);
	}
}

static void refuses_to_skim_what_is_too_deep_or_too_long(void **state)
{
	auto_free char *deep = repeat("$(", 100);
	auto_free char *fine = repeat("$(", 50);
	auto_free char *big = repeat("a", SHELL_LINE_MAX + 1);
	struct wanted w = { "x", false };

	(void)state;
	assert_int_equal(shell_skim(deep, look_for, &w), -E2BIG);
	assert_int_equal(shell_skim(fine, look_for, &w), 0);
	assert_int_equal(shell_skim(big, look_for, &w), -E2BIG);
}

static int stop(void *data, char *const *words, size_t n)
{
	(void)words;
	(void)n;
	++*(int *)data;
	return 7;
}

static void stops_skimming_where_the_visitor_says_so(void **state)
{
	int calls = 0;

	(void)state;
	assert_int_equal(shell_skim("a; b; c", stop, &calls), 7);
	assert_int_equal(calls, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(skims_every_command_that_hides_in_a_line),
		cmocka_unit_test(marks_what_it_cannot_know),
		cmocka_unit_test(refuses_to_skim_what_is_too_deep_or_too_long),
		cmocka_unit_test(stops_skimming_where_the_visitor_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
