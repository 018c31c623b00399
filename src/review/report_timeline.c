/* SPDX-License-Identifier: MIT */
/* What happened when, as stacked bars: full, striped and dotted, so that colour is no part of it.
 */
#include <inttypes.h>

#include "review/digest.h"
#include "review/html.h"
#include "review/report_inner.h"

#define SLOTS_MIN 24 /* fewer would be fat bars */
#define SLOT_WIDTH 10u
#define PLOT_HEIGHT 170.0

struct span {
	unsigned from;
	unsigned to; /* behind the last */
	uint64_t peak;
};

static const char *const FILLS[] = {
	[TIMELINE_DENIED] = "fd",
	[TIMELINE_WOULD_DENY] = "pw",
	[TIMELINE_ALLOWED] = "pa",
};
_Static_assert(sizeof(FILLS) / sizeof(FILLS[0]) == TIMELINE_MAX, "a filling for every series");

static uint64_t slot_sum(const struct timeline *t, unsigned i)
{
	uint64_t sum = 0;

	for (int s = 0; s < TIMELINE_MAX; s++)
		sum += t->count[s][i];
	return sum;
}

static struct span span_of(const struct timeline *t)
{
	struct span s = { .from = TIMELINE_SLOTS };

	for (unsigned i = 0; i < TIMELINE_SLOTS; i++) {
		uint64_t sum = slot_sum(t, i);

		if (sum == 0)
			continue;
		if (i < s.from)
			s.from = i;
		s.to = i + 1;
		if (sum > s.peak)
			s.peak = sum;
	}
	while (s.to - s.from < SLOTS_MIN) {
		if (s.to < TIMELINE_SLOTS)
			s.to++;
		if (s.to - s.from < SLOTS_MIN && s.from > 0)
			s.from--;
	}
	return s;
}

static void bar(FILE *out, const struct timeline *t, const struct span *s, unsigned i)
{
	double top = PLOT_HEIGHT;

	for (int k = 0; k < TIMELINE_MAX; k++) {
		uint64_t n = t->count[k][i];
		double high = (double)n / (double)s->peak * PLOT_HEIGHT;

		if (n == 0)
			continue;
		if (high < 1.5)
			high = 1.5; /* one among thousands is still seen */
		top -= high;
		fprintf(out, "<rect x=\"%u\" y=\"%.1f\" width=\"%u\" height=\"%.1f\" ",
			(i - s->from) * SLOT_WIDTH + 1, top < 0 ? 0 : top, SLOT_WIDTH - 2, high);
		if (k == TIMELINE_DENIED)
			fprintf(out, "class=\"%s\"/>", FILLS[k]);
		else
			fprintf(out, "fill=\"url(#%s)\"/>", FILLS[k]);
	}
}

static void plot(FILE *out, const struct timeline *t, const struct span *s)
{
	fprintf(
	    out,
	    "<svg class=\"plot\" viewBox=\"0 0 %u %.0f\" preserveAspectRatio=\"none\" "
	    "role=\"img\" aria-labelledby=\"plot-title\"><title id=\"plot-title\">Bars over time: "
	    "what was refused, what would have been, and what was allowed</title><defs>"
	    "<pattern id=\"pw\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
	    "<rect width=\"6\" height=\"6\" class=\"ga\"/><path d=\"M0 1h6M0 4h6\" class=\"sw\"/>"
	    "</pattern><pattern id=\"pa\" width=\"4\" height=\"4\" "
	    "patternUnits=\"userSpaceOnUse\"><rect width=\"4\" height=\"4\" class=\"ga\"/>"
	    "<circle cx=\"2\" cy=\"2\" r=\"1.1\" class=\"fa\"/></pattern></defs>",
	    (s->to - s->from) * SLOT_WIDTH, PLOT_HEIGHT);
	for (int i = 0; i < 4; i++)
		fprintf(
		    out,
		    "<path d=\"M0 %.1fh%u\" class=\"grid\" vector-effect=\"non-scaling-stroke\"/>",
		    PLOT_HEIGHT * i / 4 + 0.5, (s->to - s->from) * SLOT_WIDTH);
	for (unsigned i = s->from; i < s->to; i++)
		bar(out, t, s, i);
	fprintf(
	    out,
	    "<path d=\"M0 %.1fh%u\" class=\"axis\" vector-effect=\"non-scaling-stroke\"/></svg>",
	    PLOT_HEIGHT - 0.5, (s->to - s->from) * SLOT_WIDTH);
}

