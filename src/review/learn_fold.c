/* SPDX-License-Identifier: MIT */
/*
 * DOC: folding paths
 *
 *  1. Each use becomes a grant of its path; where a name came or went, of the directory around it,
 *     as far up as that is there now.  What lies in a hidden directory of the launcher's home
 *     becomes that directory.
 *  2. Three or more grants of one kind in one directory become that directory.
 *  3. What a wider grant covers vanishes.
 *
 * No step makes an entry of a home, of a directory above one, or of the top of the tree.
 */
#include "review/learn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "pinfold.h"
#include "policy/path_text.h"
#include "policy/paths.h"
#include "policy/read.h"

#define NAMES (PINFOLD_USE_MAKE | PINFOLD_USE_REMOVE)
#define WRITES (NAMES | PINFOLD_USE_WRITE | PINFOLD_USE_CHANGE)

static const char LOOKED[] = "only looked at";
static const char GONE[] = "not there any more";
static const char BROAD[] = "would take all of a directory that holds everybody's things";
static const char SHUT[] = "denied or sensitive";
static const char GIT[] = "git obeys it; \"protectGit\": false would open it";

/* Directories that no entry should open as a whole. */
static const char *const broad[] = { "/",    "/tmp", "/var/tmp", "/var", "/etc",
				     "/usr", "/run", "/dev",     "/sys", "/proc" };

static bool is_broad(const struct learn_world *w, const char *path)
{
	if (w->home && path_is_within(w->home, path))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(broad); i++)
		if (strcmp(path, broad[i]) == 0)
			return true;
	return false;
}

void learn_add_who(char who[static LEARN_WHO_MAX], const char *program)
{
	size_t len = strlen(who);
	size_t more = strlen(program);
	const char *at = strstr(who, program);

	if (more == 0 || more > 40)
		return;
	while (at && !((at == who || at[-1] == ' ') && (at[more] == '\0' || at[more] == ',')))
		at = strstr(at + 1, program);
	if (at || len + more + 3 > LEARN_WHO_MAX)
		return;
	if (len > 0) {
		who[len++] = ',';
		who[len++] = ' ';
	}
	memcpy(who + len, program, more + 1);
}

static void join_who(char who[static LEARN_WHO_MAX], const char *others)
{
	char name[LEARN_WHO_MAX];

	while (*others) {
		size_t len = strcspn(others, ",");

		memcpy(name, others, len);
		name[len] = '\0';
		learn_add_who(who, name);
		others += len;
		others += strspn(others, ", ");
	}
}

/* path is changed to the directory around it. */
static void go_up(char *path)
{
	char *slash = strrchr(path, '/');

	slash[slash == path ? 1 : 0] = '\0';
}

/* The hidden directory of the home that path lies in: ".cache/NAME", ".local/share/NAME", ".NAME".
 * Its length in path; 0: there is none. */
static size_t home_dir_length(const struct learn_world *w, const char *path)
{
	static const struct {
		const char *prefix;
		size_t more; /* components behind it */
	} shared[] = {
		{ ".local/share/", 1 }, { ".local/state/", 1 }, { ".local/lib/", 1 },
		{ ".local/", 1 },       { ".cache/", 1 },       { ".config/", 1 },
	};
	size_t home = w->home ? strlen(w->home) + 1 : 0;
	const char *rest = path + home;

	if (!w->home || strcmp(path, w->home) == 0 || !path_is_within(path, w->home) ||
	    rest[0] != '.')
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(shared); i++) {
		size_t len = strlen(shared[i].prefix);

		if (strncmp(rest, shared[i].prefix, len) == 0 && rest[len])
			return home + len + strcspn(rest + len, "/");
	}
	for (size_t i = 0; i < ARRAY_SIZE(shared); i++)
		if (strncmp(rest, shared[i].prefix, strcspn(rest, "/")) == 0 &&
		    strlen(rest) < strlen(shared[i].prefix))
			return 0; /* the shared directory itself */
	return home + strcspn(rest, "/");
}

