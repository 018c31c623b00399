/* SPDX-License-Identifier: MIT */
/* Folding destinations: names instead of addresses, a wildcard for three or more siblings. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "policy/read.h"
#include "review/learn.h"
#include "review/lint.h"

#define LOOKED_UP_PORT 443 /* an entry has to have one; what is served there is meant for all */

static const char SHUT[] = "metadata and never-allowed space";

struct folding {
	const struct learn_dsts *in;
	bool *repeated; /* for each of in: a sibling before it has the same name */
	struct learn_hosts out;
};

/* ---- wildcards ------------------------------------------------------------------------------ */

/* What a wildcard would stand below; NULL: nothing sensible. */
static const char *parent_of(const char *name)
{
	const char *dot = name ? strchr(name, '.') : NULL;
	bool of_registry;

	if (!dot || !strchr(dot + 1, '.') || lint_is_public_suffix(dot + 1, &of_registry))
		return NULL;
	return dot + 1;
}

static bool is_same_service(const struct learn_dst *a, const struct learn_dst *b)
{
	return !a->is_shut && !b->is_shut && !a->address == !b->address && a->port == b->port &&
	       strcmp(a->proto, b->proto) == 0;
}

static bool is_sibling(const struct learn_dst *a, const struct learn_dst *b)
{
	const char *x = parent_of(a->name);
	const char *y = parent_of(b->name);

	return x && y && strcmp(x, y) == 0 && is_same_service(a, b);
}

/* Whether a name was met before d, in its place among the siblings. */
static bool is_repeated(const struct folding *f, size_t d)
{
	const struct learn_dst *at = &f->in->dst[d];

	for (size_t i = 0; i < d; i++)
		if (is_sibling(&f->in->dst[i], at) && strcmp(f->in->dst[i].name, at->name) == 0)
			return true;
	return false;
}

static size_t count_siblings(const struct folding *f, size_t d)
{
	size_t n = 0;

	for (size_t i = 0; i < f->in->n; i++)
		n += !f->repeated[i] && is_sibling(&f->in->dst[i], &f->in->dst[d]);
	return n;
}

/* ---- entries -------------------------------------------------------------------------------- */

static int add(struct folding *f, const struct learn_dst *d, char *text, size_t names)
{
	struct learn_host *h = NULL;

	for (size_t i = 0; i < f->out.n && !h; i++)
		if (strcmp(f->out.host[i].text, text) == 0)
			h = &f->out.host[i];
	if (h) {
		free(text);
	} else {
		h = grow(&f->out.host, f->out.n, sizeof(*h));
		if (!h) {
			free(text);
			return -ENOMEM;
		}
		f->out.n++;
		h->text = text;
		h->names = names;
		h->left = d->is_shut ? SHUT : NULL;
		h->is_looked_up = true;
	}
	h->is_looked_up = h->is_looked_up && !d->address;
	h->count += d->count;
	learn_add_who(h->who, d->who);
	return 0;
}

static const char *suffix_of(const struct learn_dst *d)
{
	return d->address && strcmp(d->proto, "udp") == 0 ? "/udp" : "";
}

static int add_name(struct folding *f, size_t i)
{
	const struct learn_dst *d = &f->in->dst[i];
	unsigned port = d->address ? d->port : LOOKED_UP_PORT;
	size_t names = count_siblings(f, i);
	bool many = names >= LEARN_SIBLINGS;
	char *text;

	if (asprintf(&text, "%s%s:%u%s", many ? "*." : "", many ? parent_of(d->name) : d->name,
		     port, suffix_of(d)) < 0)
		return -ENOMEM;
	return add(f, d, text, many ? names : 0);
}

static int add_address(struct folding *f, const struct learn_dst *d)
{
	bool is_v6 = strchr(d->address, ':');
	char *text;

	if (asprintf(&text, is_v6 ? "[%s]:%u%s" : "%s:%u%s", d->address, (unsigned)d->port,
		     suffix_of(d)) < 0)
		return -ENOMEM;
	return add(f, d, text, 0);
}

/* A name that something was sent to need not be allowed for its own sake. */
static bool is_used(const struct folding *f, const struct learn_dst *d)
{
	for (size_t i = 0; i < f->in->n; i++) {
		const struct learn_dst *o = &f->in->dst[i];

		if (o->address && o->name && strcmp(o->name, d->name) == 0)
			return true;
	}
	return false;
}

static int fold(struct folding *f)
{
	int r = 0;

	for (size_t i = 0; i < f->in->n && r == 0; i++) {
		const struct learn_dst *d = &f->in->dst[i];

		if (!d->address && !d->is_shut && is_used(f, d))
			continue;
		if (d->name)
			r = add_name(f, i);
		if (r == 0 && d->address && (!d->name || d->is_literal))
			r = add_address(f, d);
	}
	return r;
}

static int compare(const void *a, const void *b)
{
	const struct learn_host *x = a;
	const struct learn_host *y = b;

	if (!x->left != !y->left)
		return x->left ? 1 : -1;
	return strcmp(x->text, y->text);
}

int learn_hosts(const struct learn_dsts *dsts, struct learn_hosts *ret)
{
	auto_free bool *repeated = calloc(dsts->n + 1, sizeof(*repeated));
	struct folding f = { .in = dsts, .repeated = repeated };
	int r;

	if (!repeated)
		return -ENOMEM;
	for (size_t i = 0; i < dsts->n; i++)
		repeated[i] = is_repeated(&f, i);
	r = fold(&f);
	if (r < 0) {
		learn_hosts_done(&f.out);
		return r;
	}
	if (f.out.n > 1)
		qsort(f.out.host, f.out.n, sizeof(*f.out.host), compare);
	*ret = f.out;
	return 0;
}

void learn_hosts_done(struct learn_hosts *h)
{
	for (size_t i = 0; i < h->n; i++)
		free(h->host[i].text);
	free(h->host);
	*h = (struct learn_hosts){ 0 };
}
