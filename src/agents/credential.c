/* SPDX-License-Identifier: MIT */
#include "agents/credential.h"

#include <errno.h>
#include <fnmatch.h>
#include <fts.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "agents/config.h"
#include "agents/credential_inner.h"
#include "base/clean.h"
#include "base/err.h"
#include "base/json5_tree.h"
#include "pinfold_agents.h"

/* ---- reporting ------------------------------------------------------------------------------ */

void credential_report(struct audit *a, const char *check, const char *place, const char *fix,
		       const char *format, ...)
{
	struct pinfold_hole h = { .check = check, .place = place, .fix = fix };
	char detail[PATH_MAX + 256];
	va_list ap;

	if (a->holes >= CREDENTIAL_HOLES_MAX)
		return;
	va_start(ap, format);
	vsnprintf(detail, sizeof(detail), format, ap);
	va_end(ap);
	h.detail = detail;
	a->holes++;
	if (a->holes == CREDENTIAL_HOLES_MAX)
		h.detail = "and more: this is the last one that is told";
	a->report(a->data, &h);
}

/* ---- files ---------------------------------------------------------------------------------- */

enum kind { KIND_ENV = 0, KIND_OAUTH, KIND_STATE, KINDS };

static const struct {
	const char *check;
	const char *noun;
} KIND_WORDS[] = {
	[KIND_ENV] = { "env", "the environment file" },
	[KIND_OAUTH] = { "oauth", "the token file" },
	[KIND_STATE] = { "state", "the state file" },
};

_Static_assert(ARRAY_SIZE(KIND_WORDS) == KINDS, "words for every kind");

/* By what stands behind the last slash; "/x/" anywhere in the path.  The first that matches. */
static const struct {
	const char *pattern;
	enum kind kind;
	bool everywhere; /* also in workspaces, where other names are the agent's own business */
} NAMES[] = {
	{ ".env", KIND_ENV, true },
	{ ".env.*", KIND_ENV, true },
	{ "auth-profiles*.json", KIND_OAUTH, true },
	{ "auth.json", KIND_OAUTH, false },
	{ "*oauth*.json", KIND_OAUTH, true },
	{ "*token*", KIND_OAUTH, false },
	{ "*credential*", KIND_OAUTH, false },
	{ "*.pem", KIND_OAUTH, false },
	{ "*.key", KIND_OAUTH, false },
	{ "creds*.json", KIND_OAUTH, false },
	{ "openclaw.sqlite*", KIND_STATE, true },
	{ "*.sqlite*", KIND_STATE, false },
	{ "*.db", KIND_STATE, false },
	{ "*.jsonl", KIND_STATE, false },
	{ "*.log", KIND_STATE, false },
	{ "exec-approvals*.json", KIND_STATE, true },
	{ "openclaw.json*", KIND_STATE, false },
	{ "*.json", KIND_STATE, false },
};

static const char *const SPARED[] = { ".env.example", ".env.sample", ".env.template" };

static bool classify(const char *path, const char *name, bool in_workspace, enum kind *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(SPARED); i++)
		if (strcmp(name, SPARED[i]) == 0)
			return false;
	if (!in_workspace && strstr(path, "/credentials/")) {
		*ret = KIND_OAUTH;
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(NAMES); i++)
		if ((NAMES[i].everywhere || !in_workspace) &&
		    fnmatch(NAMES[i].pattern, name, 0) == 0) {
			*ret = NAMES[i].kind;
			return true;
		}
	return false;
}

/* Which of S_IXGRP and S_IXOTH lead through every directory above path. */
static mode_t way_to(const char *path)
{
	mode_t way = S_IXGRP | S_IXOTH;
	char dir[PATH_MAX];
	struct stat st;

	if (snprintf(dir, sizeof(dir), "%s", path) >= (int)sizeof(dir))
		return way;
	for (char *slash = strrchr(dir, '/'); slash && slash != dir; slash = strrchr(dir, '/')) {
		*slash = '\0';
		if (stat(dir, &st) == 0)
			way &= st.st_mode & S_IXOTH ? way : (st.st_mode & S_IXGRP ? S_IXGRP : 0U);
	}
	return way;
}

