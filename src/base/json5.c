/* SPDX-License-Identifier: MIT */
/* One pass checks the bytes, a second one builds the tree.  Nesting lives in parent pointers, so
 * nothing here recurses, whatever the input. */
#include "base/json5.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clean.h"
#include "base/err.h"
#include "base/json5_scan.h"

static int read_word(struct scan *s, struct json5 *v)
{
	static const struct {
		const char *word;
		enum json5_type type;
	} words[] = { { "true", JSON5_TRUE }, { "false", JSON5_FALSE }, { "null", JSON5_NULL } };
	const char *start = s->at;

	while (json5_is_word_byte(s))
		s->at++;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strlen(words[i].word) != (size_t)(s->at - start) ||
		    memcmp(start, words[i].word, (size_t)(s->at - start)) != 0)
			continue;
		v->type = words[i].type;
		return 0;
	}
	s->at = start;
	return json5_fail(s, "a value was expected (a string stands in quotes)");
}

static int read_key(struct scan *s, char **ret)
{
	const char *start = s->at;

	if (*s->at == '"' || *s->at == '\'')
		return json5_read_string(s, ret);
	if (json5_is_digit(s) || !json5_is_word_byte(s))
		return json5_fail(s, "a member's name or '}' was expected");
	while (json5_is_word_byte(s))
		s->at++;
	*ret = strndup(start, (size_t)(s->at - start));
	return *ret ? 0 : -ENOMEM;
}

static int order_by_key(const void *a, const void *b)
{
	const struct json5 *const *x = a;
	const struct json5 *const *y = b;
	int c = strcmp((*x)->key, (*y)->key);

	return c ? c : ((*x)->index > (*y)->index) - ((*x)->index < (*y)->index);
}

/* Sorting keeps an object of many members from costing their square. */
static int check_duplicates(const struct scan *s, const struct json5 *object)
{
	size_t n = s->last ? (size_t)s->last->index + 1 : 0;
	size_t i = 0;
	char what[96];

	if (n < 2)
		return 0;
	auto_free const struct json5 **sorted = calloc(n, sizeof(const struct json5 *));

	if (!sorted)
		return -ENOMEM;
	for (const struct json5 *m = object->child; m; m = m->next)
		sorted[i++] = m;
	qsort(sorted, n, sizeof(const struct json5 *), order_by_key);
	for (i = 1; i < n; i++) {
		if (strcmp(sorted[i - 1]->key, sorted[i]->key) != 0)
			continue;
		snprintf(what, sizeof(what), "'%.40s' stands twice (first on line %u)",
			 sorted[i]->key, sorted[i - 1]->line);
		return json5_fail_at(s, sorted[i]->line, sorted[i]->column, what);
	}
	return 0;
}

/* Hangs a new value, of which key is taken over, below the open container. */
static struct json5 *append(struct scan *s, char *key)
{
	struct json5 *v = calloc(1, sizeof(*v));

	if (!v)
		return NULL;
	v->line = s->line;
	v->column = json5_column(s);
	v->key = key;
	v->parent = s->top;
	if (s->last) {
		v->index = s->last->index + 1;
		s->last->next = v;
	} else if (s->top) {
		s->top->child = v;
	}
	s->last = v;
	return v;
}

static int open_container(struct scan *s, struct json5 *v, enum json5_type type)
{
	v->type = type;
	if (++s->depth > JSON5_NESTING_MAX)
		return json5_fail(s, "nested deeper than 32 levels");
	s->at++;
	s->top = v;
	s->last = NULL;
	return 0;
}

static int close_container(struct scan *s)
{
	struct json5 *done = s->top;
	int rc = done->type == JSON5_OBJECT ? check_duplicates(s, done) : 0;

	s->at++;
	s->depth--;
	s->last = done;
	s->top = done->parent;
	return rc;
}

static int read_value(struct scan *s, char **key, struct json5 **ret_root)
{
	struct json5 *v;

	if (s->at == s->end)
		return json5_fail(s, "a value was expected");
	v = append(s, *key);
	if (!v)
		return -ENOMEM;
	*key = NULL;
	if (!*ret_root)
		*ret_root = v;
	switch (*s->at) {
	case '{':
		return open_container(s, v, JSON5_OBJECT);
	case '[':
		return open_container(s, v, JSON5_ARRAY);
	case '"':
	case '\'':
		v->type = JSON5_STRING;
		return json5_read_string(s, &v->string);
	case '-':
	case '0' ... '9':
		return json5_read_number(s, v);
	default:
		return read_word(s, v);
	}
}

