/* SPDX-License-Identifier: MIT */
/* The sections that are tables. */
#include <errno.h>
#include <string.h>

#include "base/clean.h"
#include "review/digest.h"
#include "review/entries.h"
#include "review/html.h"
#include "review/report_inner.h"
#include "review/report_table.h"

#define SESSIONS_SHOWN 100

struct part {
	enum digest_table source;
	struct table table;
};

static const struct part NETWORK[] = {
	{ DIGEST_REFUSED_DST,
	  { "Destinations refused",
	    "No connection was refused.",
	    { { "Destination", CELL_HOST, 0 },
	      { "Why", CELL_WHY, 3 },
	      { "Verdict", CELL_VERDICT, 4 },
	      { "Times", CELL_COUNT, 0 },
	      { "Last", CELL_LAST, 0 } } } },
	{ DIGEST_REACHED_DST,
	  { "Destinations reached",
	    "The record tells of no connection that was allowed (a policy with audit.allowed "
	    "writes "
	    "them down).",
	    { { "Destination", CELL_HOST, 0 },
	      { "Times", CELL_COUNT, 0 },
	      { "Last", CELL_LAST, 0 } } } },
	{ DIGEST_REFUSED_NAME,
	  { "Names refused",
	    "No look-up was refused.",
	    { { "Name", CELL_TEXT, 0 },
	      { "Why", CELL_WHY, 1 },
	      { "Verdict", CELL_VERDICT, 2 },
	      { "Times", CELL_COUNT, 0 },
	      { "Last", CELL_LAST, 0 } } } },
	{ DIGEST_STRIPPED,
	  { "Names whose addresses were taken out",
	    NULL,
	    { { "Name", CELL_TEXT, 0 },
	      { "Why", CELL_WHY, 1 },
	      { "Times", CELL_COUNT, 0 },
	      { "Last", CELL_LAST, 0 } } } },
	{ DIGEST_LEADS,
	  { "Names and the addresses that they led to",
	    NULL,
	    { { "Name", CELL_TEXT, 0 },
	      { "Address", CELL_TEXT, 1 },
	      { "Times", CELL_COUNT, 0 },
	      { "Last", CELL_LAST, 0 } } } },
};

static const struct part FILES[] = {
	{ DIGEST_REFUSED_PATH,
	  { "Files refused",
	    "No access to a file was refused.  (A path that is not granted does not exist inside, "
	    "and "
	    "asking for it leaves no line.)",
	    { { "Path", CELL_TEXT, 0 },
	      { "Access", CELL_TEXT, 1 },
	      { "Why", CELL_WHY, 2 },
	      { "Times", CELL_COUNT, 0 },
	      { "Last", CELL_LAST, 0 } } } },
	{ DIGEST_REFUSED_SOCKET,
	  { "Unix sockets refused",
	    NULL,
	    { { "Socket", CELL_TEXT, 0 },
	      { "Why", CELL_WHY, 2 },
	      { "Times", CELL_COUNT, 0 },
	      { "Last", CELL_LAST, 0 } } } },
	{ DIGEST_REFUSED_OTHER,
	  { "Other refusals",
	    NULL,
	    { { "Event", CELL_TEXT, 0 },
	      { "What", CELL_TEXT, 1 },
	      { "Why", CELL_WHY, 2 },
	      { "Times", CELL_COUNT, 0 },
	      { "Last", CELL_LAST, 0 } } } },
};

static int put_parts(FILE *out, const struct digest *d, const struct part *part, size_t n)
{
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++)
		r = report_table(out, &d->table[part[i].source], &part[i].table);
	fputs("</section>\n", out);
	return r;
}

int report_network(FILE *out, const struct digest *d)
{
	fputs("<section aria-labelledby=\"network\"><h2 id=\"network\">Network</h2>\n", out);
	return put_parts(out, d, NETWORK, ARRAY_SIZE(NETWORK));
}

int report_files(FILE *out, const struct digest *d)
{
	fputs("<section aria-labelledby=\"files\"><h2 id=\"files\">Files and sockets</h2>\n", out);
	return put_parts(out, d, FILES, ARRAY_SIZE(FILES));
}

/* ---- sessions ------------------------------------------------------------------------------- */

static void put_session_number(FILE *out, uint64_t n)
{
	fputs("<td class=\"n\">", out);
	html_number(out, n);
	fputs("</td>", out);
}

