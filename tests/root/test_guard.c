/* SPDX-License-Identifier: MIT */
/* Denied names below a granted tree: found, held, masked, thrown out. */
#include "guard_pen.h"

#define SECRET "hunter2\n"

/* ---- what exists at launch ---- */

/* By the mask, or while the look goes on by the guard. */
static bool is_refused(const char *path)
{
	int r = t_read(path, NULL);

	return r == EACCES || r == EPERM;
}

static int small_inside(struct guarded *g)
{
	const struct pen *p = &g->pen;

	if (!is_refused(in(p, "ws/a/b/.env")))
		return 1;
	if (!is_refused(in(p, "ws/a/.env.local")))
		return 2;
	if (t_read(in(p, "ws/a/.env.example"), NULL) != 0)
		return 3;
	if (t_rename(in(p, "ws/a/b/.env"), in(p, "ws/x")) != EBUSY)
		return 4;
	if (t_unlink(in(p, "ws/a/b/.env"), NULL) != EBUSY)
		return 5;
	if (t_rename(in(p, "ws/a"), in(p, "ws/z")) != 0)
		return 6;
	if (!is_refused(in(p, "ws/z/b/.env")))
		return 7;
	if (!is_refused(in(p, "ws/other-name")))
		return 8;
	if (!is_refused(in(p, "ws/lead")) || !is_refused(in(p, "ws/plain")))
		return 9;
	if (t_link(in(p, "ws/z/b/.env"), in(p, "ws/y")) == 0)
		return 10;
	return 0;
}

static void an_existing_name_is_masked_by_every_path(void **state)
{
	struct guarded g;

	(void)state;
	guarded_init(&g, "/var/tmp");
	make_dir(in(&g.pen, "ws/a"), TENANT);
	make_dir(in(&g.pen, "ws/a/b"), TENANT);
	make_file(in(&g.pen, "ws/a/b/.env"), TENANT, SECRET);
	make_file(in(&g.pen, "ws/a/.env.local"), TENANT, SECRET);
	make_file(in(&g.pen, "ws/a/.env.example"), TENANT, "A=\n");
	make_file(in(&g.pen, "ws/plain"), TENANT, SECRET);
	make_dir(in(&g.pen, "ws/links"), TENANT);
	assert_int_equal(symlink(in(&g.pen, "ws/plain"), in(&g.pen, "ws/links/.env")), 0);
	assert_int_equal(symlink("links/.env", in(&g.pen, "ws/lead")), 0);
	assert_int_equal(link(in(&g.pen, "ws/a/b/.env"), in(&g.pen, "ws/other-name")), 0);
	guarded_start(&g, small_inside);
	assert_int_equal(guarded_end(&g), 0);
	/* Outside everything is as it was, but for what was renamed. */
	assert_int_equal(t_read(in(&g.pen, "ws/z/b/.env"), NULL), 0);
	assert_int_equal(t_read(in(&g.pen, "ws/plain"), NULL), 0);
	guarded_done(&g);
}

/* ---- while the first look goes on ---- */

static long leak(const char *path)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[16] = "";

	return fd >= 0 && read(fd, text, sizeof(text)) > 0 && strcmp(text, SECRET) == 0;
}

/* Names are set up before, so that the first call is the attack. */
static int racing_inside(struct guarded *g)
{
	char *secret = in(&g->pen, "ws/d9/e99/f0/deep/deeper/.env");
	char *moved = in(&g->pen, "ws/d9/e99/f0/moved");
	char *linked = in(&g->pen, "ws/d9/e99/f0/linked");
	long leaks = 0;
	long moves = 0;
	double end = now_ms() + 1500;

	while (now_ms() < end) {
		leaks += leak(secret);
		moves += rename(secret, moved) == 0;
		leaks += leak(moved);
		moves += link(secret, linked) == 0;
		leaks += leak(linked);
		moves += truncate(secret, 0) == 0;
		moves += chmod(secret, 0777) == 0;
		moves += unlink(secret) == 0;
		moves += renameat2(AT_FDCWD, secret, AT_FDCWD, moved, RENAME_EXCHANGE) == 0;
		moves += rename(in(&g->pen, "ws/d9/e99/f0/deep"),
				in(&g->pen, "ws/d9/e99/f0/shallow")) == 0 &&
			 leak(in(&g->pen, "ws/d9/e99/f0/shallow/deeper/.env"));
	}
	if (leak(in(&g->pen, "ws/d9/e99/f0/shallow/deeper/.env.example")) == 0)
		return 3;
	return leaks ? 1 : moves ? 2 : 0;
}

