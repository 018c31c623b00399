/* SPDX-License-Identifier: MIT */
#include "audit/filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "audit/line.h"
#include "audit/when.h"
#include "base/addr.h"
#include "base/clean.h"
#include "base/err.h"
#include "base/number.h"

#define WISHES_MAX 64
#define VALUE_MAX 4096
#define V4_BITS 32
#define ALL_BITS 128

/* Where a destination has to lie. */
struct place {
	bool by_addr;
	struct addr addr;
	unsigned bits;
	uint16_t port; /* 0: any */
	char proto[4]; /* "": any */
};

struct wish {
	enum pinfold_log_field field;
	char *text; /* of a destination: the name alone */
	struct place place;
};

struct pinfold_log_filter {
	struct wish wish[WISHES_MAX];
	size_t n;
	unsigned fields; /* a bit for each that has a wish */
	int64_t since_us;
	int64_t until_us;
};

static const char *const KEYS[] = {
	[PINFOLD_LOG_SESSION] = "session", [PINFOLD_LOG_AGENT] = "agent",
	[PINFOLD_LOG_LANE] = "lane",       [PINFOLD_LOG_EVENT] = "event",
	[PINFOLD_LOG_VERDICT] = "verdict", [PINFOLD_LOG_NAME] = "name",
	[PINFOLD_LOG_PATH] = "path",       [PINFOLD_LOG_DST] = "dst",
	[PINFOLD_LOG_SINCE] = "ts",        [PINFOLD_LOG_UNTIL] = "ts",
};
_Static_assert(ARRAY_SIZE(KEYS) == PINFOLD_LOG_FIELDS, "a member for every field");

/* ---- making one ----------------------------------------------------------------------------- */

int pinfold_log_filter_new(struct pinfold_log_filter **ret, struct pinfold_error *e)
{
	struct pinfold_log_filter *f = calloc(1, sizeof(*f));

	if (!f)
		return err_set(e, -ENOMEM, "out of memory");
	f->since_us = INT64_MIN;
	f->until_us = INT64_MAX;
	*ret = f;
	return 0;
}

void pinfold_log_filter_free(struct pinfold_log_filter *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n; i++)
		free(f->wish[i].text);
	free(f);
}

/* ":443", behind a host of at most one colon or behind brackets.  Cuts it off. */
static bool take_port(char *host, uint16_t *ret)
{
	char *colon = strrchr(host, ':');
	uint64_t port;

	*ret = 0;
	if (!colon || (host[0] != '[' && strchr(host, ':') != colon))
		return true; /* none, or an address of many colons */
	if (host[0] == '[' && colon[-1] != ']')
		return true;
	if (number_parse(colon + 1, UINT16_MAX, &port) < 0 || port == 0)
		return false;
	*ret = (uint16_t)port;
	*colon = '\0';
	return true;
}

static bool take_proto(char *host, char ret[static 4])
{
	char *slash = strrchr(host, '/');

	ret[0] = '\0';
	if (!slash || (strcmp(slash, "/tcp") != 0 && strcmp(slash, "/udp") != 0))
		return true;
	memcpy(ret, slash + 1, 4);
	*slash = '\0';
	return true;
}

static void strip_brackets(char *host)
{
	size_t len = strlen(host);

	if (len > 2 && host[0] == '[' && host[len - 1] == ']') {
		memmove(host, host + 1, len - 2);
		host[len - 2] = '\0';
	}
}

/* What is left after port and protocol: an address, a CIDR, else a name. */
static bool take_prefix(char *host, struct place *p)
{
	char *slash;
	uint64_t bits;
	unsigned most;

	strip_brackets(host);
	slash = strchr(host, '/');
	if (slash)
		*slash = '\0';
	if (addr_parse(host, &p->addr) < 0)
		return !slash;
	most = addr_is_v4(&p->addr) && !strchr(host, ':') ? V4_BITS : ALL_BITS;
	p->by_addr = true;
	p->bits = ALL_BITS;
	if (!slash)
		return true;
	if (number_parse(slash + 1, most, &bits) < 0)
		return false;
	p->bits = ALL_BITS - most + (unsigned)bits;
	return true;
}

static int parse_place(struct wish *w, struct pinfold_error *e)
{
	auto_free char *host = strdup(w->text);

	if (!host)
		return err_set(e, -ENOMEM, "out of memory");
	if (!take_proto(host, w->place.proto) || !take_port(host, &w->place.port) || !host[0] ||
	    !take_prefix(host, &w->place))
		return err_set(e, -EINVAL,
			       "'%.80s' is no destination; write ADDRESS, CIDR or NAME, with "
			       "[:PORT][/tcp|/udp] if wanted",
			       w->text);
	memcpy(w->text, host, strlen(host) + 1); /* it only got shorter */
	return 0;
}

