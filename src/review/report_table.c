/* SPDX-License-Identifier: MIT */
#include "review/report_table.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/clean.h"
#include "net/judge.h"
#include "review/html.h"
#include "review/report_inner.h"
#include "review/tally.h"

#define ROWS_MAX 50
#define TEXT_MAX 2048
#define BAR_WIDTH 100

static const char *const CLASSES[] = {
	[CELL_TEXT] = "mono", [CELL_HOST] = "mono", [CELL_WHY] = "opt",
	[CELL_VERDICT] = "v", [CELL_COUNT] = "n",   [CELL_LAST] = "t opt",
};
_Static_assert(ARRAY_SIZE(CLASSES) == CELLS, "a class for every kind of cell");

const char *report_reason(const char *word)
{
	static const struct {
		const char *word;
		const char *sentence;
	} SENTENCES[] = {
		{ "rule", "an entry of the policy refuses it" },
		{ "malformed", "the question is not a well-formed name" },
		{ "cname", "the answer's chain of names leads where it may not" },
		{ "record type", "records of that type are not resolved" },
		{ "too many new names", "too many new names below a wildcard" },
		{ "outside the session", "it belongs to something outside the session" },
		{ "unmatched", "nothing allows it" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(SENTENCES); i++)
		if (strcmp(SENTENCES[i].word, word) == 0)
			return SENTENCES[i].sentence;
	for (int r = 0; r < PF_DENY_MAX; r++)
		if (strcmp(net_reason_word((enum pf_reason)r), word) == 0)
			return net_reason_text((enum pf_reason)r);
	return word;
}

static void put_host(FILE *out, const char *key, unsigned part)
{
	char host[TEXT_MAX];
	char port[16];
	char proto[16];
	bool v6;

	tally_part(key, part, host, sizeof(host));
	tally_part(key, part + 1, port, sizeof(port));
	tally_part(key, part + 2, proto, sizeof(proto));
	v6 = strchr(host, ':') != NULL;
	fputs("<bdi>", out);
	fputs(v6 ? "[" : "", out);
	html_text(out, host);
	fputs(v6 ? "]" : "", out);
	fputs(port[0] ? ":" : "", out);
	html_text(out, port);
	if (strcmp(proto, "tcp") != 0 && proto[0]) {
		putc('/', out);
		html_text(out, proto);
	}
	fputs("</bdi>", out);
}

static void put_verdict(FILE *out, const char *word)
{
	static const struct {
		const char *word;
		const char *class;
		const char *text;
	} VERDICTS[] = {
		{ "deny", "deny", "refused" },
		{ "would_deny", "would", "would be refused" },
		{ "allow", "allow", "allowed" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(VERDICTS); i++)
		if (strcmp(VERDICTS[i].word, word) == 0)
			fprintf(out, "<b class=\"%s\">%s</b>", VERDICTS[i].class, VERDICTS[i].text);
}

static void put_count(FILE *out, uint64_t n, uint64_t most)
{
	uint64_t width = most ? n * BAR_WIDTH / most : 0;

	html_number(out, n);
	fprintf(out,
		"<svg class=\"bar\" viewBox=\"0 0 %d 4\" preserveAspectRatio=\"none\" "
		"aria-hidden=\"true\"><rect width=\"%" PRIu64 "\" height=\"4\"/></svg>",
		BAR_WIDTH, width ? width : 1);
}

static void put_cell(FILE *out, const struct tally_entry *e, const struct column *c, uint64_t most)
{
	char part[TEXT_MAX];

	tally_part(e->key, c->part, part, sizeof(part));
	switch (c->cell) {
	case CELL_HOST:
		put_host(out, e->key, c->part);
		break;
	case CELL_WHY:
		html_isolated(out, report_reason(part));
		if (e->detail) {
			fputs("<small>", out);
			html_isolated(out, e->detail);
			fputs("</small>", out);
		}
		break;
	case CELL_VERDICT:
		put_verdict(out, part);
		break;
	case CELL_COUNT:
		put_count(out, e->count, most);
		break;
	case CELL_LAST:
		html_time(out, e->last_us);
		break;
	default:
		html_isolated(out, part);
	}
}

/* On a narrow screen there is no column for the reason: it stands below what was refused. */
static void put_why_for_phones(FILE *out, const struct tally_entry *e, const struct table *t)
{
	char part[TEXT_MAX];

	for (unsigned i = 0; i < TABLE_COLUMNS_MAX && t->column[i].head; i++) {
		if (t->column[i].cell != CELL_WHY)
			continue;
		tally_part(e->key, t->column[i].part, part, sizeof(part));
		fputs("<small class=\"phone\">", out);
		html_isolated(out, report_reason(part));
		fputs("</small>", out);
	}
}

static bool has_why(const struct table *t)
{
	for (unsigned i = 0; i < TABLE_COLUMNS_MAX && t->column[i].head; i++)
		if (t->column[i].cell == CELL_WHY)
			return true;
	return false;
}

static void put_head(FILE *out, const struct table *t, size_t shown, size_t all)
{
	fprintf(out, "<table%s><caption>%s", has_why(t) ? " class=\"why\"" : "", t->caption);
	if (shown < all)
		fprintf(out, "<small>the %zu most frequent of %zu</small>", shown, all);
	fputs("</caption><thead><tr>", out);
	for (unsigned i = 0; i < TABLE_COLUMNS_MAX && t->column[i].head; i++)
		fprintf(out, "<th scope=\"col\" class=\"%s\">%s</th>", CLASSES[t->column[i].cell],
			t->column[i].head);
	fputs("</tr></thead><tbody>\n", out);
}

static void put_row(FILE *out, const struct tally_entry *e, const struct table *t, uint64_t most)
{
	fputs("<tr>", out);
	for (unsigned i = 0; i < TABLE_COLUMNS_MAX && t->column[i].head; i++) {
		const char *tag = i == 0 ? "th scope=\"row\"" : "td";

		fprintf(out, "<%s class=\"%s\">", tag, CLASSES[t->column[i].cell]);
		put_cell(out, e, &t->column[i], most);
		if (i == 0)
			put_why_for_phones(out, e, t);
		fprintf(out, "</%.2s>", tag);
	}
	fputs("</tr>\n", out);
}

int report_table(FILE *out, const struct tally *t, const struct table *table)
{
	auto_free const struct tally_entry **top = NULL;
	int n = tally_top(t, ROWS_MAX, &top);

	if (n < 0)
		return n;
	if (n == 0 && table->none)
		fprintf(out, "<h3>%s</h3><p class=\"none\">%s</p>\n", table->caption, table->none);
	if (n == 0)
		return 0;
	put_head(out, table, (size_t)n, t->n);
	for (int i = 0; i < n; i++)
		put_row(out, top[i], table, top[0]->count);
	fputs("</tbody></table>\n", out);
	return 0;
}
