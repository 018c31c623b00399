/* SPDX-License-Identifier: MIT */
#include "agents/danger.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <string.h>

#include "agents/approval_names.h"
#include "agents/approval_pattern.h"
#include "agents/approval_wrap.h"
#include "base/clean.h"

/* Options: "-x" is met bundled or with its value attached, "--name" also with "=value" or cut
 * short, anything else as a whole word. */
static const struct {
	const char *program; /* for fnmatch */
	const char *words;   /* with blanks around each */
} OPTIONS[] = {
	{ "git",
	  " -c -O -x --config-env --exec-path --exec --extcmd --output --ext-diff --textconv "
	  "--open-files-in-pager --upload-pack --receive-pack --git-dir --work-tree config "
	  "filter-branch foreach bisect difftool mergetool alias " },
	{ "find", " -exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls " },
	{ "fd", " -x -X --exec --exec-batch " },
	{ "fdfind", " -x -X --exec --exec-batch " },
	{ "rg", " --pre --hostname-bin " },
	{ "tar", " -I -F --checkpoint-action --to-command --use-compress-program --info-script "
		 "--new-volume-script --rsh-command --rmt-command " },
	{ "sed", " -i -f -e --in-place --file --expression " },
	{ "[gmn]awk", " -f -i -l -e -E --file --include --load --exec --source " },
	{ "awk", " -f -i -l -e -E --file --include --load --exec --source " },
	{ "sort", " -o --output --compress-program " },
	{ "rsync", " -e --rsh --rsync-path " },
	{ "scp", " -S -o -F --program " },
	{ "sftp", " -S -o -F " },
	{ "zip", " -T --unzip-command " },
	{ "man", " -P -H -C --pager --html --config-file " },
	{ "less", " -k -o -O --lesskey-file --lesskey-src --log-file " },
	{ "vim*", " -c -S -s -u -w -W --cmd " },
	{ "vi", " -c -S -s -u -w -W --cmd " },
	{ "printf", " -v " },
	{ "test", " -v -R " },
	{ "[", " -v -R " },
	{ "env", " -S -u -C " },
	{ "date", " -s --set -f --file " },
	{ "file", " -C -m --compile --magic-file " },
	{ "tree", " -o " },
	{ "jq", " -L -f --from-file " },
	{ "xxd", " -r " },
	{ "make", " -f -C -I -E --file --makefile --directory --eval --include-dir " },
	{ "gmake", " -f -C -I -E --file --makefile --directory --eval --include-dir " },
	{ "split", " --filter " },
	{ "shuf", " -o --output " },
	{ "iconv", " -o --output " },
	{ "curl", " -o -O -J -K -c -D --output --output-dir --remote-name --remote-name-all "
		  "--config --cookie-jar --dump-header --trace --trace-ascii --libcurl --stderr "
		  "--etag-save --hsts --alt-svc --engine " },
	{ "wget", " -O -o -a -e -P -i --output-document --output-file --append-output --execute "
		  "--directory-prefix --input-file --use-askpass --config --save-cookies " },
	{ "tcpdump", " -z -w -W --relinquish-privileges " },
	{ "openssl", " -out -keyout -engine -provider -provider-path -config -writerand " },
	{ "ssh-keygen", " -D -f -w " },
	{ "ssh-add", " -s -S " },
	{ "gcc*", " -wrapper -B -specs -fplugin -o " },
	{ "[cg]++*", " -wrapper -B -specs -fplugin -o " },
	{ "cc", " -wrapper -B -specs -fplugin -o " },
	{ "clang*", " -B -fplugin -fpass-plugin -load -Xclang --config -o " },
	{ "go",
	  " -exec -toolexec -vettool -overlay -modfile -o run generate tool --exec --toolexec "
	  "--vettool --overlay --modfile -w " },
	{ "cargo", " --config -Z run " },
	{ "pytest", " -p -c -o --rootdir --confcutdir --override-ini --config-file " },
	{ "py.test", " -p -c -o --rootdir --confcutdir --override-ini --config-file " },
	{ "pandoc", " -F -L -o --filter --lua-filter --output --pdf-engine --extract-media " },
	{ "ip", " -b -batch exec " },
	{ "cpio", " --rsh-command -F -O -o -p --file " },
	{ "ag", " --pager " },
	{ "ack", " --pager --match " },
	{ "bat", " --pager --map-syntax " },
	{ "fzf", " --preview --bind --history --listen " },
	{ "nc", " -e -c --exec --sh-exec --lua-exec " },
	{ "ncat", " -e -c -o --exec --sh-exec --lua-exec --output " },
	{ "journalctl", " --rotate --vacuum-size --vacuum-time --vacuum-files --setup-keys " },
	{ "dmesg", " -C -c -D -E -n --clear --read-clear --console-off --console-level " },
	{ "npm", " -c --call --prefix --script-shell " },
	{ "pip*", " --prefix --target --python " },
	{ "dpkg", " --pre-invoke --post-invoke " },
	{ "apt*", " -o -c --option --config-file " },
};

