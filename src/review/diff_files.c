/* SPDX-License-Identifier: MIT */
/* Rights change only at paths that a rule of either policy mentions: each of them is judged, and
 * what changes as the tree around it does goes without saying.  Patterns are compared as such. */
#include <errno.h>
#include <string.h>

#include "base/clean.h"
#include "pinfold_review.h"
#include "policy/path_text.h"
#include "policy/paths.h"
#include "policy/policy.h"
#include "review/diff.h"

static const char *const RIGHT_WORDS[] = {
	[PATH_DENY] = "nothing",
	[PATH_RO] = "read",
	[PATH_ROX] = "read, execute",
	[PATH_RW] = "read, write, execute",
};

_Static_assert(PATH_DENY < PATH_RO && PATH_RO < PATH_ROX && PATH_ROX < PATH_RW,
	       "rights are compared by number");

/* How one path changes. */
struct place {
	const char *path;
	struct path_judgement side[DIFF_SIDES];
};

struct files {
	struct diff *d;
	struct path_set set[DIFF_SIDES];
	struct place *place; /* sorted */
	size_t n;
};

/* A slash sorts before every other byte, so that a tree stands behind its root without a gap. */
static int by_path(const void *a, const void *b)
{
	const unsigned char *x = (const unsigned char *)((const struct place *)a)->path;
	const unsigned char *y = (const unsigned char *)((const struct place *)b)->path;

	while (*x && *x == *y) {
		x++;
		y++;
	}
	if (*x == *y)
		return 0;
	if (*x == '/' || *y == '/')
		return !*x || (*x == '/' && *y) ? -1 : 1;
	return *x < *y ? -1 : 1;
}

static bool is_path(const struct path_rule *r)
{
	return !r->pattern && !r->glob;
}

static int list_places(struct files *w)
{
	size_t used = 0;

	w->place = calloc(w->set[DIFF_OLD].n + w->set[DIFF_NEW].n + 1, sizeof(*w->place));
	if (!w->place)
		return -ENOMEM;
	for (enum diff_side i = DIFF_OLD; i < DIFF_SIDES; i++)
		for (size_t k = 0; k < w->set[i].n; k++)
			if (is_path(&w->set[i].rule[k]))
				w->place[w->n++].path = w->set[i].rule[k].path;
	qsort(w->place, w->n, sizeof(*w->place), by_path);
	for (size_t i = 0; i < w->n; i++)
		if (used == 0 || strcmp(w->place[used - 1].path, w->place[i].path) != 0)
			w->place[used++] = w->place[i];
	w->n = used;
	for (size_t i = 0; i < w->n; i++)
		for (enum diff_side k = DIFF_OLD; k < DIFF_SIDES; k++)
			w->place[i].side[k] = path_set_judge(&w->set[k], w->place[i].path);
	return 0;
}

static bool same_rights(const struct place *a, const struct place *b)
{
	return a->side[DIFF_OLD].right == b->side[DIFF_OLD].right &&
	       a->side[DIFF_NEW].right == b->side[DIFF_NEW].right;
}

static void tell_place(struct diff *d, const struct place *p)
{
	const enum path_right from = p->side[DIFF_OLD].right;
	const enum path_right to = p->side[DIFF_NEW].right;
	const struct path_rule *rule = p->side[to > from ? DIFF_NEW : DIFF_OLD].rule;
	const struct pinfold_change c = {
		.effect = to > from ? PINFOLD_OPENS : PINFOLD_CLOSES,
		.area = "files",
		.what = p->path,
		.from = RIGHT_WORDS[from],
		.to = RIGHT_WORDS[to],
		.origin = rule ? rule->origin : NULL,
	};

	if (from != to)
		diff_tell(d, &c);
}

/* The mentioned path that holds place i most closely, or NULL: places before it, from the near to
 * the far. */
static const struct place *around(const struct files *w, size_t i)
{
	for (size_t k = i; k-- > 0;)
		if (path_is_within(w->place[i].path, w->place[k].path))
			return &w->place[k];
	return NULL;
}

static void tell_places(struct files *w)
{
	for (size_t i = 0; i < w->n; i++) {
		const struct place *p = &w->place[i];
		const struct place *outer;

		if (p->side[DIFF_OLD].right == p->side[DIFF_NEW].right)
			continue;
		outer = around(w, i);
		if (!outer || !same_rights(p, outer))
			tell_place(w->d, p);
	}
}

static bool has_pattern(const struct path_set *s, const struct path_rule *r)
{
	for (size_t i = 0; i < s->n; i++)
		if (!is_path(&s->rule[i]) && s->rule[i].right == r->right &&
		    s->rule[i].except == r->except && strcmp(s->rule[i].path, r->path) == 0)
			return true;
	return false;
}

static void tell_patterns(struct files *w, enum diff_side in, enum diff_side other)
{
	for (size_t i = 0; i < w->set[in].n; i++) {
		const struct path_rule *r = &w->set[in].rule[i];
		const struct pinfold_change c = {
			.effect = in == DIFF_OLD ? PINFOLD_OPENS : PINFOLD_CLOSES,
			.area = "files",
			.what = r->path,
			.from = in == DIFF_OLD ? "nothing" : "as granted",
			.to = in == DIFF_OLD ? "as granted" : "nothing",
			.origin = r->origin,
		};

		if (!is_path(r) && r->right == PATH_DENY && !has_pattern(&w->set[other], r))
			diff_tell(w->d, &c);
	}
}

int diff_files(struct diff *d, struct pinfold_error *e)
{
	struct files w = { .d = d };
	int r = 0;

	for (enum diff_side i = DIFF_OLD; i < DIFF_SIDES && r == 0; i++)
		r = path_set_build(d->side[i], d->context, d->side[i]->identity.home, &w.set[i], e);
	if (r == 0)
		r = list_places(&w);
	if (r == 0) {
		tell_places(&w);
		tell_patterns(&w, DIFF_OLD, DIFF_NEW);
		tell_patterns(&w, DIFF_NEW, DIFF_OLD);
	}
	for (enum diff_side i = DIFF_OLD; i < DIFF_SIDES; i++)
		path_set_done(&w.set[i]);
	free(w.place);
	return r;
}
