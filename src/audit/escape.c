/* SPDX-License-Identifier: MIT */
#include "audit/escape.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define REPLACEMENT 0xfffdU
#define ESCAPED_MAX 6 /* \uXXXX; UTF-8 itself has at most 4 bytes */

size_t escape_decode(const char *text, uint32_t *ret)
{
	const unsigned char *s = (const unsigned char *)text;
	static const struct {
		uint8_t mask, lead, more;
		uint32_t min;
	} forms[] = {
		{ 0x80, 0x00, 0, 0 },
		{ 0xe0, 0xc0, 1, 0x80 },
		{ 0xf0, 0xe0, 2, 0x800 },
		{ 0xf8, 0xf0, 3, 0x10000 },
	};

	*ret = REPLACEMENT;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		uint32_t c = s[0] & (uint8_t)~forms[i].mask;

		if ((s[0] & forms[i].mask) != forms[i].lead)
			continue;
		for (size_t k = 1; k <= forms[i].more; k++) {
			if ((s[k] & 0xc0) != 0x80) /* also the terminating NUL */
				return 1;
			c = c << 6 | (s[k] & 0x3f);
		}
		if (c < forms[i].min || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
			return 1;
		*ret = c;
		return 1U + forms[i].more;
	}
	return 1;
}

bool escape_wants(uint32_t c)
{
	static const uint32_t ranges[][2] = {
		{ 0x00, 0x1f },     { 0x7f, 0x9f },     { 0xad, 0xad },     { 0x61c, 0x61c },
		{ 0x200b, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0xfeff, 0xfeff },
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (c >= ranges[i][0] && c <= ranges[i][1])
			return true;
	return false;
}

static size_t escape_one(char out[ESCAPED_MAX + 1], const char *text, size_t *consumed)
{
	static const char plain[] = "\"\\\n\r\t";
	static const char letter[] = "\"\\nrt";
	static const char replacement[3] = { '\xef', '\xbf', '\xbd' };
	const char *special = strchr(plain, *text);
	uint32_t c;

	*consumed = 1;
	if (special) {
		out[0] = '\\';
		out[1] = letter[special - plain];
		return 2;
	}
	*consumed = escape_decode(text, &c);
	if (escape_wants(c))
		return (size_t)snprintf(out, ESCAPED_MAX + 1, "\\u%04x", c & 0xffff);
	if (c == REPLACEMENT) {
		memcpy(out, replacement, sizeof(replacement));
		return sizeof(replacement);
	}
	memcpy(out, text, *consumed);
	return *consumed;
}

size_t escape_json(char *dst, size_t room, const char *text, bool *ret_cut)
{
	static const char mark[ESCAPE_CUT_LEN] = { '\xe2', '\x80', '\xa6' };
	size_t used = 0;
	size_t safe = 0; /* the last place between characters where the mark still fits */

	assert(room >= ESCAPE_CUT_LEN);
	while (*text) {
		char one[ESCAPED_MAX + 1];
		size_t consumed;
		size_t n = escape_one(one, text, &consumed);

		if (n > room - used) {
			memcpy(dst + safe, mark, sizeof(mark));
			*ret_cut = true;
			return safe + ESCAPE_CUT_LEN;
		}
		memcpy(dst + used, one, n);
		used += n;
		text += consumed;
		if (room - used >= ESCAPE_CUT_LEN)
			safe = used;
	}
	return used;
}
