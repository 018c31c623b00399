/* SPDX-License-Identifier: MIT */
#include "session/made.h"

#include <string.h>

#include "audit/record.h"
#include "base/clean.h"
#include "fs/git.h"
#include "policy/read.h"
#include "session/session.h"

#define MADE_MAX 64 /* more are not told */

void made_note(struct session *s, const char *path)
{
	for (size_t i = 0; i < s->made.n; i++)
		if (strcmp(s->made.s[i], path) == 0)
			return;
	if (s->made.n < MADE_MAX)
		(void)list_add(&s->made, path);
}

void made_write(const struct session *s, struct record_line *l)
{
	const char *path[MADE_MAX];
	size_t n = 0;

	for (size_t i = 0; i < s->made.n; i++)
		if (git_is_repository(s->made.s[i]))
			path[n++] = s->made.s[i];
	if (n > 0)
		record_texts(l, "repositories", path, n);
}
