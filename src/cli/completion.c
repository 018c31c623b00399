/* SPDX-License-Identifier: MIT */
/* Completion scripts, made from the tables of verbs and options: what is in no table is in no
 * script. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/clean.h"
#include "cli/verbs.h"

#define WORD_MAX_LEN 32

const struct option_row COMPLETION_OPTIONS[] = { { 0 } };

/* Arguments of options that are paths. */
static bool takes_path(const struct option_row *o)
{
	return o->argument && (strcmp(o->argument, "FILE") == 0 ||
			       strcmp(o->argument, "PATH") == 0 || strcmp(o->argument, "DIR") == 0);
}

static bool takes_command(const struct verb *v)
{
	return strstr(v->synopsis, "-- COMMAND") != NULL;
}

/* The fixed words that a verb takes: of "connect HOST:PORT | resolve NAME | ..." the lower-case
 * word that starts each alternative.  False when there is no further one. */
static bool next_word(const char **at, char ret[static WORD_MAX_LEN])
{
	while (*at && **at) {
		const char *start = *at + strspn(*at, " |");
		size_t n = strspn(start, "abcdefghijklmnopqrstuvwxyz-");
		const char *bar = strchr(start, '|');

		*at = bar;
		if (n > 0 && n < WORD_MAX_LEN && start[0] != '-' && strchr(" |", start[n])) {
			memcpy(ret, start, n);
			ret[n] = '\0';
			return true;
		}
	}
	return false;
}

static void print_words(const struct verb *v, const char *before, const char *after)
{
	const char *at = v->synopsis;
	char word[WORD_MAX_LEN];

	while (next_word(&at, word))
		printf("%s%s%s", before, word, after);
}

/* text as the inside of single quotes, with a backslash before each byte of special. */
static void print_quoted(const char *text, const char *special, const char *quote)
{
	for (; *text; text++) {
		if (*text == '\'') {
			fputs(quote, stdout);
			continue;
		}
		if (strchr(special, *text))
			putchar('\\');
		putchar(*text);
	}
}

/* ---- bash ----------------------------------------------------------------------------------- */

static void bash_verb(const struct verb *v)
{
	bool any = false;

	printf("\t%s)\n", v->name);
	for (const struct option_row *o = v->options; o->name; o++)
		any = any || o->argument;
	if (any) {
		puts("\t\tcase $prev in");
		for (const struct option_row *o = v->options; o->name; o++) {
			if (!o->argument)
				continue;
			printf("\t\t--%s", o->name);
			if (o->letter)
				printf(" | -%c", o->letter);
			printf(") %sreturn ;;\n",
			       takes_path(o) ? "mapfile -t COMPREPLY < <(compgen -f -- \"$cur\"); "
					       "compopt -o filenames 2>/dev/null; "
					     : "");
		}
		puts("\t\tesac");
	}
	fputs("\t\twords='--help", stdout);
	for (const struct option_row *o = v->options; o->name; o++)
		printf(" --%s", o->name);
	print_words(v, " ", "");
	printf("%s'\n\t\t;;\n", takes_command(v) ? " --" : "");
}

static void print_bash(void)
{
	puts("# bash completion for pinfold; made by 'pinfold completion bash'\n"
	     "_pinfold() {\n"
	     "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} words='' i\n"
	     "\tCOMPREPLY=()\n"
	     "\tfor ((i = 2; i < COMP_CWORD; i++)); do\n"
	     "\t\t[[ ${COMP_WORDS[i]} == -- ]] || continue\n"
	     "\t\tif declare -F _command_offset >/dev/null; then\n"
	     "\t\t\t_command_offset $((i + 1))\n"
	     "\t\telse\n"
	     "\t\t\tmapfile -t COMPREPLY < <(compgen -c -f -- \"$cur\")\n"
	     "\t\tfi\n"
	     "\t\treturn\n"
	     "\tdone");
	puts("\tif [[ $COMP_CWORD -eq 1 ]]; then");
	fputs("\t\tmapfile -t COMPREPLY < <(compgen -W '--help --version", stdout);
	for (const struct verb *v = VERBS; v->name; v++)
		printf(" %s", v->name);
	puts("' -- \"$cur\")\n\t\treturn\n\tfi\n\tcase ${COMP_WORDS[1]} in");
	for (const struct verb *v = VERBS; v->name; v++)
		bash_verb(v);
	puts("\tesac\n"
	     "\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
	     "\tif [[ ${#COMPREPLY[@]} -eq 0 ]]; then\n"
	     "\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
	     "\tfi\n"
	     "}\n"
	     "complete -F _pinfold pinfold");
}