/* Nobody, a group, or everybody but the owner can read what has that mode behind that way. */
static const char *readers(mode_t mode, mode_t way)
{
	if (mode & S_IROTH && way & S_IXOTH)
		return "every user of this host";
	if (mode & S_IRGRP && way)
		return "its group";
	return NULL;
}

static void check_mode(struct audit *a, enum kind kind, const char *path, const struct stat *st)
{
	const char *who = readers(st->st_mode, way_to(path));
	char fix[PATH_MAX + 16];

	if (!who)
		return;
	snprintf(fix, sizeof(fix), "chmod 600 '%s'", path);
	credential_report(a, KIND_WORDS[kind].check, path, fix, "%s can be read by %s (mode %03o)",
			  KIND_WORDS[kind].noun, who, st->st_mode & 0777U);
}

static void check_place(struct audit *a, enum kind kind, const char *path)
{
	char fix[PATH_MAX + 64];

	snprintf(fix, sizeof(fix), "move it out of the workspace, into the state directory");
	credential_report(a, KIND_WORDS[kind].check, path, fix,
			  "%s lies inside a workspace, where agents work", KIND_WORDS[kind].noun);
}

static bool is_pruned(const char *name)
{
	return strcmp(name, "node_modules") == 0 || strcmp(name, ".git") == 0;
}

static void check_file(struct audit *a, const FTSENT *at, bool in_workspace)
{
	enum kind kind;

	if (!classify(at->fts_path, at->fts_name, in_workspace, &kind))
		return;
	if (in_workspace)
		check_place(a, kind, at->fts_path);
	check_mode(a, kind, at->fts_path, at->fts_statp);
}

/* One tree, without symlinks; directories of a state tree that are workspaces are passed over. */
static void check_tree(struct audit *a, const char *tree, bool in_workspace)
{
	auto_free char *copy = strdup(tree);
	char *roots[] = { copy, NULL };
	FTS *fts = copy ? fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL) : NULL;
	FTSENT *at;

	for (size_t n = 0; fts && n < CREDENTIAL_ENTRIES_MAX && (at = fts_read(fts)); n++) {
		bool skip = at->fts_info == FTS_D && at->fts_level > 0 &&
			    (is_pruned(at->fts_name) || at->fts_level > CREDENTIAL_DEPTH_MAX ||
			     (!in_workspace && credential_is_workspace(a, at->fts_path)));

		if (skip)
			(void)fts_set(fts, at, FTS_SKIP);
		else if (at->fts_info == FTS_F)
			check_file(a, at, in_workspace);
	}
	if (fts)
		fts_close(fts);
}

/* ---- directories ---------------------------------------------------------------------------- */