static int read_member_name(struct scan *s, char **key)
{
	int rc = read_key(s, key);

	if (rc == 0)
		rc = json5_skip_blank(s);
	if (rc < 0)
		return rc;
	if (s->at == s->end || *s->at != ':')
		return json5_fail(s, "':' was expected after a member's name");
	s->at++;
	return json5_skip_blank(s);
}

/* After a value: the comma, or what closes the containers around it. */
static int read_separator(struct scan *s)
{
	bool comma = false;
	int rc = json5_skip_blank(s);

	while (rc == 0 && s->top) {
		if (s->at == s->end)
			return json5_fail(s, s->top->type == JSON5_ARRAY ? "']' is missing"
									 : "'}' is missing");
		if (*s->at == (s->top->type == JSON5_ARRAY ? ']' : '}')) {
			rc = close_container(s);
			comma = false;
		} else if (comma || !s->last) {
			return 0;
		} else if (*s->at == ',') {
			s->at++;
			comma = true;
		} else {
			return json5_fail(s, "',' or the end of the list was expected");
		}
		if (rc == 0)
			rc = json5_skip_blank(s);
	}
	return rc;
}

static int read_tree(struct scan *s, struct json5 **ret_root)
{
	int rc;

	do {
		auto_free char *key = NULL;

		rc = 0;
		if (s->top && s->top->type == JSON5_OBJECT)
			rc = read_member_name(s, &key);
		if (rc == 0)
			rc = read_value(s, &key, ret_root);
		if (rc == 0)
			rc = read_separator(s);
	} while (rc == 0 && s->top);
	return rc;
}

int json5_parse(const char *text, size_t len, const char *file, struct json5 **ret,
		struct pinfold_error *e)
{
	struct scan s = { .at = text, .end = text + len, .line = 1, .file = file, .e = e };
	struct json5 *root = NULL;
	int rc;

	s.line_start = text;
	rc = json5_check_bytes(s);
	if (rc < 0)
		return rc;
	if (json5_starts(&s, "\xef\xbb\xbf"))
		s.at += 3;
	rc = json5_skip_blank(&s);
	if (rc == 0)
		rc = read_tree(&s, &root);
	if (rc == 0 && s.at < s.end)
		rc = json5_fail(&s, "something stands after the end");
	if (rc == -ENOMEM)
		err_set(e, rc, "out of memory");
	if (rc < 0) {
		json5_free(root);
		return rc;
	}
	*ret = root;
	return 0;
}

void json5_free(struct json5 *v)
{
	while (v) {
		struct json5 *gone = v;

		if (v->child) {
			v = v->child;
			gone->child = NULL;
			continue;
		}
		v = v->next ? v->next : v->parent;
		free(gone->key);
		free(gone->string);
		free(gone);
	}
}

struct json5 *json5_member(const struct json5 *object, const char *key)
{
	for (struct json5 *m = object->child; m; m = m->next)
		if (m->key && strcmp(m->key, key) == 0)
			return m;
	return NULL;
}

void json5_path(const struct json5 *v, char *ret, size_t size)
{
	const struct json5 *up[JSON5_NESTING_MAX + 1];
	size_t n = 0;
	size_t used = 0;

	if (v && v->origin)
		v = v->origin;
	for (; v && v->parent && n < ARRAY_SIZE(up); v = v->parent)
		up[n++] = v;
	if (n == 0) {
		snprintf(ret, size, "(root)");
		return;
	}
	ret[0] = '\0';
	while (n-- > 0 && used < size) {
		const char *key = up[n]->key;
		int k = key ? snprintf(ret + used, size - used, "%s%.60s", used ? "." : "",
				       *key ? key : "\"\"")
			    : snprintf(ret + used, size - used, "[%u]", up[n]->index);

		used += k > 0 ? (size_t)k : 0;
	}
}
