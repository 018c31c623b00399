/* wrap: ll_create_ruleset ll_add_rule ll_restrict_self */
/* SPDX-License-Identifier: MIT */
/* The Landlock domain against kernels of every age. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fs/domain.h"
#include "fs/fence.h"
#include "fs/landlock_abi.h"
#include "pinfold.h"

/* The kernel: an ABI, or a negative errno; and what it was asked. */
static struct {
	int abi;
	struct ll_ruleset_attr attr;
	size_t size;
	uint64_t allowed;
	unsigned restrict_flags;
	int add_result;
} kernel;

int __wrap_ll_create_ruleset(const struct ll_ruleset_attr *attr, size_t size, unsigned flags);
int __wrap_ll_add_rule(int ruleset, unsigned type, const void *attr, unsigned flags);
int __wrap_ll_restrict_self(int ruleset, unsigned flags);

static int answer(int r)
{
	if (r >= 0)
		return r;
	errno = -r;
	return -1;
}

int __wrap_ll_create_ruleset(const struct ll_ruleset_attr *attr, size_t size, unsigned flags)
{
	if (flags == LL_CREATE_RULESET_VERSION)
		return answer(kernel.abi);
	memset(&kernel.attr, 0, sizeof(kernel.attr));
	memcpy(&kernel.attr, attr, size);
	kernel.size = size;
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int __wrap_ll_add_rule(int ruleset, unsigned type, const void *attr, unsigned flags)
{
	struct ll_path_beneath_attr rule;

	(void)ruleset;
	(void)flags;
	assert_int_equal(type, LL_RULE_PATH_BENEATH);
	memcpy(&rule, attr, sizeof(rule));
	kernel.allowed = rule.allowed_access;
	return answer(kernel.add_result);
}

int __wrap_ll_restrict_self(int ruleset, unsigned flags)
{
	(void)ruleset;
	kernel.restrict_flags = flags;
	return 0;
}

static int boot(void **state)
{
	(void)state;
	memset(&kernel, 0, sizeof(kernel));
	return 0;
}

static void refuses_a_kernel_without_landlock(void **state)
{
	static const int codes[] = { -ENOSYS, -EOPNOTSUPP, -EPERM, 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		struct pinfold_error e = { "" };
		struct domain d = { .ruleset = -7 };

		kernel.abi = codes[i];
		assert_int_equal(domain_new(false, &d, &e), -EOPNOTSUPP);
		assert_non_null(strstr(e.text, "Landlock"));
		assert_int_equal(domain_new(true, &d, &e), -EOPNOTSUPP);
		assert_int_equal(d.ruleset, -7);
		assert_true(fs_enter_nothing() < 0);
	}
}

static void refuses_an_old_kernel_unless_that_is_accepted(void **state)
{
	static const struct {
		int abi;
		const char *gap;
	} row[] = {
		{ 1, "renames" }, { 2, "truncating" }, { 3, "ioctl" },
		{ 4, "ioctl" },   { 5, "signals" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct pinfold_error e = { "" };
		struct domain d = { .ruleset = -1 };

		kernel.abi = row[i].abi;
		assert_int_equal(domain_new(false, &d, &e), -EOPNOTSUPP);
		assert_non_null(strstr(e.text, row[i].gap));
		assert_non_null(strstr(e.text, "signals"));
		assert_int_equal(domain_new(true, &d, &e), 0);
		assert_int_equal(d.abi, row[i].abi);
		domain_done(&d);
	}
}

static void asks_for_all_that_the_abi_knows_and_no_more(void **state)
{
	static const struct {
		int abi;
		uint64_t fs;
		uint64_t scoped;
		size_t size;
	} row[] = {
		{ 1, 0x1fff, 0, 8 },    { 2, 0x3fff, 0, 8 },    { 3, 0x7fff, 0, 8 },
		{ 4, 0x7fff, 0, 16 },   { 5, 0xffff, 0, 16 },   { 6, 0xffff, 3, 24 },
		{ 7, 0xffff, 3, 24 },   { 8, 0xffff, 3, 24 },   { 9, 0x1ffff, 3, 24 },
		{ 10, 0x1ffff, 3, 24 }, { 99, 0x1ffff, 3, 24 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct domain d = { .ruleset = -1 };

		kernel.abi = row[i].abi;
		assert_int_equal(domain_new(true, &d, NULL), 0);
		assert_int_equal(kernel.attr.handled_access_fs, row[i].fs);
		assert_int_equal(kernel.attr.handled_access_net, 0);
		assert_int_equal(kernel.attr.scoped, row[i].scoped);
		assert_int_equal(kernel.size, row[i].size);
		assert_int_equal(domain_enter(&d), 0);
		assert_int_equal(kernel.restrict_flags, row[i].abi >= 7 ? 2 : 0);
		domain_done(&d);
	}
}

static void a_rule_on_a_file_carries_no_right_of_a_directory(void **state)
{
	const uint64_t of_directories = LL_FS_READ_DIR | LL_FS_REMOVE_DIR | LL_FS_REMOVE_FILE |
					LL_FS_MAKE_REG | LL_FS_MAKE_DIR | LL_FS_MAKE_SYM |
					LL_FS_REFER;

	(void)state;
	for (int abi = 1; abi <= 11; abi++) {
		for (int grant = 0; grant <= DOMAIN_SOCKET; grant++) {
			uint64_t file = domain_rights(abi, false, (enum domain_grant)grant);
			uint64_t dir = domain_rights(abi, true, (enum domain_grant)grant);

			assert_int_equal(file & of_directories, 0);
			assert_int_equal(dir & ~domain_handled(abi), 0);
			assert_int_equal(file & ~dir, 0);
		}
	}
}

static void reading_grants_no_writing(void **state)
{
	const uint64_t writing = ~(LL_FS_READ_FILE | LL_FS_READ_DIR | LL_FS_EXECUTE);

	(void)state;
	assert_int_equal(domain_rights(10, true, DOMAIN_READ), LL_FS_READ_FILE | LL_FS_READ_DIR);
	assert_int_equal(domain_rights(10, true, DOMAIN_READ_EXEC) & writing, 0);
	assert_true(domain_rights(10, true, DOMAIN_WRITE) & LL_FS_TRUNCATE);
	assert_true(domain_rights(10, true, DOMAIN_WRITE) & LL_FS_REFER);
	assert_false(domain_rights(10, true, DOMAIN_WRITE) &
		     (LL_FS_IOCTL_DEV | LL_FS_MAKE_BLOCK | LL_FS_MAKE_CHAR | LL_FS_RESOLVE_UNIX));
	assert_int_equal(domain_rights(10, false, DOMAIN_SOCKET), LL_FS_RESOLVE_UNIX);
	assert_int_equal(domain_rights(8, false, DOMAIN_SOCKET), 0);
}

static void an_inherited_file_is_granted_as_it_is_open(void **state)
{
	struct domain d = { .ruleset = 1000, .abi = 7 };
	char name[] = "/tmp/pinfold-test-XXXXXX";
	int rw = mkstemp(name);
	int rd = open(name, O_RDONLY | O_CLOEXEC);
	int wr = open(name, O_WRONLY | O_CLOEXEC);
	int path = open(name, O_PATH | O_CLOEXEC);
	int pipes[2];

	(void)state;
	unlink(name);
	assert_true(rw >= 0 && rd >= 0 && wr >= 0 && path >= 0);
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(domain_allow_inherited(&d, rd), 0);
	assert_int_equal(kernel.allowed, LL_FS_READ_FILE);
	assert_int_equal(domain_allow_inherited(&d, wr), 0);
	assert_int_equal(kernel.allowed, LL_FS_WRITE_FILE | LL_FS_TRUNCATE);
	assert_int_equal(domain_allow_inherited(&d, rw), 0);
	assert_int_equal(kernel.allowed, LL_FS_READ_FILE | LL_FS_WRITE_FILE | LL_FS_TRUNCATE);
	kernel.allowed = 0;
	assert_int_equal(domain_allow_inherited(&d, path), 0);
	assert_int_equal(domain_allow_inherited(&d, pipes[0]), 0);
	assert_int_equal(domain_allow_inherited(&d, 999), 0);
	assert_int_equal(kernel.allowed, 0);
	kernel.add_result = -EINVAL;
	assert_int_equal(domain_allow_inherited(&d, rd), -EINVAL);
	close(rw);
	close(rd);
	close(wr);
	close(path);
	close(pipes[0]);
	close(pipes[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(refuses_a_kernel_without_landlock, boot),
		cmocka_unit_test_setup(refuses_an_old_kernel_unless_that_is_accepted, boot),
		cmocka_unit_test_setup(asks_for_all_that_the_abi_knows_and_no_more, boot),
		cmocka_unit_test_setup(a_rule_on_a_file_carries_no_right_of_a_directory, boot),
		cmocka_unit_test_setup(reading_grants_no_writing, boot),
		cmocka_unit_test_setup(an_inherited_file_is_granted_as_it_is_open, boot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