/* ---- zsh ------------------------------------------------------------------------------------ */

static void zsh_option(const struct option_row *o)
{
	char letter[2] = { o->letter, '\0' };

	for (int i = o->letter ? 0 : 1; i < 2; i++) {
		printf(" \\\n\t\t\t'*%s%s[", i ? "--" : "-", i ? o->name : letter);
		print_quoted(o->help, "[]\\", "'\\''");
		fputs("]", stdout);
		if (o->argument) {
			fputs(":", stdout);
			print_quoted(o->argument, ":\\", "'\\''");
			fputs(takes_path(o) ? ":_files" : ": ", stdout);
		}
		fputs("'", stdout);
	}
}

static void zsh_verb(const struct verb *v)
{
	const char *at = v->synopsis;
	char word[WORD_MAX_LEN];

	printf("\t%s)\n\t\t_arguments '--help[print help]'", v->name);
	for (const struct option_row *o = v->options; o->name; o++)
		zsh_option(o);
	if (next_word(&at, word)) {
		fputs(" \\\n\t\t\t'1: :(", stdout);
		print_words(v, " ", "");
		fputs(")'", stdout);
	}
	puts(takes_command(v) ? " \\\n\t\t\t'*:: :_normal'" : " \\\n\t\t\t'*: :_files'");
	puts("\t\t;;");
}

static void print_zsh(void)
{
	puts("#compdef pinfold\n"
	     "# zsh completion for pinfold; made by 'pinfold completion zsh'\n"
	     "_pinfold() {\n"
	     "\tlocal -a verbs\n"
	     "\tverbs=(");
	for (const struct verb *v = VERBS; v->name; v++) {
		printf("\t\t'%s:", v->name);
		print_quoted(v->summary, ":\\", "'\\''");
		puts("'");
	}
	puts("\t)\n"
	     "\tif (( CURRENT == 2 )); then\n"
	     "\t\t_describe verb verbs\n"
	     "\t\treturn\n"
	     "\tfi\n"
	     "\tlocal verb=$words[2]\n"
	     "\tshift words\n"
	     "\t(( CURRENT-- ))\n"
	     "\tcase $verb in");
	for (const struct verb *v = VERBS; v->name; v++)
		zsh_verb(v);
	puts("\tesac\n"
	     "}\n"
	     "if [[ $funcstack[1] == _pinfold ]]; then\n"
	     "\t_pinfold \"$@\"\n"
	     "else\n"
	     "\tcompdef _pinfold pinfold\n"
	     "fi");
}

/* ---- fish ----------------------------------------------------------------------------------- */

static void fish_verb(const struct verb *v)
{
	printf("complete -c pinfold -n __fish_use_subcommand -f -a %s -d '", v->name);
	print_quoted(v->summary, "\\", "\\'");
	puts("'");
	for (const struct option_row *o = v->options; o->name; o++) {
		printf("complete -c pinfold -n '__fish_seen_subcommand_from %s' -l %s", v->name,
		       o->name);
		if (o->letter)
			printf(" -s %c", o->letter);
		fputs(!o->argument ? " -d '" : takes_path(o) ? " -r -F -d '" : " -x -d '", stdout);
		print_quoted(o->help, "\\", "\\'");
		puts("'");
	}
	printf("complete -c pinfold -n '__fish_seen_subcommand_from %s' -a '", v->name);
	print_words(v, "", " ");
	puts("'");
	if (takes_command(v))
		printf("complete -c pinfold -n '__fish_seen_subcommand_from %s' "
		       "-a '(__fish_complete_subcommand)'\n",
		       v->name);
}

static void print_fish(void)
{
	puts("# fish completion for pinfold; made by 'pinfold completion fish'");
	for (const struct verb *v = VERBS; v->name; v++)
		fish_verb(v);
}

static const struct {
	const char *shell;
	void (*print)(void);
} SHELLS[] = {
	{ "bash", print_bash },
	{ "zsh", print_zsh },
	{ "fish", print_fish },
};

int verb_completion(int argc, char **argv)
{
	const char *shell = NULL;
	int n = opt_parse_words(find_verb("completion"), argc, argv, NULL, &shell, 1);

	if (n < 0)
		return n == -2 ? 0 : EXIT_USAGE;
	for (size_t i = 0; n == 1 && i < ARRAY_SIZE(SHELLS); i++)
		if (strcmp(SHELLS[i].shell, shell) == 0) {
			SHELLS[i].print();
			return 0;
		}
	complain("completion: name one shell: bash, zsh or fish");
	return EXIT_USAGE;
}