/* "1 h 8 min 16 s" */
static void duration(FILE *out, int64_t us)
{
	static const struct {
		int64_t seconds;
		const char *word;
	} UNITS[] = { { 86400, "d" }, { 3600, "h" }, { 60, "min" }, { 1, "s" } };
	int64_t left = us / 1000000;
	const char *between = "";

	for (int i = 0; i < 4; i++) {
		int64_t n = left / UNITS[i].seconds;

		left %= UNITS[i].seconds;
		if (n > 0) {
			fprintf(out, "%s%" PRId64 " %s", between, n, UNITS[i].word);
			between = " ";
		}
	}
}

static void key(FILE *out)
{
	fputs("<figcaption><span class=\"key\"><svg viewBox=\"0 0 18 12\" aria-hidden=\"true\">"
	      "<rect width=\"18\" height=\"12\" class=\"fd\"/></svg>refused (full)</span>"
	      "<span class=\"key\"><svg viewBox=\"0 0 18 12\" aria-hidden=\"true\"><rect "
	      "width=\"18\" "
	      "height=\"12\" fill=\"url(#pw)\"/></svg>would have been refused (striped)</span>"
	      "<span class=\"key\"><svg viewBox=\"0 0 18 12\" aria-hidden=\"true\"><rect "
	      "width=\"18\" "
	      "height=\"12\" fill=\"url(#pa)\"/></svg>allowed (dotted)</span></figcaption>",
	      out);
}

static void figures(FILE *out, const struct timeline *t)
{
	fputs(
	    "<details><summary>The same as a table</summary><table><caption>Events over "
	    "time</caption><thead><tr><th scope=\"col\">From</th><th scope=\"col\" class=\"n\">"
	    "Refused</th><th scope=\"col\" class=\"n\">Would be</th><th scope=\"col\" class=\"n\">"
	    "Allowed</th></tr></thead><tbody>\n",
	    out);
	for (unsigned i = 0; i < TIMELINE_SLOTS; i++) {
		if (slot_sum(t, i) == 0)
			continue;
		fputs("<tr><th scope=\"row\" class=\"t\">", out);
		html_time(out, t->start_us + i * t->width_us);
		fputs("</th>", out);
		for (int s = 0; s < TIMELINE_MAX; s++) {
			fputs("<td class=\"n\">", out);
			html_number(out, t->count[s][i]);
			fputs("</td>", out);
		}
		fputs("</tr>\n", out);
	}
	fputs("</tbody></table></details>", out);
}

void report_timeline(FILE *out, const struct digest *d)
{
	const struct timeline *t = &d->timeline;
	struct span s;

	fputs("<section aria-labelledby=\"timeline\"><h2 id=\"timeline\">Over time</h2>\n", out);
	if (t->width_us == 0) {
		fputs("<p class=\"none\">The record holds no refusal and nothing that was "
		      "allowed.</p></section>\n",
		      out);
		return;
	}
	s = span_of(t);
	fputs("<figure><p class=\"peak\"><span>at most ", out);
	html_number(out, s.peak);
	fputs(" in one bar</span><span>one bar is ", out);
	duration(out, t->width_us);
	fputs("</span></p>", out);
	plot(out, t, &s);
	fputs("<div class=\"ends\"><span>", out);
	html_time(out, t->start_us + s.from * t->width_us);
	fputs("</span><span>", out);
	html_time(out, t->start_us + (s.from + s.to) / 2 * t->width_us);
	fputs("</span><span>", out);
	html_time(out, t->start_us + s.to * t->width_us);
	fputs("</span></div>", out);
	key(out);
	figures(out, t);
	fputs("</figure></section>\n", out);
}
