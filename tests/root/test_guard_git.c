/* SPDX-License-Identifier: MIT */
/* Repositories below a granted tree: what git obeys is read-only, and can't be planted. */
#include "guard_pen.h"

#include "fs/git.h"

#define CONFIG "[core]\n\tbare = false\n"

static void make_repo(const struct guarded *g, const char *name)
{
	static const char *const dirs[] = { "objects", "refs", "hooks", "info" };
	char *dir = in(&g->pen, name);
	char *path;

	make_dir(dir, TENANT);
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		assert_true(asprintf(&path, "%s/%s", dir, dirs[i]) > 0);
		make_dir(path, TENANT);
		free(path);
	}
	assert_true(asprintf(&path, "%s/HEAD", dir) > 0);
	make_file(path, TENANT, "ref: refs/heads/main\n");
	free(path);
	assert_true(asprintf(&path, "%s/config", dir) > 0);
	make_file(path, TENANT, CONFIG);
	free(path);
	free(dir);
}

static void git_init(struct guarded *g)
{
	guarded_init(g, "/var/tmp");
	g->pen.policy.fs.protect_git = true;
	make_dir(in(&g->pen, "ws/a"), TENANT);
	make_dir(in(&g->pen, "ws/a/b"), TENANT);
	make_repo(g, "ws/a/b/.git");
	make_repo(g, "ws/a/bare.git");
}

static bool is_refused(int error)
{
	return error == EROFS || error == EBUSY || error == EPERM || error == EACCES ||
	       error == EXDEV;
}

/* ---- what exists ---- */

static int changing_inside(struct guarded *g)
{
	static const char *const repos[] = { "ws/a/b/.git", "ws/a/bare.git" };
	const struct pen *p = &g->pen;

	for (size_t i = 0; i < ARRAY_SIZE(repos); i++) {
		char config[128];
		char hook[160];
		char hooks[128];
		char lock[128];

		snprintf(config, sizeof(config), "%s/%s/config", p->base, repos[i]);
		snprintf(hooks, sizeof(hooks), "%s/%s/hooks", p->base, repos[i]);
		snprintf(hook, sizeof(hook), "%s/pre-commit", hooks);
		snprintf(lock, sizeof(lock), "%s/%s/config.lock", p->base, repos[i]);
		if (t_read(config, NULL) || t_create(lock, NULL))
			return 1;
		if (!is_refused(t_write(config, NULL)) || !is_refused(t_truncate(config, NULL)) ||
		    !is_refused(t_unlink(config, NULL)) || !is_refused(t_rename(lock, config)) ||
		    !is_refused(t_rename(config, lock)) || !is_refused(t_link(config, hook)) ||
		    !is_refused(t_exchange(config, lock)) || !is_refused(t_chmod(config, NULL)))
			return 2;
		if (!is_refused(t_create(hook, NULL)) || !is_refused(t_mkdir(hook, NULL)) ||
		    !is_refused(t_symlink("/bin/true", hook)) ||
		    !is_refused(t_rename(hooks, in(p, "ws/moved"))) ||
		    !is_refused(t_rmdir(hooks, NULL)))
			return 3;
		if (t_unlink(lock, NULL))
			return 4;
	}
	return is_refused(t_write(in(p, "ws/a/link/.git"), NULL)) &&
		       is_refused(t_unlink(in(p, "ws/a/link/.git"), NULL))
		   ? 0
		   : 5;
}

static void what_exists_is_read_only(void **state)
{
	struct guarded g;

	(void)state;
	git_init(&g);
	make_dir(in(&g.pen, "ws/a/link"), TENANT);
	make_file(in(&g.pen, "ws/a/link/.git"), TENANT, "gitdir: ../b/.git\n");
	guarded_start(&g, changing_inside);
	assert_int_equal(guarded_end(&g), 0);
	assert_int_equal(t_write(in(&g.pen, "ws/a/b/.git/config"), NULL), 0);
	guarded_done(&g);
}

/* ---- while the look goes on ---- */

