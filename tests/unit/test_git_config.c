/* SPDX-License-Identifier: MIT */
/* Where a submodule's metadata says that its working tree is. */
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
#include <sys/stat.h>
#include <unistd.h>

#include "base/clean.h"
#include "fs/git.h"

static char dir[] = "/tmp/pinfold-git.XXXXXX";
static int dir_fd = -1;

static int read_text(const char *text, size_t len, char *ret)
{
	auto_close int fd =
	    openat(dir_fd, "config", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_int_equal(write(fd, text, len), len);
	return git_read_work_tree(dir_fd, ret);
}

static void the_working_tree_is_the_last_one_of_core(void **state)
{
	static const struct {
		const char *text;
		const char *tree; /* NULL: none */
		int code;
	} cases[] = {
		{ "[core]\n\tworktree = ../../../sm\n", "../../../sm", 0 },
		{ "[core]\n\tbare = false\n\tworktree=/a/b c\t\r\n[user]\n", "/a/b c", 0 },
		{ "[CORE]\nWorkTree = x", "x", 0 },
		{ "[core]\nworktree = a\n[x]\nworktree = b\n[core]\nworktree = c\n", "c", 0 },
		{ "[core]\nworktree = a\nworktree = \"b\"\n", NULL, -EINVAL },
		{ "[core \"x\"]\nworktree = a\n", NULL, -ENOENT },
		{ "[x]\nworktree = a\n", NULL, -ENOENT },
		{ "[core]\nworktrees = a\n", NULL, -ENOENT },
		{ "[core]\nworktree\n", NULL, -ENOENT },
		{ "[core]\n# worktree = a\n", NULL, -ENOENT },
		{ "[core]\nworktree = a ; b\n", NULL, -EINVAL },
		{ "[core]\nworktree = a\\\nb\n", NULL, -EINVAL },
		{ "[core]\nworktree = \n", NULL, -EINVAL },
		{ "", NULL, -ENOENT },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char got[GIT_TEXT_MAX] = "untouched";
		int r = read_text(cases[i].text, strlen(cases[i].text), got);

		if (r != cases[i].code ||
		    strcmp(got, cases[i].tree ? cases[i].tree : "untouched") != 0)
			fail_msg("case %zu: %d, '%s'", i, r, got);
	}
}

static void what_is_no_plain_text_counts_for_nothing(void **state)
{
	static const char with_zero[] = "[core]\n\0worktree = a\n";
	char big[2 * GIT_TEXT_MAX];
	char got[GIT_TEXT_MAX];

	(void)state;
	assert_int_equal(read_text(with_zero, sizeof(with_zero) - 1, got), -EINVAL);
	memset(big, 'x', sizeof(big));
	assert_int_equal(read_text(big, sizeof(big), got), -EINVAL);
	assert_int_equal(unlinkat(dir_fd, "config", 0), 0);
	assert_int_equal(git_read_work_tree(dir_fd, got), -ENOENT);
	assert_int_equal(symlinkat("elsewhere", dir_fd, "config"), 0);
	assert_int_equal(git_read_work_tree(dir_fd, got), -ELOOP);
	assert_int_equal(unlinkat(dir_fd, "config", 0), 0);
	assert_int_equal(mkfifoat(dir_fd, "config", 0600), 0);
	assert_int_equal(git_read_work_tree(dir_fd, got), -EINVAL);
}

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	dir_fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return dir_fd < 0 ? -1 : 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlinkat(dir_fd, "config", 0);
	close(dir_fd);
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_working_tree_is_the_last_one_of_core),
		cmocka_unit_test(what_is_no_plain_text_counts_for_nothing),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
