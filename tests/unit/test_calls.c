/* SPDX-License-Identifier: MIT */
/* Which system calls an observer is told of, and what it makes of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>

#include <linux/openat2.h>
#include <linux/seccomp.h>

#include "base/clean.h"
#include "seccomp/notify.h"
#include "session/calls.h"

#define PATH 0x1000
#define OTHER 0x2000
#define HOW 0x3000

struct call_case {
	const char *sentence;
	int nr;
	uint64_t arg[6];
	unsigned need; /* of the first path */
	unsigned other;
	bool keeps_link;
	bool is_exclusive;
	int dirfd;
};

static const uint64_t HERE = (uint32_t)AT_FDCWD;

#define OPENAT(flags)                                                                              \
	SYS_openat,                                                                                \
	{                                                                                          \
		7, PATH, flags                                                                     \
	}

static const struct call_case CASES[] = {
	{ "reading", OPENAT(O_RDONLY), CALL_READ, 0, false, false, 7 },
	{ "writing", OPENAT(O_WRONLY), CALL_WRITE, 0, false, false, 7 },
	{ "both", OPENAT(O_RDWR), CALL_READ | CALL_WRITE, 0, false, false, 7 },
	{ "emptying writes", OPENAT(O_RDONLY | O_TRUNC), CALL_READ | CALL_WRITE, 0, false, false,
	  7 },
	{ "creating may make", OPENAT(O_WRONLY | O_CREAT), CALL_WRITE | CALL_MAKE, 0, false, false,
	  7 },
	{ "exclusively, too", OPENAT(O_WRONLY | O_CREAT | O_EXCL), CALL_WRITE | CALL_MAKE, 0, false,
	  true, 7 },
	{ "O_EXCL alone means nothing", OPENAT(O_RDONLY | O_EXCL), CALL_READ, 0, false, false, 7 },
	{ "a file without a name writes", OPENAT(O_RDWR | O_TMPFILE), CALL_READ | CALL_WRITE, 0,
	  false, false, 7 },
	{ "a path alone is looked at", OPENAT(O_PATH | O_RDWR), CALL_LOOK, 0, false, false, 7 },
	{ "a symlink may be meant", OPENAT(O_RDONLY | O_NOFOLLOW), CALL_READ, 0, true, false, 7 },
	{ "openat2 keeps its flags in memory",
	  SYS_openat2,
	  { 7, PATH, HOW, 24 },
	  CALL_WRITE,
	  0,
	  false,
	  false,
	  7 },
	{ "executing", SYS_execve, { PATH }, CALL_EXEC, 0, false, false, AT_FDCWD },
	{ "mapping as code", SYS_mmap, { 0, 0, 0, 0, 5 }, CALL_EXEC, 0, false, false, 5 },
	{ "looking at a symlink",
	  SYS_readlinkat,
	  { HERE, PATH },
	  CALL_LOOK,
	  0,
	  true,
	  true,
	  AT_FDCWD },
	{ "making a directory", SYS_mkdirat, { HERE, PATH }, CALL_MAKE, 0, true, true, AT_FDCWD },
	{ "removing", SYS_unlinkat, { HERE, PATH, 0 }, CALL_REMOVE, 0, true, false, AT_FDCWD },
	{ "renaming",
	  SYS_renameat2,
	  { HERE, PATH, HERE, OTHER },
	  CALL_REMOVE,
	  CALL_MAKE | CALL_REMOVE,
	  true,
	  false,
	  AT_FDCWD },
	{ "linking",
	  SYS_linkat,
	  { HERE, PATH, HERE, OTHER },
	  CALL_LOOK,
	  CALL_MAKE,
	  true,
	  false,
	  AT_FDCWD },
	{ "emptying by path", SYS_truncate, { PATH }, CALL_WRITE, 0, false, false, AT_FDCWD },
	{ "the mode", SYS_fchmodat, { HERE, PATH }, CALL_CHANGE, 0, false, false, AT_FDCWD },
};

static int memory(void *data, uint64_t from, void *to, size_t size)
{
	const struct open_how how = { .flags = O_WRONLY };

	(void)data;
	if (from != HOW || size != sizeof(how))
		return -EFAULT;
	memcpy(to, &how, size);
	return 0;
}

static void test_a_call_is_taken_for_what_it_does(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(CASES); i++) {
		const struct call_case *c = &CASES[i];
		struct seccomp_data data = { .nr = c->nr };
		struct call got;

		memcpy(data.args, c->arg, sizeof(data.args));
		assert_int_equal(call_decode(&data, memory, NULL, &got), 0);
		if (got.n != (c->other ? 2 : 1) || got.path[0].need != c->need ||
		    got.path[0].keeps_link != c->keeps_link ||
		    got.path[0].is_exclusive != c->is_exclusive || got.path[0].dirfd != c->dirfd)
			fail_msg("%s: need %x, link %d, exclusive %d, dir %d", c->sentence,
				 got.path[0].need, got.path[0].keeps_link, got.path[0].is_exclusive,
				 got.path[0].dirfd);
		assert_int_equal(got.path[0].text, c->nr == SYS_mmap ? 0 : PATH);
		if (c->other) {
			assert_int_equal(got.path[1].need, c->other);
			assert_int_equal(got.path[1].text, OTHER);
		}
	}
}

static void test_a_removal_says_of_what(void **state)
{
	struct seccomp_data data = { .nr = SYS_unlinkat, .args = { HERE, PATH, AT_REMOVEDIR } };
	struct call got;

	(void)state;
	assert_int_equal(call_decode(&data, memory, NULL, &got), 0);
	assert_string_equal(got.path[0].word, "fs.remove_dir");
	data.args[2] = 0;
	assert_int_equal(call_decode(&data, memory, NULL, &got), 0);
	assert_string_equal(got.path[0].word, "fs.remove_file");
}

static void test_other_calls_and_unreadable_memory_are_errors(void **state)
{
	struct seccomp_data data = { .nr = SYS_getpid };
	struct call got;

	(void)state;
	assert_int_equal(call_decode(&data, memory, NULL, &got), -EINVAL);
	data = (struct seccomp_data){ .nr = SYS_openat2, .args = { HERE, PATH, OTHER } };
	assert_int_equal(call_decode(&data, memory, NULL, &got), -EFAULT);
}

static void test_a_filter_holds_all_of_them(void **state)
{
	struct notify_call calls[CALLS_MAX];
	struct seccomp_program p = { 0 };
	size_t n = calls_watched(calls);

	(void)state;
	assert_true(n > 20 && n <= CALLS_MAX);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			assert_int_not_equal(calls[i].nr, calls[k].nr);
	assert_int_equal(seccomp_notify_prepare(calls, n, &p), 0);
	assert_true(p.n > 2 * n);
	free(p.code);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_call_is_taken_for_what_it_does),
		cmocka_unit_test(test_a_removal_says_of_what),
		cmocka_unit_test(test_other_calls_and_unreadable_memory_are_errors),
		cmocka_unit_test(test_a_filter_holds_all_of_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
