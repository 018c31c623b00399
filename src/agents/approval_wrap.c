/* SPDX-License-Identifier: MIT */
#include "agents/approval_wrap.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agents/shell.h"
#include "agents/shell_inner.h"
#include "base/clean.h"

#define FIND_STARTS_MAX 8

struct wrapper {
	const char *name;
	const char *with;  /* option letters that take an argument */
	const char *flags; /* option letters that take none */
	const char *words; /* long options that take an argument as a word of its own, each with a
			      blank behind it */
	size_t operands;   /* that stand in front of the command */
	bool assigns;      /* NAME=value may stand there, too */
	bool clear;        /* runs the command as it is, at least when there is no option... */
	const char *clear_flags; /* ...but for these */
};

static const struct wrapper WRAPPERS[] = {
	{ "sudo", "ugpCTrtDRUh", "AbBEeHiKklnNPSsVv",
	  "user group host prompt chdir chroot role type close-from command-timeout other-user ", 0,
	  true, false, "" },
	{ "doas", "uCa", "nsL", "", 0, true, false, "" },
	{ "env", "uC", "i0v", "unset chdir ", 0, true, true, "" },
	{ "nice", "n", "0123456789", "adjustment ", 0, false, true, "n0123456789" },
	{ "nohup", "", "", "", 0, false, true, "" },
	{ "time", "fo", "apvqV", "format output ", 0, false, true, "p" },
	{ "timeout", "ks", "v", "kill-after signal ", 1, false, true, "ksv" },
	{ "stdbuf", "ioe", "", "input output error ", 0, false, true, "ioe" },
	{ "setsid", "", "cfw", "", 0, false, false, "" },
	{ "xargs", "adEILnPs", "0eiloprtx",
	  "arg-file delimiter eof replace max-lines max-args max-procs max-chars process-slot-var ",
	  0, false, false, "" },
	{ "command", "", "p", "", 0, false, true, "p" },
	{ "exec", "a", "cl", "", 0, false, true, "" },
	{ "builtin", "", "", "", 0, false, true, "" },
	{ "flock", "wE", "sxnuoF", "timeout wait conflict-exit-code ", 1, false, false, "" },
	{ "ionice", "cn", "t", "class classdata ", 0, false, false, "" },
	{ "chroot", "", "", "userspec groups ", 1, false, false, "" },
};

/* Others that are known to start commands: every word of theirs could be one. */
static const char *const DISPATCHERS[] = {
	"su",
	"runuser",
	"setpriv",
	"unshare",
	"nsenter",
	"taskset",
	"chrt",
	"prlimit",
	"watch",
	"script",
	"systemd-run",
	"ssh",
	"bwrap",
	"firejail",
	"parallel",
	"strace",
	"ltrace",
	"gdb",
	"entr",
	"pkexec",
	"run0",
	"fakeroot",
	"setarch",
	"chpst",
	"softlimit",
	"daemon",
	"start-stop-daemon",
	"expect",
	"unbuffer",
	"catchsegv",
	"trap",
	"alias",
	"capsh",
	"crontab",
	"at",
	"batch",
	"lxc-attach",
	"machinectl",
	"proot",
	"coproc",
	"choom",
	"uclampset",
	"perf",
	"valgrind",
	"hyperfine",
	"sg",
	"newgrp",
	"numactl",
	"cpulimit",
	"eatmydata",
	"faketime",
	"proxychains",
	"proxychains4",
	"torsocks",
	"tsocks",
	"trickle",
	"rlwrap",
	"xvfb-run",
	"dbus-run-session",
	"dbus-launch",
	"ssh-agent",
	"gosu",
	"su-exec",
	"setuidgid",
	"envdir",
	"envuidgid",
	"tini",
	"dumb-init",
	"chronic",
	"ifne",
	"pee",
	"direnv",
	"poetry",
	"pipenv",
	"uv",
	"conda",
	"mamba",
	"bundle",
	"docker",
	"podman",
	"nerdctl",
	"kubectl",
	"oc",
	"lxc",
	"lxc-execute",
	"incus",
	"runc",
	"crun",
	"toolbox",
	"flatpak",
	"snap",
	"distrobox",
	"nsjail",
	"minijail0",
	"sem",
	"tmux",
	"screen",
	"dtach",
	"abduco",
	"linux32",
	"linux64",
	"i386",
	"x86_64",
	"fakechroot",
	"schroot",
	"systemd-nspawn",
	"systemd-inhibit",
	"watchexec",
	"nodemon",
	"reflex",
	"tsp",
	"autossh",
	"sshpass",
	"mosh",
	"rsh",
	"dsh",
	"pssh",
	"dbclient",
	"setlock",
	"runsv",
	"cgexec",
	"aa-exec",
	"runcon",
	"logsave",
	"stap",
	"bpftrace",
};