/* A file that is thrown out while its open waits may be opened, where it is then. */
static bool keeps_open(const char *path)
{
	auto_close int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
	struct stat opened;
	struct stat named;

	return fd >= 0 && fstat(fd, &opened) == 0 && stat(path, &named) == 0 &&
	       opened.st_ino == named.st_ino;
}

static int racing_inside(struct guarded *g)
{
	char *config = in(&g->pen, "ws/d9/e99/f0/.git/config");
	char *hook = in(&g->pen, "ws/d9/e99/f0/.git/hooks/pre-commit");
	double end = now_ms() + 700;
	int got = 0;

	/* A name in place at once, whatever the guard makes of it. */
	t_symlink("/bin/true", in(&g->pen, "ws/d9/e99/f0/.git/hooks/post-commit"));
	t_mkdir(in(&g->pen, "ws/d9/e99/f0/.git/hooks/pre-push"), NULL);
	t_create(in(&g->pen, "ws/d9/e99/f0/.git/commondir"), NULL);
	while (now_ms() < end && !got) {
		if (!is_refused(t_write(config, NULL)))
			got = 1;
		if (t_read(config, NULL))
			got = 2;
		if (keeps_open(hook))
			got = 3;
	}
	/* Own ones are left alone, whether the look sees them or not. */
	if (t_mkdir(in(&g->pen, "ws/own"), NULL) || t_mkdir(in(&g->pen, "ws/own/.git"), NULL))
		got = 4;
	return got;
}

static void a_racing_writer_never_gets_a_deep_repository(void **state)
{
	static const char *const planted[] = { "hooks/pre-commit", "hooks/post-commit",
					       "hooks/pre-push", "commondir" };
	struct guarded g;

	(void)state;
	git_init(&g);
	make_tree(in(&g.pen, "ws"), 20000);
	make_repo(&g, "ws/d9/e99/f0/.git");
	guarded_start(&g, racing_inside);
	int got = guarded_end(&g);

	assert_true(g.held);
	assert_int_equal(got, 0);
	for (size_t i = 0; i < ARRAY_SIZE(planted); i++) {
		char path[128];

		snprintf(path, sizeof(path), "%s/ws/d9/e99/f0/.git/%s", g.pen.base, planted[i]);
		assert_int_equal(t_stat(path, NULL), ENOENT);
	}
	guarded_done(&g);
}

/* ---- what is missing ---- */

/* While the look goes on it is refused, afterwards it is thrown out. */
static bool is_planted_or_refused(const char *path)
{
	const int r = t_create(path, NULL);

	return r == 0 || r == EPERM;
}

static int planting_inside(struct guarded *g)
{
	const struct pen *p = &g->pen;

	/* What is thrown out at once may be gone before the next step. */
	if (!is_planted_or_refused(in(p, "ws/a/b/.git/config.worktree")) ||
	    !is_planted_or_refused(in(p, "ws/a/b/.git/commondir")) ||
	    !is_planted_or_refused(in(p, "ws/a/b/.git/info/attributes")) ||
	    t_create(in(p, "ws/x"), NULL) ||
	    t_rename(in(p, "ws/x"), in(p, "ws/a/bare.git/config.worktree")))
		return 1;
	if (t_mkdir(in(p, "ws/a/empty.git/hooks"), NULL))
		return 2;
	if (t_mkdir(in(p, "ws/info"), NULL) || t_create(in(p, "ws/info/attributes"), NULL) ||
	    t_rename(in(p, "ws/info"), in(p, "ws/a/empty.git/info")))
		return 3;
	t_create(in(p, "ws/a/empty.git/hooks/pre-commit"), NULL);
	/* Names that git makes all the time. */
	if (t_create(in(p, "ws/a/b/.git/index"), NULL) ||
	    t_create(in(p, "ws/a/b/.git/info/exclude"), NULL) ||
	    t_mkdir(in(p, "ws/a/b/.git/worktrees"), NULL))
		return 4;
	return 0;
}

