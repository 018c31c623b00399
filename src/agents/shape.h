/* SPDX-License-Identifier: MIT */
/* What values of a configuration have to look like, from tables. */
#ifndef PINFOLD_AGENTS_SHAPE_H
#define PINFOLD_AGENTS_SHAPE_H

struct json5;
struct pinfold_error;

/* One member of an object.  A table ends with a NULL name. */
struct shape {
	const char *name;
	int (*check)(const struct json5 *v, const struct shape *s, struct pinfold_error *e);
	const char *const *words; /* shape_word: what it may be; NULL-terminated */
	unsigned low;             /* shape_count: the lowest value */
};

/* Each -EINVAL with file, line, column and JSON path. */
int shape_any(const struct json5 *v, const struct shape *s, struct pinfold_error *e);
int shape_object(const struct json5 *v, const struct shape *s, struct pinfold_error *e);
int shape_bool(const struct json5 *v, const struct shape *s, struct pinfold_error *e);
int shape_text(const struct json5 *v, const struct shape *s, struct pinfold_error *e);
int shape_texts(const struct json5 *v, const struct shape *s, struct pinfold_error *e);
int shape_text_or_texts(const struct json5 *v, const struct shape *s, struct pinfold_error *e);
int shape_word(const struct json5 *v, const struct shape *s, struct pinfold_error *e);
int shape_count(const struct json5 *v, const struct shape *s, struct pinfold_error *e);
int shape_number(const struct json5 *v, const struct shape *s, struct pinfold_error *e);
int shape_size(const struct json5 *v, const struct shape *s, struct pinfold_error *e);
int shape_text_map(const struct json5 *v, const struct shape *s, struct pinfold_error *e);

/* v is an object, each of its members stands in the table and passes its check. */
int shape_check(const struct json5 *v, const struct shape *table, struct pinfold_error *e);

#endif