/* One program under many names: what it is told by its first word. */
static const char *const BOXES[] = { "busybox", "toybox", "coreutils" };

/* Shells that read a line as the shell reader does; and those that may not. */
static const char *const SHELLS[] = { "sh", "bash", "dash", "ash" };
static const char *const OTHER_SHELLS[] = { "zsh",  "ksh",  "mksh", "rbash", "fish", "csh",
					    "tcsh", "yash", "pwsh", "ksh93", "rksh" };

#define LISTED(list, names) is_listed((list), ARRAY_SIZE(list), (names))

static bool is_listed(const char *const *list, size_t n, const struct approval_names *names)
{
	for (size_t i = 0; i < n; i++)
		if (names_has(names, list[i]))
			return true;
	return false;
}

/* Everything that a word could hold as a line of its own. */
static int guess_line(const char *word, const struct wrap_sink *sink)
{
	const char *value = strchr(word, '=');
	int r = strpbrk(word, " \t\n;|&$`") ? sink->line(sink->data, word, true) : 0;

	if (r == 0 && value)
		r = sink->line(sink->data, value + 1, true);
	if (r == 0 && word[0] == '-' && word[1] && word[2])
		r = sink->line(sink->data, word + 2, true);
	return r;
}

/* It isn't clear where the command begins: it could be at any word. */
static int guess_all(char *const *words, size_t n, const struct wrap_sink *sink)
{
	int r = 0;

	for (size_t i = 1; i < n && r == 0; i++) {
		r = sink->command(sink->data, words + i, n - i, true);
		if (r == 0)
			r = guess_line(words[i], sink);
	}
	return r;
}

/* How many words an option takes, itself included; 0: it isn't known. */
static size_t option_words(const struct wrapper *w, const char *word, bool *clear)
{
	const char *name = word + 2;
	const size_t len = strcspn(name, "=");

	if (word[1] == '-') {
		*clear = *clear && strcmp(w->name, "timeout") == 0;
		for (const char *k = w->words; *k && !name[len]; k += strcspn(k, " ") + 1)
			if (strncmp(k, name, len) == 0)
				return 2;
		return 1;
	}
	for (const char *c = word + 1; *c; c++) {
		*clear = *clear && strchr(w->clear_flags, *c);
		if (strchr(w->with, *c))
			return c[1] ? 1 : 2;
		if (!strchr(w->flags, *c))
			return 0;
	}
	return 1;
}

static int open_wrapper(const struct wrapper *w, char *const *words, size_t n,
			const struct wrap_sink *sink, enum wrap_kind *ret)
{
	bool clear = w->clear;
	size_t i = 1;

	while (i < n && words[i][0] == '-' && words[i][1]) {
		const size_t step = option_words(w, words[i], &clear);

		if (strcmp(words[i], "--") == 0)
			break;
		if (step == 0)
			return guess_all(words, n, sink);
		if (words[i][1] == '-' && guess_line(words[i], sink) < 0)
			return -ENOMEM;
		i += step;
	}
	i += i < n && strcmp(words[i], "--") == 0;
	for (; i < n && w->assigns && shell_name_length(words[i]) > 0 &&
	       words[i][shell_name_length(words[i])] == '=';
	     i++)
		clear = false;
	i += w->operands;
	if (i >= n)
		return 0;
	*ret = clear ? WRAP_CLEAR : WRAP_MORE;
	return sink->command(sink->data, words + i, n - i, false);
}

/* The words of one -exec, with what is searched in place of "{}". */
static int find_command(char *const *words, size_t n, const char *start,
			const struct wrap_sink *sink)
{
	char **copy = calloc(n + 1, sizeof(*copy));
	int r;

	if (!copy)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		copy[i] = words[i];
		if (strcmp(words[i], "{}") == 0) {
			/* Only read from here on. */
			memcpy(&copy[i], &start, sizeof(start));
		}
	}
	r = sink->command(sink->data, copy, n, false);
	free(copy);
	return r;
}

static size_t find_starts(char *const *words, size_t n, const char *ret[static FIND_STARTS_MAX])
{
	size_t starts = 0;

	for (size_t i = 1; i < n && starts < FIND_STARTS_MAX; i++) {
		if (strchr("-(!", words[i][0]) && starts > 0)
			break;
		if (!strchr("-(!", words[i][0]))
			ret[starts++] = words[i];
	}
	if (starts == 0)
		ret[starts++] = ".";
	return starts;
}

