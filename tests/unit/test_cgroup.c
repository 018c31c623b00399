/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clean.h"
#include "pinfold.h"
#include "policy/policy.h"
#include "session/cgroup.h"
#include "session/cgroup_tree.h"

static void a_word_is_found_whole_or_not_at_all(void **state)
{
	(void)state;
	assert_true(cgroup_has_word("cpuset cpu io memory\n", "cpu"));
	assert_true(cgroup_has_word("rw,cpu,cpuacct", "cpuacct"));
	assert_false(cgroup_has_word("cpuset cpuacct\n", "cpu"));
	assert_false(cgroup_has_word("", "cpu"));
	assert_true(cgroup_has_word("hugetlb memory\n", "memory"));
}

static void an_id_is_letters_digits_and_dashes(void **state)
{
	char longest[CGROUP_ID_MAX + 2];

	(void)state;
	memset(longest, 'a', sizeof(longest));
	longest[CGROUP_ID_MAX + 1] = '\0';
	assert_false(cgroup_id_is_sane(longest));
	longest[CGROUP_ID_MAX] = '\0';
	assert_true(cgroup_id_is_sane(longest));
	assert_true(cgroup_id_is_sane("a1-B_2"));
	assert_false(cgroup_id_is_sane(""));
	assert_false(cgroup_id_is_sane(".."));
	assert_false(cgroup_id_is_sane("a/b"));
	assert_false(cgroup_id_is_sane("x.service"));
}

static void a_bad_id_makes_nothing(void **state)
{
	struct limits_policy none = { 0 };
	struct cgroup c = CGROUP_EMPTY;
	struct pinfold_error e = { "" };

	(void)state;
	assert_int_equal(cgroup_prepare(&c, "../x", &none, false, &e), -EINVAL);
	assert_true(e.text[0] != '\0');
	assert_int_equal(c.dir_fd, -1);
	assert_int_equal(cgroup_remove(&c), 0);
	cgroup_done(&c);
	cgroup_done(&c);
}

/* Only file systems of the right kind count: a table may be forged or covered. */
static void odd_mount_tables_yield_no_root(void **state)
{
	static const char *const tables[] = {
		"",
		"\n\n",
		"garbage",
		"30 22 0:27 / /tmp rw - cgroup2 cgroup2 rw\n",
		"30 22 0:27 / /tmp rw,relatime shared:4 - cgroup2 cgroup2 rw",
		"30 22 0:27 / /nowhere\\040at\\040all rw - cgroup2 cgroup2 rw\n",
		"30 22 0:27 / /tmp\\ rw - cgroup2 cgroup2 rw\n",
		"30 22 0:27 / - cgroup2\n",
		"30 22 - cgroup2 cgroup2 rw\n",
		" - ",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		assert_int_equal(cgroup_find_root(tables[i], NULL), -ENOENT);
	assert_int_equal(cgroup_find_root("31 30 0:28 / /tmp rw - cgroup cgroup rw,cpu\n", "cpu"),
			 -ENOENT);
}

/* The making and removing work on any file system; a directory stands for a hierarchy here. */
static void makes_locks_and_removes_below_a_slice(void **state)
{
	char dir[] = "/tmp/pinfold-cgroup-XXXXXX";
	struct stat st;

	(void)state;
	assert_non_null(mkdtemp(dir));

	auto_close int root = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_close int made = cgroup_make(root, "slice", "s1");

	assert_true(made >= 0);
	assert_int_equal(cgroup_make(root, "slice", "s1"), -EEXIST);

	auto_close int other = openat(root, "slice/s1", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_int_equal(flock(other, LOCK_EX | LOCK_NB), -1);
	assert_int_equal(mkdirat(made, "a", 0755), 0);
	assert_int_equal(mkdirat(made, "b", 0755), 0);
	assert_int_equal(mkdirat(made, "a/c", 0755), 0);
	assert_int_equal(mkdirat(made, "a/c/d", 0755), 0);
	assert_int_equal(mkdirat(root, "slice/s2", 0755), 0);
	assert_int_equal(cgroup_unmake(root, "slice", "s1", cgroup_now_ms()), 0);
	assert_int_equal(fstatat(root, "slice/s1", &st, 0), -1);
	assert_int_equal(fstatat(root, "slice/s2", &st, 0), 0);
	assert_int_equal(cgroup_unmake(root, "slice", "s1", cgroup_now_ms()), 0);
	assert_int_equal(cgroup_unmake(root, "slice", "s2", cgroup_now_ms()), 0);
	assert_int_equal(fstatat(root, "slice", &st, 0), -1);
	assert_int_equal(cgroup_unmake(root, "slice", "s2", cgroup_now_ms()), 0);
	assert_int_equal(rmdir(dir), 0);
}

static void removing_gives_up_at_the_deadline(void **state)
{
	char dir[] = "/tmp/pinfold-cgroup-XXXXXX";
	int64_t start = cgroup_now_ms();

	(void)state;
	assert_non_null(mkdtemp(dir));

	auto_close int root = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_close int made = cgroup_make(root, "slice", "s1");
	auto_close int file = openat(made, "busy", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	assert_true(file >= 0);
	assert_int_equal(cgroup_unmake(root, "slice", "s1", start + 50), -EBUSY);
	assert_true(cgroup_now_ms() >= start + 50);
	assert_int_equal(unlinkat(made, "busy", 0), 0);
	assert_int_equal(cgroup_unmake(root, "slice", "s1", cgroup_now_ms()), 0);
	assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_word_is_found_whole_or_not_at_all),
		cmocka_unit_test(an_id_is_letters_digits_and_dashes),
		cmocka_unit_test(a_bad_id_makes_nothing),
		cmocka_unit_test(odd_mount_tables_yield_no_root),
		cmocka_unit_test(makes_locks_and_removes_below_a_slice),
		cmocka_unit_test(removing_gives_up_at_the_deadline),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
