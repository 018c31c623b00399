/* SPDX-License-Identifier: MIT */
/* Files of the workspace are given to the identity, and nothing else is. */
#include "fs_pen.h"

#include <sys/sysmacros.h>
#include <time.h>

#include "identity/handover.h"

#define OTHER 54322
#define MANY 100000

struct field {
	char base[64];
	struct handover done;
	struct pinfold_error e;
};

static void field_init(struct field *f)
{
	memset(f, 0, sizeof(*f));
	snprintf(f->base, sizeof(f->base), "/var/tmp/pinfold-hand-XXXXXX");
	assert_non_null(mkdtemp(f->base));
	assert_int_equal(chmod(f->base, 0755), 0);
}

static char *at(const struct field *f, const char *name)
{
	char *s;

	assert_true(asprintf(&s, "%s/%s", f->base, name) > 0);
	return s;
}

static void field_done(struct field *f)
{
	assert_int_equal(nftw(f->base, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT), 0);
}

static uid_t owner(const struct field *f, const char *name)
{
	struct stat st;

	assert_int_equal(lstat(at(f, name), &st), 0);
	return st.st_uid;
}

static int hand(struct field *f, const char *marks)
{
	return identity_handover(at(f, "ws"), TENANT, TENANT, marks, &f->done, &f->e);
}

static void what_lies_in_the_workspace_is_given(void **state)
{
	struct field f;

	(void)state;
	field_init(&f);
	make_dir(at(&f, "ws"), OTHER);
	make_dir(at(&f, "ws/a"), 0);
	make_dir(at(&f, "ws/a/b"), TENANT);
	make_file(at(&f, "ws/a/b/f"), OTHER, "x");
	assert_int_equal(symlink("/etc/passwd", at(&f, "ws/a/l")), 0);
	assert_int_equal(hand(&f, NULL), 0);
	assert_int_equal(owner(&f, "ws"), TENANT);
	assert_int_equal(owner(&f, "ws/a"), TENANT);
	assert_int_equal(owner(&f, "ws/a/b/f"), TENANT);
	assert_int_equal(f.done.given, 4);
	field_done(&f);
}

static void nothing_else_is_given(void **state)
{
	struct field f;
	struct stat st;

	(void)state;
	field_init(&f);
	make_dir(at(&f, "ws"), OTHER);
	make_dir(at(&f, "away"), OTHER);
	make_dir(at(&f, "ws/mnt"), OTHER);
	make_file(at(&f, "away/linked"), OTHER, "x");
	make_file(at(&f, "away/pointed"), OTHER, "x");
	assert_int_equal(link(at(&f, "away/linked"), at(&f, "ws/linked")), 0);
	assert_int_equal(symlink("../away", at(&f, "ws/dir-link")), 0);
	assert_int_equal(symlink("../away/pointed", at(&f, "ws/file-link")), 0);
	assert_int_equal(mknod(at(&f, "ws/dev"), S_IFCHR | 0600, makedev(1, 3)), 0);
	assert_int_equal(chown(at(&f, "ws/dev"), OTHER, OTHER), 0);
	assert_int_equal(mount(at(&f, "away"), at(&f, "ws/mnt"), NULL, MS_BIND, NULL), 0);
	int r = hand(&f, NULL);

	assert_int_equal(umount(at(&f, "ws/mnt")), 0);
	assert_int_equal(r, 0);
	assert_int_equal(owner(&f, "away"), OTHER);
	assert_int_equal(owner(&f, "away/linked"), OTHER);
	assert_int_equal(owner(&f, "away/pointed"), OTHER);
	assert_int_equal(owner(&f, "ws/dev"), OTHER);
	assert_int_equal(f.done.left, 3);
	assert_int_equal(lstat("/etc/passwd", &st), 0);
	assert_int_equal(st.st_uid, 0);
	field_done(&f);
}

static void set_id_bits_do_not_survive(void **state)
{
	static const mode_t modes[] = { 04755, 02755, 06755, 02644, 04644 };
	struct field f;
	struct stat st;
	char name[16];

	(void)state;
	field_init(&f);
	make_dir(at(&f, "ws"), OTHER);
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		snprintf(name, sizeof(name), "ws/f%zu", i);
		make_file(at(&f, name), OTHER, "x");
		assert_int_equal(chmod(at(&f, name), modes[i]), 0);
	}
	assert_int_equal(hand(&f, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		snprintf(name, sizeof(name), "ws/f%zu", i);
		assert_int_equal(lstat(at(&f, name), &st), 0);
		assert_int_equal(st.st_uid, TENANT);
		assert_int_equal(st.st_mode & 07777, modes[i] & 0777);
	}
	field_done(&f);
}

