/* SPDX-License-Identifier: MIT */
/*
 * DOC: `why` and the file fence say the same.
 *
 * Random trees with symlinks, hard links, mounts and odd names; random rules over them; for each
 * one session in which this very program opens, creates and executes.  What worked is compared with
 * what pinfold_why() says of the same path.
 *
 * AGREE_PATH is how many questions; AGREE_SEED repeats a run.
 */
#include "agree.h"

#include <sched.h>
#include <sys/mount.h>

#include "agree_path.h"

#define QUESTIONS 120 /* of one policy */
#define NODES_MAX 96
#define MOUNTS_MAX 3
#define TEXT_MAX 65536
#define SCRIPT "#!/bin/true\n"

struct tree {
	char *path[NODES_MAX];
	bool is_dir[NODES_MAX];
	bool is_link[NODES_MAX];
	size_t n;
	char *mount[MOUNTS_MAX];
	size_t n_mounts;
};

/* ---- trees ---------------------------------------------------------------------------------- */

static const char *const DIRS[] = { "a", "b", "c", "a b", "\303\251", "it's", "a.d" };
static const char *const FILES[] = {
	"f",       "g",         "f.sh",      ".env",  ".env.local",  ".env.example", "f f",
	"quo\"te", "new\nline", "\377bytes", "star*", "back\\slash", "\303\274",     "-n",
};

static void add_node(struct tree *t, const char *path, bool is_dir, bool is_link)
{
	assert_true(t->n < NODES_MAX);
	t->path[t->n] = strdup(path);
	assert_non_null(t->path[t->n]);
	t->is_dir[t->n] = is_dir;
	t->is_link[t->n++] = is_link;
}

static const char *random_dir(struct agree *g, const struct tree *t)
{
	size_t i;

	do
		i = below(g, t->n);
	while (!t->is_dir[i] || t->is_link[i]);
	return t->path[i];
}

