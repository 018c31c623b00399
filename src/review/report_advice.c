/* SPDX-License-Identifier: MIT */
/* What could be narrower, and what wants a decision. */
#include <errno.h>
#include <string.h>

#include "base/clean.h"
#include "policy/policy.h"
#include "review/digest.h"
#include "review/entries.h"
#include "review/html.h"
#include "review/report_inner.h"

#define FEW 3       /* so many hosts or ports are better written out */
#define AGAIN 20    /* refused so often is a habit */
#define SHOWN_MAX 8 /* of one kind */
#define PART_MAX 1024
#define PORT_LAST 65535

struct advice {
	FILE *out;
	const struct digest *d;
	bool open;    /* a suggestion's list is open */
	size_t items; /* in it */
	size_t n;     /* suggestions so far */
};

static void begin(struct advice *a, const char *title, const char *why)
{
	fprintf(a->out, "<li><h3>%s</h3><p>%s</p><ul>\n", title, why);
	a->open = true;
	a->items = 0;
	a->n++;
}

static void end(struct advice *a)
{
	if (!a->open)
		return;
	if (a->items > SHOWN_MAX)
		fprintf(a->out, "<li class=\"soft\">and %zu more</li>", a->items - SHOWN_MAX);
	fputs("</ul></li>\n", a->out);
	a->open = false;
}

/* True when there is room for one more. */
static bool item(struct advice *a)
{
	return ++a->items <= SHOWN_MAX;
}

static void code(FILE *out, const char *text)
{
	fputs("<code>", out);
	html_isolated(out, text);
	fputs("</code>", out);
}

/* ---- entries -------------------------------------------------------------------------------- */

static void drop_unused(void *data, const struct entry *at)
{
	struct advice *a = data;

	if (!at->net || strcmp(at->list, "network.allowOutbound") != 0 ||
	    digest_rule_was_used(a->d, at->text, at->origin))
		return;
	if (!a->open)
		begin(a, "Remove what nothing used",
		      "These entries allow something that nobody asked for in the time of this "
		      "record.");
	if (!item(a))
		return;
	fputs("<li>", a->out);
	code(a->out, at->text);
	fputs(" <small>", a->out);
	html_isolated(a->out, at->origin ? at->origin : "");
	fputs("</small></li>\n", a->out);
}

static bool is_wide(const struct net_rule *r)
{
	return r->host == HOST_BELOW || r->host == HOST_BELOW_SELF || r->host == HOST_ANY ||
	       (r->host == HOST_PREFIX && r->prefix_len < 128);
}

/* Second parts of the keys whose first part is the entry: how many, and the first FEW of them. */
static size_t used_with(const struct tally *t, const char *entry, const char *ret[FEW])
{
	size_t len = strlen(entry);
	size_t n = 0;

	for (size_t i = 0; i < t->space; i++) {
		const char *key = t->entry[i].key;

		if (!key || strncmp(key, entry, len) != 0 || key[len] != TALLY_SEPARATOR)
			continue;
		if (n < FEW)
			ret[n] = key + len + 1;
		n++;
	}
	return n;
}

static void put_narrower(struct advice *a, const struct entry *at, const char *const *used,
			 size_t n)
{
	fputs("<li>", a->out);
	code(a->out, at->text);
	fputs(" was used for ", a->out);
	for (size_t i = 0; i < n; i++) {
		fputs(i > 0 ? ", " : "", a->out);
		code(a->out, used[i]);
	}
	fputs(" only</li>\n", a->out);
}

static void name_hosts(void *data, const struct entry *at)
{
	struct advice *a = data;
	const char *used[FEW];
	size_t n;

	if (!at->net || strcmp(at->list, "network.allowOutbound") != 0 || !is_wide(at->net))
		return;
	n = used_with(&a->d->table[DIGEST_RULE_HOST], at->text, used);
	if (n == 0 || n > FEW)
		return;
	if (!a->open)
		begin(a, "Name the hosts instead of a pattern or a range",
		      "These entries are wider than what they were used for.");
	if (item(a))
		put_narrower(a, at, used, n);
}

static void name_ports(void *data, const struct entry *at)
{
	struct advice *a = data;
	const char *used[FEW];
	size_t n;

	if (!at->net || strcmp(at->list, "network.allowOutbound") != 0 || at->net->port_low != 0 ||
	    at->net->port_high != PORT_LAST)
		return;
	n = used_with(&a->d->table[DIGEST_RULE_PORT], at->text, used);
	if (n == 0 || n > FEW)
		return;
	if (!a->open)
		begin(a, "Name the ports",
		      "These entries allow any port, and were used for a few.");
	if (item(a))
		put_narrower(a, at, used, n);
}

/* ---- refusals ------------------------------------------------------------------------------- */