static enum path_right right_for(unsigned missing)
{
	if (missing & WRITES)
		return PATH_RW;
	return missing & PINFOLD_USE_EXEC ? PATH_ROX : PATH_RO;
}

static enum learn_kind kind_of(const struct learn_world *w, const char *path)
{
	return w->kind(w->data, path);
}

/* Where names come and go it is the directory that has to be writable. */
static const char *widen(const struct learn_world *w, const struct learn_use *u, char *path)
{
	bool is_there = kind_of(w, path) != LEARN_ABSENT;

	if (!(u->missing & NAMES))
		return is_there ? NULL : GONE;
	go_up(path);
	while (strcmp(path, "/") != 0 && kind_of(w, path) == LEARN_ABSENT)
		go_up(path);
	if (!is_broad(w, path))
		return NULL;
	/* What it made there it can at least go on using. */
	memcpy(path, u->path, strlen(u->path) + 1);
	return is_there ? NULL : BROAD;
}

static int place(const struct learn_use *u, const struct learn_world *w, struct learn_grant *ret)
{
	size_t home = home_dir_length(w, u->path);

	*ret = (struct learn_grant){
		.path = strdup(u->path),
		.right = right_for(u->missing),
		.uses = u->missing,
		.count = u->count,
		.paths = 1,
	};
	if (!ret->path)
		return -ENOMEM;
	memcpy(ret->who, u->who, sizeof(ret->who));
	if (u->is_shut)
		ret->left = SHUT;
	else if (u->is_git)
		ret->left = GIT;
	else if (u->missing == PINFOLD_USE_LOOK && u->is_dir)
		ret->left = LOOKED;
	else if (!(u->missing & NAMES) && is_broad(w, u->path))
		ret->left = BROAD;
	if (ret->left) {
		ret->right = PATH_DENY;
		return 0;
	}
	if (home > 0) {
		char end = ret->path[home];

		ret->path[home] = '\0';
		if (kind_of(w, ret->path) == LEARN_DIR)
			return 0;
		ret->path[home] = end;
	}
	ret->left = widen(w, u, ret->path);
	if (ret->left)
		ret->right = PATH_DENY;
	return 0;
}

/* ---- many grants ---------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	const struct learn_grant *x = a;
	const struct learn_grant *y = b;
	int left = (x->right == PATH_DENY) - (y->right == PATH_DENY);

	return left ? left : path_order(x->path, y->path);
}

static void absorb(struct learn_grant *into, struct learn_grant *from)
{
	into->uses |= from->uses;
	into->count += from->count;
	into->paths += from->paths;
	join_who(into->who, from->who);
	free(take_ptr(from->path));
}

/* Writing includes executing; executing includes reading. */
static bool includes(enum path_right wide, enum path_right narrow)
{
	static const int rank[] = { [PATH_DENY] = 0, [PATH_RO] = 1, [PATH_ROX] = 2, [PATH_RW] = 3 };

	_Static_assert(ARRAY_SIZE(rank) == PATH_RW + 1, "a rank for every right");
	return rank[wide] >= rank[narrow];
}

/* The nearest entry around at, of the first n; that is the one which holds.  Of what is left out,
 * the same path only. */
static struct learn_grant *around(struct learn_grants *g, size_t n, const struct learn_grant *at)
{
	struct learn_grant *k = n > 0 ? &g->grant[n - 1] : NULL;

	if (at->right == PATH_DENY)
		return k && k->right == PATH_DENY && strcmp(k->path, at->path) == 0 ? k : NULL;
	while (k && !path_is_within(at->path, k->path))
		k = k->up ? &g->grant[k->up - 1] : NULL;
	return k;
}

