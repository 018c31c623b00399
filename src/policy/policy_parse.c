/* SPDX-License-Identifier: MIT */
/* Walks the table of members over the tree of the text. */
#include <errno.h>
#include <string.h>

#include "base/clean.h"
#include "base/err.h"
#include "base/json5.h"
#include "policy/default.h"
#include "policy/parse.h"
#include "policy/parse_fs.h"
#include "policy/path_text.h"
#include "policy/read.h"
#include "policy/schema.h"

static int read_bool(const struct reader *r, const struct json5 *v, const struct member *m)
{
	if (v->type != JSON5_TRUE && v->type != JSON5_FALSE)
		return read_fail(r, v, "true or false is wanted");
	member_set_value(m, r->p, v->type == JSON5_TRUE);
	return 0;
}

static int read_plain_number(const struct reader *r, const struct json5 *v, const struct member *m)
{
	uint64_t value;
	int rc = read_number(r, v, m->low, m->high, &value);

	if (rc == 0)
		member_set_value(m, r->p, (unsigned)value);
	return rc;
}

static int read_plain_word(const struct reader *r, const struct json5 *v, const struct member *m)
{
	int value;
	int rc = read_word(r, v, m->words, &value);

	if (rc == 0)
		member_set_value(m, r->p, (unsigned)value);
	return rc;
}

static int read_member(struct reader *r, const struct json5 *v, const struct member *m)
{
	switch (m->kind) {
	case KIND_BOOL:
		return read_bool(r, v, m);
	case KIND_NUMBER:
		return read_plain_number(r, v, m);
	case KIND_WORD:
		return read_plain_word(r, v, m);
	case KIND_OWN:
		return m->read(r, v);
	case KIND_OBJECT:
	case KIND_NONE:
		break;
	}
	return 0;
}

/* The value that stands at a dotted name, or NULL. */
static const struct json5 *find(const struct json5 *root, const char *name)
{
	const struct json5 *v = root;
	char key[64];

	while (v && *name) {
		size_t n = strcspn(name, ".");

		if (v->type != JSON5_OBJECT || n >= sizeof(key))
			return NULL;
		memcpy(key, name, n);
		key[n] = '\0';
		v = json5_member(v, key);
		name += n + (name[n] == '.');
	}
	return v;
}

static bool is_member_of(const struct member *m, const char *object, const char *key)
{
	size_t n = strlen(object);

	/* A dot in a key would reach into the object below. */
	if (strchr(key, '.'))
		return false;
	if (n == 0)
		return strcmp(m->name, key) == 0;
	return strncmp(m->name, object, n) == 0 && m->name[n] == '.' &&
	       strcmp(m->name + n + 1, key) == 0;
}

/* Every member of one object must have a row in the table. */
static int check_members(const struct reader *r, const struct json5 *v, const char *object)
{
	if (v->type != JSON5_OBJECT)
		return read_fail(r, v, "an object is wanted");
	for (const struct json5 *c = v->child; c; c = c->next) {
		int id = 0;

		while (id < M_MAX &&
		       !is_member_of(schema_member((enum member_id)id), object, c->key))
			id++;
		if (id == M_MAX)
			return read_fail(r, c, "no such member");
	}
	return 0;
}

static int check_objects(const struct reader *r, const struct json5 *root)
{
	int rc = check_members(r, root, "");

	for (int id = 0; id < M_MAX && rc == 0; id++) {
		const struct member *m = schema_member((enum member_id)id);
		const struct json5 *v = m->kind == KIND_OBJECT ? find(root, m->name) : NULL;

		if (v)
			rc = check_members(r, v, m->name);
	}
	return rc;
}

static int read_all(struct reader *r, const struct json5 *root)
{
	int rc = check_objects(r, root);

	for (int id = 0; id < M_MAX && rc == 0; id++) {
		const struct member *m = schema_member((enum member_id)id);
		const struct json5 *v = find(root, m->name);

		if (!v)
			continue;
		r->p->given |= UINT64_C(1) << id;
		rc = read_member(r, v, m);
	}
	return rc == 0 ? read_fs_finish(r, root) : rc;
}

/* The directory of file, absolute. */
static int directory_of(const char *file, const char *cwd, char **ret)
{
	const char *slash = strrchr(file, '/');
	auto_free char *dir = NULL;

	if (!slash)
		return path_clean(cwd, "", ret);
	dir = strndup(file, slash == file ? 1 : (size_t)(slash - file));
	return dir ? path_clean(cwd, dir, ret) : -ENOMEM;
}

int policy_parse_tree(const struct json5 *root, const char *file, const struct policy_context *ctx,
		      struct policy *ret, struct pinfold_error *e)
{
	auto_free char *dir = NULL;
	struct policy p = { 0 };
	struct reader r = { .file = file, .ctx = ctx, .p = &p, .e = e };
	int rc = policy_init(&p, file, ctx->cwd);

	if (rc == 0)
		rc = directory_of(file, ctx->cwd, &dir);
	if (rc < 0) {
		policy_done(&p);
		return err_set(e, rc, "%.120s: %s", file,
			       rc == -ENOMEM ? "out of memory" : "no usable current directory");
	}
	r.dir = dir;
	rc = read_all(&r, root);
	if (rc == 0 && strcmp(p.workspace, "/") == 0 && p.workspace_access != WORKSPACE_NONE)
		rc = err_set(e, -EINVAL,
			     "%.120s:1:1: workspace: missing, and the current directory is /: name "
			     "one, or say \"workspaceAccess\": \"none\"",
			     file);
	if (rc < 0) {
		policy_done(&p);
		return rc;
	}
	*ret = p;
	return 0;
}

int policy_parse(const char *text, size_t len, const char *file, const struct policy_context *ctx,
		 struct policy *ret, struct pinfold_error *e)
{
	struct json5 *root = NULL;
	int rc;

	if (len > POLICY_TEXT_MAX)
		return err_set(e, -EINVAL, "%.120s: more than %d bytes", file, POLICY_TEXT_MAX);
	rc = json5_parse(text, len, file, &root, e);
	if (rc == 0)
		rc = policy_parse_tree(root, file, ctx, ret, e);
	json5_free(root);
	return rc;
}
