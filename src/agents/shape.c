/* SPDX-License-Identifier: MIT */
#include "agents/shape.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agents/config.h"
#include "base/clean.h"
#include "base/json5.h"

int shape_any(const struct json5 *v, const struct shape *s, struct pinfold_error *e)
{
	(void)v;
	(void)s;
	(void)e;
	return 0;
}

int shape_object(const struct json5 *v, const struct shape *s, struct pinfold_error *e)
{
	(void)s;
	return v->type == JSON5_OBJECT ? 0 : agents_fail(v, e, "an object is wanted");
}

int shape_bool(const struct json5 *v, const struct shape *s, struct pinfold_error *e)
{
	(void)s;
	return v->type == JSON5_TRUE || v->type == JSON5_FALSE
		   ? 0
		   : agents_fail(v, e, "true or false is wanted");
}

int shape_text(const struct json5 *v, const struct shape *s, struct pinfold_error *e)
{
	(void)s;
	if (v->type != JSON5_STRING)
		return agents_fail(v, e, "a string is wanted");
	return v->string[strspn(v->string, " \t")] ? 0 : agents_fail(v, e, "an empty string");
}

int shape_texts(const struct json5 *v, const struct shape *s, struct pinfold_error *e)
{
	int r = v->type == JSON5_ARRAY ? 0 : agents_fail(v, e, "a list is wanted");

	for (const struct json5 *c = v->child; c && r == 0; c = c->next)
		r = shape_text(c, s, e);
	return r;
}

int shape_text_or_texts(const struct json5 *v, const struct shape *s, struct pinfold_error *e)
{
	return v->type == JSON5_ARRAY ? shape_texts(v, s, e) : shape_text(v, s, e);
}

int shape_word(const struct json5 *v, const struct shape *s, struct pinfold_error *e)
{
	char known[128] = "";
	size_t used = 0;

	for (const char *const *w = s->words; *w; w++) {
		int k;

		if (v->type == JSON5_STRING && strcmp(v->string, *w) == 0)
			return 0;
		k = snprintf(known + used, sizeof(known) - used, "%s\"%s\"", used ? ", " : "", *w);
		used += k > 0 && used + (size_t)k < sizeof(known) ? (size_t)k : 0;
	}
	return agents_fail(v, e, "one of %s is wanted", known);
}

int shape_count(const struct json5 *v, const struct shape *s, struct pinfold_error *e)
{
	if (v->type == JSON5_NUMBER && v->number >= s->low && v->number <= 4294967295.0 &&
	    v->number == (double)(unsigned)v->number)
		return 0;
	return agents_fail(v, e, "a whole number from %u on is wanted", s->low);
}

int shape_number(const struct json5 *v, const struct shape *s, struct pinfold_error *e)
{
	(void)s;
	return v->type == JSON5_NUMBER && v->number > 0
		   ? 0
		   : agents_fail(v, e, "a number greater than 0 is wanted");
}

/* "2g", or a number of bytes. */
int shape_size(const struct json5 *v, const struct shape *s, struct pinfold_error *e)
{
	if (v->type == JSON5_STRING)
		return shape_text(v, s, e);
	return v->type == JSON5_NUMBER ? 0 : agents_fail(v, e, "a size such as \"2g\" is wanted");
}

int shape_text_map(const struct json5 *v, const struct shape *s, struct pinfold_error *e)
{
	int r = shape_object(v, s, e);

	for (const struct json5 *c = v->child; c && r == 0; c = c->next)
		if (c->type != JSON5_STRING)
			r = agents_fail(c, e, "a string is wanted");
	return r;
}

int shape_check(const struct json5 *v, const struct shape *table, struct pinfold_error *e)
{
	int r = shape_object(v, NULL, e);

	for (const struct json5 *c = v->child; c && r == 0; c = c->next) {
		const struct shape *s = table;

		while (s->name && strcmp(s->name, c->key) != 0)
			s++;
		r = s->name ? s->check(c, s, e) : agents_fail(c, e, "no such member");
	}
	return r;
}
