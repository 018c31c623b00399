/* SPDX-License-Identifier: MIT */
#include "agents/pen.h"

#include <errno.h>
#include <string.h>

#include "base/clean.h"
#include "base/err.h"
#include "base/json5_tree.h"
#include "policy/parse.h"

/* A later bind of the same source is the one that counts. */
static bool is_overridden(const struct agents_sandbox *s, size_t i)
{
	for (size_t k = i + 1; k < s->n_binds; k++)
		if (strcmp(s->bind[k].source, s->bind[i].source) == 0)
			return true;
	return false;
}

static int add_grant(struct json5 *filesystem, const char *list, const char *path,
		     const struct json5 *from)
{
	struct json5 *v;
	int r = sandbox_member(filesystem, list, JSON5_ARRAY, from, &v);

	return r < 0 ? r : sandbox_put_text(v, NULL, JSON5_STRING, path, from);
}

static int add_binds(const struct agents_sandbox *s, const char *workspace,
		     struct json5 *filesystem)
{
	int r = 0;

	for (size_t i = 0; i < s->n_binds && r == 0; i++) {
		/* The workspace is granted as it is. */
		if (is_overridden(s, i) || strcmp(s->bind[i].source, workspace) == 0)
			continue;
		r = add_grant(filesystem, s->bind[i].read_only ? "ro" : "rw", s->bind[i].source,
			      s->bind[i].from);
	}
	return r;
}

/* Where the command works, and what else of the agent's it sees. */
static int add_places(const struct agents_sandbox *s, const struct agents_place *p,
		      struct json5 *tree, const struct json5 *from)
{
	bool is_private = p->private_dir != NULL;
	const char *work = is_private ? p->private_dir : s->workspace;
	const char *seen = p->lane_fenced ? p->lane_dir : s->workspace;
	struct json5 *filesystem = NULL;
	int r = sandbox_put_text(tree, "workspace", JSON5_STRING, work, from);

	if (r == 0)
		r = sandbox_put_text(tree, "workspaceAccess", JSON5_STRING,
				     s->access == WORKSPACE_RO ? "ro" : "rw", from);
	if (r == 0 && !is_private && p->lane_dir)
		r = sandbox_put_text(tree, "lane", JSON5_STRING, p->lane_dir, p->lane.from);
	if (r == 0 && !is_private && p->lane_fenced)
		r = sandbox_put_text(tree, "fenceToLane", JSON5_TRUE, "true", from);
	if (r == 0)
		r = sandbox_member(tree, "filesystem", JSON5_OBJECT, from, &filesystem);
	if (r == 0 && s->access == WORKSPACE_RO)
		r = add_grant(filesystem, "ro", seen, from);
	return r < 0 ? r : add_binds(s, work, filesystem);
}

/* A private directory was made by us: it is handed to whoever works there. */
static int add_handover(const struct agents_sandbox *s, const struct agents_place *p,
			struct json5 *tree, const struct json5 *from)
{
	struct json5 *identity = NULL;
	int r = sandbox_member(tree, "identity", JSON5_OBJECT, from, &identity);
	struct json5 *given = r == 0 ? json5_member(identity, "handover") : NULL;

	if (r < 0 || !p->private_dir)
		return r;
	if (given) {
		json5_detach(given);
		json5_free(given);
	}
	return s->access == WORKSPACE_RO
		   ? 0
		   : sandbox_put_text(identity, "handover", JSON5_TRUE, "true", from);
}

int pen_policy(const struct agents_config *c, const struct agents_sandbox *s,
	       const struct agents_place *p, struct policy *ret, struct pinfold_error *e)
{
	const struct json5 *from = s->from[FIELD_ACCESS] ? s->from[FIELD_ACCESS] : c->root;
	struct json5 *tree = NULL;
	int r = json5_copy(s->policy, &tree);

	if (r == 0)
		r = add_places(s, p, tree, from);
	if (r == 0)
		r = add_handover(s, p, tree, from);
	r = r < 0 ? err_set(e, r, "out of memory")
		  : policy_parse_tree(tree, c->path, &c->context, ret, e);
	json5_free(tree);
	return r;
}
