/* SPDX-License-Identifier: MIT */
/* Remembers what an observed session used beyond its policy, each thing once. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/err.h"
#include "pinfold_review.h"
#include "policy/handle.h"
#include "policy/path_text.h"
#include "policy/read.h"
#include "review/hash.h"
#include "review/learn_seen.h"

#define USES_MAX 65536
#define DSTS_MAX 4096
#define PROGRAMS_MAX 40
#define SLOTS 131072 /* of the table by path: a power of two, twice USES_MAX */

#define WRITES (PINFOLD_USE_WRITE | PINFOLD_USE_MAKE | PINFOLD_USE_REMOVE | PINFOLD_USE_CHANGE)

int pinfold_learn_new(const struct pinfold_policy *base, struct pinfold_learning **ret,
		      struct pinfold_error *e)
{
	struct pinfold_learning *l = calloc(1, sizeof(*l));

	if (l)
		l->slot = calloc(SLOTS, sizeof(*l->slot));
	if (!l || !l->slot) {
		pinfold_learn_free(l);
		return err_set(e, -ENOMEM, "out of memory");
	}
	l->base = base;
	*ret = l;
	return 0;
}

/* ---- paths and sockets ---------------------------------------------------------------------- */

static bool is_same_use(const struct learn_use *u, const char *path, bool is_shut)
{
	return u->is_shut == is_shut && strcmp(u->path, path) == 0;
}

/* The entry of a path, a new one if need be; NULL: no room. */
static struct learn_use *find_use(struct pinfold_learning *l, const char *path, bool is_shut)
{
	size_t at = (size_t)hash_text(path) & (SLOTS - 1);
	struct learn_use *u;

	for (; l->slot[at]; at = (at + 1) & (SLOTS - 1)) {
		u = &l->files.use[l->slot[at] - 1];
		if (is_same_use(u, path, is_shut))
			return u;
	}
	u = l->files.n < USES_MAX ? grow(&l->files.use, l->files.n, sizeof(*u)) : NULL;
	if (!u)
		return NULL;
	u->path = strdup(path);
	if (!u->path)
		return NULL;
	u->is_shut = is_shut;
	l->slot[at] = (uint32_t)++l->files.n;
	return u;
}

static void note_workspace(struct pinfold_learning *l, const struct pinfold_sight *s)
{
	if (!s->path || !path_is_within(s->path, l->base->policy.workspace))
		return;
	l->workspace.uses |= s->uses;
	l->workspace.count++;
	if (s->uses & WRITES)
		learn_add_who(l->workspace.who, s->program);
}

/* Libraries are mapped as code as well, and are no programs. */
static bool note_program(struct pinfold_learning *l, const struct pinfold_sight *s)
{
	const char *slash = s->uses & PINFOLD_USE_EXEC ? strrchr(s->path, '/') : NULL;

	if (!slash || strstr(slash, ".so"))
		return true;
	for (size_t i = 0; i < l->ran.n; i++)
		if (strcmp(l->ran.s[i], slash + 1) == 0)
			return true;
	if (l->ran.n < PROGRAMS_MAX)
		return list_add(&l->ran, slash + 1) == 0;
	l->n_more++;
	return true;
}

static bool see_file(struct pinfold_learning *l, const struct pinfold_sight *s)
{
	struct learn_use *u;

	note_workspace(l, s);
	if (!note_program(l, s))
		return false;
	if (s->verdict == PINFOLD_ALLOW)
		return true;
	u = find_use(l, s->path, s->verdict == PINFOLD_DENY);
	if (!u)
		return false;
	u->missing |= s->missing;
	u->is_dir = u->is_dir || s->is_dir;
	u->is_git = u->is_git || (s->reason && strcmp(s->reason, "protectGit") == 0);
	u->count++;
	learn_add_who(u->who, s->program);
	return true;
}