static void put_refusal(struct advice *a, const struct tally_entry *e, bool has_port)
{
	char host[PART_MAX];
	char port[16] = "";
	char whole[PART_MAX + 20];

	tally_part(e->key, 0, host, sizeof(host));
	if (has_port)
		tally_part(e->key, 1, port, sizeof(port));
	snprintf(whole, sizeof(whole), "%s%s%s", host, port[0] ? ":" : "", port);
	fputs("<li>", a->out);
	code(a->out, whole);
	fputs(", ", a->out);
	html_number(a->out, e->count);
	fputs(" times", a->out);
	if (e->detail) {
		fputs("<small>", a->out);
		html_isolated(a->out, e->detail);
		fputs("</small>", a->out);
	}
	fputs("</li>\n", a->out);
}

static int decide(struct advice *a)
{
	static const enum digest_table TABLES[] = { DIGEST_REFUSED_DST, DIGEST_REFUSED_NAME,
						    DIGEST_REFUSED_PATH };

	for (size_t t = 0; t < ARRAY_SIZE(TABLES); t++) {
		auto_free const struct tally_entry **top = NULL;
		int n = tally_top(&a->d->table[TABLES[t]], SHOWN_MAX, &top);

		if (n < 0)
			return n;
		for (int i = 0; i < n && top[i]->count >= AGAIN; i++) {
			if (!a->open)
				begin(a, "Decide about what is refused again and again",
				      "Something keeps asking. Either it is needed, and an entry "
				      "should "
				      "allow it, or it is not, and the program should stop asking; "
				      "<code>audit.quiet</code> keeps a name out of the record.");
			if (item(a))
				put_refusal(a, top[i], t == 0);
		}
	}
	return 0;
}

static uint64_t with_reason(const struct tally *t, unsigned part, const char *reason)
{
	uint64_t n = 0;
	char word[40];

	for (size_t i = 0; i < t->space; i++) {
		if (!t->entry[i].key)
			continue;
		tally_part(t->entry[i].key, part, word, sizeof(word));
		if (strcmp(word, reason) == 0)
			n += t->entry[i].count;
	}
	return n;
}

/* Reaching for these is seldom an accident. */
static void look_into(struct advice *a)
{
	static const struct {
		const char *reason;
		const char *words;
	} REASONS[] = {
		{ "metadata", "a cloud's metadata service" },
		{ "private", "private addresses of this network" },
		{ "loopback", "services on this host's loopback" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(REASONS); i++) {
		uint64_t n = with_reason(&a->d->table[DIGEST_REFUSED_DST], 3, REASONS[i].reason) +
			     with_reason(&a->d->table[DIGEST_STRIPPED], 1, REASONS[i].reason);

		if (n == 0)
			continue;
		if (!a->open)
			begin(a, "Look into who reached for what is inside",
			      "The pen held. Such attempts are still worth a look at the session: "
			      "they "
			      "are seldom an accident.");
		if (!item(a))
			continue;
		fprintf(a->out, "<li>%s: ", REASONS[i].words);
		html_number(a->out, n);
		fputs(n == 1 ? " time</li>\n" : " times</li>\n", a->out);
	}
}

/* ---- the record itself ---------------------------------------------------------------------- */

static void about_record(struct advice *a)
{
	const struct digest *d = a->d;

	if (d->verdicts[TIMELINE_WOULD_DENY] > 0) {
		begin(a, "Replay before enforcing",
		      "Some sessions were only observed. What they did passes today and would be "
		      "refused under the same policy.");
		fputs(
		    "<li><code>pinfold log replay POLICY</code> says what a policy changes</li>\n",
		    a->out);
		end(a);
	}
	if (d->verdicts[TIMELINE_ALLOWED] == 0 && d->first_us) {
		begin(a, "Record what is allowed, too",
		      "Without it nobody can tell which entries are needed.");
		fputs("<li><code>\"audit\": {\"allowed\": true}</code></li>\n", a->out);
		end(a);
	}
	if (d->counts.broken + d->counts.forged + d->counts.damaged > 0) {
		begin(a, "Find out what damaged the record",
		      "Lines that pinfold did not write, or that are torn, were passed over. A "
		      "full disk "
		      "does that; so does somebody who may write the file.");
		fprintf(a->out, "<li>%llu broken, %llu forged, %llu damaged files</li>\n",
			(unsigned long long)d->counts.broken, (unsigned long long)d->counts.forged,
			(unsigned long long)d->counts.damaged);
		end(a);
	}
}

int report_advice(FILE *out, const struct digest *d)
{
	struct advice a = { .out = out, .d = d };
	bool knows_allowed = d->verdicts[TIMELINE_ALLOWED] > 0;
	int r;

	fputs("<section aria-labelledby=\"tighten\"><h2 id=\"tighten\">What to tighten</h2>\n"
	      "<ol class=\"todo\">\n",
	      out);
	if (knows_allowed)
		entries_each(d, drop_unused, &a);
	end(&a);
	entries_each(d, name_hosts, &a);
	end(&a);
	entries_each(d, name_ports, &a);
	end(&a);
	look_into(&a);
	end(&a);
	r = decide(&a);
	end(&a);
	about_record(&a);
	fputs("</ol>\n", out);
	if (a.n == 0)
		fputs("<p class=\"none\">Nothing stands out.</p>\n", out);
	fputs("</section>\n", out);
	return r;
}
