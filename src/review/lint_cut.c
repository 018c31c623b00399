/* SPDX-License-Identifier: MIT */
/* Takes values out of a policy's text, and leaves all else as it is written. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clean.h"
#include "base/json5.h"
#include "pinfold.h"
#include "review/lint.h"

/* The text while pieces go. */
struct cutter {
	char *text;
	size_t len;
};

/* Where a value's element begins (its key, in an object) and ends; and what stands before it. */
struct extent {
	size_t start;
	size_t end;
	size_t before; /* end of the element before it; 0: it is the first */
};

static size_t skip_string(const struct cutter *c, size_t at)
{
	const char quote = c->text[at++];

	while (at < c->len && c->text[at] != quote)
		at += c->text[at] == '\\' ? 2 : 1;
	return at + 1;
}

static bool starts(const struct cutter *c, size_t at, const char *word)
{
	size_t n = strlen(word);

	return c->len - at >= n && memcmp(c->text + at, word, n) == 0;
}

/* White space and comments. */
static size_t skip_space(const struct cutter *c, size_t at)
{
	while (at < c->len) {
		if (strchr(" \t\r\n", c->text[at])) {
			at++;
		} else if (starts(c, at, "//")) {
			while (at < c->len && c->text[at] != '\n')
				at++;
		} else if (starts(c, at, "/*")) {
			at += 2;
			while (at < c->len && !starts(c, at, "*/"))
				at++;
			at += 2;
		} else {
			break;
		}
	}
	return at;
}

/* Behind a value, or a bare key: up to what can follow either. */
static size_t skip_value(const struct cutter *c, size_t at)
{
	size_t depth = 0;

	while (at < c->len) {
		const char byte = c->text[at];
		size_t behind = skip_space(c, at);

		if (behind > at) {
			if (depth == 0)
				return at;
			at = behind;
			continue;
		}
		if (byte == '"' || byte == '\'') {
			at = skip_string(c, at);
		} else if (byte == '{' || byte == '[') {
			depth++;
			at++;
		} else if (byte == '}' || byte == ']') {
			if (depth == 0)
				return at;
			depth--;
			at++;
		} else if (depth == 0 && (byte == ',' || byte == ':')) {
			return at;
		} else {
			at++;
			continue;
		}
		if (depth == 0)
			return at;
	}
	return at;
}

static size_t offset_of(const struct cutter *c, const struct json5 *v)
{
	unsigned line = 1;
	size_t at = 0;

	while (line < v->line && at < c->len)
		line += c->text[at++] == '\n';
	return at + v->column - 1;
}

/* Walks the elements of v's parent, whose text up to v is as it was parsed. */
static int find_extent(const struct cutter *c, const struct json5 *v, struct extent *ret)
{
	size_t at = offset_of(c, v->parent) + 1;
	struct extent x = { 0 };

	for (unsigned i = 0; at < c->len; i++) {
		x.start = skip_space(c, at);
		x.end = skip_value(c, x.start);
		if (v->parent->type == JSON5_OBJECT) {
			at = skip_space(c, x.end) + 1; /* behind the colon */
			x.end = skip_value(c, skip_space(c, at));
		}
		if (i == v->index) {
			*ret = x;
			return x.end <= c->len && x.end > x.start ? 0 : -EPROTO;
		}
		x.before = x.end;
		at = skip_space(c, x.end);
		if (at >= c->len || c->text[at] != ',')
			return -EPROTO;
		at++;
	}
	return -EPROTO;
}

static void take_out(struct cutter *c, size_t from, size_t to)
{
	memmove(c->text + from, c->text + to, c->len - to + 1);
	c->len -= to - from;
}

static bool is_blank(char byte)
{
	return byte == ' ' || byte == '\t';
}

/* A line that held the element alone goes with the comment behind it; within a line, so do the
 * blanks that are left twice. */
