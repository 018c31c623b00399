/* SPDX-License-Identifier: MIT */
/* The members that hold paths. */
#include "policy/parse_fs.h"

#include <errno.h>
#include <string.h>

#include "base/clean.h"
#include "base/err.h"
#include "policy/path_text.h"
#include "policy/read.h"

void path_rule_done(struct path_rule *r)
{
	free(r->path);
	free(r->text);
	free(r->origin);
	*r = (struct path_rule){ 0 };
}

void unix_rule_done(struct unix_rule *r)
{
	free(r->path);
	free(r->text);
	free(r->origin);
	*r = (struct unix_rule){ 0 };
}

int fs_entry_parse(enum path_right right, const char *text, const char *base,
		   const struct policy_context *ctx, struct path_rule *ret,
		   struct pinfold_error *why)
{
	struct path_rule rule = { .right = right };
	int rc;

	rule.pattern = right == PATH_DENY && path_is_pattern(text);
	rc = rule.pattern ? path_pattern(text, &rule.path, why)
			  : path_expand(text, base, ctx, &rule.path, why);
	if (rc < 0)
		return rc;
	if (right == PATH_DENY && strcmp(rule.path, "/") == 0) {
		path_rule_done(&rule);
		return err_set(why, -EINVAL,
			       "denying / denies everything; name directories below it");
	}
	rule.text = strdup(text);
	if (!rule.text) {
		path_rule_done(&rule);
		return -ENOMEM;
	}
	*ret = rule;
	return 0;
}

int unix_entry_parse(const char *text, const struct policy_context *ctx, struct unix_rule *ret,
		     struct pinfold_error *why)
{
	struct unix_rule rule = { 0 };
	int rc;

	if (text[0] != '/' && text[0] != '~' && text[0] != '$')
		return err_set(why, -EINVAL, "a socket's path must be absolute");
	if (text[strlen(text) - 1] == '/')
		return err_set(why, -EINVAL, "a socket is wanted, not a directory");
	rc = path_expand(text, "/", ctx, &rule.path, why);
	if (rc < 0)
		return rc;
	rule.text = strdup(text);
	if (!rule.text || strcmp(rule.path, "/") == 0) {
		rc = rule.text ? err_set(why, -EINVAL, "a socket is wanted, not a directory")
			       : -ENOMEM;
		unix_rule_done(&rule);
		return rc;
	}
	*ret = rule;
	return 0;
}

static int read_rule(struct reader *r, const struct json5 *v, enum path_right right)
{
	struct fs_policy *fs = &r->p->fs;
	struct pinfold_error why;
	struct path_rule *slot;
	const char *text;
	int rc = read_string(r, v, &text);

	if (rc < 0)
		return rc;
	slot = grow(&fs->rule, fs->n, sizeof(*fs->rule));
	rc = slot ? fs_entry_parse(right, text, r->dir, r->ctx, slot, &why) : -ENOMEM;
	if (rc < 0)
		return read_fail_why(r, v, rc, &why);
	fs->n++;
	slot->origin = read_origin(r, v);
	return slot->origin ? 0 : read_fail_why(r, v, -ENOMEM, NULL);
}

static int read_rules(struct reader *r, const struct json5 *v, enum path_right right)
{
	int rc = v->type == JSON5_ARRAY ? read_list(r, v) : read_fail(r, v, "a list is wanted");

	for (const struct json5 *c = v->child; c && rc == 0; c = c->next)
		rc = read_rule(r, c, right);
	return rc;
}

int read_rw(struct reader *r, const struct json5 *v)
{
	return read_rules(r, v, PATH_RW);
}

int read_ro(struct reader *r, const struct json5 *v)
{
	return read_rules(r, v, PATH_RO);
}

int read_rox(struct reader *r, const struct json5 *v)
{
	return read_rules(r, v, PATH_ROX);
}

int read_deny(struct reader *r, const struct json5 *v)
{
	return read_rules(r, v, PATH_DENY);
}

int read_unix_allow(struct reader *r, const struct json5 *v)
{
	struct policy *p = r->p;
	int rc = v->type == JSON5_ARRAY ? read_list(r, v) : read_fail(r, v, "a list is wanted");

	for (const struct json5 *c = v->child; c && rc == 0; c = c->next) {
		struct unix_rule *slot = grow(&p->unix_allow, p->n_unix_allow, sizeof(*slot));
		struct pinfold_error why;
		const char *text;

		if (!slot)
			return read_fail_why(r, c, -ENOMEM, NULL);
		rc = read_string(r, c, &text);
		if (rc < 0)
			return rc;
		rc = unix_entry_parse(text, r->ctx, slot, &why);
		if (rc < 0)
			return read_fail_why(r, c, rc, &why);
		p->n_unix_allow++;
		slot->origin = read_origin(r, c);
		if (!slot->origin)
			return read_fail_why(r, c, -ENOMEM, NULL);
	}
	return rc;
}

