/* SPDX-License-Identifier: MIT */
#include "agents/config_include.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "agents/config.h"
#include "base/clean.h"
#include "base/err.h"
#include "base/io.h"
#include "base/json5_tree.h"
#include "policy/path_text.h"
#include "policy/read.h"

#define INCLUDE "$include"
#define INCLUDE_ROOTS "OPENCLAW_INCLUDE_ROOTS"

static int parse_file(struct agents_config *c, const char *path, struct json5 **ret,
		      struct pinfold_error *e)
{
	auto_free char *text = NULL;
	const char *name;
	size_t len;
	int r;

	if (c->files.n == CONFIG_FILES_MAX)
		return err_set(e, -EINVAL, "%.120s: more than %d files are included", c->path,
			       CONFIG_FILES_MAX);
	r = io_read_file(AT_FDCWD, path, POLICY_TEXT_MAX, &text, &len);
	if (r < 0)
		return err_set(e, r, "cannot read the configuration '%.120s': %s", path,
			       r == -EFBIG ? "it is larger than 1 MiB" : strerror(-r));
	if (list_add(&c->files, path) < 0)
		return err_set(e, -ENOMEM, "out of memory");
	name = c->files.s[c->files.n - 1];
	r = json5_parse(text, len, name, ret, e);
	if (r < 0)
		return r;
	for (struct json5 *v = *ret; v; v = json5_after(*ret, v))
		v->file = name;
	return 0;
}

static bool is_below_roots(const char *path, const char *roots)
{
	while (roots && *roots) {
		size_t n = strcspn(roots, ":");
		auto_free char *one = strndup(roots, n);
		auto_free char *real = one && one[0] == '/' ? realpath(one, NULL) : NULL;

		if (real && path_is_within(path, real))
			return true;
		roots += n + (roots[n] == ':');
	}
	return false;
}

/* Where an included file really is; relative to the directory of the file that includes it. */
static int locate(const struct agents_config *c, const struct json5 *name, char **ret,
		  struct pinfold_error *e)
{
	const char *slash = strrchr(name->file, '/');
	auto_free char *joined = NULL;
	auto_free char *real = NULL;

	if (name->type != JSON5_STRING || name->string[0] == '\0')
		return agents_fail(name, e, "the name of a file is wanted");
	if (asprintf(&joined, "%.*s/%s", name->string[0] == '/' ? 0 : (int)(slash - name->file),
		     name->file, name->string) < 0)
		return err_set(e, -ENOMEM, "out of memory");
	real = realpath(joined, NULL);
	if (!real)
		return agents_fail(name, e, "cannot include '%.80s': %s", name->string,
				   strerror(errno));
	if (!path_is_within(real, c->dir) && !is_below_roots(real, getenv(INCLUDE_ROOTS)))
		return agents_fail(name, e,
				   "'%.60s' lies outside the configuration's directory; only files "
				   "inside it can be included",
				   name->string);
	*ret = take_ptr(real);
	return 0;
}

/* One file on its way into the tree.  While a list of files is being read for `object`, `name` is
 * the one that is read next and `all` is what the earlier ones held. */
struct frame {
	struct json5 *root;
	struct json5 *at;
	struct json5 *object;
	struct json5 *names;
	const struct json5 *name;
	struct json5 *all;
};

struct reading {
	struct agents_config *c;
	struct frame frame[CONFIG_INCLUDE_DEPTH + 1];
	size_t n;
};

static int push_file(struct reading *r, const char *path, const struct json5 *from,
		     struct pinfold_error *e)
{
	struct json5 *root = NULL;
	int rc;

	if (r->n == ARRAY_SIZE(r->frame))
		return agents_fail(from, e, "files include each other more than %d deep",
				   CONFIG_INCLUDE_DEPTH);
	rc = parse_file(r->c, path, &root, e);
	if (rc < 0)
		return rc;
	r->frame[r->n++] = (struct frame){ .root = root, .at = root };
	return root->type == JSON5_OBJECT ? 0 : agents_fail(root, e, "an object is wanted");
}

static int push_next(struct reading *r, struct pinfold_error *e)
{
	const struct json5 *name = r->frame[r->n - 1].name;
	auto_free char *path = NULL;
	int rc = locate(r->c, name, &path, e);

	return rc < 0 ? rc : push_file(r, path, name, e);
}

static int check_nesting(const struct json5 *object, struct pinfold_error *e)
{
	size_t depth = json5_depth(object);

	for (const struct json5 *up = object->parent; up; up = up->parent)
		depth++;
	return depth <= JSON5_NESTING_MAX
		   ? 0
		   : agents_fail(object, e, "nested deeper than %d levels", JSON5_NESTING_MAX);
}

/* All files of a list are read: they go into the object, its other members lie on top. */
static int finish_object(struct frame *f, struct pinfold_error *e)
{
	struct json5 *beside = json5_new(JSON5_OBJECT);
	struct json5 *object = f->object;

	if (!beside)
		return err_set(e, -ENOMEM, "out of memory");
	json5_detach(f->names);
	json5_free(f->names);
	beside->child = take_ptr(object->child);
	for (struct json5 *m = beside->child; m; m = m->next)
		m->parent = beside;
	json5_merge(object, take_ptr(f->all));
	json5_merge(object, beside);
	f->object = NULL;
	f->names = NULL;
	f->name = NULL;
	return check_nesting(object, e);
}

/* Looks on for an object that includes; 1 when one is found. */
static int find_object(struct frame *f, struct pinfold_error *e)
{
	for (; f->at; f->at = json5_after(f->root, f->at)) {
		struct json5 *names =
		    f->at->type == JSON5_OBJECT ? json5_member(f->at, INCLUDE) : NULL;

		if (!names)
			continue;
		f->object = f->at;
		f->names = names;
		f->name = names->type == JSON5_ARRAY ? names->child : names;
		return f->name ? 1 : agents_fail(names, e, "an empty list of files");
	}
	return 0;
}

/* The file on top is complete: it joins those that the file below it includes. */
static int pop_file(struct reading *r, struct pinfold_error *e)
{
	struct json5 *done = r->frame[r->n - 1].root;
	struct frame *f;

	r->n--;
	if (r->n == 0) {
		r->c->root = done;
		return 0;
	}
	f = &r->frame[r->n - 1];
	if (f->all)
		json5_merge(f->all, done);
	else
		f->all = done;
	f->name = f->name == f->names ? NULL : f->name->next;
	return f->name ? push_next(r, e) : finish_object(f, e);
}

int config_read_files(struct agents_config *c, struct pinfold_error *e)
{
	struct reading r = { .c = c };
	int rc = push_file(&r, c->path, NULL, e);

	while (rc == 0 && r.n > 0) {
		rc = find_object(&r.frame[r.n - 1], e);
		if (rc > 0)
			rc = push_next(&r, e);
		else if (rc == 0)
			rc = pop_file(&r, e);
	}
	while (r.n > 0) {
		struct frame *f = &r.frame[--r.n];

		json5_free(f->root);
		json5_free(f->all);
	}
	return rc;
}