static int check_verdict(const char *text, struct pinfold_error *e)
{
	static const char *const WORDS[] = { "deny", "would_deny", "allow" };

	for (size_t i = 0; i < ARRAY_SIZE(WORDS); i++)
		if (strcmp(text, WORDS[i]) == 0)
			return 0;
	return err_set(e, -EINVAL, "no such verdict '%.40s'; there are deny, would_deny and allow",
		       text);
}

int pinfold_log_filter_add(struct pinfold_log_filter *f, enum pinfold_log_field field,
			   const char *text, struct pinfold_error *e)
{
	struct wish *w = &f->wish[f->n];
	int r = 0;

	if ((unsigned)field >= PINFOLD_LOG_FIELDS)
		return err_set(e, -EINVAL, "no such field");
	if (field == PINFOLD_LOG_SINCE || field == PINFOLD_LOG_UNTIL)
		return when_parse(text, when_now_us(),
				  field == PINFOLD_LOG_SINCE ? &f->since_us : &f->until_us, e);
	if (f->n == WISHES_MAX)
		return err_set(e, -E2BIG, "more than %d filters", WISHES_MAX);
	if (!text[0])
		return err_set(e, -EINVAL, "a filter is empty");
	*w = (struct wish){ .field = field, .text = strdup(text) };
	if (!w->text)
		return err_set(e, -ENOMEM, "out of memory");
	if (field == PINFOLD_LOG_DST)
		r = parse_place(w, e);
	else if (field == PINFOLD_LOG_VERDICT)
		r = check_verdict(text, e);
	if (r < 0) {
		free(take_ptr(w->text));
		return r;
	}
	f->fields |= 1U << field;
	f->n++;
	return 0;
}

/* ---- asking it ------------------------------------------------------------------------------ */

static int lower(char c, bool fold)
{
	return fold && c >= 'A' && c <= 'Z' ? c | 0x20 : c;
}

/* A star stands for any text.  The last star is the only one that is ever tried again. */
static bool star_match(const char *want, const char *text, bool fold)
{
	const char *star = NULL;
	const char *mark = NULL;

	while (*text) {
		if (*want == '*') {
			star = want++;
			mark = text;
		} else if (lower(*want, fold) == lower(*text, fold)) {
			want++;
			text++;
		} else if (star) {
			want = star + 1;
			text = ++mark;
		} else {
			return false;
		}
	}
	while (*want == '*')
		want++;
	return *want == '\0';
}

static bool path_matches(const char *want, const char *path)
{
	size_t n = strlen(want);

	if (strchr(want, '*'))
		return star_match(want, path, false);
	while (n > 1 && want[n - 1] == '/')
		n--;
	return strncmp(path, want, n) == 0 &&
	       (path[n] == '\0' || path[n] == '/' || (n == 1 && want[0] == '/'));
}

static bool place_matches(const struct wish *w, const struct pinfold_log_line *l)
{
	const struct place *p = &w->place;
	char text[VALUE_MAX];
	struct addr a;

	if (p->port && line_number(l, "port", 0) != p->port)
		return false;
	if (p->proto[0] && !line_text_is(l, "proto", p->proto))
		return false;
	if (!p->by_addr)
		return line_text(l, "name", text, sizeof(text)) && line_find(l, "dst") &&
		       star_match(w->text, text, true);
	return line_text(l, "dst", text, sizeof(text)) && addr_parse(text, &a) == 0 &&
	       addr_in_prefix(&a, &p->addr, p->bits);
}

const char *log_verdict(const struct pinfold_log_line *l)
{
	static const char *const WORDS[] = { "deny", "would_deny", "allow" };

	for (size_t i = 0; i < ARRAY_SIZE(WORDS); i++)
		if (line_text_is(l, "verdict", WORDS[i]))
			return WORDS[i];
	return line_text_is(l, "event", "net_allow") || line_text_is(l, "event", "dns_vouch")
		   ? "allow"
		   : "";
}

static bool wish_is_met(const struct wish *w, const struct pinfold_log_line *l)
{
	char text[VALUE_MAX];

	if (w->field == PINFOLD_LOG_DST)
		return place_matches(w, l);
	if (w->field == PINFOLD_LOG_VERDICT)
		return strcmp(log_verdict(l), w->text) == 0;
	if (!line_text(l, KEYS[w->field], text, sizeof(text)))
		return false;
	if (w->field == PINFOLD_LOG_PATH)
		return path_matches(w->text, text);
	if (w->field == PINFOLD_LOG_SESSION)
		return strncmp(text, w->text, strlen(w->text)) == 0;
	return star_match(w->text, text, w->field == PINFOLD_LOG_NAME);
}

bool log_filter_passes(const struct pinfold_log_filter *f, const struct pinfold_log_line *l)
{
	unsigned met = 0;

	if (!f)
		return true;
	if (l->time_us < f->since_us || l->time_us > f->until_us)
		return false;
	for (size_t i = 0; i < f->n; i++)
		if (!(met & 1U << f->wish[i].field) && wish_is_met(&f->wish[i], l))
			met |= 1U << f->wish[i].field;
	return met == f->fields;
}
