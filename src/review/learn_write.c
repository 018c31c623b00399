/* SPDX-License-Identifier: MIT */
/* The policy as text: each entry with the reason why it is there. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "audit/redact.h"
#include "base/clean.h"
#include "base/err.h"
#include "base/json5_scan.h"
#include "pinfold_review.h"
#include "policy/handle.h"
#include "policy/parse.h"
#include "policy/path_text.h"
#include "review/learn_seen.h"

#define LEFT_MAX 100 /* lines about what is left out */

struct writing {
	FILE *out;
	const struct pinfold_learning *l;
	const char *home; /* of the launcher; NULL: none that "~" could stand for */
	const char *target;
	struct learn_grants files;
	struct learn_hosts hosts;
	struct pinfold_learnt learnt;
};

/* ---- words ---------------------------------------------------------------------------------- */

/* For a comment: whatever chose the text must not end the line, nor steer a terminal. */
static void put_plain(FILE *out, const char *text)
{
	for (const unsigned char *c = (const unsigned char *)text; *c; c++)
		fputc(*c < ' ' || *c == 0x7f || *c >= 0x80 ? '?' : *c, out);
}

static void put_string(FILE *out, const char *text)
{
	fputc('"', out);
	for (const char *c = text; *c; c++) {
		if (*c == '"' || *c == '\\')
			fputc('\\', out);
		fputc(*c, out);
	}
	fputc('"', out);
}

static void put_path(const struct writing *w, const char *path)
{
	size_t len = w->home ? strlen(w->home) : 0;
	auto_free char *text = NULL;

	if (len > 0 && path_is_within(path, w->home) && asprintf(&text, "~%s", path + len) >= 0)
		put_string(w->out, text);
	else
		put_string(w->out, path);
}

static void put_count(FILE *out, uint64_t count, const char *who)
{
	if (count > 1)
		fprintf(out, " %llu times", (unsigned long long)count);
	if (who[0]) {
		fputs(" by ", out);
		put_plain(out, who);
	}
}

static void put_uses(FILE *out, unsigned uses)
{
	static const struct {
		unsigned uses;
		const char *word;
	} WORDS[] = {
		{ PINFOLD_USE_READ, "read" },
		{ PINFOLD_USE_EXEC, "executed" },
		{ PINFOLD_USE_WRITE | PINFOLD_USE_CHANGE, "written" },
		{ PINFOLD_USE_MAKE, "made" },
		{ PINFOLD_USE_REMOVE, "removed" },
	};
	const char *between = "";

	for (size_t i = 0; i < ARRAY_SIZE(WORDS); i++) {
		if (!(uses & WORDS[i].uses))
			continue;
		fprintf(out, "%s%s", between, WORDS[i].word);
		between = ", ";
	}
	if (!between[0])
		fputs("looked at", out);
}

/* A policy can't spell patterns, control characters, and what is not UTF-8. */
static bool can_be_written(const char *path)
{
	struct pinfold_error e;
	const struct scan bytes = { .at = path, .end = path + strlen(path), .file = "", .e = &e };

	if (json5_check_bytes(bytes) < 0)
		return false;
	for (const unsigned char *c = (const unsigned char *)path; *c; c++)
		if (*c < ' ' || *c == 0x7f || strchr("*?[", *c))
			return false;
	return true;
}

/* ---- files ---------------------------------------------------------------------------------- */

/* Reading and looking is all that "ro" allows. */
static bool is_changed(const struct writing *w)
{
	return w->l->workspace.uses & ~(PINFOLD_USE_READ | PINFOLD_USE_LOOK);
}

static bool must_protect(const struct writing *w)
{
	return w->target && path_is_within(w->target, w->l->base->policy.workspace) &&
	       is_changed(w);
}

static void put_grant(struct writing *w, const struct learn_grant *g)
{
	fputs("      ", w->out);
	put_path(w, g->path);
	fputs(", // ", w->out);
	if (g->is_way)
		fputs("by way of a symlink, followed", w->out);
	else
		put_uses(w->out, g->uses);
	put_count(w->out, g->count, g->who);
	if (g->paths > 1)
		fprintf(w->out, "; for %zu paths", g->paths);
	fputc('\n', w->out);
	w->learnt.paths++;
}

