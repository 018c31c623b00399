/* SPDX-License-Identifier: MIT */
/*
 * DOC: the page is for a person who did not read the record.  It loads nothing, runs nothing, and
 * allows one style sheet, its own, by hash: whatever a name in the record manages to be, it stays
 * text.  The order is that of the questions: how much, when, what to do, then the evidence.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/clean.h"
#include "base/err.h"
#include "policy/handle.h"
#include "review/digest.h"
#include "review/html.h"
#include "review/report_inner.h"

static void put_head(FILE *out)
{
	char hash[REPORT_HASH_MAX];

	report_style_hash(hash);
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n", out);
	fprintf(out,
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		"style-src 'sha256-%s'; base-uri 'none'; form-action 'none'\">\n",
		hash);
	fputs("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"referrer\" content=\"no-referrer\">\n"
	      "<meta name=\"generator\" content=\"pinfold " PINFOLD_VERSION "\">\n"
	      "<title>pinfold report</title>\n<style>",
	      out);
	fputs(report_style(), out);
	fputs("</style>\n</head>\n<body>\n", out);
}

static void put_title(FILE *out, const struct digest *d)
{
	fputs("<a class=\"skip\" href=\"#content\">Skip to the content</a>\n"
	      "<header><h1>pinfold report</h1>\n<p>The record ",
	      out);
	html_isolated(out, strcmp(d->path, "-") == 0 ? "(standard input)" : d->path);
	if (d->first_us) {
		fputs(", from ", out);
		html_time(out, d->first_us);
		fputs(" to ", out);
		html_time(out, d->last_us);
		fputs(" (UTC)", out);
	}
	if (d->policy) {
		fputs(", beside the policy ", out);
		html_isolated(out, d->policy->policy.source);
	}
	fputs(".</p>\n</header>\n"
	      "<nav aria-label=\"Sections\"><ul>"
	      "<li><a href=\"#timeline\">Over time</a></li>"
	      "<li><a href=\"#tighten\">What to tighten</a></li>"
	      "<li><a href=\"#network\">Network</a></li>"
	      "<li><a href=\"#files\">Files and sockets</a></li>"
	      "<li><a href=\"#sessions\">Sessions</a></li>"
	      "<li><a href=\"#unused\">Unused entries</a></li></ul></nav>\n"
	      "<main id=\"content\" tabindex=\"-1\">\n",
	      out);
}

static void put_tile(FILE *out, const char *class, const char *title, uint64_t n)
{
	fprintf(out, "<div class=\"%s\"><dt>%s</dt><dd>", class, title);
	html_number(out, n);
	fputs("</dd></div>\n", out);
}

static void put_tiles(FILE *out, const struct digest *d)
{
	fputs("<dl class=\"tiles\">\n", out);
	put_tile(out, "deny", "refused", d->verdicts[TIMELINE_DENIED]);
	put_tile(out, "would", "would have been refused", d->verdicts[TIMELINE_WOULD_DENY]);
	put_tile(out, "allow", "allowed", d->verdicts[TIMELINE_ALLOWED]);
	put_tile(out, "all", "sessions", d->sessions.n + d->sessions.dropped);
	fputs("</dl>\n", out);
}

static void put_foot(FILE *out, const struct digest *d)
{
	fputs("</main>\n<footer><p>Made by pinfold " PINFOLD_VERSION " from ", out);
	html_number(out, d->counts.matched);
	fputs(d->counts.matched == 1 ? " line" : " lines", out);
	fputs(" of the record. Counts include what was folded. This page loads nothing and runs "
	      "nothing.</p></footer>\n</body>\n</html>\n",
	      out);
}

static int put_page(FILE *out, const struct digest *d)
{
	int r;

	put_head(out);
	put_title(out, d);
	put_tiles(out, d);
	report_timeline(out, d);
	r = report_advice(out, d);
	if (r == 0)
		r = report_network(out, d);
	if (r == 0)
		r = report_files(out, d);
	if (r == 0)
		r = report_sessions(out, d);
	report_unused(out, d);
	put_foot(out, d);
	return r;
}

int pinfold_report(const struct pinfold_log_query *q, int fd, struct pinfold_error *e)
{
	struct digest *d = NULL;
	auto_file FILE *out = NULL;
	int own = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	int r;

	if (own < 0)
		return err_set(e, -errno, "cannot write the report: %s", strerror(errno));
	out = fdopen(own, "w");
	if (!out) {
		close(own);
		return err_set(e, -ENOMEM, "out of memory");
	}
	r = digest_read(q, &d, e);
	if (r < 0)
		return r;
	r = put_page(out, d);
	digest_free(d);
	if (r < 0)
		return err_set(e, r, "out of memory");
	if (fflush(out) != 0)
		return err_set(e, -errno, "cannot write the report: %s", strerror(errno));
	return 0;
}
