/* SPDX-License-Identifier: MIT */
/* The cases A1 to A31 of the gateway, with the verdict of our rules; docs/agents.md has the same
 * table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agents_approval_help.h"
#include "base/clean.h"
#include "pinfold.h"

static void judges_the_cases_of_the_gateway_by_our_rules(void **state)
{
	static const struct {
		const char *line;
		const char *approved; /* patterns, in JSON */
		enum pinfold_verdict want;
	} rows[] = {
		{ "ls -la /etc", "\"ls *\"", ALLOW }, /* A1 */
		{ "ls -la /etc", "\"ls\"", ASK },
		{ "/bin/ls", "\"ls *\"", ASK }, /* A2 */
		{ "/bin/ls", "\"/bin/ls *\"", ASK },
		{ "/usr/bin/ls", "\"/usr/bin/ls *\"", ASK },
		{ "./ls", "\"ls *\"", ASK },                 /* A3 */
		{ "rm -rf /", "\"*\"", ALLOW },              /* A4 */
		{ "git status", "\"/usr/bin/git *\"", ASK }, /* A5 */
		{ "git status", "\"git status\"", ALLOW },
		{ "git status", "\"git *\"", ALLOW },
		{ "ls", "\"/usr/bin/*\"", ASK }, /* A6 */
		{ "ls", "\"l*\"", ALLOW },
		{ "ls", "\"LS\"", ASK },
		{ "ls && rm -rf /", "\"ls *\"", ASK }, /* A7 */
		{ "ls; rm x", "\"ls *\"", ASK },
		{ "ls || rm x", "\"ls *\"", ASK },
		{ "ls | rm x", "\"ls *\"", ASK },
		{ "ls |& rm x", "\"ls *\"", ASK },
		{ "ls\nrm x", "\"ls *\"", ASK },
		{ "ls && ls", "\"ls *\"", ALLOW }, /* A8 */
		{ "cd /tmp && ls", "\"ls *\"", ASK },
		{ "cd /tmp && ls", "\"ls *\", \"cd *\"", ALLOW },
		{ "[ -f x ] && ls", "\"ls *\", \"[ *\"", ALLOW },
		{ "! ls", "\"ls *\"", ALLOW },
		{ "time ls", "\"ls *\"", ALLOW },
		{ "ls | wc -l", "\"ls *\"", ASK }, /* A9 */
		{ "ls | wc -l", "\"ls *\", \"wc *\"", ALLOW },
		{ "ls | head -5", "\"ls *\"", ASK }, /* A10 */
		{ "head -n 5 /etc/passwd", "\"head *\"", ALLOW },
		{ "ls & rm x", "\"ls *\"", ASK }, /* A11 */
		{ "ls &", "\"ls *\"", ALLOW },
		{ "ls $(rm x)", "\"ls *\"", ASK }, /* A12 */
		{ "ls `rm x`", "\"ls *\"", ASK },
		{ "ls \"$(rm x)\"", "\"ls *\"", ASK },
		{ "ls '$(rm x)'", "\"ls *\"", ALLOW }, /* A13 */
		{ "ls 'a; rm x'", "\"ls *\"", ALLOW },
		{ "ls \"a && b\"", "\"ls *\"", ALLOW },
		{ "ls $HOME", "\"ls *\"", ASK }, /* A14 */
		{ "ls ${IFS}x", "\"ls *\"", ASK },
		{ "ls $((1+1))", "\"ls *\"", ASK },
		{ "ls *", "\"ls *\"", ASK }, /* A15 */
		{ "ls ~", "\"ls *\"", ASK },
		{ "ls {a,b}", "\"ls *\"", ASK },
		{ "ls $'\\x41'", "\"ls *\"", ASK },
		{ "(ls)", "\"ls *\"", ASK }, /* A16 */
		{ "{ ls; }", "\"ls *\"", ASK },
		{ "if ls; then rm x; fi", "\"ls *\"", ASK },
		{ "for i in a; do ls; done", "\"ls *\"", ASK },
		{ "f() { rm x; }; f", "\"ls *\"", ASK },
		{ "ls > out", "\"ls *\"", ASK }, /* A17 */
		{ "ls < in", "\"ls *\"", ASK },
		{ "ls 2>&1", "\"ls *\"", ALLOW },
		{ "ls >/dev/null", "\"ls *\"", ALLOW },
		{ "ls 2>/dev/null", "\"ls *\"", ALLOW },
		{ "ls <<E\nx\nE", "\"ls *\"", ASK },
		{ "ls <<<x", "\"ls *\"", ASK },
		{ "ls <(ls)", "\"ls *\"", ASK },
		{ "l''s", "\"ls *\"", ALLOW }, /* A18 */
		{ "\"ls\"", "\"ls *\"", ALLOW },
		{ "\\ls", "\"ls *\"", ALLOW },
		{ "l\"s\" -l", "\"ls *\"", ALLOW },
		{ "$'ls'", "\"ls *\"", ASK },
		{ "l\\\ns", "\"ls *\"", ASK }, /* A19 */
		{ "X=1 ls", "\"ls *\"", ASK }, /* A20 */
		{ "PATH=/evil ls", "\"ls *\"", ASK },
		{ "PATH=/evil; ls", "\"ls *\"", ASK },
		{ "env X=1 ls", "\"ls *\"", ASK },
		{ "env -i ls", "\"ls *\"", ASK },
		{ "env ls", "\"ls *\"", ALLOW },
		{ "$CMD", "\"ls *\"", ASK }, /* A21 */
		{ "ls 'unclosed", "\"ls *\"", ASK },
		{ "", "\"ls *\"", ASK },
		{ "# c", "\"ls *\"", ASK },
		{ "ls #; rm x", "\"ls *\"", ALLOW },   /* A22 */
		{ "bash -c 'ls'", "\"ls *\"", ALLOW }, /* A23 */
		{ "sh -c ls", "\"ls *\"", ALLOW },
		{ "bash -c 'ls; rm x'", "\"ls *\"", ASK },
		{ "bash -lc ls", "\"ls *\"", ASK },
		{ "bash -c 'bash -c ls'", "\"ls *\"", ALLOW },
		{ "bash -c ls", "\"bash *\"", ASK },
		{ "bash script.sh", "\"bash *\"", ASK }, /* A24 */
		{ "bash script.sh", "\"bash script.sh\"", ALLOW },
		{ "bash script.sh", "\"ls *\"", ASK },
		{ "sudo ls", "\"ls *\"", ASK }, /* A25 */
		{ "sudo ls", "\"sudo *\"", ASK },
		{ "timeout 5 ls", "\"ls *\"", ALLOW }, /* A26 */
		{ "nice -n 5 ls", "\"ls *\"", ALLOW },
		{ "nohup ls", "\"ls *\"", ALLOW },
		{ "stdbuf -o0 ls", "\"ls *\"", ALLOW },
		{ "flock /tmp/l ls", "\"ls *\"", ASK },
		{ "setsid ls", "\"ls *\"", ASK },
		{ "chroot / ls", "\"ls *\"", ASK },
		{ "xargs rm", "\"xargs *\"", ASK }, /* A27 */
		{ "find . -exec rm {} \\;", "\"find *\"", ASK },
		{ "find . -name x", "\"find *\"", ALLOW },
		{ "eval ls", "\"ls *\", \"eval *\"", ASK }, /* A28 */
		{ "source x.sh", "\"source *\"", ASK },
		{ ". x.sh", "\". *\"", ASK },
		{ "alias ls=rm", "\"alias *\"", ASK },
		{ "python3 safe.py", "\"python3 safe.py\"", ALLOW }, /* A29 */
		{ "python3 other.py", "\"python3 safe.py\"", ASK },
		{ "python3 safe.py x", "\"python3 safe.py *\"", ALLOW },
		{ "python3 -c 'import os'", "\"python3 *\"", ASK }, /* A30 */
		{ "node -e 1", "\"node *\"", ASK },
		{ "awk 'BEGIN{system(\"rm x\")}'", "\"awk *\"", ASK },
		{ "git -c core.pager='rm x' log", "\"git *\"", ASK },
		{ "ssh host rm x", "\"ssh *\"", ASK },
		{ "tar --checkpoint-action=exec=sh x", "\"tar *\"", ASK },
		{ "echo hi", "", ASK }, /* A31 */
		{ "export A=1", "", ASK },
		{ "pwd", "", ASK },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char text[256];
		struct approval_rules *rules;

		snprintf(text, sizeof(text), "{\"autoApprove\": [%s]}", rows[i].approved);
		rules = rules_from(text);
		expect_verdict(rules, rows[i].line, rows[i].want);
		approval_rules_free(rules);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(judges_the_cases_of_the_gateway_by_our_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