static void what_is_missing_can_not_be_planted(void **state)
{
	static const char *const gone[] = {
		"ws/a/b/.git/config.worktree", "ws/a/b/.git/commondir",
		"ws/a/b/.git/info/attributes", "ws/a/bare.git/config.worktree",
		"ws/a/empty.git/hooks",        "ws/a/empty.git/info/attributes",
	};
	static const char *const kept[] = { "ws/a/b/.git/index", "ws/a/b/.git/info/exclude",
					    "ws/a/b/.git/worktrees", "ws/a/empty.git/info" };
	struct guarded g;

	(void)state;
	git_init(&g);
	make_repo(&g, "ws/a/empty.git");
	assert_int_equal(rmdir(in(&g.pen, "ws/a/empty.git/hooks")), 0);
	assert_int_equal(rmdir(in(&g.pen, "ws/a/empty.git/info")), 0);
	guarded_start(&g, planting_inside);
	assert_int_equal(guarded_end(&g), 0);
	for (size_t i = 0; i < ARRAY_SIZE(gone); i++) {
		assert_int_equal(t_stat(in(&g.pen, gone[i]), NULL), ENOENT);
		assert_non_null(guarded_find(&g, GUARD_QUARANTINED, in(&g.pen, gone[i])));
	}
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
		assert_int_equal(t_stat(in(&g.pen, kept[i]), NULL), 0);
	guarded_done(&g);
}

/* ---- in the place of another ---- */

static int replacing_inside(struct guarded *g)
{
	const struct pen *p = &g->pen;

	if (t_rename(in(p, "ws/a/b/.git"), in(p, "ws/a/b/old")) ||
	    t_mkdir(in(p, "ws/a/b/.git"), NULL))
		return 1;
	t_create(in(p, "ws/a/b/.git/config"), NULL);
	/* A parent that takes the other's place. */
	if (t_mkdir(in(p, "ws/new"), NULL) || t_mkdir(in(p, "ws/new/deep"), NULL) ||
	    t_mkdir(in(p, "ws/new/deep/.git"), NULL) ||
	    t_create(in(p, "ws/new/deep/.git/config"), NULL) ||
	    t_rename(in(p, "ws/c"), in(p, "ws/c-old")) || t_rename(in(p, "ws/new"), in(p, "ws/c")))
		return 2;
	return is_refused(t_write(in(p, "ws/c-old/deep/.git/config"), NULL)) ? 0 : 3;
}

static void nothing_takes_the_place_of_a_repository(void **state)
{
	struct guarded g;

	(void)state;
	git_init(&g);
	make_dir(in(&g.pen, "ws/c"), TENANT);
	make_dir(in(&g.pen, "ws/c/deep"), TENANT);
	make_repo(&g, "ws/c/deep/.git");
	guarded_start(&g, replacing_inside);
	assert_int_equal(guarded_end(&g), 0);
	assert_int_equal(t_stat(in(&g.pen, "ws/a/b/.git"), NULL), ENOENT);
	assert_int_equal(t_stat(in(&g.pen, "ws/c/deep/.git"), NULL), ENOENT);
	assert_int_equal(t_stat(in(&g.pen, "ws/c/deep"), NULL), 0);
	guarded_done(&g);
}

/* ---- outsiders ---- */

static int after_outsider_inside(struct guarded *g)
{
	const struct pen *p = &g->pen;
	double end = now_ms() + 5000;

	g->stage->inside_says = 2;
	wait_for(&g->stage->outside_says, 1);
	usleep(50000);
	while (!is_refused(t_write(in(p, "ws/a/b/.git/config"), NULL)) && now_ms() < end)
		usleep(1000);
	if (!is_refused(t_write(in(p, "ws/a/b/.git/config"), NULL)))
		return 1;
	if (!is_refused(t_write(in(p, "ws/by-outsider/.git/config"), NULL)))
		return 2;
	return is_refused(t_create(in(p, "ws/by-outsider/.git/hooks/x"), NULL)) ? 0 : 3;
}

static void what_an_outsider_writes_anew_is_held_again(void **state)
{
	struct guarded g;

	(void)state;
	git_init(&g);
	guarded_start(&g, after_outsider_inside);
	wait_for(&g.stage->inside_says, 2);
	make_file(in(&g.pen, "ws/a/b/.git/config.lock"), TENANT, CONFIG "\tx = y\n");
	assert_int_equal(
	    rename(in(&g.pen, "ws/a/b/.git/config.lock"), in(&g.pen, "ws/a/b/.git/config")), 0);
	make_dir(in(&g.pen, "ws/by-outsider"), TENANT);
	make_repo(&g, "ws/by-outsider/.git");
	g.stage->outside_says = 1;
	assert_int_equal(guarded_end(&g), 0);
	assert_int_equal(t_write(in(&g.pen, "ws/a/b/.git/config"), NULL), 0);
	guarded_done(&g);
}

