/* SPDX-License-Identifier: MIT */
/* One word of a shell line, with its quotes and backslashes removed. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agents/shell.h"
#include "agents/shell_inner.h"
#include "base/clean.h"

int shell_text_add(struct shell_text *t, char c)
{
	if (!t->bytes || t->len + 2 > t->size) {
		const size_t size = t->size ? 2 * t->size : 32;
		char *bytes = realloc(t->bytes, size);

		if (!bytes)
			return -ENOMEM;
		t->bytes = bytes;
		t->size = size;
	}
	t->bytes[t->len++] = c;
	t->bytes[t->len] = '\0';
	return 0;
}

int shell_text_put(struct shell_text *t, const char *bytes, size_t len)
{
	int r = 0;

	for (size_t i = 0; i < len && r == 0; i++)
		r = shell_text_add(t, bytes[i]);
	return r;
}

int shell_list_add(char ***list, size_t *n, char *s)
{
	auto_free char *owned = s;
	char **grown;

	/* A power of two is full: the list grows to the next one. */
	if (owned && (*n & (*n + 1)) == 0) {
		grown = realloc(*list, 2 * (*n + 1) * sizeof(**list));
		if (!grown)
			return -ENOMEM;
		*list = grown;
	}
	if (!owned)
		return -ENOMEM;
	(*list)[(*n)++] = take_ptr(owned);
	(*list)[*n] = NULL;
	return 0;
}

bool shell_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

bool shell_ends_word(char c)
{
	return c == '\0' || strchr(" \t\n;&|<>()", c) != NULL;
}

size_t shell_name_length(const char *text)
{
	size_t n = 0;

	if (isdigit((unsigned char)text[0]))
		return 0;
	while (isalnum((unsigned char)text[n]) || text[n] == '_')
		n++;
	return n;
}

void shell_doubt(struct shell_reader *r, const char *what)
{
	if (r->doubt)
		return;
	r->doubt = what;
	r->doubt_at = r->pos;
}

static void add(struct shell_reader *r, struct shell_word *w, char c)
{
	if (shell_text_add(&w->text, c) < 0)
		r->error = -ENOMEM;
}

/* "$" at pos.  It stands for itself only where nothing follows that it could apply to. */
static void dollar(struct shell_reader *r, struct shell_word *w, bool in_quotes)
{
	const char next = r->text[r->pos + 1];

	if (next == '(')
		shell_doubt(r, "a command substitution or arithmetic");
	else if (!in_quotes && next == '\'')
		shell_doubt(r, "a $'...' string");
	else if (!in_quotes && next == '"')
		shell_doubt(r, "a $\"...\" string");
	else if (next == '\0' || next == '\n' || shell_is_blank(next) || next == '"')
		add(r, w, '$');
	else
		shell_doubt(r, "a variable");
	r->pos++;
}

/* "!" at pos.  An interactive shell would look into its history. */
static void bang(struct shell_reader *r, struct shell_word *w)
{
	const char next = r->text[r->pos + 1];

	if (next != '\0' && next != '\n' && next != '=' && next != '"' && !shell_is_blank(next))
		shell_doubt(r, "a history expansion");
	add(r, w, '!');
	r->pos++;
}

static void backslash(struct shell_reader *r, struct shell_word *w)
{
	const char next = r->text[r->pos + 1];

	w->quoted = true;
	if (next == '\0')
		shell_doubt(r, "a backslash at its end");
	else if (next == '\n')
		shell_doubt(r, "a word that goes on in the next line");
	else
		add(r, w, next);
	r->pos += next ? 2 : 1;
}

static void single_quotes(struct shell_reader *r, struct shell_word *w)
{
	const char *end = strchr(r->text + r->pos + 1, '\'');

	w->quoted = true;
	if (!end) {
		shell_doubt(r, "a quote that is not closed");
		return;
	}
	for (r->pos++; r->text + r->pos < end; r->pos++)
		add(r, w, r->text[r->pos]);
	r->pos++;
}

static void backslash_in_quotes(struct shell_reader *r, struct shell_word *w)
{
	const char next = r->text[r->pos + 1];

	if (next == '\n') {
		shell_doubt(r, "a word that goes on in the next line");
		return;
	}
	if (next != '\0' && strchr("$`\"\\", next)) {
		add(r, w, next);
		r->pos += 2;
		return;
	}
	add(r, w, '\\');
	r->pos++;
}

static void double_quotes(struct shell_reader *r, struct shell_word *w)
{
	w->quoted = true;
	for (r->pos++; !r->doubt && !r->error && r->text[r->pos] != '"';) {
		const char c = r->text[r->pos];

		if (c == '\0') {
			shell_doubt(r, "a quote that is not closed");
		} else if (c == '\\') {
			backslash_in_quotes(r, w);
		} else if (c == '$') {
			dollar(r, w, true);
		} else if (c == '!') {
			bang(r, w);
		} else if (c == '`') {
			shell_doubt(r, "a command substitution");
		} else {
			add(r, w, c);
			r->pos++;
		}
	}
	r->pos++;
}

/* "[" alone is a command's name; anywhere else it begins a pattern, or a bash array's index. */
static void bracket(struct shell_reader *r, struct shell_word *w)
{
	if (w->quoted || w->text.len > 0 || !shell_ends_word(r->text[r->pos + 1]))
		shell_doubt(r, "a pattern for file names");
	add(r, w, '[');
	r->pos++;
}

/* A "~" is itself only behind something that it can't be the start of a path for. */
static void tilde(struct shell_reader *r, struct shell_word *w)
{
	const char before = (char)(w->text.len > 0 ? w->text.bytes[w->text.len - 1] : '\0');

	if (before == '\0' || before == '=' || before == ':')
		shell_doubt(r, "a home directory written as ~");
	add(r, w, '~');
	r->pos++;
}

static void plain(struct shell_reader *r, struct shell_word *w)
{
	const char c = r->text[r->pos];

	add(r, w, c);
	r->pos++;
	if (c == '=' && !w->quoted && w->assign == 0)
		w->assign = w->text.len - 1;
	if (c == '{' && w->brace == 0)
		w->brace = w->text.len;
}

static void read_piece(struct shell_reader *r, struct shell_word *w)
{
	switch (r->text[r->pos]) {
	case '\\':
		return backslash(r, w);
	case '\'':
		return single_quotes(r, w);
	case '"':
		return double_quotes(r, w);
	case '$':
		return dollar(r, w, false);
	case '!':
		return bang(r, w);
	case '[':
		return bracket(r, w);
	case '~':
		return tilde(r, w);
	case '`':
		return shell_doubt(r, "a command substitution");
	case '*':
	case '?':
		return shell_doubt(r, "a pattern for file names");
	default:
		return plain(r, w);
	}
}

/* bash makes several words of {a,b} and {1..3}; "{}" and "@{1}" are left alone by everyone. */
static bool braces_expand(const struct shell_word *w)
{
	const char *inside = w->text.bytes + w->brace;

	return w->brace > 0 && (strchr(inside, ',') || strstr(inside, ".."));
}

void shell_read_word(struct shell_reader *r, struct shell_word *ret)
{
	while (!r->doubt && !r->error && !shell_ends_word(r->text[r->pos]))
		read_piece(r, ret);
	if (r->doubt || r->error)
		return;
	/* An empty word ("") has no bytes yet. */
	if (!ret->text.bytes) {
		add(r, ret, '\0');
		ret->text.len = 0;
		if (r->error)
			return;
	}
	if (braces_expand(ret))
		shell_doubt(r, "braces that become several words");
}