static bool see_socket(struct pinfold_learning *l, const struct pinfold_sight *s)
{
	bool is_shut = s->verdict == PINFOLD_DENY;
	struct learn_use *u = NULL;

	if (s->verdict == PINFOLD_ALLOW)
		return true;
	for (size_t i = 0; i < l->sockets.n && !u; i++)
		if (is_same_use(&l->sockets.use[i], s->path, is_shut))
			u = &l->sockets.use[i];
	if (!u) {
		u = l->sockets.n < DSTS_MAX ? grow(&l->sockets.use, l->sockets.n, sizeof(*u))
					    : NULL;
		if (!u)
			return false;
		u->path = strdup(s->path);
		if (!u->path)
			return false;
		u->is_shut = is_shut;
		l->sockets.n++;
	}
	u->count++;
	learn_add_who(u->who, s->program);
	return true;
}

/* ---- destinations --------------------------------------------------------------------------- */

static bool is_same_text(const char *a, const char *b)
{
	return !a || !b ? a == b : strcmp(a, b) == 0;
}

static bool is_same_dst(const struct learn_dst *d, const struct pinfold_sight *s)
{
	return d->port == s->port && is_same_text(d->name, s->name) &&
	       is_same_text(d->address, s->address) && strcmp(d->proto, s->proto) == 0 &&
	       d->is_shut == (s->verdict == PINFOLD_DENY);
}

static void dst_done(struct learn_dst *d)
{
	free(take_ptr(d->name));
	free(take_ptr(d->address));
	free(take_ptr(d->proto));
}

static struct learn_dst *add_dst(struct learn_dsts *to, const struct pinfold_sight *s)
{
	struct learn_dst *d = to->n < DSTS_MAX ? grow(&to->dst, to->n, sizeof(*to->dst)) : NULL;

	if (!d)
		return NULL;
	d->port = s->port;
	d->is_shut = s->verdict == PINFOLD_DENY;
	d->name = s->name ? strdup(s->name) : NULL;
	d->address = s->address ? strdup(s->address) : NULL;
	d->proto = strdup(s->proto);
	if (!d->proto || (s->name && !d->name) || (s->address && !d->address)) {
		dst_done(d);
		return NULL;
	}
	to->n++;
	return d;
}

/* Private space and this host's loopback open to nothing but a literal. */
static bool needs_literal(const struct pinfold_sight *s)
{
	return s->reason &&
	       (strcmp(s->reason, "private") == 0 || strcmp(s->reason, "loopback") == 0);
}

static bool see_dst(struct pinfold_learning *l, const struct pinfold_sight *seen)
{
	struct pinfold_sight s = *seen;
	struct learn_dst *d = NULL;

	s.proto = s.proto ? s.proto : "tcp";
	if (s.verdict == PINFOLD_ALLOW || (s.address && s.port == 0))
		return true;
	for (size_t i = 0; i < l->dsts.n && !d; i++)
		if (is_same_dst(&l->dsts.dst[i], &s))
			d = &l->dsts.dst[i];
	if (!d)
		d = add_dst(&l->dsts, &s);
	if (!d)
		return false;
	d->is_literal = d->is_literal || needs_literal(&s);
	d->count++;
	learn_add_who(d->who, s.program);
	return true;
}

void pinfold_learn_see(void *learning, const struct pinfold_sight *sight)
{
	static bool (*const see[])(struct pinfold_learning * l, const struct pinfold_sight *s) = {
		[PINFOLD_SIGHT_FILE] = see_file,
		[PINFOLD_SIGHT_UNIX] = see_socket,
		[PINFOLD_SIGHT_NAME] = see_dst,
		[PINFOLD_SIGHT_DESTINATION] = see_dst,
	};
	struct pinfold_learning *l = learning;

	if (!see[sight->kind](l, sight))
		l->lost++;
}

static void uses_done(struct learn_uses *u)
{
	for (size_t i = 0; i < u->n; i++)
		free(u->use[i].path);
	free(u->use);
}

void pinfold_learn_free(struct pinfold_learning *l)
{
	if (!l)
		return;
	uses_done(&l->files);
	uses_done(&l->sockets);
	for (size_t i = 0; i < l->dsts.n; i++)
		dst_done(&l->dsts.dst[i]);
	free(l->dsts.dst);
	list_done(&l->ran);
	free(l->slot);
	free(l);
}