/* ---- own ---- */

static int making_inside(struct guarded *g)
{
	const struct pen *p = &g->pen;
	static const char *const names[] = { "ws/own",
					     "ws/own/.git",
					     "ws/own/.git/hooks",
					     "ws/own/.git/info",
					     "ws/own.git",
					     "ws/own.git/hooks",
					     "ws/own.git/refs",
					     "ws/a/b/.git/modules",
					     "ws/a/b/.git/modules/m",
					     "ws/a/b/.git/modules/m/refs",
					     "ws/a/b/.git/modules/m/objects" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (t_mkdir(in(p, names[i]), NULL))
			return 1;
	if (t_create(in(p, "ws/own.git/HEAD"), NULL) ||
	    t_mkdir(in(p, "ws/own.git/objects"), NULL) ||
	    t_create(in(p, "ws/a/b/.git/modules/m/HEAD"), NULL))
		return 2;
	usleep(20000);
	return t_create(in(p, "ws/own/.git/config"), NULL) ||
		       t_create(in(p, "ws/own/.git/hooks/x"), NULL) ||
		       t_create(in(p, "ws/own/.git/info/attributes"), NULL) ||
		       t_create(in(p, "ws/own.git/config"), NULL) ||
		       t_create(in(p, "ws/a/b/.git/modules/m/config"), NULL)
		   ? 3
		   : 0;
}

static void repositories_made_inside_are_its_own_and_told(void **state)
{
	struct guarded g;

	(void)state;
	git_init(&g);
	guarded_start(&g, making_inside);
	assert_int_equal(guarded_end(&g), 0);
	assert_int_equal(t_stat(in(&g.pen, "ws/own/.git/info/attributes"), NULL), 0);
	assert_int_equal(t_stat(in(&g.pen, "ws/own.git/config"), NULL), 0);
	assert_int_equal(t_stat(in(&g.pen, "ws/a/b/.git/modules/m/config"), NULL), 0);
	assert_non_null(guarded_find(&g, GUARD_REPOSITORY, in(&g.pen, "ws/own")));
	assert_non_null(guarded_find(&g, GUARD_REPOSITORY, in(&g.pen, "ws/own.git")));
	assert_non_null(guarded_find(&g, GUARD_REPOSITORY, in(&g.pen, "ws/a/b/.git/modules/m")));
	assert_null(guarded_find(&g, GUARD_REPOSITORY, in(&g.pen, "ws/a/b")));
	guarded_done(&g);
}

/* ---- a denied name below hooks ---- */

static int denied_inside(struct guarded *g)
{
	int first = t_read(in(&g->pen, "ws/a/b/.git/hooks/lib/.env"), NULL);

	/* By a judged open, if the look goes on, or by a mask. */
	return first == EACCES || first == EPERM ? 0 : 1;
}

static void a_denied_name_below_hooks_stays_denied(void **state)
{
	struct guarded g;

	(void)state;
	git_init(&g);
	make_dir(in(&g.pen, "ws/a/b/.git/hooks/lib"), TENANT);
	make_file(in(&g.pen, "ws/a/b/.git/hooks/lib/.env"), TENANT, "x");
	guarded_start(&g, denied_inside);
	assert_int_equal(guarded_end(&g), 0);
	guarded_done(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_exists_is_read_only),
		cmocka_unit_test(a_racing_writer_never_gets_a_deep_repository),
		cmocka_unit_test(what_is_missing_can_not_be_planted),
		cmocka_unit_test(nothing_takes_the_place_of_a_repository),
		cmocka_unit_test(what_an_outsider_writes_anew_is_held_again),
		cmocka_unit_test(repositories_made_inside_are_its_own_and_told),
		cmocka_unit_test(a_denied_name_below_hooks_stays_denied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
