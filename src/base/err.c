/* SPDX-License-Identifier: MIT */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Outside strings end up in messages: nothing in them may move the cursor or forge a line. */
static void escape_controls(char *text)
{
	for (unsigned char *c = (unsigned char *)text; *c; c++)
		if (*c < 0x20 || *c == 0x7f)
			*c = '?';
}

void err_write(struct pinfold_error *e, const char *format, ...)
{
	int saved = errno;

	if (e) {
		va_list ap;

		va_start(ap, format);
		vsnprintf(e->text, sizeof(e->text), format, ap);
		va_end(ap);
		escape_controls(e->text);
	}
	errno = saved;
}

void err_prefix(struct pinfold_error *e, const char *format, ...)
{
	int saved = errno;

	if (e) {
		char context[PINFOLD_ERROR_MAX];
		char inner[PINFOLD_ERROR_MAX];
		va_list ap;

		va_start(ap, format);
		vsnprintf(context, sizeof(context), format, ap);
		va_end(ap);
		memcpy(inner, e->text, sizeof(inner));
		/* Truncation is wanted: the message has a fixed size. */
		if (snprintf(e->text, sizeof(e->text), "%.120s: %s", context, inner) < 0)
			e->text[0] = '\0';
		escape_controls(e->text);
	}
	errno = saved;
}