static bool is_exec(const char *word)
{
	static const char *const EXECS[] = { "-exec", "-execdir", "-ok", "-okdir" };

	for (size_t i = 0; i < ARRAY_SIZE(EXECS); i++)
		if (strcmp(EXECS[i], word) == 0)
			return true;
	return false;
}

static int open_find(char *const *words, size_t n, const struct wrap_sink *sink,
		     enum wrap_kind *ret)
{
	const char *start[FIND_STARTS_MAX];
	const size_t starts = find_starts(words, n, start);
	int r = 0;

	for (size_t i = 1; i < n && r == 0; i++) {
		const size_t from = i + 1;

		if (!is_exec(words[i]))
			continue;
		*ret = WRAP_MORE;
		while (i + 1 < n && strcmp(words[i + 1], ";") != 0 &&
		       strcmp(words[i + 1], "+") != 0)
			i++;
		for (size_t k = 0; k < starts && r == 0 && i + 1 > from; k++)
			r = find_command(words + from, i + 1 - from, start[k], sink);
	}
	return r;
}

/* Letters that change nothing about how the line is read. */
static bool is_harmless_for_a_shell(const char *letters)
{
	return letters[strspn(letters, "ceux")] == '\0';
}

static int open_shell(char *const *words, size_t n, const struct wrap_sink *sink,
		      enum wrap_kind *ret)
{
	bool clear = words[0][strcspn(words[0], "/")] == '\0' || words[0][0] == '/';
	bool has_line = false;
	size_t i = 1;

	for (; i < n && strchr("-+", words[i][0]) && words[i][0]; i++) {
		const char *letters = words[i] + 1;

		if (strcmp(words[i], "--") == 0) {
			i++;
			break;
		}
		clear = clear && words[i][0] == '-' && is_harmless_for_a_shell(letters);
		has_line |= letters[0] != '-' && strchr(letters, 'c');
		/* -o, -O, --rcfile and --init-file take a word. */
		i += strcmp(words[i], "--rcfile") == 0 || strcmp(words[i], "--init-file") == 0 ||
		     (letters[0] != '-' && strpbrk(letters, "oO"));
	}
	*ret = WRAP_MORE;
	if (!has_line || i >= n)
		return 0;
	if (clear)
		*ret = WRAP_CLEAR;
	return sink->line(sink->data, words[i], false);
}

static int open_eval(char *const *words, size_t n, const struct wrap_sink *sink)
{
	struct shell_text line = { 0 };
	int r = 0;

	for (size_t i = 1; i < n && r == 0; i++) {
		r = i > 1 ? shell_text_add(&line, ' ') : 0;
		if (r == 0)
			r = shell_text_put(&line, words[i], strlen(words[i]));
	}
	if (r == 0 && line.bytes)
		r = sink->line(sink->data, line.bytes, false);
	free(line.bytes);
	return r;
}

static int open_box(char *const *words, size_t n, const struct wrap_sink *sink)
{
	return n > 1 ? sink->command(sink->data, words + 1, n - 1, false) : 0;
}

static bool is_box(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(BOXES); i++)
		if (strcmp(BOXES[i], names_base(word)) == 0)
			return true;
	return false;
}

static const struct wrapper *wrapper_of(const struct approval_names *names)
{
	for (size_t i = 0; i < ARRAY_SIZE(WRAPPERS); i++)
		if (names_has(names, WRAPPERS[i].name))
			return &WRAPPERS[i];
	return NULL;
}

bool wrap_may_start(const struct approval_names *names)
{
	return LISTED(DISPATCHERS, names);
}

int wrap_open(const struct approval_names *names, char *const *words, size_t n,
	      const struct wrap_sink *sink, enum wrap_kind *ret)
{
	const struct wrapper *w = wrapper_of(names);

	*ret = WRAP_NONE;
	if (LISTED(SHELLS, names))
		return open_shell(words, n, sink, ret);
	if (names_has(names, "find"))
		return open_find(words, n, sink, ret);
	*ret = WRAP_MORE;
	if (strcmp(words[0], "eval") == 0)
		return open_eval(words, n, sink);
	if (is_box(words[0]))
		return open_box(words, n, sink);
	if (w)
		return open_wrapper(w, words, n, sink, ret);
	if (LISTED(DISPATCHERS, names) || LISTED(OTHER_SHELLS, names))
		return guess_all(words, n, sink);
	*ret = WRAP_NONE;
	return 0;
}