static void a_racing_reader_never_gets_a_deep_name_of_a_big_tree(void **state)
{
	struct guarded g;
	struct stat st;

	(void)state;
	guarded_init(&g, "/var/tmp");
	make_tree(in(&g.pen, "ws"), 20000);
	make_dir(in(&g.pen, "ws/d9/e99/f0/deep"), TENANT);
	make_dir(in(&g.pen, "ws/d9/e99/f0/deep/deeper"), TENANT);
	make_file(in(&g.pen, "ws/d9/e99/f0/deep/deeper/.env"), TENANT, SECRET);
	make_file(in(&g.pen, "ws/d9/e99/f0/deep/deeper/.env.example"), TENANT, SECRET);
	guarded_start(&g, racing_inside);
	int got = guarded_end(&g);

	assert_true(g.held);
	assert_int_equal(got, 0);
	assert_int_equal(stat(in(&g.pen, "ws/d9/e99/f0/shallow/deeper/.env"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0644);
	assert_int_equal(st.st_size, strlen(SECRET));
	guarded_done(&g);
}

static int linked_inside(struct guarded *g)
{
	long leaks = 0;
	double end = now_ms() + 500;

	while (now_ms() < end)
		leaks += leak(in(&g->pen, "ws/a-first-name"));
	return leaks ? 1 : leak(in(&g->pen, "ws/an-innocent-name")) ? 0 : 2;
}

static void a_hard_link_of_a_deep_name_is_held_from_the_start(void **state)
{
	struct guarded g;

	(void)state;
	guarded_init(&g, "/var/tmp");
	make_tree(in(&g.pen, "ws"), 20000);
	make_file(in(&g.pen, "ws/d9/e99/f0/.env"), TENANT, SECRET);
	assert_int_equal(link(in(&g.pen, "ws/d9/e99/f0/.env"), in(&g.pen, "ws/a-first-name")), 0);
	make_file(in(&g.pen, "ws/an-innocent-name"), TENANT, SECRET);
	assert_int_equal(link(in(&g.pen, "ws/an-innocent-name"), in(&g.pen, "ws/another-innocent")),
			 0);
	guarded_start(&g, linked_inside);
	assert_int_equal(guarded_end(&g), 0);
	assert_true(g.held);
	guarded_done(&g);
}

/* ---- names that appear later ---- */

static int later_inside(struct guarded *g)
{
	char *path = in(&g->pen, "ws/later/.env");
	double end = now_ms() + 5000;
	long leaks = 0;

	wait_for(&g->stage->outside_says, 1);
	/* Readable for the moment that masking takes, then never again. */
	while (t_read(path, NULL) != EACCES && now_ms() < end)
		leaks++;
	for (int i = 0; i < 1000; i++)
		if (t_read(path, NULL) != EACCES)
			return 1;
	if (t_rename(path, in(&g->pen, "ws/mine")) != EBUSY)
		return 2;
	g->stage->inside_says = 2;
	wait_for(&g->stage->outside_says, 2);
	/* Replaced by a rename, as editors do. */
	usleep(50000);
	if (t_read(path, NULL) != EACCES)
		return 3;
	if (t_read(in(&g->pen, "ws/moved-in/deep/.env"), NULL) != EACCES)
		return 4;
	return t_read(in(&g->pen, "ws/moved-in/deep/.env.example"), NULL) == 0 ? 0 : 5;
}

static void a_name_made_outside_later_becomes_unreadable(void **state)
{
	struct guarded g;

	(void)state;
	guarded_init(&g, "/var/tmp");
	make_dir(in(&g.pen, "ws/later"), TENANT);
	make_dir(in(&g.pen, "away"), TENANT);
	make_dir(in(&g.pen, "away/deep"), TENANT);
	make_file(in(&g.pen, "away/deep/.env"), TENANT, SECRET);
	make_file(in(&g.pen, "away/deep/.env.example"), TENANT, SECRET);
	guarded_start(&g, later_inside);
	make_file(in(&g.pen, "ws/later/.env"), TENANT, SECRET);
	g.stage->outside_says = 1;
	wait_for(&g.stage->inside_says, 2);
	make_file(in(&g.pen, "ws/later/tmp"), TENANT, SECRET);
	assert_int_equal(rename(in(&g.pen, "ws/later/tmp"), in(&g.pen, "ws/later/.env")), 0);
	assert_int_equal(rename(in(&g.pen, "away"), in(&g.pen, "ws/moved-in")), 0);
	g.stage->outside_says = 2;
	assert_int_equal(guarded_end(&g), 0);
	assert_non_null(guarded_find(&g, GUARD_MASKED, in(&g.pen, "ws/later/.env")));
	assert_int_equal(t_read(in(&g.pen, "ws/later/.env"), NULL), 0);
	guarded_done(&g);
}

/* Its maker is gone before anybody can ask who it was. */
static void plant_and_vanish(const char *path)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(open(path, O_WRONLY | O_CREAT | O_EXCL, 0600) < 0);
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static int planting_inside(struct guarded *g)
{
	const struct pen *p = &g->pen;

	plant_and_vanish(in(p, "ws/.env"));
	if (t_create(in(p, "ws/x"), NULL) || t_rename(in(p, "ws/x"), in(p, "ws/sub/.env.prod")))
		return 2;
	if (t_mkdir(in(p, "ws/sub/.env"), NULL))
		return 3;
	/* The last one, just before the end. */
	t_create(in(p, "ws/last"), NULL);
	return t_rename(in(p, "ws/last"), in(p, "ws/.env.last")) ? 4 : 0;
}

static void a_name_planted_inside_is_quarantined(void **state)
{
	static const char *const planted[] = { "ws/.env", "ws/sub/.env.prod", "ws/sub/.env",
					       "ws/.env.last" };
	struct guarded g;

	(void)state;
	guarded_init(&g, "/var/tmp");
	make_dir(in(&g.pen, "ws/sub"), TENANT);
	guarded_start(&g, planting_inside);
	assert_int_equal(guarded_end(&g), 0);
	for (size_t i = 0; i < ARRAY_SIZE(planted); i++) {
		const struct guard_message *m =
		    guarded_find(&g, GUARD_QUARANTINED, in(&g.pen, planted[i]));

		assert_int_equal(t_stat(in(&g.pen, planted[i]), NULL), ENOENT);
		assert_non_null(m);
		assert_int_equal(t_stat(m->moved_to, NULL), 0);
	}
	guarded_done(&g);
}

/* ---- its end ---- */

static int sleeping_inside(struct guarded *g)
{
	(void)g;
	sleep(30);
	return 0;
}

static void the_pen_dies_with_the_guard(void **state)
{
	struct guarded g;

	(void)state;
	guarded_init(&g, "/var/tmp");
	guarded_start(&g, sleeping_inside);
	assert_true(guard_pid(g.guard) > 1);
	assert_int_equal(kill(guard_pid(g.guard), SIGKILL), 0);
	assert_int_equal(guarded_end(&g), 128 + SIGKILL);
	guarded_done(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_existing_name_is_masked_by_every_path),
		cmocka_unit_test(a_racing_reader_never_gets_a_deep_name_of_a_big_tree),
		cmocka_unit_test(a_hard_link_of_a_deep_name_is_held_from_the_start),
		cmocka_unit_test(a_name_made_outside_later_becomes_unreadable),
		cmocka_unit_test(a_name_planted_inside_is_quarantined),
		cmocka_unit_test(the_pen_dies_with_the_guard),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