/* What they do stands in their operands: each has to be spelled out, as far as the first. */
static const char *const INTERPRETERS[] = {
	"python", "python[0-9]*", "perl",   "perl[0-9]*", "ruby",    "node",   "nodejs",
	"deno",   "bun",          "php*",   "lua*",       "Rscript", "tclsh*", "expect",
	"sh",     "bash",         "dash",   "ash",        "zsh",     "ksh*",   "fish",
	"csh",    "tcsh",         "ghci",   "irb",        "guile",   "emacs*", "ed",
	"ex",     "osascript",    "groovy", "jshell",     "busybox", "toybox", "m4",
	"dc",     "gnuplot",      "octave", "julia",      "R",       "pypy*",  "raku",
	"elixir", "erl",          "swipl",  "racket",     "sbcl",    "ghc",    "runghc",
};

/* All their operands have to be spelled out: they start what those say.  So do the ones that
 * approval_wrap.c knows of. */
static const char *const STARTERS[] = {
	"npx",     "bunx", "uvx",   "pipx",    "flock", "chroot",
	"sqlite3", "psql", "mysql", "mariadb", "socat",
};

/* What they start depends on their first operand, which has to be spelled out. */
static const char *const SUBCOMMANDS[] = {
	"docker", "podman", "nerdctl", "kubectl", "oc",   "lxc",     "incus",      "uv",
	"poetry", "pipenv", "conda",   "mamba",   "snap", "flatpak", "toolbox",    "distrobox",
	"bundle", "direnv", "runc",    "crun",    "perf", "tmux",    "machinectl",
};

/* A second operand is a file that they write. */
static const char *const WRITERS[] = { "uniq", "xxd" };

/* NAME=value is more than text to them: `make SHELL=./x`. */
static const char *const ASSIGNED[] = { "make", "gmake", "ninja", "cmake", "scons" };

static bool is_spelled_out(const struct pattern_part *by, const char *word)
{
	for (size_t i = 1; i < by->n; i++)
		if (strcmp(by->words[i], word) == 0)
			return true;
	return false;
}

/* Does an option of the table, len bytes, stand in this word? */
static bool option_meets(const char *option, size_t len, const char *word)
{
	if (len == 2 && option[0] == '-')
		return word[0] == '-' && word[1] != '-' && strchr(word + 1, option[1]);
	if (strncmp(option, "--", 2) == 0 && strncmp(word, "--", 2) == 0) {
		const size_t given = strcspn(word, "=");

		return given > 2 && given <= len && strncmp(option, word, given) == 0;
	}
	return (option[0] == '-' ? strcspn(word, "=") : strlen(word)) == len &&
	       strncmp(option, word, len) == 0;
}

static bool is_in(const char *words, const char *word)
{
	for (const char *o = words + 1; *o;) {
		const size_t len = strcspn(o, " ");

		if (option_meets(o, len, word))
			return true;
		o += len + strspn(o + len, " ");
	}
	return false;
}

static bool known_as(const struct approval_names *names, const char *program)
{
	for (size_t i = 0; i < names->n; i++)
		if (fnmatch(program, names->name[i], 0) == 0)
			return true;
	return false;
}

static bool listed(const char *const *list, size_t n, const struct approval_names *names)
{
	for (size_t i = 0; i < n; i++)
		if (known_as(names, list[i]))
			return true;
	return false;
}

static const char *in_options(const struct approval_names *names, char *const *words, size_t n,
			      const struct pattern_part *by)
{
	for (size_t i = 0; i < ARRAY_SIZE(OPTIONS); i++) {
		if (!known_as(names, OPTIONS[i].program))
			continue;
		for (size_t k = 1; k < n; k++)
			if (is_in(OPTIONS[i].words, words[k]) && !is_spelled_out(by, words[k]))
				return words[k];
	}
	return NULL;
}