/* One path relative to the policy's directory. */
static int read_one_path(struct reader *r, const struct json5 *v, const char *base, char **to)
{
	struct pinfold_error why;
	const char *text;
	char *path;
	int rc = read_string(r, v, &text);

	if (rc < 0)
		return rc;
	rc = path_expand(text, base, r->ctx, &path, &why);
	if (rc < 0)
		return read_fail_why(r, v, rc, &why);
	free(*to);
	*to = path;
	return 0;
}

int read_workspace(struct reader *r, const struct json5 *v)
{
	int rc = read_one_path(r, v, r->dir, &r->p->workspace);

	if (rc == 0 && strcmp(r->p->workspace, "/") == 0)
		return read_fail(r, v, "can't be a workspace: a directory below it is wanted");
	return rc;
}

int read_lane(struct reader *r, const struct json5 *v)
{
	const char *workspace = r->p->workspace;
	int rc;

	if (!workspace)
		return read_fail(r, v, "a lane wants a workspace");
	rc = read_one_path(r, v, workspace, &r->p->lane);
	if (rc == 0 &&
	    (!path_is_within(r->p->lane, workspace) || strcmp(r->p->lane, workspace) == 0))
		return read_fail(r, v, "not a directory below the workspace");
	return rc;
}

int read_home(struct reader *r, const struct json5 *v)
{
	int rc = read_one_path(r, v, r->dir, &r->p->identity.home);

	if (rc == 0 && strcmp(r->p->identity.home, "/") == 0)
		return read_fail(r, v, "the root directory can't be a home");
	return rc;
}

int read_audit_path(struct reader *r, const struct json5 *v)
{
	return read_one_path(r, v, r->dir, &r->p->audit.path);
}

static const char *list_name(enum path_right right)
{
	static const char *const names[] = {
		[PATH_DENY] = "deny", [PATH_RO] = "ro", [PATH_ROX] = "rox", [PATH_RW] = "rw"
	};

	return names[right];
}

static int order_rules(const void *a, const void *b)
{
	const struct path_rule *const *x = a;
	const struct path_rule *const *y = b;
	int c = strcmp((*x)->path, (*y)->path);

	return c ? c : (*x > *y) - (*x < *y);
}

int fs_check_conflicts(const struct fs_policy *fs, const struct path_rule **ret_a,
		       const struct path_rule **ret_b)
{
	size_t n = 0;
	auto_free const struct path_rule **sorted =
	    calloc(fs->n + 1, sizeof(const struct path_rule *));

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < fs->n; i++)
		if (fs->rule[i].right != PATH_DENY)
			sorted[n++] = &fs->rule[i];
	qsort(sorted, n, sizeof(const struct path_rule *), order_rules);
	for (size_t i = 1; i < n; i++) {
		if (strcmp(sorted[i - 1]->path, sorted[i]->path) != 0 ||
		    sorted[i - 1]->right == sorted[i]->right)
			continue;
		*ret_a = sorted[i - 1];
		*ret_b = sorted[i];
		return -EINVAL;
	}
	return 0;
}

/* The element that became rule k: rules stand in the order of the lists, one for each element. */
static const struct json5 *element_of(const struct json5 *root, size_t k)
{
	static const char *const lists[] = { "rw", "ro", "rox", "deny" };
	const struct json5 *fs = json5_member(root, "filesystem");

	for (size_t i = 0; fs && i < ARRAY_SIZE(lists); i++) {
		const struct json5 *list = json5_member(fs, lists[i]);

		for (const struct json5 *c = list ? list->child : NULL; c; c = c->next)
			if (k-- == 0)
				return c;
	}
	return root;
}

int read_fs_finish(struct reader *r, const struct json5 *root)
{
	const struct path_rule *a = NULL;
	const struct path_rule *b = NULL;
	int rc = fs_check_conflicts(&r->p->fs, &a, &b);

	if (rc == -ENOMEM)
		return read_fail_why(r, root, rc, NULL);
	if (rc < 0)
		return read_fail(r, element_of(root, (size_t)(b - r->p->fs.rule)),
				 "'%.60s' is '%s' here and '%s' in %.60s", b->text,
				 list_name(b->right), list_name(a->right), a->origin);
	return 0;
}
