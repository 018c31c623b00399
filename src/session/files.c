/* SPDX-License-Identifier: MIT */
/* The file tools' own check, under a policy: the same judgement as a session's, without one. */
#include <errno.h>
#include <fts.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "agents/api.h"
#include "agents/fsop.h"
#include "audit/record.h"
#include "base/clean.h"
#include "base/err.h"
#include "fs/git.h"
#include "pinfold_agents.h"
#include "policy/handle.h"
#include "policy/parse.h"
#include "session/api.h"
#include "session/why_view.h"

#define NAMES_ENTRIES_MAX 200000 /* looked at for other names of one file */

struct pinfold_fs {
	const struct pinfold_policy *policy;
	struct pinfold_policy *own; /* NULL: the policy is the caller's */
	struct why_view view;
	struct fsop op;
	struct fsop seen; /* the agent's workspace, to be read by its own path; root < 0: none */
	char *log;        /* where refusals are written down; NULL: nowhere */
	char *agent;
	char *session;
	const struct path_rule *refused_by; /* of the operation that is under way; NULL: no rule */
};

/* ---- other names of a file ------------------------------------------------------------------- */

struct search {
	const struct path_set *set;
	const struct stat *file;
	size_t seen;
	size_t found;
	bool denied;
};

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_dev == b->st_dev;
}

static void search_tree(struct search *s, char *tree)
{
	char *roots[] = { tree, NULL };
	FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	const FTSENT *at;

	while (fts && !s->denied && s->seen < NAMES_ENTRIES_MAX && (at = fts_read(fts))) {
		s->seen++;
		if (at->fts_info != FTS_F || !is_same(at->fts_statp, s->file))
			continue;
		s->found++;
		s->denied = path_set_judge(s->set, at->fts_path).right == PATH_DENY;
	}
	if (fts)
		fts_close(fts);
}

static bool names_a_tree(const struct path_rule *r)
{
	return r->right == PATH_DENY && !r->pattern && !r->glob;
}

/* A file with several names is refused when one of them is denied, or not all could be looked
 * for. */
static int judge_names(const struct pinfold_fs *fs, const char *path, const struct stat *st,
		       struct pinfold_error *e)
{
	struct search s = { .set = &fs->view.set, .file = st };

	search_tree(&s, fs->op.path);
	for (size_t i = 0; i < s.set->n && !s.denied && s.found < st->st_nlink; i++)
		if (names_a_tree(&s.set->rule[i]))
			search_tree(&s, s.set->rule[i].path);
	if (s.denied)
		return err_set(e, -EPERM, "'%s' is another name of a file that is denied", path);
	if (s.seen >= NAMES_ENTRIES_MAX)
		return err_set(e, -EPERM, "'%s' has %llu names, too far apart to be looked for",
			       path, (unsigned long long)st->st_nlink);
	return 0;
}

/* ---- the judge ------------------------------------------------------------------------------- */

static int refuse(struct pinfold_fs *fs, const struct path_judgement *j, const char *path,
		  enum fsop_want want, struct pinfold_error *e)
{
	const char *what = want == FSOP_WRITE ? "changed" : "read";

	fs->refused_by = j->rule;
	if (!j->rule)
		return err_set(e, -EPERM, "'%s' may not be %s: nothing grants it", path, what);
	return err_set(e, -EPERM, "'%s' may not be %s: %.60s, %.80s", path, what, j->rule->text,
		       j->rule->origin);
}

static int judge(void *data, const char *path, enum fsop_want want, const struct stat *st,
		 struct pinfold_error *e)
{
	struct pinfold_fs *fs = data;
	struct path_judgement j = path_set_judge(&fs->view.set, path);

	if (j.right == PATH_DENY || (want == FSOP_WRITE && j.right != PATH_RW))
		return refuse(fs, &j, path, want, e);
	if (want == FSOP_WRITE && fs->policy->policy.fs.protect_git && git_path_is_held(path))
		return err_set(e, -EPERM, "'%s' may not be changed: filesystem.protectGit", path);
	if (st && S_ISREG(st->st_mode) && st->st_nlink > 1)
		return judge_names(fs, path, st, e);
	return 0;
}

int pinfold_fs_log(struct pinfold_fs *fs, const char *path, struct pinfold_error *e)
{
	char *copy = strdup(path);

	if (!copy)
		return err_set(e, -ENOMEM, "out of memory");
	free(fs->log);
	fs->log = copy;
	return 0;
}

