/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agents/config.h"
#include "agents/config_include.h"
#include "base/clean.h"
#include "base/err.h"
#include "base/json5_scan.h"
#include "base/json5_tree.h"
#include "policy/read.h"

#define VALUE_NAME_MAX 128
#define RESULT_MAX 65536 /* bytes of one string afterwards */

static const char UPPER[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
static const char UPPER_DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

/* Whether at is "${NAME}"; copies the name and yields the length of the whole. */
static size_t match(const char *at, char ret[static VALUE_NAME_MAX])
{
	size_t n;

	if (at[0] != '$' || at[1] != '{' || !at[2] || !strchr(UPPER, at[2]))
		return 0;
	n = strspn(at + 2, UPPER_DIGITS);
	if (at[2 + n] != '}' || n >= VALUE_NAME_MAX)
		return 0;
	memcpy(ret, at + 2, n);
	ret[n] = '\0';
	return n + 3;
}

static int warn_missing(struct agents_config *c, const struct json5 *v, const char *name)
{
	char origin[PINFOLD_ERROR_MAX];
	auto_free char *text = NULL;

	agents_origin(v, origin, sizeof(origin));
	if (asprintf(&text, "%s: the variable ${%s} is not set; its name stays as written", origin,
		     name) < 0) {
		text = NULL;
		return -ENOMEM;
	}
	return list_add(&c->warnings, text);
}

/* What a value of the environment may hold is what the text itself may. */
static bool is_plain(const char *value)
{
	const struct scan s = {
		.at = value, .end = value + strlen(value), .line_start = value, .file = ""
	};

	for (const unsigned char *b = (const unsigned char *)value; *b; b++)
		if (*b < 0x20 || *b == 0x7f)
			return false;
	return json5_check_bytes(s) == 0;
}

static int put_values(struct agents_config *c, struct json5 *v, FILE *out, struct pinfold_error *e)
{
	const char *at = v->string;

	while (*at) {
		char name[VALUE_NAME_MAX];
		bool is_literal = at[0] == '$' && at[1] == '$';
		size_t n = match(at + is_literal, name);
		const char *value = n && !is_literal ? getenv(name) : NULL;

		if (value && !is_plain(value))
			return agents_fail(v, e, "the value of ${%.40s} holds control characters",
					   name);
		if (value)
			fputs(value, out);
		else if (n && !is_literal && warn_missing(c, v, name) < 0)
			return err_set(e, -ENOMEM, "out of memory");
		if (!value && n)
			fprintf(out, "${%s}", name);
		if (!n)
			fputc(*at, out);
		at += n ? n + is_literal : 1;
		if (ftell(out) > RESULT_MAX)
			return agents_fail(v, e, "more than %d bytes with its values", RESULT_MAX);
	}
	return 0;
}

static int substitute_one(struct agents_config *c, struct json5 *v, struct pinfold_error *e)
{
	auto_free char *text = NULL;
	size_t len;
	FILE *out;
	int r;

	if (v->type != JSON5_STRING || !strstr(v->string, "${"))
		return 0;
	out = open_memstream(&text, &len);
	if (!out)
		return err_set(e, -ENOMEM, "out of memory");
	r = put_values(c, v, out, e);
	if (fclose(out) != 0 && r == 0)
		r = err_set(e, -ENOMEM, "out of memory");
	if (r < 0)
		return r;
	free(v->string);
	v->string = take_ptr(text);
	return 0;
}

/* Secrets stand in other parts of the file; those are none of our business. */
int config_substitute(struct agents_config *c, struct pinfold_error *e)
{
	static const char *const PARTS[] = { "agents",         "tools",   "security", "sandbox",
					     "exec-approvals", "plugins", "session" };
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(PARTS) && r == 0; i++) {
		struct json5 *part = json5_member(c->root, PARTS[i]);

		for (struct json5 *v = part; v && r == 0; v = json5_after(part, v))
			r = substitute_one(c, v, e);
	}
	return r;
}