static bool lies_in(const char *path, const char *tree)
{
	size_t n = strlen(tree);

	return strncmp(path, tree, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

static void check_state_dir(struct audit *a, const char *dir)
{
	char fix[PATH_MAX + 16];
	struct stat st;

	if (stat(dir, &st) < 0 || !S_ISDIR(st.st_mode))
		return;
	snprintf(fix, sizeof(fix), "chmod 700 '%s'", dir);
	if (st.st_mode & 0077)
		credential_report(a, "state", dir, fix,
				  "the state directory is open to others (mode %03o)",
				  st.st_mode & 0777U);
	for (size_t i = 0; i < a->workspaces.n; i++)
		if (lies_in(dir, a->workspaces.s[i]))
			credential_report(a, "state", dir, "move the workspace or the state apart",
					  "the state directory lies inside the workspace '%s'",
					  a->workspaces.s[i]);
	check_tree(a, dir, false);
}

/* The configuration's own directory holds more than state: only what is known is looked at. */
static void check_beside_config(struct audit *a, const struct agents_config *c)
{
	static const char *const names[] = { ".env", "oauth.json", "auth-profiles.json",
					     "exec-approvals.json" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char path[PATH_MAX];
		struct stat st;
		enum kind kind;

		if (snprintf(path, sizeof(path), "%s/%s", c->dir, names[i]) < (int)sizeof(path) &&
		    lstat(path, &st) == 0 && S_ISREG(st.st_mode) &&
		    classify(path, names[i], false, &kind))
			check_mode(a, kind, path, &st);
	}
}

static int add_state(struct audit *a, const char *dir)
{
	auto_free char *real = dir ? realpath(dir, NULL) : NULL;

	if (!real)
		return 0;
	for (size_t i = 0; i < a->states.n; i++)
		if (strcmp(a->states.s[i], real) == 0)
			return 0;
	return list_add(&a->states, real);
}

/* A directory and the captures that stand beside it. */
static int add_state_pair(struct audit *a, const char *dir)
{
	char beside[PATH_MAX];
	int r = add_state(a, dir);

	if (r < 0 || !dir ||
	    snprintf(beside, sizeof(beside), "%s.update-captures", dir) >= (int)sizeof(beside))
		return r;
	return add_state(a, beside);
}

static int find_states(struct audit *a, const char *const *dirs, size_t n)
{
	char home[PATH_MAX];
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++)
		r = add_state_pair(a, dirs[i]);
	if (r == 0)
		r = add_state_pair(a, getenv("OPENCLAW_STATE_DIR"));
	if (r == 0 && snprintf(home, sizeof(home), "%s/.openclaw", a->c->home) < (int)sizeof(home))
		r = add_state_pair(a, home);
	return r;
}

bool credential_is_workspace(const struct audit *a, const char *path)
{
	for (size_t i = 0; i < a->workspaces.n; i++)
		if (strcmp(path, a->workspaces.s[i]) == 0)
			return true;
	return false;
}

static void check_files(struct audit *a)
{
	for (size_t i = 0; i < a->states.n; i++)
		check_state_dir(a, a->states.s[i]);
	for (size_t i = 0; i < a->workspaces.n; i++) {
		if (lies_in(a->c->path, a->workspaces.s[i]))
			credential_report(a, "config", a->c->path, "move it out of the workspace",
					  "the configuration lies inside the workspace '%s'",
					  a->workspaces.s[i]);
		check_tree(a, a->workspaces.s[i], true);
	}
	/* What lies in a tree of above has been told. */
	for (size_t i = 0; i < a->states.n; i++)
		if (lies_in(a->c->dir, a->states.s[i]))
			return;
	if (!credential_is_workspace(a, a->c->dir))
		check_beside_config(a, a->c);
}

int credential_check(const struct agents_config *c, const char *const *state_dirs, size_t n,
		     void (*report)(void *data, const struct pinfold_hole *h), void *data,
		     struct pinfold_error *e)
{
	struct audit a = { .c = c, .report = report, .data = data };
	int r = find_states(&a, state_dirs, n);

	if (r == 0)
		r = credential_find_workspaces(&a);
	if (r == 0) {
		check_files(&a);
		credential_check_settings(&a);
	}
	list_done(&a.states);
	list_done(&a.workspaces);
	return r < 0 ? err_set(e, r, "out of memory") : (int)a.holes;
}

int pinfold_doctor_config(const char *config, const char *const *state_dirs, size_t n_state_dirs,
			  void (*report)(void *data, const struct pinfold_hole *h), void *data,
			  struct pinfold_error *e)
{
	struct agents_config *c;
	int r = agents_config_load(config, &c, e);

	if (r < 0)
		return r;
	r = credential_check(c, state_dirs, n_state_dirs, report, data, e);
	agents_config_free(c);
	return r;
}
