/* SPDX-License-Identifier: MIT */
#include "base/name.h"

#include <errno.h>
#include <string.h>

static int canonical_byte(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A' + 'a';
	if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_')
		return c;
	return -1;
}

int name_canonical(const char *text, char ret[static NAME_BUF])
{
	size_t len = strlen(text);
	size_t label = 0;

	if (len > 0 && text[len - 1] == '.')
		len--;
	if (len == 0 || len > NAME_MAX_LEN)
		return -EINVAL;
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '.') {
			if (label == 0)
				return -EINVAL;
			label = 0;
			ret[i] = '.';
			continue;
		}
		int c = canonical_byte(text[i]);

		if (c < 0 || ++label > NAME_LABEL_MAX)
			return -EINVAL;
		ret[i] = (char)c;
	}
	if (label == 0)
		return -EINVAL;
	ret[len] = '\0';
	return 0;
}

bool name_is_below(const char *name, const char *parent)
{
	size_t n = strlen(name);
	size_t p = strlen(parent);

	return n > p + 1 && name[n - p - 1] == '.' && memcmp(name + n - p, parent, p) == 0;
}
