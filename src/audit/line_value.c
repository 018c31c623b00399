/* SPDX-License-Identifier: MIT */
/* The members of a line that was scanned. */
#include <string.h>

#include "audit/escape.h"
#include "audit/line.h"
#include "audit/line_walk.h"

#define NUMBER_MAX 17 /* digits that surely fit an int64_t, with a sign */

const struct line_value *line_find(const struct pinfold_log_line *l, const char *key)
{
	size_t len = strlen(key);

	for (unsigned i = 0; i < l->n; i++)
		if (l->member[i].key_len == len && memcmp(l->member[i].key, key, len) == 0)
			return &l->member[i].value;
	return NULL;
}

static uint32_t hex4(const char *at)
{
	uint32_t c = 0;

	for (int i = 0; i < 4; i++) {
		char d = at[i];

		c = c << 4 | (uint32_t)(d <= '9' ? d - '0' : (d | 0x20) - 'a' + 10);
	}
	return c;
}

static size_t encode(uint32_t c, char ret[4])
{
	if (c < 0x80) {
		ret[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		ret[0] = (char)(0xc0 | c >> 6);
		ret[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		ret[0] = (char)(0xe0 | c >> 12);
		ret[1] = (char)(0x80 | (c >> 6 & 0x3f));
		ret[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	ret[0] = (char)(0xf0 | c >> 18);
	ret[1] = (char)(0x80 | (c >> 12 & 0x3f));
	ret[2] = (char)(0x80 | (c >> 6 & 0x3f));
	ret[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

/* A \u escape at at, of which left bytes belong to the string; returns the bytes consumed. */
static size_t decode_unicode(const char *at, size_t left, uint32_t *ret)
{
	uint32_t c = hex4(at + 2);

	*ret = c;
	if (c >= 0xd800 && c < 0xdc00 && left >= 12 && at[6] == '\\' && at[7] == 'u') {
		uint32_t low = hex4(at + 8);

		if (low >= 0xdc00 && low < 0xe000) {
			*ret = 0x10000 + ((c & 0x3ff) << 10) + (low & 0x3ff);
			return 12;
		}
	}
	if (c == 0 || (c >= 0xd800 && c < 0xe000))
		*ret = 0xfffd;
	return 6;
}

/* One character of a checked string, as UTF-8 in out[0, *ret_n).  Returns the bytes consumed. */
static size_t decode_one(const char *at, size_t left, char out[4], size_t *ret_n)
{
	static const char LETTERS[] = "\"\\/bfnrt";
	static const char MEANS[] = "\"\\/\b\f\n\r\t";
	uint32_t c;
	size_t used;

	if (*at != '\\') {
		used = escape_decode(at, &c);
		memcpy(out, at, used);
		*ret_n = used;
		return used;
	}
	if (at[1] == 'u') {
		used = decode_unicode(at, left, &c);
		*ret_n = encode(c, out);
		return used;
	}
	out[0] = MEANS[strchr(LETTERS, at[1]) - LETTERS];
	*ret_n = 1;
	return 2;
}

static void decode_value(const struct line_value *v, char *ret, size_t size)
{
	size_t used = 0;
	size_t i = 0;

	while (i < v->len && used + 1 < size) {
		char one[4];
		size_t n;
		size_t consumed;

		if ((unsigned char)v->at[i] < 0x80 && v->at[i] != '\\') {
			ret[used++] = v->at[i++];
			continue;
		}
		consumed = decode_one(v->at + i, v->len - i, one, &n);
		if (used + n >= size)
			break;
		memcpy(ret + used, one, n);
		used += n;
		i += consumed;
	}
	ret[used] = '\0';
}

bool line_text(const struct pinfold_log_line *l, const char *key, char *ret, size_t size)
{
	const struct line_value *v = line_find(l, key);

	ret[0] = '\0';
	if (!v || (v->type != LINE_STRING && v->type != LINE_NUMBER))
		return false;
	if (v->escaped || v->len >= size) {
		decode_value(v, ret, size);
		return true;
	}
	memcpy(ret, v->at, v->len);
	ret[v->len] = '\0';
	return true;
}

int64_t line_number(const struct pinfold_log_line *l, const char *key, int64_t fallback)
{
	const struct line_value *v = line_find(l, key);
	int64_t n = 0;
	size_t i = 0;

	if (!v || v->type != LINE_NUMBER || v->len > NUMBER_MAX)
		return fallback;
	if (v->at[0] == '-')
		i++;
	for (; i < v->len; i++) {
		if (v->at[i] < '0' || v->at[i] > '9')
			return fallback;
		n = n * 10 + (v->at[i] - '0');
	}
	return v->at[0] == '-' ? -n : n;
}

bool line_text_is(const struct pinfold_log_line *l, const char *key, const char *want)
{
	const struct line_value *v = line_find(l, key);
	size_t len = strlen(want);

	return v && v->type == LINE_STRING && !v->escaped && v->len == len &&
	       memcmp(v->at, want, len) == 0;
}

bool line_list_next(const struct line_value *list, size_t *at, char *ret, size_t size)
{
	struct walk w = { .at = list->at + (*at ? *at : 1) };
	const char *end = list->at + list->len;

	while (w.at < end) {
		struct line_value v;

		while (*w.at == ' ' || *w.at == ',')
			w.at++;
		if (*w.at == ']' || !line_walk_value(&w, &v))
			return false;
		*at = (size_t)(w.at - list->at);
		if (v.type != LINE_STRING)
			continue;
		decode_value(&v, ret, size);
		return true;
	}
	return false;
}

void line_clean(char *text)
{
	char *to;

	while (*text >= ' ' && *text < 0x7f) /* nearly always all there is */
		text++;
	to = text;
	while (*text) {
		uint32_t c;
		size_t n = escape_decode(text, &c);

		if (escape_wants(c) || (n == 1 && c == 0xfffd)) {
			*to++ = '?';
		} else {
			memmove(to, text, n);
			to += n;
		}
		text += n;
	}
	*to = '\0';
}

uint64_t line_weight(const struct pinfold_log_line *l)
{
	int64_t n = line_number(l, "suppressed", line_number(l, "count", 1));

	return n > 0 ? (uint64_t)n : 1;
}
