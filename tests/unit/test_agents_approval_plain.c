/* SPDX-License-Identifier: MIT */
/* What is asked, and what is approved in advance, under the rules that the gateway documents. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agents_approval_help.h"
#include "base/clean.h"
#include "pinfold.h"

static void expect_all(const char *const *lines, size_t n, enum pinfold_verdict want)
{
	struct approval_rules *rules = rules_from(SEED_RULES);

	for (size_t i = 0; i < n; i++)
		expect_verdict(rules, lines[i], want);
	approval_rules_free(rules);
}

static void asks_for_what_is_neither_denied_nor_approved(void **state)
{
	static const char *const lines[] = {
		"rm x",
		"rm -rf build",
		"rm -rf ./build",
		"rm -rf *",
		"rm -rf ~/x",
		"rm -f x",
		"rm -r x",
		"rm /",
		"rm -r /",
		"rm -f /",
		"mv a b",
		"cp a b",
		"git push",
		"git push origin main",
		"git -C /x push",
		"git commit -m 'x'",
		"sudo ls",
		"curl x",
		"/usr/bin/curl x",
		"docker ps",
		"wget x",
		"ls > x",
		"ls >> x",
		"ls < x",
		"ls <> x",
		"ls >| x",
		"ls 2> x",
		"X=1 ls",
		"X=1",
		"LD_PRELOAD=x ls",
		"PATH=. ls",
		"PATH=.; ls",
		"export PATH=.; ls",
		"ls | sh",
		"ls; sh",
		"ls | tee x",
		"date -s x",
		"date +%s",
		"git status -s",
		"git log --output=x",
		"git log --ext-diff",
		"git log --out=x",
		"git diff --textconv",
		"git diff -O x",
		"git -c x=y log",
		"git logs",
		"gitlog",
		"lsof",
		"ls-x",
		"LS",
		"./ls",
		"/bin/ls",
		"/usr/bin/ls -l",
		"../bin/ls",
		"ls/",
		"pwd x",
		"whoami x",
		"bash",
		"sh x",
		"bash -c",
		"bash -c ''",
		"sudo",
		"sudo -l",
		"env",
		"env -i ls",
		"env -u X ls",
		"nice",
		"nohup",
		"timeout 5",
		"time -v ls",
		"timeout -x 5 ls",
		"nice -z ls",
		"xargs ls",
		"setsid ls",
		"find . -exec ls {} +",
		"find .",
		"command -v ls",
		"exec",
		"exec -a x ls",
		"exec >x",
		"builtin eval ls",
		"busybox ls",
		"ls $x",
		"ls \"$x\"",
		"$x",
		"$(ls)",
		"`ls`",
		"ls &>/dev/null",
		"ls *.c",
		"echo 'rm -rf /'",
		"git commit -m 'never rm -rf /'",
		"echo rm -rf /",
		"grep -r 'rm -rf /' .",
		"man reboot",
		"ls; echo reboot",
		"printf 'mkfs x'",
		"rebooted",
		"xreboot",
		"./shutdown.sh",
		"cat mkfs.txt",
		"dd of=x",
		"dd",
		"mkfsx y",
		"rm",
		"rm -rf",
		"echo / | xargs rm -rf",
		"python3 -c 'import os'",
		"perl -e 'x'",
		"trap ls EXIT",
		"set -x",
		"! rm x",
		"rm -rf $x/",
		"rm -rf \"$x\"",
		"cat <<E\nrm -rf x\nE",
		"for i in a; do ls; done",
		"f() { ls; }; f",
		"ls\x01",
		"ls \x1b[31m",
	};

	(void)state;
	expect_all(lines, ARRAY_SIZE(lines), ASK);
}

static void allows_what_is_approved_and_nothing_else(void **state)
{
	static const char *const lines[] = {
		"ls",
		"ls -l",
		"ls -la /etc",
		"ls ''",
		"ls 'a b'",
		"pwd",
		"whoami",
		"date",
		"git status",
		"git log",
		"git log -p x",
		"git diff HEAD~1",
		"ls; pwd",
		"ls && pwd",
		"ls || pwd",
		"ls | ls",
		"ls & pwd",
		"ls\npwd",
		"ls;",
		"ls &",
		"! ls",
		"ls # x",
		"ls 2>&1",
		"ls >/dev/null",
		"ls >/dev/null 2>&1",
		"ls 2>&-",
		"ls </dev/null",
		"time ls",
		"nice ls",
		"nohup ls",
		"timeout 9 ls",
		"command ls",
		"exec ls",
		"env ls",
		"bash -c ls",
		"sh -c 'ls | ls'",
		"/bin/sh -c 'ls'",
		"bash -ec 'ls'",
		"timeout 5 bash -c 'nice ls'",
		"ls '$(rm x)'",
		"ls '; rm -rf /'",
		"git log --grep 'rm -rf /'",
		"git log --grep=push",
		"git diff -- a b",
		"  ls\t-l ",
	};

	(void)state;
	expect_all(lines, ARRAY_SIZE(lines), ALLOW);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(asks_for_what_is_neither_denied_nor_approved),
		cmocka_unit_test(allows_what_is_approved_and_nothing_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
