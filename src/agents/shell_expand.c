/* SPDX-License-Identifier: MIT */
/* What stands behind a "$", as far as the line itself tells. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agents/shell_skim.h"
#include "base/clean.h"

static const char *value_of(const struct skim *s, const char *name, size_t len)
{
	for (size_t i = s->n_variables; i > 0; i--) {
		const char *v = s->variables[i - 1];

		if (strncmp(v, name, len) == 0 && v[len] == '=')
			return v + len + 1;
	}
	if (len == 4 && strncmp(name, "HOME", 4) == 0)
		return SHELL_HOME;
	if (len == 3 && strncmp(name, "IFS", 3) == 0)
		return " ";
	return NULL;
}

bool skim_assign(struct skim *s, const char *word)
{
	const size_t name = shell_name_length(word);
	char *copy;

	if (name == 0 || word[name] != '=')
		return false;
	if (strlen(word) > SKIM_VALUE_MAX || s->n_variables == SKIM_VARIABLES_MAX)
		return true;
	copy = strdup(word);
	if (!copy)
		s->result = -ENOMEM;
	else
		s->variables[s->n_variables++] = copy;
	return true;
}

void skim_forget(struct skim *s)
{
	for (size_t i = 0; i < s->n_variables; i++)
		free(s->variables[i]);
	s->n_variables = 0;
}

/* A value is split at blanks, but for inside quotes. */
static void put_value(struct skim *s, const char *value)
{
	const bool quoted = s->frames[s->depth].quoted;

	if (!value)
		return skim_add(s, SHELL_UNKNOWN);
	for (; *value; value++)
		if (!quoted && strchr(" \t\n", *value))
			skim_end_word(s);
		else
			skim_add(s, *value);
}

/* ${NAME} and ${NAME:-plain}.  What is more than that is walked on as text, behind an unknown. */
static void braced(struct skim *s)
{
	const char *name = s->text + s->pos + 2;
	const size_t len = shell_name_length(name);
	const char *value = value_of(s, name, len);
	const char *rest = name + len + strspn(name + len, ":-=");
	const size_t plain = strcspn(rest, "}$`'\"\\(){ \t\n;|&");

	if (len == 0 || rest[plain] != '}') {
		skim_add(s, SHELL_UNKNOWN);
		s->pos += 1 + len;
		return;
	}
	put_value(s, !value && rest > name + len ? "" : value);
	for (size_t i = 0; !value && i < plain; i++)
		skim_add(s, rest[i]);
	s->pos = (size_t)(rest + plain - s->text);
}

static unsigned digit_of(char c)
{
	return isdigit((unsigned char)c) ? (unsigned)(c - '0')
					 : (unsigned)(tolower((unsigned char)c) - 'a') + 10;
}

/* The number behind \x, \u or \ (then octal), of at most max digits; 0: there is none. */
static unsigned number(const char *text, unsigned base, size_t max, size_t *ret_len)
{
	unsigned n = 0;
	size_t i;

	for (i = 0; i < max && isxdigit((unsigned char)text[i]) && digit_of(text[i]) < base; i++)
		n = n * base + digit_of(text[i]);
	*ret_len = i;
	return n;
}

/* One escape of a $'...' string; text is behind the backslash.  Yields how much it took. */
static size_t unescape(struct skim *s, const char *text)
{
	static const char from[] = "abefnrtv\\'\"?";
	static const char to[] = "\a\b\033\f\n\r\t\v\\'\"?";
	const bool hex = text[0] == 'x' || text[0] == 'u' || text[0] == 'U';
	const char *known = text[0] ? strchr(from, text[0]) : NULL;
	const size_t max = text[0] == 'x' ? 2 : text[0] == 'u' ? 4 : 8;
	size_t len;
	unsigned n = hex ? number(text + 1, 16, max, &len) : number(text, 8, 3, &len);

	if (len > 0) {
		skim_add(s, (char)(n > 0 && n < 0x100 ? n : SHELL_UNKNOWN));
		return len + (hex ? 1 : 0);
	}
	if (text[0])
		skim_add(s, (char)(known ? to[known - from] : text[0]));
	return text[0] ? 1 : 0;
}

static void ansi_string(struct skim *s)
{
	s->frames[s->depth].in_word = true;
	s->pos += 2;
	while (s->text[s->pos] && s->text[s->pos] != '\'')
		if (s->text[s->pos] == '\\')
			s->pos += 1 + unescape(s, s->text + s->pos + 1);
		else
			skim_add(s, s->text[s->pos++]);
	if (!s->text[s->pos])
		s->pos--;
}

void skim_dollar(struct skim *s)
{
	const char next = s->text[s->pos + 1];
	const size_t len = shell_name_length(s->text + s->pos + 1);

	if (next == '(') {
		s->pos++;
		skim_push(s, ')', true);
	} else if (next == '{') {
		braced(s);
	} else if (next == '\'' && !s->blind && !s->frames[s->depth].quoted) {
		ansi_string(s);
	} else if (len > 0) {
		put_value(s, value_of(s, s->text + s->pos + 1, len));
		s->pos += len;
	} else if (next == '@' || next == '*' || (next >= '1' && next <= '9')) {
		s->pos++; /* a line given with -c has no arguments */
	} else if (next != '\0' && strchr("?$!#-0", next)) {
		skim_add(s, SHELL_UNKNOWN);
		s->pos++;
	} else if (next != '\'' && next != '"') {
		skim_add(s, '$');
	}
}
