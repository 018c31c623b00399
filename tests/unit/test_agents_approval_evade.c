/* SPDX-License-Identifier: MIT */
/* A deny is a deny, however the command is spelled, wrapped or hidden. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void denies_however_it_is_spelled(void **state)
{
	static const char *const lines[] = {
		/* options */
		"rm -rf /",
		"rm -fr /",
		"rm -r -f /",
		"rm -f -r /",
		"rm -r -f -- /",
		"rm -Rf /",
		"rm -fR /",
		"rm --recursive --force //",
		"rm --force --recursive /",
		"rm -r --force /",
		"rm --recursive -f /",
		"rm --rec --fo /",
		"rm -rfv /",
		"rm -vrf /",
		"rm -rf --no-preserve-root /",
		"rm --no-preserve-root -rf /",
		"rm / -rf",
		"rm -r / -f",
		"rm -rfi /",
		"rm -r -v -f -I /",
		"rm -rf -- /",
		"rm --one-file-system -rf /",
		/* the path */
		"rm -rf //",
		"rm -rf ///",
		"rm -rf /.",
		"rm -rf /./",
		"rm -rf /..",
		"rm -rf /../..",
		"rm -rf /tmp/..",
		"rm -rf /usr/../",
		"rm -rf ../..",
		"rm -rf ../../../../../..",
		"rm -rf /tmp /",
		"rm -rf / /tmp",
		"rm -rf x / y",
		"rm -rf '/'",
		"rm -rf \"/\"",
		"rm -rf \\/",
		"rm -rf '/'.",
		"rm -rf /proc/self/root/",
		"rm -rf /proc/self/root/.",
		"rm -rf /*",
		"rm -rf '/'*",
		"rm -rf /.*",
		"rm -rf /tmp/../*",
		"rm -rf /{a,b}",
		"rm -rf ~",
		"rm -rf ~/",
		"rm -rf ~/.",
		"rm -rf $HOME",
		"rm -rf \"$HOME\"",
		"rm -rf ${HOME}",
		"rm -rf ~/x/..",
		"rm -rf $HOME/.",
		"cd / && rm -rf .",
		"cd /; rm -rf *",
		"cd / && rm -rf ./*",
		"cd /tmp; cd ..; rm -rf .",
		"cd; rm -rf .",
		"pushd / && rm -rf *",
		"cd /usr && rm -rf ..",
		"(cd / && rm -rf *)",
		/* the name */
		"/bin/rm -rf /",
		"/usr/bin/rm -rf /",
		"/bin/../bin/rm -rf /",
		"//bin/rm -rf /.",
		"'rm' -rf /",
		"r'm' -rf /",
		"\\rm -rf /",
		"r\\m -rf /",
		"\"rm\" -rf /",
		"r\"\"m -rf /",
		"/bin/r? -rf /",
		"/bin/r[m] -rf /",
		"/bin/*m -rf /",
		"$'rm' -rf /",
		"$'\\162m' -rf /",
		"$'\\x72\\x6d' -rf /",
		"r$@m -rf /",
		"r$()m -rf /",
		"r``m -rf /",
		"r${x:-m} -rf /",
		"mkfs.ext4 /dev/sda",
		"/sbin/mkfs.ext4 /dev/sda",
		"mkfs -t ext4 /dev/sda",
		"mkfs.xfs -f /dev/sda",
		"mke2fs /dev/sda",
		"dd if=/dev/zero of=/dev/sda",
		"dd of=/dev/sda if=/dev/zero",
		"dd bs=1M if=x",
		"dd 'if'=x",
		"dd i\"\"f=x",
		"shutdown",
		"shutdown now",
		"shutdown -h now",
		"/sbin/shutdown -r +5",
		"reboot",
		"reboot -f",
		"/usr/sbin/reboot",
		/* what surrounds it */
		"ls && rm -rf /",
		"ls; rm -rf /",
		"ls\nrm -rf /",
		"ls | rm -rf /",
		"ls |& rm -rf /",
		"ls & rm -rf /",
		"ls || rm -rf /",
		"! rm -rf /",
		"rm -rf / &",
		"rm -rf / > /dev/null 2>&1",
		">x rm -rf /",
		"2>&1 rm -rf /",
		"X=1 rm -rf /",
		"PATH=/x rm -rf /",
		"rm -rf / # fine",
		"true;rm -rf /;true",
		"rm -rf /;",
		"  rm   -rf\t/  ",
		"rm \\\n -rf \\\n /",
		/* wrappers */
		"sudo rm -rf /",
		"sudo -n rm -rf /",
		"sudo -u root rm -rf /",
		"sudo --user=root rm -rf /",
		"sudo -- rm -rf /",
		"sudo X=1 rm -rf /",
		"sudo -s rm -rf /",
		"sudo -E -u root -- rm -fr //",
		"doas rm -rf /",
		"doas -u root rm -rf /",
		"env rm -rf /",
		"env -i rm -rf /",
		"env X=1 rm -rf /",
		"env -u X rm -rf /",
		"env -S 'rm -rf /'",
		"env --split-string='rm -rf /'",
		"env -S'rm -rf /'",
		"nice rm -rf /",
		"nice -n 5 rm -rf /",
		"nice -5 rm -rf /",
		"nice --adjustment=5 rm -rf /",
		"nohup rm -rf /",
		"time rm -rf /",
		"time -p rm -rf /",
		"timeout 5 rm -rf /",
		"timeout -k 1 -s KILL 5 rm -rf /",
		"timeout --signal=KILL 5 rm -rf /",
		"stdbuf -oL rm -rf /",
		"stdbuf -o L -e 0 rm -rf /",
		"setsid rm -rf /",
		"setsid -f rm -rf /",
		"xargs rm -rf /",
		"xargs -0 -n 1 rm -rf /",
		"command rm -rf /",
		"command -p rm -rf /",
		"exec rm -rf /",
		"exec -a x rm -rf /",
		"builtin exec rm -rf /",
		"busybox rm -rf /",
		"/bin/busybox rm -fr /",
		"find / -exec rm -rf {} \\;",
		"find / -execdir rm -rf {} +",
		"find . -exec rm -rf / \\;",
		"find . -name x -ok rm -rf / ';'",
		"sh -c 'rm -rf /'",
		"bash -c 'rm -rf /'",
		"bash -lc 'rm -rf /'",
		"bash -ec 'rm -rf /'",
		"bash --norc -c 'rm -rf /'",
		"bash -o pipefail -c 'rm -rf /'",
		"/bin/sh -c 'rm -rf /'",
		"dash -c 'rm -rf /'",
		"zsh -c 'rm -rf /'",
		"fish -c 'rm -rf /'",
		"bash -c 'bash -c \"rm -rf /\"'",
		"sh -c 'ls; rm -rf /'",
		"sh -c \"sh -c 'sh -c \\\"rm -rf /\\\"'\"",
		"su -c 'rm -rf /'",
		"su root -c 'rm -rf /'",
		"ssh localhost rm -rf /",
		"ssh localhost 'rm -rf /'",
		"watch rm -rf /",
		"watch 'rm -rf /'",
		"script -c 'rm -rf /' x",
		"chroot / rm -rf /",
		"flock x rm -rf /",
		"unshare -r rm -rf /",
		"nsenter -t 1 -m rm -rf /",
		"strace -f rm -rf /",
		"sudo nice timeout 5 env rm -rf /",
		"sudo sh -c 'nice rm -rf /'",
		"nohup bash -c 'exec rm -rf /' &",
		"ionice -c3 rm -rf /",
		"parallel rm -rf ::: /; rm -rf /",
		"systemd-run rm -rf /",
		"choom -n 1 -- rm -rf /",
		"perf stat rm -rf /",
		"valgrind -q rm -rf /",
		"docker exec x rm -rf /",
		"kubectl exec x -- rm -rf /",
		"sg root -c 'rm -rf /'",
		"tmux new -d 'rm -rf /'",
		"sshpass -p x ssh h 'rm -rf /'",
		"start-stop-daemon --start --exec /bin/true; reboot",
		"sudo reboot",
		"sudo shutdown -h now",
		"env -i /sbin/reboot",
		"sudo mkfs.ext4 /dev/sda",
		"sudo dd if=a of=b",
		/* what can't be taken apart, but read */
		"$(rm -rf /)",
		"`rm -rf /`",
		"echo $(rm -rf /)",
		"echo \"$(rm -rf /)\"",
		"ls $(ls `rm -rf /`)",
		"(rm -rf /)",
		"{ rm -rf /; }",
		"if true; then rm -rf /; fi",
		"while :; do rm -rf /; done",
		"for i in 1; do rm -rf /; done",
		"case x in *) rm -rf /;; esac",
		"f() { rm -rf /; }; f",
		"f(){ rm -rf /;};f",
		"function f { rm -rf /; }",
		"eval rm -rf /",
		"eval 'rm -rf /'",
		"eval \"rm -rf /\"",
		"eval 'eval \"rm -rf /\"'",
		"command eval 'rm -rf /'",
		"trap 'rm -rf /' EXIT",
		"alias x='rm -rf /'",
		"bash <<E\nrm -rf /\nE",
		"bash <<< 'rm -rf /'",
		"cat <<E | sh\nrm -rf /\nE",
		"ls <(rm -rf /)",
		"X=rm; $X -rf /",
		"X='rm -rf /'; $X",
		"X=/; rm -rf $X",
		"rm -rf ${X:-/}",
		"rm -{r,f}f /; reboot",
		"{rm,-rf,/}",
		"{,rm} -rf /",
		"{,rm,-rf,/}",
		"rm${IFS}-rf${IFS}/",
		"rm$IFS-rf$IFS/",
		"coproc rm -rf /",
		"rm &>x -rf /",
		"ls 'x\nrm -rf /",
		"((1)); rm -rf /",
		"[[ -f x ]] && rm -rf /",
		"echo x | bash -c 'rm -rf /'",
		"rm -rf / $x",
		"rm -rf $x /",
		"sudo $(echo) rm -rf /",
	};

	(void)state;
	expect_all(lines, ARRAY_SIZE(lines), DENY);
}

/* For e2e/shell_evades.sh: a word for each line on standard input; NULs end them. */
static int print_verdicts(const char *text)
{
	static const char *const words[] = { "deny", "allow", "ask" };
	struct approval_rules *rules = rules_from(text);
	struct pinfold_answer a;
	char *line = NULL;
	size_t size = 0;

	while (getdelim(&line, &size, '\0', stdin) > 0)
		puts(help_judge(rules, line, &a) == 0 ? words[a.verdict] : "error");
	free(line);
	approval_rules_free(rules);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(denies_however_it_is_spelled),
	};

	if (argc == 3 && strcmp(argv[1], "judge") == 0)
		return print_verdicts(argv[2]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