/* Makes one entry of those with one path, drops those that another covers. */
static void drop_covered(struct learn_grants *g)
{
	size_t kept = 0;

	if (g->n > 1)
		qsort(g->grant, g->n, sizeof(*g->grant), compare);
	for (size_t i = 0; i < g->n; i++) {
		struct learn_grant at = g->grant[i];
		struct learn_grant *cover = around(g, kept, &at);

		if (cover && strcmp(cover->path, at.path) == 0 && !includes(cover->right, at.right))
			cover->right = at.right;
		if (cover && includes(cover->right, at.right)) {
			absorb(cover, &at);
			continue;
		}
		at.up = cover ? (size_t)(cover - g->grant) + 1 : 0;
		g->grant[kept++] = at;
	}
	g->n = kept;
}

static size_t dir_length(const char *path)
{
	return (size_t)(strrchr(path, '/') - path);
}

/* By right and directory, so that siblings stand side by side. */
static int compare_siblings(const void *a, const void *b)
{
	const struct learn_grant *x = a;
	const struct learn_grant *y = b;
	size_t dx = dir_length(x->path);
	size_t dy = dir_length(y->path);

	if (x->right != y->right)
		return x->right < y->right ? -1 : 1;
	if (dx != dy)
		return dx < dy ? -1 : 1;
	return memcmp(x->path, y->path, dx);
}

/* Not a directory at the top: those hold unrelated things. */
static bool may_fold(const struct learn_world *w, const char *path)
{
	auto_free char *dir = strdup(path);

	if (!dir)
		return false;
	go_up(dir);
	return strchr(dir + 1, '/') && !is_broad(w, dir) && kind_of(w, dir) == LEARN_DIR;
}

/* True when something was folded: it then has the path of its directory. */
static bool fold_siblings(struct learn_grants *g, const struct learn_world *w)
{
	bool folded = false;
	size_t end;

	if (g->n > 1)
		qsort(g->grant, g->n, sizeof(*g->grant), compare_siblings);
	for (size_t i = 0; i < g->n; i = end) {
		for (end = i + 1; end < g->n; end++)
			if (compare_siblings(&g->grant[i], &g->grant[end]) != 0)
				break;
		if (g->grant[i].right == PATH_DENY || end - i < LEARN_SIBLINGS ||
		    !may_fold(w, g->grant[i].path))
			continue;
		for (size_t k = i; k < end; k++)
			go_up(g->grant[k].path);
		folded = true;
	}
	return folded;
}

/* Entries that go through a symlink stay whatever lies around them: they make the symlink. */
static void drop_same(struct learn_grants *g)
{
	size_t kept = 0;

	if (g->n > 1)
		qsort(g->grant, g->n, sizeof(*g->grant), compare);
	for (size_t i = 0; i < g->n; i++) {
		struct learn_grant at = g->grant[i];

		if (kept > 0 && at.right == g->grant[kept - 1].right &&
		    strcmp(at.path, g->grant[kept - 1].path) == 0)
			absorb(&g->grant[kept - 1], &at);
		else
			g->grant[kept++] = at;
	}
	g->n = kept;
}

static int add(const struct learn_use *u, const struct learn_world *w, struct learn_grants *g)
{
	struct learn_grant *to = grow(&g->grant, g->n, sizeof(*to));
	int r = to ? place(u, w, to) : -ENOMEM;

	if (r == 0)
		g->n++;
	return r;
}

int learn_fold(const struct learn_uses *uses, const struct learn_world *w, struct learn_grants *ret)
{
	struct learn_grants g = { 0 };
	int r = 0;

	for (size_t i = 0; i < uses->n && r == 0; i++)
		if (!learn_is_link(&uses->use[i], w))
			r = add(&uses->use[i], w, &g);
	if (r == 0) {
		do
			drop_covered(&g);
		while (fold_siblings(&g, w));
		drop_covered(&g);
		r = learn_links(uses, w, &g);
	}
	if (r < 0) {
		learn_grants_done(&g);
		return r;
	}
	drop_same(&g);
	*ret = g;
	return 0;
}

void learn_grants_done(struct learn_grants *g)
{
	for (size_t i = 0; i < g->n; i++)
		free(g->grant[i].path);
	free(g->grant);
	*g = (struct learn_grants){ 0 };
}