static void add_dir(struct agree *g, struct tree *t)
{
	char path[QUESTION_PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", random_dir(g, t), PICK(g, DIRS));
	if (mkdir(path, 0777) == 0) {
		assert_int_equal(chown(path, TENANT, TENANT), 0);
		add_node(t, path, true, false);
	}
}

static void add_file(struct agree *g, struct tree *t)
{
	char path[QUESTION_PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", random_dir(g, t), PICK(g, FILES));
	if (access(path, F_OK) == 0)
		return;
	write_text(path, SCRIPT, strlen(SCRIPT));
	assert_int_equal(chown(path, TENANT, TENANT), 0);
	assert_int_equal(chmod(path, 0777), 0);
	add_node(t, path, false, false);
}

/* Another name: a hard link of a file, or a symlink to anything. */
static void add_name(struct agree *g, struct tree *t, bool hard)
{
	char path[QUESTION_PATH_MAX];
	const size_t to = below(g, t->n);
	struct stat st;

	if (hard && (t->is_dir[to] || t->is_link[to]))
		return;
	snprintf(path, sizeof(path), "%s/%s-%zu", random_dir(g, t), hard ? "hard" : "sym", t->n);
	if (hard) {
		if (link(t->path[to], path) < 0) {
			assert_int_equal(errno, EXDEV);
			return;
		}
		add_node(t, path, false, false);
		return;
	}
	assert_int_equal(symlink(t->path[to], path), 0);
	if (stat(path, &st) == 0)
		add_node(t, path, S_ISDIR(st.st_mode), true);
}

/* A file system of its own, or another directory's second place. */
static void add_mount(struct agree *g, struct tree *t)
{
	char path[QUESTION_PATH_MAX];
	const char *what = random_dir(g, t);
	const bool is_bind = below(g, 2);

	snprintf(path, sizeof(path), "%s/m-%zu", random_dir(g, t), t->n);
	assert_int_equal(mkdir(path, 0777), 0);
	assert_int_equal(mount(what, path, is_bind ? NULL : "tmpfs", is_bind ? MS_BIND : 0,
			       is_bind ? NULL : "size=256k,mode=0777"),
			 0);
	assert_int_equal(chown(path, TENANT, TENANT), 0);
	t->mount[t->n_mounts] = strdup(path);
	assert_non_null(t->mount[t->n_mounts++]);
	add_node(t, path, true, false);
}

static void make_tree(struct agree *g, const char *root, struct tree *t)
{
	*t = (struct tree){ 0 };
	assert_int_equal(mkdir(root, 0777), 0);
	assert_int_equal(chown(root, TENANT, TENANT), 0);
	add_node(t, root, true, false);
	for (size_t i = 0; i < 10; i++)
		add_dir(g, t);
	for (size_t i = below(g, MOUNTS_MAX + 1); i > 0; i--)
		add_mount(g, t);
	for (size_t i = 0; i < 24; i++)
		add_file(g, t);
	for (size_t i = below(g, 4); i > 0; i--)
		add_name(g, t, true);
	for (size_t i = below(g, 6); i > 0; i--)
		add_name(g, t, false);
}

static void drop_tree(const char *root, struct tree *t)
{
	while (t->n_mounts > 0) {
		umount2(t->mount[--t->n_mounts], MNT_DETACH);
		free(t->mount[t->n_mounts]);
	}
	nftw(root, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	for (size_t i = 0; i < t->n; i++)
		free(t->path[i]);
}

/* ---- policies and questions ----------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static void append(char *text, const char *format, ...)
{
	const size_t at = strlen(text);
	va_list ap;

	va_start(ap, format);
	vsnprintf(text + at, TEXT_MAX - at, format, ap);
	va_end(ap);
}

static bool can_be_written(const char *path)
{
	for (const unsigned char *c = (const unsigned char *)path; *c; c++)
		if (*c < 0x20 || *c == 0xff || strchr("*?[$", *c))
			return false;
	return true;
}

static void append_path(char *text, const char *path)
{
	append(text, "\"");
	for (; *path; path++)
		append(text, *path == '"' || *path == '\\' ? "\\%c" : "%c", *path);
	append(text, "\"");
}

/* Symlinks below what is written to are refused at launch: rarely named. */
static const char *random_subject(struct agree *g, const struct tree *t, char *buf, bool may_miss)
{
	size_t i;

	do
		i = below(g, t->n);
	while (!can_be_written(t->path[i]) || (t->is_link[i] && below(g, 4)));
	if (!may_miss || !t->is_dir[i] || below(g, 4))
		return t->path[i];
	snprintf(buf, QUESTION_PATH_MAX, "%s/missing", t->path[i]);
	return buf;
}

static void append_list(struct agree *g, const struct tree *t, char *text, const char *name,
			size_t n)
{
	const bool is_deny = strcmp(name, "deny") == 0;
	char buf[QUESTION_PATH_MAX];

	append(text, ", \"%s\": [", name);
	if (strcmp(name, "rw") == 0)
		append(text, "\"%s/io\"", g->base);
	if (strcmp(name, "rox") == 0)
		append(text, "\"%s/bin\"", g->base);
	if (strcmp(name, "ro") == 0)
		append(text, "\"%s/policy.json\"", g->base);
	if (is_deny)
		append(text, "\"/nowhere\"");
	for (size_t i = 0; i < n; i++) {
		append(text, ", ");
		append_path(text, random_subject(g, t, buf, is_deny));
	}
	append(text, "]");
}

static void make_policy(struct agree *g, const struct tree *t, char *text)
{
	static const char *const ACCESS[] = { "rw", "ro", "none" };
	char buf[QUESTION_PATH_MAX];
	const char *workspace;

	do
		workspace = random_dir(g, t);
	while (!can_be_written(workspace));
	(void)buf;
	text[0] = '\0';
	append(text, "{\"version\": 1, \"workspace\": ");
	append_path(text, workspace);
	append(text, ", \"workspaceAccess\": \"%s\", \"filesystem\": {\"sensitive\": %s",
	       PICK(g, ACCESS), below(g, 2) ? "true" : "false");
	append_list(g, t, text, "rw", below(g, 3));
	append_list(g, t, text, "ro", below(g, 4));
	append_list(g, t, text, "rox", below(g, 4));
	append_list(g, t, text, "deny", below(g, 4));
	append(text, "}}");
}

static void make_question(struct agree *g, const struct tree *t, struct question *ret)
{
	const size_t i = below(g, t->n);
	const char *path = t->path[i];

	*ret = (struct question){ .deed = READ_DIR };
	if (!t->is_dir[i])
		ret->deed = below(g, 3) == 0 ? READ_FILE : below(g, 2) ? WRITE_FILE : EXEC_FILE;
	else if (below(g, 2))
		ret->deed = WRITE_NEW;
	snprintf(ret->path, sizeof(ret->path), ret->deed == WRITE_NEW ? "%s/new-%zu" : "%s", path,
		 i);
}

/* ---- comparing ------------------------------------------------------------------------------ */

static bool why(const struct pinfold_policy *p, const struct question *q, struct pinfold_answer *a)
{
	static const enum pinfold_question QUESTION[] = {
		[READ_FILE] = PINFOLD_WHY_READ,   [READ_DIR] = PINFOLD_WHY_READ,
		[WRITE_FILE] = PINFOLD_WHY_WRITE, [WRITE_NEW] = PINFOLD_WHY_WRITE,
		[EXEC_FILE] = PINFOLD_WHY_EXEC,
	};
	struct pinfold_error e;

	_Static_assert(ARRAY_SIZE(QUESTION) == DEEDS, "a question for each deed");
	if (pinfold_why(p, QUESTION[q->deed], q->path, a, &e) < 0)
		fail_msg("why can't answer '%s': %s", q->path, e.text);
	return a->verdict == PINFOLD_ALLOW;
}

static void compare(struct agree *g, const char *text, const struct pinfold_policy *p,
		    const struct question *q, int got)
{
	static const char *const WORD[] = { "read", "list", "write", "create", "exec" };
	struct pinfold_answer a;
	const bool want = why(p, q, &a);

	g->n_questions++;
	g->n_allowed += want;
	/* An empty directory of the session's own stands there, with what is granted inside. */
	if (q->deed == READ_DIR && strncmp(a.origin, "workspace", 9) == 0 && !want)
		return;
	if (want != (got == 0))
		disagree(g, text, "%s %s: why says %s (%s, %s), the fence %s", WORD[q->deed],
			 q->path, want ? "allow" : "deny", a.reason, a.rule, strerror(got));
}

static void ask_all(struct agree *g, const struct tree *t, const char *text,
		    const struct pinfold_policy *p)
{
	auto_free char *self = under(g, "bin/agree");
	auto_free char *asked = under(g, "io/questions");
	auto_free char *told = under(g, "io/answers");
	char *const argv[] = { self, (char *)(uintptr_t) "--try", asked, told, NULL };
	struct question q[QUESTIONS];
	struct pinfold_error e = { 0 };
	int got;

	for (size_t i = 0; i < QUESTIONS; i++)
		make_question(g, t, &q[i]);
	write_text(asked, (const char *)q, sizeof(q));
	write_text(told, "", 0);
	assert_int_equal(chown(told, TENANT, TENANT), 0);
	if (!run_in_pen(p, argv, &e)) {
		if (getenv("AGREE_SAY"))
			printf("# %s\n#   %s\n", text, e.text);
		g->n_refused++;
		return;
	}
	g->n_policies++;
	FILE *f = fopen(told, "re");

	assert_non_null(f);
	for (size_t i = 0; i < QUESTIONS; i++) {
		assert_int_equal(fscanf(f, "%d", &got), 1);
		compare(g, text, p, &q[i], got);
	}
	fclose(f);
}

static void make_place(struct agree *g, const char *name)
{
	auto_free char *path = under(g, name);

	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(chown(path, TENANT, TENANT), 0);
}

static void the_answers_of_why_and_of_the_fence_agree(void **state)
{
	const size_t wanted = setting("AGREE_PATH", 5000);
	auto_free char *file = NULL;
	auto_free char *self = NULL;
	auto_free char *root = NULL;
	auto_free char *text = malloc(TEXT_MAX);
	struct pinfold_policy *p = NULL;
	struct pinfold_error e;
	struct tree t;
	struct agree *g = *state;

	assert_non_null(text);
	/* Where this process mounts something, nobody else sees it. */
	assert_int_equal(unshare(CLONE_NEWNS), 0);
	assert_int_equal(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
	agree_begin(g, "path", "/var/lib/pinfold-agree.XXXXXX");
	file = under(g, "policy.json");
	self = under(g, "bin/agree");
	root = under(g, "t");
	make_place(g, "bin");
	make_place(g, "io");
	copy_self(self);
	while (g->n_questions < wanted && g->n_refused < wanted) {
		make_tree(g, root, &t);
		make_policy(g, &t, text);
		write_text(file, text, strlen(text));
		p = NULL;
		if (pinfold_policy_load(file, &p, &e) == 0)
			ask_all(g, &t, text, p);
		else
			g->n_refused++; /* the same path twice, with different rights */
		pinfold_policy_free(p);
		drop_tree(root, &t);
	}
	assert_true(g->n_refused < g->n_policies);
	assert_int_equal(g->n_wrong, 0);
}

int main(int argc, char **argv)
{
	struct agree g = { 0 };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate_setup_teardown(the_answers_of_why_and_of_the_fence_agree,
							 NULL, agree_end, &g),
	};

	if (argc == 4 && strcmp(argv[1], "--try") == 0)
		return try_all(argv[2], argv[3]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