/* Operands up to the first, or all of them. */
static const char *in_operands(char *const *words, size_t n, const struct pattern_part *by,
			       bool all)
{
	bool seen = false;

	for (size_t i = 1; i < n && (all || !seen); i++) {
		const bool option = words[i][0] == '-' && words[i][1];

		/* Options of an interpreter can hold a program as well. */
		if (!is_spelled_out(by, words[i]))
			return words[i];
		seen |= !option;
	}
	/* Without an operand the program comes from elsewhere: the pattern has to say as much. */
	return seen || (by->n == n && !strchr(by->words[0], PATTERN_STAR)) ? NULL : words[0];
}

/* A program for sed that only prints, deletes or replaces. */
static bool is_tame_sed(const char *text)
{
	char delimiter;

	text += strspn(text, "0123456789,$ ");
	if (strchr("pdq=", text[0]) && text[0])
		return text[1] == '\0';
	if (text[0] != 's' || !text[1] || strchr("\\\n", text[1]))
		return false;
	delimiter = text[1];
	text += 2;
	for (int part = 0; part < 2; part++) {
		while (*text && *text != delimiter)
			text += text[0] == '\\' && text[1] ? 2 : 1;
		if (!*text++)
			return false;
	}
	return text[strspn(text, "gpiI0123456789")] == '\0';
}

static bool is_tame_awk(const char *text)
{
	return !strpbrk(text, "|>@") && !strstr(text, "system") && !strstr(text, "getline");
}

static const struct {
	const char *program;
	bool (*is_tame)(const char *text);
} LANGUAGES[] = {
	{ "sed", is_tame_sed },
	{ "awk", is_tame_awk },
	{ "[gmn]awk", is_tame_awk },
};

static const char *in_program_text(const struct approval_names *names, char *const *words, size_t n,
				   const struct pattern_part *by)
{
	for (size_t i = 0; i < ARRAY_SIZE(LANGUAGES); i++) {
		size_t k = 1;

		if (!known_as(names, LANGUAGES[i].program))
			continue;
		/* -n and -E alone leave the first operand to be the program. */
		while (k < n && (strcmp(words[k], "-n") == 0 || strcmp(words[k], "-E") == 0 ||
				 strcmp(words[k], "-r") == 0))
			k++;
		if (k < n && !is_spelled_out(by, words[k]) &&
		    (words[k][0] == '-' || !LANGUAGES[i].is_tame(words[k])))
			return words[k];
	}
	return NULL;
}

/* A terminal, a log or another shell could take them for more than text. */
static const char *in_bytes(char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (const char *c = words[i]; *c; c++)
			if (*c == 0x7f || ((unsigned char)*c < 0x20 && *c != '\t' && *c != '\n'))
				return words[i];
	return NULL;
}

/* The second operand of a program that writes there. */
static const char *in_second(char *const *words, size_t n, const struct pattern_part *by)
{
	size_t operands = 0;

	for (size_t i = 1; i < n && words[i]; i++) {
		operands += words[i][0] != '-' || !words[i][1];
		if (operands > 1 && !is_spelled_out(by, words[i]))
			return words[i];
	}
	return NULL;
}

/* Words that no option announces: a git transport that is a command, a pager's first command. */
static const char *in_words(const struct approval_names *names, char *const *words, size_t n,
			    const struct pattern_part *by)
{
	static const char *const PLUS[] = { "vi", "vim*", "nvim", "less", "more", "emacs*" };
	const bool plus = listed(PLUS, ARRAY_SIZE(PLUS), names);
	const bool assigned = listed(ASSIGNED, ARRAY_SIZE(ASSIGNED), names);

	for (size_t i = 1; i < n && words[i]; i++)
		if ((strstr(words[i], "ext::") || (plus && words[i][0] == '+') ||
		     (assigned && strchr(words[i], '='))) &&
		    !is_spelled_out(by, words[i]))
			return words[i];
	return listed(WRITERS, ARRAY_SIZE(WRITERS), names) ? in_second(words, n, by) : NULL;
}

const char *danger_in(const struct approval_names *names, char *const *words, size_t n,
		      const struct pattern_part *by)
{
	const char *found = in_bytes(words, n);

	if (!found)
		found = in_options(names, words, n, by);
	if (!found)
		found = in_words(names, words, n, by);
	if (!found)
		found = in_program_text(names, words, n, by);
	if (!found && listed(INTERPRETERS, ARRAY_SIZE(INTERPRETERS), names))
		found = in_operands(words, n, by, false);
	if (!found && listed(SUBCOMMANDS, ARRAY_SIZE(SUBCOMMANDS), names))
		return in_operands(words, n, by, false);
	if (!found && (listed(STARTERS, ARRAY_SIZE(STARTERS), names) || wrap_may_start(names)))
		found = in_operands(words, n, by, true);
	return found;
}
