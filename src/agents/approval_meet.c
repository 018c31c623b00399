/* SPDX-License-Identifier: MIT */
/*
 * Whether a command is what a deny means, however it is spelled.
 *
 * The pattern's options have to be among the command's; more of them never help a command out.  The
 * pattern's operands have to appear in the command's, in their order.  In between may stand what
 * could be an option's argument, and, where the pattern names a path or a "name=" operand, any
 * other operand: `rm -rf /tmp /` is no better than `rm -rf /`.
 */
#include <ctype.h>
#include <fnmatch.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agents/approval_names.h"
#include "agents/approval_path.h"
#include "agents/approval_pattern.h"
#include "base/clean.h"

/* Programs whose kin is run by a name of its own. */
static const struct {
	const char *name;
	const char *kin; /* for fnmatch */
} KIN[] = {
	{ "mkfs", "mkfs.*" }, { "mkfs", "mke2fs" },        { "mkfs", "mkdosfs" },
	{ "fsck", "fsck.*" }, { "python", "python[23]*" }, { "pip", "pip[23]*" },
	{ "vi", "vim*" },     { "awk", "[gmn]awk" },
};

/* One long option is the same as a letter, for every program that knows both. */
static const struct {
	const char *name;
	char letter;
} LONG[] = {
	{ "recursive", 'r' }, { "force", 'f' },  { "delete", 'd' },      { "all", 'a' },
	{ "yes", 'y' },       { "output", 'o' }, { "upload-file", 'T' },
};

/* Where -R is known, it means --recursive. */
static char letter_of(char c)
{
	return (char)(c == 'R' ? 'r' : c);
}

static bool is_option(const char *word)
{
	return word[0] == '-' && word[1] != '\0';
}

static bool is_long(const char *word)
{
	return word[0] == '-' && word[1] == '-';
}

/* "-delete" and its kin: one option, not seven. */
static bool is_long_with_one_dash(const char *word)
{
	return !is_long(word) && strlen(word) > 5;
}

/* The options end at "--"; the index of the first word behind them. */
static size_t options_end(char *const *words, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (strcmp(words[i], "--") == 0)
			return i;
	return n;
}

/* GNU programs take any beginning of a long option. */
static bool is_beginning(const char *word, const char *name)
{
	const size_t len = strcspn(word + 2, "=");

	return len > 0 && strncmp(word + 2, name, len) == 0;
}

static bool word_has_letter(const char *word, char letter)
{
	if (!is_long(word)) {
		for (const char *c = word + 1; *c && *c != '='; c++)
			if (letter_of(*c) == letter)
				return true;
		return false;
	}
	for (size_t i = 0; i < ARRAY_SIZE(LONG); i++)
		if (LONG[i].letter == letter && is_beginning(word, LONG[i].name))
			return true;
	return false;
}

static bool has_letter(const struct pattern_subject *s, char letter)
{
	const size_t end = options_end(s->words, s->n);

	for (size_t i = 1; i < end; i++)
		if (is_option(s->words[i]) && word_has_letter(s->words[i], letter_of(letter)))
			return true;
	return false;
}

static bool has_word(const struct pattern_subject *s, const char *option)
{
	const size_t end = options_end(s->words, s->n);
	const size_t stem = is_long(option) ? strcspn(option + 2, "=\x02") : 0;
	char letter = '\0';

	for (size_t i = 0; is_long(option) && i < ARRAY_SIZE(LONG); i++)
		if (strlen(LONG[i].name) == stem && strncmp(option + 2, LONG[i].name, stem) == 0)
			letter = LONG[i].letter;
	for (size_t i = 1; i < end; i++) {
		const char *word = s->words[i];

		if (!is_option(word))
			continue;
		if (pattern_glob(option, word) ||
		    (is_long(option) && is_long(word) && is_beginning(word, option + 2)))
			return true;
	}
	return letter && has_letter(s, letter);
}

static bool has_option(const struct pattern_subject *s, const char *option)
{
	if (strchr(option, PATTERN_STAR) || is_long(option) || is_long_with_one_dash(option))
		return has_word(s, option);
	for (const char *c = option + 1; *c; c++)
		if (!has_letter(s, *c))
			return false;
	return true;
}