static void it_is_done_once(void **state)
{
	struct field f;

	(void)state;
	field_init(&f);
	make_dir(at(&f, "ws"), OTHER);
	assert_int_equal(hand(&f, at(&f, "marks/deep")), 0);
	assert_int_equal(f.done.given, 1);
	make_file(at(&f, "ws/later"), OTHER, "x");
	assert_int_equal(hand(&f, at(&f, "marks/deep")), 0);
	assert_int_equal(f.done.given, 0);
	assert_int_equal(owner(&f, "ws/later"), OTHER);
	field_done(&f);
}

static void the_root_is_given_to_nobody(void **state)
{
	struct field f = { .done = { .given = 7 } };

	(void)state;
	assert_int_equal(identity_handover("/", TENANT, TENANT, NULL, &f.done, &f.e), -EINVAL);
	assert_int_equal(f.done.given, 7);
}

/* ---- against a writer ----------------------------------------------------------------------- */

/* Puts foreign files under names of the workspace and takes them away again, as fast as it can:
 * hard links, symlinks, directories that turn into symlinks. */
static void juggle(const struct field *f)
{
	char *foreign = at(f, "away/foreign");
	char *name = at(f, "ws/d/name");
	char *dir = at(f, "ws/d");
	char *other = at(f, "ws/other");

	for (;;) {
		(void)!link(foreign, name);
		unlink(name);
		(void)!symlink(foreign, name);
		unlink(name);
		rename(dir, other);
		(void)!symlink("../away", dir);
		unlink(dir);
		rename(other, dir);
	}
}

static void a_writer_gets_no_foreign_file(void **state)
{
	struct field f;
	double end;
	struct timespec now;
	int runs = 0;

	(void)state;
	field_init(&f);
	make_dir(at(&f, "ws"), OTHER);
	make_dir(at(&f, "ws/d"), OTHER);
	make_dir(at(&f, "away"), 0);
	make_file(at(&f, "away/foreign"), 0, "x");
	pid_t pid = fork();

	if (pid == 0)
		juggle(&f);
	clock_gettime(CLOCK_MONOTONIC, &now);
	end = (double)now.tv_sec + 2;
	do {
		int r = hand(&f, NULL);

		runs++;
		if (r < 0)
			print_error("%s\n", f.e.text);
		if (r < 0 || owner(&f, "away") != 0 || owner(&f, "away/foreign") != 0)
			break;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((double)now.tv_sec < end);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_true(runs > 1);
	assert_int_equal(owner(&f, "away/foreign"), 0);
	assert_int_equal(owner(&f, "away"), 0);
	field_done(&f);
}

static void a_hundred_thousand_files_take_less_than_two_seconds(void **state)
{
	struct timespec a;
	struct timespec b;
	struct field f;
	char name[128];

	(void)state;
	field_init(&f);
	make_dir(at(&f, "ws"), OTHER);
	for (int i = 0; i < MANY; i++) {
		if (i % 1000 == 0) {
			snprintf(name, sizeof(name), "%s/ws/d%d", f.base, i / 1000);
			assert_int_equal(mkdir(name, 0755), 0);
		}
		snprintf(name, sizeof(name), "%s/ws/d%d/f%d", f.base, i / 1000, i);
		assert_int_equal(mknod(name, S_IFREG | 0644, 0), 0);
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	assert_int_equal(hand(&f, NULL), 0);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	assert_int_equal(f.done.given, MANY + MANY / 1000 + 1);
	print_message("%.2f s of processor\n",
		      (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9);
	assert_true((double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9 <
		    (getenv("SLOW_MACHINE") ? 40 : 2));
	field_done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_lies_in_the_workspace_is_given),
		cmocka_unit_test(nothing_else_is_given),
		cmocka_unit_test(set_id_bits_do_not_survive),
		cmocka_unit_test(it_is_done_once),
		cmocka_unit_test(the_root_is_given_to_nobody),
		cmocka_unit_test(a_writer_gets_no_foreign_file),
		cmocka_unit_test(a_hundred_thousand_files_take_less_than_two_seconds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