int pinfold_fs_open(const struct pinfold_policy *policy, struct pinfold_fs **ret,
		    struct pinfold_error *e)
{
	const struct policy *p = &policy->policy;
	struct pinfold_fs *fs = calloc(1, sizeof(*fs));
	int r;

	if (!fs)
		return err_set(e, -ENOMEM, "out of memory");
	fs->op.root = -1;
	fs->seen.root = -1;
	fs->policy = policy;
	r = p->audit.path ? pinfold_fs_log(fs, p->audit.path, e) : 0;
	if (r == 0)
		r = why_view_build(p, &policy->context.policy, &fs->view, e);
	if (r == 0)
		r = fsop_open(p->fence_to_lane && p->lane ? p->lane : p->workspace, judge, fs,
			      &fs->op, e);
	if (r < 0) {
		pinfold_fs_close(fs);
		return r;
	}
	*ret = fs;
	return 0;
}

void pinfold_fs_close(struct pinfold_fs *fs)
{
	if (!fs)
		return;
	fsop_done(&fs->op);
	fsop_done(&fs->seen);
	why_view_done(&fs->view);
	pinfold_policy_free(fs->own);
	free(fs->log);
	free(fs->agent);
	free(fs->session);
	free(fs);
}

/* ---- of a session ---------------------------------------------------------------------------- */

/* On the host no pen narrows the workspace, but a workspaceAccess of "ro" that is written out
 * holds. */
static int host_policy(const struct agents_config *c, const struct agents_sandbox *s,
		       struct policy *ret, struct pinfold_error *e)
{
	int r = policy_default(s->workspace, &c->context, ret, e);

	if (r == 0 && s->from[FIELD_ACCESS] && s->access == WORKSPACE_RO)
		ret->workspace_access = WORKSPACE_RO;
	return r;
}

static int call_policy(const struct agents_config *c, const struct agents_decision *d,
		       struct pinfold_policy **ret, struct pinfold_error *e)
{
	struct policy p = { 0 };
	int r = d->place.in_pen ? pen_seed(&d->sandbox, &d->place, e) : 0;

	if (r == 0)
		r = d->place.in_pen ? pen_policy(c, &d->sandbox, &d->place, &p, e)
				    : host_policy(c, &d->sandbox, &p, e);
	if (r == 0)
		r = session_policy_handle(&p, ret, e);
	policy_done(&p);
	return r;
}

/* With "ro" the private directory is where paths start, and the workspace is there to be read. */
static int open_seen(struct pinfold_fs *fs, const struct agents_decision *d,
		     struct pinfold_error *e)
{
	const struct agents_place *p = &d->place;

	if (!p->in_pen || !p->private_dir || d->sandbox.access != WORKSPACE_RO)
		return 0;
	return fsop_open(p->lane_fenced ? p->lane_dir : d->sandbox.workspace, judge, fs, &fs->seen,
			 e);
}

int pinfold_fs_open_call(const struct pinfold_agents *a, const struct pinfold_call *call,
			 struct pinfold_fs **ret, struct pinfold_error *e)
{
	struct agents_decision d = { 0 };
	struct pinfold_policy *policy = NULL;
	struct pinfold_fs *fs = NULL;
	int r = agents_decide(a->config, call, &d, e);

	if (r == 0 && d.place.lane.decision == LANE_DENIED)
		r = err_set(e, -EPERM, "the lane '%s' is not for this sender", d.place.lane.name);
	if (r == 0)
		r = call_policy(a->config, &d, &policy, e);
	if (r == 0)
		r = pinfold_fs_open(policy, &fs, e);
	if (r == 0) {
		fs->own = take_ptr(policy);
		fs->agent = strdup(d.place.agent);
		fs->session = strdup(d.place.session);
		r = open_seen(fs, &d, e);
	}
	pinfold_policy_free(policy);
	agents_decision_done(&d);
	if (r < 0) {
		pinfold_fs_close(fs);
		return r;
	}
	*ret = fs;
	return 0;
}

/* ---- the operations -------------------------------------------------------------------------- */

/* The tree that a path belongs to. */
static const struct fsop *tree_of(const struct pinfold_fs *fs, const char *path)
{
	size_t n = fs->seen.root >= 0 ? strlen(fs->seen.given) : 0;

	if (n > 0 && strncmp(path, fs->seen.given, n) == 0 && (path[n] == '/' || path[n] == '\0'))
		return &fs->seen;
	return &fs->op;
}