static bool is_just_a_star(const char *word)
{
	return word[0] == PATTERN_STAR && word[1] == '\0';
}

/* May other operands stand in front of this one, or behind it? */
static bool stands_anywhere(const char *word)
{
	return path_is_meant(word) || strchr(word, '=');
}

static bool operand_meets(const struct pattern_subject *s, const char *word, const char *argument)
{
	if (pattern_glob(word, argument))
		return true;
	return path_is_meant(word) && path_meets(word, argument, s->place);
}

/* The pattern's operands, and how far the command's have met them: bit i is set when the first i
 * are met. */
struct progress {
	const char *word[PATTERN_WORDS_MAX];
	size_t n;
	bool open; /* more may follow */
	uint64_t met;
};

static void pass_stars(struct progress *p)
{
	for (size_t i = 0; i < p->n; i++)
		if ((p->met >> i & 1) && is_just_a_star(p->word[i]))
			p->met |= (uint64_t)1 << (i + 1);
}

static bool may_pass(const struct progress *p, size_t i)
{
	if (i == p->n)
		return p->open;
	return is_just_a_star(p->word[i]) || stands_anywhere(p->word[i]);
}

static void take_operand(struct progress *p, const struct pattern_subject *s, const char *argument,
			 bool of_option)
{
	uint64_t next = 0;

	for (size_t i = 0; i <= p->n; i++) {
		if (!(p->met >> i & 1))
			continue;
		if (of_option || may_pass(p, i))
			next |= (uint64_t)1 << i;
		if (i < p->n && operand_meets(s, p->word[i], argument))
			next |= (uint64_t)1 << (i + 1);
	}
	p->met = next;
	pass_stars(p);
}

static bool arguments_meet(const struct pattern_part *p, const struct pattern_subject *s, bool open)
{
	struct progress progress = { .open = open, .met = 1 };
	const size_t end = options_end(s->words, s->n);
	bool literal = false;

	for (size_t i = 1; i < p->n; i++) {
		if (!literal && strcmp(p->words[i], "--") == 0)
			literal = true;
		else if (literal || !is_option(p->words[i]))
			progress.word[progress.n++] = p->words[i];
		else if (!has_option(s, p->words[i]))
			return false;
	}
	if (progress.n > 0 && stands_anywhere(progress.word[progress.n - 1]))
		progress.open = true;
	pass_stars(&progress);
	for (size_t i = 1; i < s->n; i++)
		if (i > end || (i < end && !is_option(s->words[i])))
			take_operand(&progress, s, s->words[i],
				     i < end && i > 1 && is_option(s->words[i - 1]));
	return progress.met >> progress.n & 1;
}

static bool is_kin(const char *pattern, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(KIN); i++)
		if (strcmp(KIN[i].name, pattern) == 0 && fnmatch(KIN[i].kin, name, 0) == 0)
			return true;
	return false;
}

/* A name that the shell has yet to expand ("/bin/r?"). */
static bool may_become(const char *name, const char *pattern)
{
	return strpbrk(name, "*?[") && strcmp(name, "[") != 0 && !strchr(pattern, PATTERN_STAR) &&
	       fnmatch(name, pattern, FNM_NOESCAPE) == 0;
}

static bool name_meets(const char *pattern, const struct approval_names *names)
{
	const bool path = strchr(pattern, '/') != NULL;
	auto_free char *real = path ? realpath(pattern, NULL) : NULL;

	if (real && names_has(names, real))
		return true;

	for (size_t i = 0; i < names->n; i++) {
		const char *name = names->name[i];

		if (!path && strchr(name, '/'))
			continue;
		if (pattern_glob(pattern, name) || may_become(name, pattern) ||
		    is_kin(pattern, name))
			return true;
	}
	return false;
}

bool pattern_meets(const struct pattern_part *p, const struct pattern_subject *s)
{
	if (pattern_matches(p, s->flat))
		return true;
	if (!name_meets(p->words[0], s->names))
		return false;
	return pattern_matches_tail(p, s->tail) || arguments_meet(p, s, p->open);
}

bool pattern_meets_or_more(const struct pattern_part *p, const struct pattern_subject *s)
{
	return pattern_meets(p, s) ||
	       (name_meets(p->words[0], s->names) && arguments_meet(p, s, true));
}
