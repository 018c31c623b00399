/* SPDX-License-Identifier: MIT */
#include "cli/opt.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/near.h"
#include <unistd.h>

#define OPT_ERROR (-1)
#define OPT_HELP (-2)
#define HELP_COLUMN 26
#define COMPLAINT_MAX 1024

/* In one write: whatever else prints at the same time stands before or after it. */
void complain(const char *format, ...)
{
	char text[COMPLAINT_MAX] = "pinfold: ";
	size_t len = strlen(text);
	va_list ap;

	va_start(ap, format);
	vsnprintf(text + len, sizeof(text) - len - 1, format, ap);
	va_end(ap);
	len = strlen(text);
	text[len++] = '\n';
	if (write(STDERR_FILENO, text, len) < 0)
		return; /* nobody listens */
}

const struct verb *find_verb(const char *name)
{
	for (const struct verb *v = VERBS; v->name; v++)
		if (strcmp(v->name, name) == 0)
			return v;
	return NULL;
}

static void print_help(const struct verb *v)
{
	printf("usage: pinfold %s%s%s%s\n\n%s\n", v->name, v->options[0].name ? " [options]" : "",
	       v->synopsis[0] ? " " : "", v->synopsis, v->summary);
	if (v->options[0].name)
		puts("\noptions:");
	for (const struct option_row *o = v->options; o->name; o++) {
		char left[64];
		int n = 0;

		if (o->letter)
			n = snprintf(left, sizeof(left), "-%c, ", o->letter);
		snprintf(left + n, sizeof(left) - (size_t)n, "--%s%s%s", o->name,
			 o->argument ? " " : "", o->argument ? o->argument : "");
		printf("  %-*s %s\n", HELP_COLUMN, left, o->help);
	}
	printf("\nmore: man pinfold\n");
}

/* Matches "--name", "--name=value", "-x" and "-xvalue"; *ret_value is what is glued to it. */
static const struct option_row *find_option(const struct verb *v, const char *word,
					    const char **ret_value)
{
	*ret_value = NULL;
	for (const struct option_row *o = v->options; o->name; o++) {
		size_t len = strlen(o->name);

		if (word[1] == '-' && strncmp(word + 2, o->name, len) == 0) {
			if (word[2 + len] == '=')
				*ret_value = word + 3 + len;
			if (word[2 + len] == '=' || word[2 + len] == '\0')
				return o;
		}
		if (o->letter && word[1] == o->letter) {
			*ret_value = word[2] ? word + 2 : NULL;
			return o;
		}
	}
	return NULL;
}

static int usage_error(const struct verb *v, const char *what, const char *word)
{
	complain("%s: %s '%s'; see 'pinfold %s --help'", v->name, what, word, v->name);
	return OPT_ERROR;
}

static int no_such_option(const struct verb *v, const char *word)
{
	for (const struct option_row *o = v->options; o->name; o++)
		if (strncmp(word, "--", 2) == 0 && near_is(word + 2, o->name)) {
			complain("%s: no such option '%s'; did you mean '--%s'?", v->name, word,
				 o->name);
			return OPT_ERROR;
		}
	return usage_error(v, "no such option", word);
}

/* One word and, where its option wants it, next.  "-rf": what follows a flag's letter are letters
 * again.  Yields how many words it took. */
static int parse_word(const struct verb *v, const char *word, const char *next, void *data)
{
	const char *value = NULL;
	const char *at = word;
	int taken = 1;

	do {
		const struct option_row *o = find_option(v, at, &value);

		if (!o)
			return no_such_option(v, word);
		if (!o->argument && value && (word[1] == '-' || value[0] == '-'))
			return usage_error(v, "takes no value:", word);
		/* A value that starts with two dashes is written with "=": as a word of its own it
		 * is the option that follows one whose value was forgotten. */
		if (o->argument && !value && (!next || strncmp(next, "--", 2) == 0))
			return usage_error(v, "a value is missing after", word);
		at = o->argument || !value ? NULL : value - 1;
		if (o->argument && !value) {
			value = next;
			taken = 2;
		}
		if (o->set(data, o->argument ? value : NULL) < 0)
			return OPT_ERROR;
	} while (at);
	return taken;
}

int opt_parse(const struct verb *v, int argc, char **argv, void *data)
{
	int i = 1;

	while (i < argc && argv[i][0] == '-' && argv[i][1]) {
		int n;

		if (strcmp(argv[i], "--") == 0)
			return i + 1;
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
			print_help(v);
			return OPT_HELP;
		}
		n = parse_word(v, argv[i], i + 1 < argc ? argv[i + 1] : NULL, data);
		if (n < 0)
			return n;
		i += n;
	}
	return i;
}

int opt_parse_words(const struct verb *v, int argc, char **argv, void *data, const char **words,
		    int max)
{
	int n = 0;
	int at = 0;

	for (;;) {
		int first = opt_parse(v, argc - at, argv + at, data);

		if (first < 0)
			return first;
		at += first;
		if (at >= argc || n > max)
			return n;
		if (n < max)
			words[n] = argv[at];
		n++;
	}
}

int opt_parse_all(const struct verb *v, int argc, char **argv, void *data)
{
	int first = opt_parse(v, argc, argv, data);

	return first >= 0 && first < argc ? usage_error(v, "takes no words, but got", argv[first])
					  : first;
}