static void put_session(FILE *out, const struct session_row *s)
{
	fputs("<tr><th scope=\"row\" class=\"mono\">", out);
	html_isolated(out, s->name);
	if (s->agent[0] || s->lane[0]) {
		fputs("<small>", out);
		html_isolated(out, s->agent);
		fputs(s->agent[0] && s->lane[0] ? ", " : "", out);
		html_isolated(out, s->lane);
		fputs("</small>", out);
	}
	fputs("</th><td class=\"mono\">", out);
	html_isolated(out, s->command);
	fputs("<small>", out);
	html_text(out, s->end[0] ? s->end : "no end recorded");
	fputs(s->observed ? ", observed only" : "", out);
	fputs("</small></td>", out);
	put_session_number(out, s->denied);
	put_session_number(out, s->would_deny);
	fputs("<td class=\"t opt\">", out);
	html_time(out, s->start_us ? s->start_us : s->last_us);
	fputs("</td></tr>\n", out);
}

int report_sessions(FILE *out, const struct digest *d)
{
	auto_free struct session_row **rows = NULL;
	int n = sessions_list(&d->sessions, &rows);

	if (n < 0)
		return n;
	fputs("<section aria-labelledby=\"sessions\"><h2 id=\"sessions\">Sessions</h2>\n", out);
	if (n == 0) {
		fputs("<p class=\"none\">The record holds no session.</p></section>\n", out);
		return 0;
	}
	fputs("<table class=\"why\"><caption>Sessions, the newest first", out);
	if (n > SESSIONS_SHOWN || d->sessions.dropped > 0)
		fprintf(out, "<small>%d of %llu</small>", n < SESSIONS_SHOWN ? n : SESSIONS_SHOWN,
			(unsigned long long)d->sessions.dropped + (unsigned long long)n);
	fputs(
	    "</caption><thead><tr><th scope=\"col\">Session</th><th scope=\"col\">Command and "
	    "end</th><th scope=\"col\" class=\"n\">Refused</th><th scope=\"col\" class=\"n\">Would "
	    "be</th><th scope=\"col\" class=\"t opt\">Start</th></tr></thead><tbody>\n",
	    out);
	for (int i = 0; i < n && i < SESSIONS_SHOWN; i++)
		put_session(out, rows[i]);
	fputs("</tbody></table></section>\n", out);
	return 0;
}

/* ---- entries that decided nothing ----------------------------------------------------------- */

struct listing {
	FILE *out;
	const struct digest *d;
	size_t n;
};

static void put_entry(void *data, const struct entry *at)
{
	struct listing *l = data;

	if (digest_rule_was_used(l->d, at->text, at->origin))
		return;
	if (l->n++ == 0)
		fputs("<table><caption>Entries that decided nothing</caption><thead><tr><th "
		      "scope=\"col\">Entry</th><th scope=\"col\">List</th><th scope=\"col\" "
		      "class=\"opt\">Where</th></tr></thead><tbody>\n",
		      l->out);
	fputs("<tr><th scope=\"row\" class=\"mono\">", l->out);
	html_isolated(l->out, at->text);
	fputs("</th><td class=\"mono\">", l->out);
	html_text(l->out, at->list);
	fputs("</td><td class=\"opt\">", l->out);
	html_isolated(l->out, at->origin ? at->origin : "");
	fputs("</td></tr>\n", l->out);
}

void report_unused(FILE *out, const struct digest *d)
{
	struct listing l = { .out = out, .d = d };

	fputs("<section aria-labelledby=\"unused\"><h2 id=\"unused\">Unused entries of the "
	      "policy</h2>\n",
	      out);
	if (d->policy && d->verdicts[TIMELINE_ALLOWED] == 0)
		fputs(
		    "<p>The record does not hold what was allowed, so every entry that allows "
		    "looks "
		    "unused. Set <code>audit.allowed</code> to <code>true</code> to see which are "
		    "needed.</p>\n",
		    out);
	entries_each(d, put_entry, &l);
	if (l.n > 0)
		fputs("</tbody></table>\n", out);
	else
		fputs(d->policy ? "<p class=\"none\">Every entry decided something.</p>\n"
				: "<p class=\"none\">No policy was given to look at (<code>-p "
				  "POLICY</code>).</p>\n",
		      out);
	fputs("</section>\n", out);
}
