/* SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <string.h>

#include "base/mountinfo.h"

#define MOUNT_POINT_FIELD 4

/* mountinfo writes blanks, newlines and backslashes as \ooo. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *at = text; *at; at++) {
		if (at[0] == '\\' && at[1] && at[2] && at[3]) {
			*to++ = (char)((at[1] - '0') * 64 + (at[2] - '0') * 8 + (at[3] - '0'));
			at += 3;
		} else {
			*to++ = *at;
		}
	}
	*to = '\0';
}

char *mountinfo_point(char *line)
{
	char *at = line;

	for (int i = 0; at && i < MOUNT_POINT_FIELD; i++) {
		at = strchr(at, ' ');
		if (at)
			at++;
	}
	if (!at)
		return NULL;
	at[strcspn(at, " ")] = '\0';
	unescape(at);
	return at;
}
