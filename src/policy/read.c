/* SPDX-License-Identifier: MIT */
#include "policy/read.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clean.h"
#include "base/err.h"
#include "policy/schema.h"

#define FILE_NAME_MAX 90 /* bytes of the file's name in a message: the words need the rest */
#define PATH_TEXT_MAX 64

static int fail_words(const struct reader *r, const struct json5 *v, int code, const char *words)
{
	const char *file = v->file ? v->file : r->file;
	size_t len = strlen(file);
	char path[PATH_TEXT_MAX];

	json5_path(v, path, sizeof(path));
	return err_set(r->e, code, "%s:%u:%u: %s: %s",
		       file + (len > FILE_NAME_MAX ? len - FILE_NAME_MAX : 0), v->line, v->column,
		       path, words);
}

int read_fail(const struct reader *r, const struct json5 *v, const char *format, ...)
{
	char words[PINFOLD_ERROR_MAX];
	va_list ap;

	va_start(ap, format);
	vsnprintf(words, sizeof(words), format, ap);
	va_end(ap);
	return fail_words(r, v, -EINVAL, words);
}

int read_fail_why(const struct reader *r, const struct json5 *v, int code,
		  const struct pinfold_error *why)
{
	if (code == -ENOMEM)
		return err_set(r->e, code, "out of memory");
	return fail_words(r, v, code, why->text);
}

int read_string(const struct reader *r, const struct json5 *v, const char **ret)
{
	if (v->type != JSON5_STRING)
		return read_fail(r, v, "a string is wanted");
	if (v->string[0] == '\0')
		return read_fail(r, v, "an empty string");
	*ret = v->string;
	return 0;
}

int read_number(const struct reader *r, const struct json5 *v, uint64_t low, uint64_t high,
		uint64_t *ret)
{
	if (v->type == JSON5_NUMBER && v->number >= (double)low && v->number <= (double)high &&
	    v->number == (double)(uint64_t)v->number) {
		*ret = (uint64_t)v->number;
		return 0;
	}
	if (low == high)
		return read_fail(r, v, "only the number %llu is known", (unsigned long long)low);
	return read_fail(r, v, "a whole number from %llu to %llu is wanted",
			 (unsigned long long)low, (unsigned long long)high);
}

int read_word(const struct reader *r, const struct json5 *v, const struct word *words, int *ret)
{
	char known[128] = "";
	size_t used = 0;

	for (const struct word *w = words; w->text; w++) {
		int k;

		if (v->type == JSON5_STRING && strcmp(v->string, w->text) == 0) {
			*ret = w->value;
			return 0;
		}
		k = snprintf(known + used, sizeof(known) - used, "%s\"%s\"", used ? ", " : "",
			     w->text);
		used += k > 0 && used + (size_t)k < sizeof(known) ? (size_t)k : 0;
	}
	return read_fail(r, v, "one of %s is wanted", known);
}

int read_list(struct reader *r, const struct json5 *v)
{
	if (v->type != JSON5_ARRAY && v->type != JSON5_OBJECT)
		return read_fail(r, v, "a list is wanted");
	for (const struct json5 *c = v->child; c; c = c->next)
		if (++r->entries > POLICY_ENTRIES_MAX)
			return read_fail(r, c, "more than %d entries over all lists",
					 POLICY_ENTRIES_MAX);
	return 0;
}

char *read_origin(const struct reader *r, const struct json5 *v)
{
	char path[PATH_TEXT_MAX];
	char *text;

	json5_path(v, path, sizeof(path));
	return asprintf(&text, "%s:%u (%s)", v->file ? v->file : r->file, v->line, path) < 0 ? NULL
											     : text;
}

void *grow(void *array, size_t n, size_t size)
{
	char *at;
	char *bigger;
	size_t bytes;

	memcpy(&at, array, sizeof(at));
	/* Room doubles: at n = 0, 1, 2, 4, 8, ... */
	if ((n & (n - 1)) == 0) {
		if (__builtin_mul_overflow(n ? 2 * n : 1, size, &bytes))
			return NULL;
		bigger = realloc(at, bytes);
		if (!bigger)
			return NULL;
		at = bigger;
		memcpy(array, &at, sizeof(at));
	}
	return memset(at + n * size, 0, size);
}

int list_add(struct string_list *l, const char *s)
{
	char **slot = grow(&l->s, l->n, sizeof(*l->s));

	if (!slot)
		return -ENOMEM;
	*slot = strdup(s);
	if (!*slot)
		return -ENOMEM;
	l->n++;
	return 0;
}

void list_done(struct string_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->s[i]);
	free(l->s);
	*l = (struct string_list){ 0 };
}
