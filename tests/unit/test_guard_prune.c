/* SPDX-License-Identifier: MIT */
/* What goes from a quarantine, and what stays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clean.h"
#include "fs/guard_prune.h"
#include "fs/guard_remove.h"

#define FILE_BYTES (64 * 1024)
#define FOREVER 1000000

struct place {
	char dir[64];
	int fd;
	int was;
};

static int setup(void **state)
{
	struct place *p = calloc(1, sizeof(*p));

	if (!p)
		return -1;
	snprintf(p->dir, sizeof(p->dir), "/tmp/pinfold-prune.XXXXXX");
	p->was = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (p->was < 0 || !mkdtemp(p->dir))
		return -1;
	p->fd = open(p->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	*state = p;
	return p->fd < 0 ? -1 : 0;
}

static int teardown(void **state)
{
	struct place *p = *state;
	int r = fchdir(p->was) < 0 || guard_remove(AT_FDCWD, p->dir) < 0;

	close(p->fd);
	close(p->was);
	free(p);
	return r ? -1 : 0;
}

/* A session's directory with a file two levels down; a moment later than the one before. */
static void make(const struct place *p, const char *id)
{
	static const char data[FILE_BYTES];
	char path[256];
	int fd;

	assert_int_equal(mkdirat(p->fd, id, 0700), 0);
	snprintf(path, sizeof(path), "%s/0-d", id);
	assert_int_equal(mkdirat(p->fd, path, 0700), 0);
	snprintf(path, sizeof(path), "%s/0-d/file", id);
	fd = openat(p->fd, path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, sizeof(data)), sizeof(data));
	fsync(fd);
	close(fd);
	usleep(20 * 1000);
}

static bool is_there(const struct place *p, const char *id)
{
	struct stat st;

	return fstatat(p->fd, id, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static void the_oldest_go_first_when_it_is_too_much(void **state)
{
	const struct place *p = *state;
	const struct guard_keep all = { .seconds = FOREVER, .bytes = UINT64_MAX };
	const struct guard_keep two = { .seconds = FOREVER, .bytes = 2 * FILE_BYTES + 32768 };

	make(p, "one");
	make(p, "two");
	make(p, "three");
	assert_int_equal(guard_prune(p->fd, &all), 0);
	assert_true(is_there(p, "one") && is_there(p, "two") && is_there(p, "three"));
	assert_int_equal(guard_prune(p->fd, &two), 0);
	assert_false(is_there(p, "one"));
	assert_true(is_there(p, "two") && is_there(p, "three"));
}

static void what_is_old_goes_but_for_what_a_session_has_locked(void **state)
{
	const struct place *p = *state;
	const struct guard_keep none = { .seconds = -1, .bytes = UINT64_MAX };
	auto_close int lock = -1;

	make(p, "dead");
	make(p, "alive");
	lock = openat(p->fd, "alive", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(flock(lock, LOCK_SH), 0);
	assert_int_equal(guard_prune(p->fd, &none), 0);
	assert_false(is_there(p, "dead"));
	assert_true(is_there(p, "alive"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_oldest_go_first_when_it_is_too_much, setup,
						teardown),
		cmocka_unit_test_setup_teardown(what_is_old_goes_but_for_what_a_session_has_locked,
						setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