static void put_list(struct writing *w, const char *name, enum path_right right)
{
	bool protects = right == PATH_RO && must_protect(w);
	size_t n = protects;

	for (size_t i = 0; i < w->files.n; i++)
		n += w->files.grant[i].right == right;
	if (n == 0)
		return;
	fprintf(w->out, "    \"%s\": [\n", name);
	if (protects) {
		fputs("      ", w->out);
		put_path(w, w->target);
		fputs(", // this policy, which the session must not change\n", w->out);
	}
	for (size_t i = 0; i < w->files.n; i++)
		if (w->files.grant[i].right == right)
			put_grant(w, &w->files.grant[i]);
	fputs("    ],\n", w->out);
}

static void put_left_out(struct writing *w)
{
	size_t n = 0;

	for (size_t i = 0; i < w->files.n; i++) {
		const struct learn_grant *g = &w->files.grant[i];

		if (g->right != PATH_DENY)
			continue;
		w->learnt.left_out++;
		if (n++ >= LEFT_MAX)
			continue;
		fputs("    // not granted: ", w->out);
		put_plain(w->out, g->path);
		fputs(" (", w->out);
		put_uses(w->out, g->uses);
		put_count(w->out, g->count, g->who);
		fprintf(w->out, "): %s\n", g->left);
	}
	if (n > LEFT_MAX)
		fprintf(w->out, "    // and %zu more\n", n - LEFT_MAX);
}

static void put_filesystem(struct writing *w)
{
	if (w->files.n == 0 && !must_protect(w))
		return;
	fputs("  \"filesystem\": {\n", w->out);
	put_list(w, "rw", PATH_RW);
	put_list(w, "rox", PATH_ROX);
	put_list(w, "ro", PATH_RO);
	put_left_out(w);
	fputs("  },\n", w->out);
}

static void put_workspace(const struct writing *w)
{
	unsigned uses = w->l->workspace.uses;
	const char *who = w->l->workspace.who;

	fputs("  \"workspace\": ", w->out);
	put_string(w->out, w->l->base->policy.workspace);
	fputs(",\n", w->out);
	if (!is_changed(w)) {
		fputs("  \"workspaceAccess\": \"ro\", // nothing was written or executed there\n",
		      w->out);
		return;
	}
	fputs("  \"workspaceAccess\": \"rw\", // ", w->out);
	fputs(uses & ~(PINFOLD_USE_READ | PINFOLD_USE_LOOK | PINFOLD_USE_EXEC) ? "written"
									       : "executed",
	      w->out);
	put_count(w->out, 1, who);
	fputc('\n', w->out);
}

/* ---- network and sockets -------------------------------------------------------------------- */

static void put_host(struct writing *w, const struct learn_host *h)
{
	fputs(h->left ? "      // not granted: " : "      ", w->out);
	put_string(w->out, h->text);
	fputs(h->left ? " (" : ", // ", w->out);
	fputs(h->is_looked_up ? "looked up" : "reached", w->out);
	put_count(w->out, h->count, h->who);
	if (h->is_looked_up && !h->left)
		fputs("; nothing was sent", w->out);
	if (h->names > 0)
		fprintf(w->out, "; for %zu names", h->names);
	if (h->left)
		fprintf(w->out, "): %s", h->left);
	fputc('\n', w->out);
	if (h->left)
		w->learnt.left_out++;
	else
		w->learnt.destinations++;
}

static void put_network(struct writing *w)
{
	if (w->hosts.n == 0)
		return;
	fputs("  \"network\": {\n    \"allowOutbound\": [\n", w->out);
	for (size_t i = 0; i < w->hosts.n; i++)
		put_host(w, &w->hosts.host[i]);
	fputs("    ],\n  },\n", w->out);
}

static void put_sockets(struct writing *w)
{
	const struct learn_uses *s = &w->l->sockets;

	if (s->n == 0)
		return;
	fputs("  \"unixSockets\": {\n    \"allow\": [\n", w->out);
	for (size_t i = 0; i < s->n; i++) {
		const struct learn_use *u = &s->use[i];
		bool left = u->is_shut || !can_be_written(u->path);

		fputs(left ? "      // not granted: " : "      ", w->out);
		if (left)
			put_plain(w->out, u->path);
		else
			put_path(w, u->path);
		fputs(left ? " (connected" : ", // connected", w->out);
		put_count(w->out, u->count, u->who);
		fputs(left ? ")\n" : "\n", w->out);
		if (left)
			w->learnt.left_out++;
		else
			w->learnt.sockets++;
	}
	fputs("    ],\n  },\n", w->out);
}

