/* SPDX-License-Identifier: MIT */
/*
 * DOC: a fix takes entries out, and never anything else.  Before the file is replaced, the policy
 * that is left is compared with the one that was, by the same code as `pinfold diff`: a difference
 * that opens anything is a mistake of ours, and nothing is written.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/err.h"
#include "base/io.h"
#include "pinfold_review.h"
#include "policy/handle.h"
#include "policy/parse.h"
#include "review/diff.h"
#include "review/lint.h"

#define ROUNDS_MAX 8 /* what one fix lays open is the next one's finding */

struct fixing {
	const struct pinfold_policy *p;
	const char *file;
	char *text;
	size_t len;
	void (*fn)(void *data, const struct pinfold_lint_finding *f);
	void *data;
	int n;
};

static void pass_fixable(void *data, const struct pinfold_lint_finding *f)
{
	struct fixing *x = data;

	if (!f->fixable)
		return;
	x->n++;
	if (x->fn)
		x->fn(x->data, f);
}

static int parse(const struct fixing *x, const char *text, struct policy *ret,
		 struct pinfold_error *e)
{
	return policy_parse(text, strlen(text), x->file, &x->p->context.policy, ret, e);
}

/* The text without what one look at it finds; *ret_fixed: how much that was. */
static int fix_once(struct fixing *x, int *ret_fixed, struct pinfold_error *e)
{
	struct policy now = { 0 };
	struct lint l = { .context = &x->p->context.policy, .fn = pass_fixable, .data = x };
	const int before = x->n;
	char *less = NULL;
	int r = parse(x, x->text, &now, e);

	if (r < 0)
		return r;
	l.policy = &now;
	r = lint_run(&l, e);
	if (r == 0 && l.n_doomed) {
		r = lint_cut_text(x->text, x->len, (const char *const *)l.doomed, l.n_doomed,
				  &less);
		if (r < 0)
			err_set(e, r, "cannot take the entries out of %s: %s", x->file,
				strerror(-r));
	}
	lint_done(&l);
	policy_done(&now);
	*ret_fixed = x->n - before;
	if (r == 0 && less) {
		free(x->text);
		x->text = less;
		x->len = strlen(less);
	}
	return r;
}

/* Nothing may be open now that was not before. */
static int check_narrower(const struct fixing *x, const char *old_text, struct pinfold_error *e)
{
	struct policy old = { 0 };
	struct policy now = { 0 };
	struct diff d = { .side = { &old, &now }, .context = &x->p->context.policy };
	int r = parse(x, old_text, &old, e);

	if (r == 0)
		r = parse(x, x->text, &now, e);
	if (r == 0)
		r = diff_policies(&d, e);
	if (r == 0 && d.opens)
		r = err_set(e, -EPROTO,
			    "the fixed policy would open what was shut; %s is left as it is",
			    x->file);
	policy_done(&old);
	policy_done(&now);
	return r;
}

/* Mode and owner of the old file; and all of it is on the disk before it takes the name. */
static int fill_file(int fd, const char *file, const struct fixing *x)
{
	struct stat st;

	if (stat(file, &st) < 0 || fchown(fd, st.st_uid, st.st_gid) < 0 ||
	    fchmod(fd, st.st_mode & 07777) < 0)
		return -errno;
	if (io_write_full(fd, x->text, x->len) < 0 || fsync(fd) < 0)
		return -errno;
	return 0;
}

static int replace_file(const struct fixing *x, struct pinfold_error *e)
{
	auto_free char *real = realpath(x->file, NULL);
	auto_free char *next = NULL;
	auto_close int fd = -1;
	int r;

	if (!real || asprintf(&next, "%s.XXXXXX", real) < 0)
		return err_set(e, -errno, "cannot write '%s': %s", x->file, strerror(errno));
	fd = mkostemp(next, O_CLOEXEC);
	if (fd < 0)
		return err_set(e, -errno, "cannot write beside '%s': %s", real, strerror(errno));
	r = fill_file(fd, real, x);
	if (r == 0 && rename(next, real) < 0)
		r = -errno;
	if (r < 0) {
		unlink(next);
		return err_set(e, r, "cannot replace '%s': %s", real, strerror(-r));
	}
	return 0;
}

static int fix(struct fixing *x, struct pinfold_error *e)
{
	auto_free char *old = strdup(x->text);
	int fixed = 1;
	int r = old ? 0 : err_set(e, -ENOMEM, "out of memory");

	for (int i = 0; i < ROUNDS_MAX && fixed && r == 0; i++)
		r = fix_once(x, &fixed, e);
	if (r == 0 && x->n)
		r = check_narrower(x, old, e);
	if (r == 0 && x->n)
		r = replace_file(x, e);
	return r < 0 ? r : x->n;
}

int pinfold_lint_fix(const struct pinfold_policy *p,
		     void (*fn)(void *data, const struct pinfold_lint_finding *f), void *data,
		     struct pinfold_error *e)
{
	struct fixing x = { .p = p, .file = p->policy.source, .fn = fn, .data = data };
	int r;

	if (strcmp(x.file, POLICY_BUILT_IN) == 0)
		return err_set(e, -ENOTSUP, "the built-in policy has no file to mend");
	r = io_read_file(AT_FDCWD, x.file, POLICY_TEXT_MAX, &x.text, &x.len);
	if (r < 0)
		return err_set(e, r, "cannot read '%s': %s", x.file, strerror(-r));
	r = strlen(x.text) == x.len ? fix(&x, e) : err_set(e, -EINVAL, "'%s' holds a NUL", x.file);
	free(x.text);
	return r;
}