/* A line of the record for what was refused.  Not being able to write it changes nothing. */
static void write_down(const struct pinfold_fs *fs, const char *op, const char *path,
		       const char *reason)
{
	const struct record_who who = { .session = fs->session, .agent = fs->agent };
	struct record *record = NULL;
	struct record_line *l;
	char full[PATH_MAX];

	snprintf(full, sizeof(full), "%s%s%s", path[0] == '/' ? "" : fs->op.path,
		 path[0] == '/' ? "" : "/", path);
	if (!fs->log || record_open(fs->log, &who, &record, NULL) < 0)
		return;
	l = record_begin(record, "fs_deny");
	record_text(l, "tool", "fs");
	record_text(l, "path", full);
	record_text(l, "op", op);
	record_text(l, "rule", fs->refused_by ? fs->refused_by->text : NULL);
	record_text(l, "origin", fs->refused_by ? fs->refused_by->origin : NULL);
	record_text(l, "reason", reason);
	record_end(l);
	record_free(record);
}

static int done(const struct pinfold_fs *fs, int r, const char *op, const char *path,
		const struct pinfold_error *e)
{
	if (r == -EPERM)
		write_down(fs, op, path, e ? e->text : NULL);
	return r;
}

static unsigned map(unsigned flags, unsigned from, unsigned to)
{
	return flags & from ? to : 0;
}

int pinfold_fs_read(const struct pinfold_fs *fs, const char *path, uint64_t max, int out_fd,
		    struct pinfold_error *e)
{
	int r = fsop_read(tree_of(fs, path), path, max, out_fd, e);

	return done(fs, r, "fs.read_file", path, e);
}

int pinfold_fs_write(const struct pinfold_fs *fs, const char *path, uint64_t max, int in_fd,
		     unsigned flags, struct pinfold_error *e)
{
	int r = fsop_write(tree_of(fs, path), path, max, in_fd,
			   map(flags, PINFOLD_FS_EXCLUSIVE, FSOP_EXCLUSIVE) |
			       map(flags, PINFOLD_FS_PARENTS, FSOP_PARENTS),
			   e);

	return done(fs, r, "fs.write_file", path, e);
}

int pinfold_fs_mkdir(const struct pinfold_fs *fs, const char *path, unsigned flags,
		     struct pinfold_error *e)
{
	int r =
	    fsop_mkdir(tree_of(fs, path), path, map(flags, PINFOLD_FS_PARENTS, FSOP_PARENTS), e);

	return done(fs, r, "fs.make_dir", path, e);
}

int pinfold_fs_remove(const struct pinfold_fs *fs, const char *path, unsigned flags,
		      struct pinfold_error *e)
{
	int r = fsop_remove(tree_of(fs, path), path,
			    map(flags, PINFOLD_FS_RECURSIVE, FSOP_RECURSIVE) |
				map(flags, PINFOLD_FS_FORCE, FSOP_FORCE),
			    e);

	return done(fs, r, "fs.remove_file", path, e);
}

int pinfold_fs_move(const struct pinfold_fs *fs, const char *from, const char *to,
		    struct pinfold_error *e)
{
	int r = fsop_move(tree_of(fs, from), from, to, e);

	return done(fs, r, "fs.remove_file", from, e);
}

int pinfold_fs_stat(const struct pinfold_fs *fs, const char *path, struct pinfold_fs_info *ret,
		    struct pinfold_error *e)
{
	static const enum pinfold_fs_type types[] = {
		[FSOP_OTHER] = PINFOLD_FS_OTHER,
		[FSOP_FILE] = PINFOLD_FS_FILE,
		[FSOP_DIRECTORY] = PINFOLD_FS_DIRECTORY,
	};
	struct fsop_stat st;
	int r = fsop_stat(tree_of(fs, path), path, &st, e);

	_Static_assert(ARRAY_SIZE(types) == FSOP_DIRECTORY + 1, "one word a type");
	if (r < 0)
		return done(fs, r, "fs.read_file", path, e);
	*ret = (struct pinfold_fs_info){ types[st.type], st.size, st.mtime_ms };
	return 0;
}

int pinfold_fs_list(const struct pinfold_fs *fs, const char *path,
		    int (*entry)(void *data, const char *name, bool is_directory), void *data,
		    struct pinfold_error *e)
{
	struct fsop_entry *list;
	size_t n;
	int r = fsop_list(tree_of(fs, path), path, &list, &n, e);

	if (r < 0)
		return done(fs, r, "fs.read_dir", path, e);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = entry(data, list[i].name, list[i].is_directory);
	fsop_list_done(list, n);
	return r < 0 ? err_set(e, r, "'%s' could not be listed whole", path) : 0;
}