/* ---- all of it ------------------------------------------------------------------------------ */

static void put_head(const struct writing *w, char *const *argv)
{
	fputs("// Learnt by pinfold from: ", w->out);
	for (size_t i = 0; argv && argv[i]; i++) {
		bool secret = i > 0 && redact_is_secret_argument(argv[i - 1], argv[i]);
		auto_free char *word = secret ? NULL : redact(argv[i]);

		fputs(i ? " " : "", w->out);
		put_plain(w->out, word ? word : "[redacted]");
	}
	fputs("\n// It ran: ", w->out);
	for (size_t i = 0; i < w->l->ran.n; i++) {
		fputs(i ? ", " : "", w->out);
		put_plain(w->out, w->l->ran.s[i]);
	}
	fputs(w->l->n_more ? " and others" : "", w->out);
	fputs("\n// It holds what that one run needed. Read it before you rely on it.\n", w->out);
	if (w->l->lost)
		fprintf(
		    w->out,
		    "// %llu uses were more than could be remembered: something may be missing.\n",
		    (unsigned long long)w->l->lost);
}

static enum learn_kind kind_of(void *data, const char *path)
{
	struct stat st;

	(void)data;
	if (lstat(path, &st) < 0)
		return LEARN_ABSENT;
	if (S_ISLNK(st.st_mode))
		return LEARN_LINK;
	return S_ISDIR(st.st_mode) ? LEARN_DIR : LEARN_FILE;
}

static char *follow(void *data, const char *path)
{
	(void)data;
	return realpath(path, NULL);
}

/* What can't be spelt is left out like the rest. */
static void leave_unspeakable(struct learn_grants *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->grant[i].right != PATH_DENY && !can_be_written(g->grant[i].path)) {
			g->grant[i].right = PATH_DENY;
			g->grant[i].left = "a policy can't spell its name";
		}
}

static int fold(struct writing *w)
{
	const struct learn_world world = {
		.home = w->home,
		.workspace = w->l->base->policy.workspace,
		.access = is_changed(w) ? PATH_RW : PATH_RO,
		.kind = kind_of,
		.follow = follow,
	};
	int r = learn_fold(&w->l->files, &world, &w->files);

	if (r < 0)
		return r;
	leave_unspeakable(&w->files);
	return learn_hosts(&w->l->dsts, &w->hosts);
}

static int write_all(struct writing *w, char *const *argv, char **ret)
{
	auto_free char *text = NULL;
	size_t len;

	w->out = open_memstream(&text, &len);
	if (!w->out)
		return -ENOMEM;
	put_head(w, argv);
	fputs("{\n  \"version\": 1,\n", w->out);
	put_workspace(w);
	put_filesystem(w);
	put_network(w);
	put_sockets(w);
	fputs("}\n", w->out);
	bool failed = ferror(w->out);

	if (fclose(w->out) != 0 || failed)
		return -ENOMEM;
	*ret = take_ptr(text);
	return 0;
}

/* Whatever the command's names did to the text, it has to be a policy. */
static int check(const struct pinfold_learning *l, const char *text, struct pinfold_error *e)
{
	struct policy p = { 0 };
	int r = policy_parse(text, strlen(text), "learnt", &l->base->context.policy, &p, e);

	if (r == 0)
		policy_done(&p);
	return r < 0 ? err_wrap(e, r, "what was learnt can't be written as a policy") : 0;
}

int pinfold_learn_write(const struct pinfold_learning *learning, char *const *argv,
			const char *target, char **ret, struct pinfold_learnt *ret_learnt,
			struct pinfold_error *e)
{
	const char *home = learning->base->context.policy.home;
	struct writing w = {
		.l = learning,
		.home = home && strcmp(home, "/") != 0 ? home : NULL,
		.target = target,
		.learnt.lost = learning->lost,
	};
	auto_free char *text = NULL;
	int r = fold(&w);

	if (r == 0)
		r = write_all(&w, argv, &text);
	learn_grants_done(&w.files);
	learn_hosts_done(&w.hosts);
	if (r < 0 || !text)
		return err_set(e, -ENOMEM, "out of memory");
	r = check(learning, text, e);
	if (r < 0)
		return r;
	*ret = take_ptr(text);
	if (ret_learnt)
		*ret_learnt = w.learnt;
	return 0;
}
