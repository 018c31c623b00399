/* SPDX-License-Identifier: MIT */
#include "review/html.h"

#include <string.h>

#include "audit/when.h"

#define DATE_LEN 10
#define MINUTE_LEN 16

void html_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\'':
			fputs("&#39;", out);
			break;
		default:
			putc(*text, out);
		}
	}
}

void html_isolated(FILE *out, const char *text)
{
	fputs("<bdi>", out);
	html_text(out, text);
	fputs("</bdi>", out);
}

void html_number(FILE *out, uint64_t n)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n);

	for (int i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			putc(',', out);
		putc(digits[i], out);
	}
}

void html_time(FILE *out, int64_t us)
{
	char text[WHEN_TEXT_MAX];

	if (us == 0) {
		fputs("\xe2\x80\x93", out);
		return;
	}
	when_format(us, text);
	text[DATE_LEN] = 'T';
	fprintf(out, "<time datetime=\"%sZ\">", text);
	text[DATE_LEN] = ' ';
	text[MINUTE_LEN] = '\0';
	fprintf(out, "%s</time>", text);
}