static void tidy_line(struct cutter *c, size_t at)
{
	size_t from = at;
	size_t to = at;

	while (from > 0 && is_blank(c->text[from - 1]))
		from--;
	while (is_blank(c->text[to]))
		to++;
	if (from > 0 && c->text[from - 1] != '\n') {
		if (strchr("\r\n]}", c->text[to]))
			take_out(c, from, to);
		else if (at > from || strchr("[{", c->text[at - 1]))
			take_out(c, at, to);
		return;
	}
	if (starts(c, to, "//"))
		to += strcspn(c->text + to, "\n");
	else if (to < c->len && c->text[to] != '\n' && c->text[to] != '\r')
		return;
	to += c->text[to] == '\r';
	to += c->text[to] == '\n';
	take_out(c, from, to);
}

static int cut(struct cutter *c, const struct json5 *v)
{
	struct extent x = { 0 };
	int r = find_extent(c, v, &x);
	size_t comma;

	if (r < 0)
		return r;
	comma = skip_space(c, x.end);
	if (comma < c->len && c->text[comma] == ',') {
		take_out(c, comma, comma + 1);
	} else if (x.before) { /* it was the last: the one before ends the list now */
		comma = skip_space(c, x.before);
		take_out(c, comma, comma + 1);
		x.start--;
		x.end--;
	}
	take_out(c, x.start, x.end);
	tidy_line(c, x.start);
	return 0;
}

/* ---- which -------------------------------------------------------------------------------- */

/* The element that "[3]" at *path stands for, or NULL; *path ends behind it. */
static const struct json5 *find_element(const struct json5 *list, const char **path)
{
	char *end;
	unsigned long index = strtoul(*path + 1, &end, 10);
	const struct json5 *v = *end == ']' ? list->child : NULL;

	*path = end + (*end == ']');
	while (v && v->index != index)
		v = v->next;
	return v;
}

/* The value at "a.b[3]"; NULL: there is none. */
static const struct json5 *find(const struct json5 *root, const char *path)
{
	const struct json5 *v = root;

	while (v && *path) {
		size_t n = strcspn(path, ".[");
		char key[64];

		if (*path == '[') {
			v = find_element(v, &path);
		} else if (n < sizeof(key)) {
			memcpy(key, path, n);
			key[n] = '\0';
			v = json5_member(v, key);
			path += n;
		} else {
			return NULL;
		}
		path += *path == '.';
	}
	return v == root ? NULL : v;
}

static int from_the_end(const void *a, const void *b)
{
	const struct json5 *x = *(const struct json5 *const *)a;
	const struct json5 *y = *(const struct json5 *const *)b;

	if (x->line != y->line)
		return x->line < y->line ? 1 : -1;
	return (x->column < y->column) - (x->column > y->column);
}

/* From the end on, so that what is found by line and column is where it was. */
static int cut_all(struct cutter *c, const struct json5 *root, const char *const *paths, size_t n)
{
	auto_free const struct json5 **doomed = calloc(n + 1, sizeof(const struct json5 *));
	int r = 0;

	if (!doomed)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		doomed[i] = find(root, paths[i]);
		if (!doomed[i])
			return -ENOENT;
	}
	qsort(doomed, n, sizeof(const struct json5 *), from_the_end);
	for (size_t i = 0; i < n && r == 0; i++)
		if (i == 0 || doomed[i] != doomed[i - 1])
			r = cut(c, doomed[i]);
	return r;
}

int lint_cut_text(const char *text, size_t len, const char *const *paths, size_t n, char **ret)
{
	struct cutter c = { .text = malloc(len + 1), .len = len };
	auto_free char *owned = c.text;
	struct pinfold_error e;
	struct json5 *root = NULL;
	int r;

	if (!owned)
		return -ENOMEM;
	memcpy(c.text, text, len);
	c.text[len] = '\0';
	r = json5_parse(text, len, "policy", &root, &e);
	if (r == 0)
		r = cut_all(&c, root, paths, n);
	json5_free(root);
	if (r == 0)
		*ret = take_ptr(owned);
	return r;
}
