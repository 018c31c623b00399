/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agents/registry.h"
#include "base/clean.h"
#include "pinfold.h"

struct fixture {
	char base[64];
	char dir[PATH_MAX];
	struct registry r;
};

static int setup(void **state)
{
	static struct fixture f;
	struct pinfold_error e = { 0 };

	memcpy(f.base, "/tmp/pinfold-registry.XXXXXX", sizeof("/tmp/pinfold-registry.XXXXXX"));
	if (!mkdtemp(f.base))
		return -1;
	snprintf(f.dir, sizeof(f.dir), "%s/made/agents", f.base);
	*state = &f;
	return registry_open(f.dir, REGISTRY_MAKE, &f.r, &e);
}

static int drop(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	registry_done(&f->r);
	return nftw(f->base, drop, 8, FTW_DEPTH | FTW_PHYS);
}

static int note(const struct registry *r, const char *key, const char *parent)
{
	struct pinfold_error e = { 0 };

	return registry_note(r, key, parent, &e);
}

static int descends(const struct registry *r, const char *key, const char *ancestor)
{
	struct pinfold_error e = { 0 };

	return registry_descends(r, key, ancestor, &e);
}

static void children_and_theirs_descend_and_nobody_else_does(void **state)
{
	const struct registry *r = &((struct fixture *)*state)->r;

	assert_int_equal(note(r, "agent:main:main", NULL), 0);
	assert_int_equal(note(r, "agent:main:subagent:1", "agent:main:main"), 0);
	assert_int_equal(note(r, "agent:main:subagent:2", "agent:main:subagent:1"), 0);
	assert_int_equal(note(r, "agent:b:main", NULL), 0);
	assert_int_equal(note(r, "agent:b:subagent:1", "agent:b:main"), 0);
	assert_int_equal(descends(r, "agent:main:subagent:1", "agent:main:main"), 1);
	assert_int_equal(descends(r, "agent:main:subagent:2", "agent:main:main"), 1);
	assert_int_equal(descends(r, "agent:main:subagent:2", "agent:main:subagent:1"), 1);
	assert_int_equal(descends(r, "agent:main:subagent:1", "agent:main:subagent:2"), 0);
	assert_int_equal(descends(r, "agent:main:main", "agent:main:subagent:1"), 0);
	assert_int_equal(descends(r, "agent:main:main", "agent:main:main"), 0);
	assert_int_equal(descends(r, "agent:b:subagent:1", "agent:main:main"), 0);
	assert_int_equal(descends(r, "never seen", "agent:main:main"), 0);
}

/* A child that was noted before its parent. */
static void the_order_of_noting_does_not_matter(void **state)
{
	const struct registry *r = &((struct fixture *)*state)->r;

	assert_int_equal(note(r, "c", "b"), 0);
	assert_int_equal(descends(r, "c", "a"), 0);
	assert_int_equal(note(r, "b", "a"), 0);
	assert_int_equal(descends(r, "c", "a"), 1);
}

static void who_spawned_a_session_never_changes(void **state)
{
	const struct registry *r = &((struct fixture *)*state)->r;

	assert_int_equal(note(r, "c", NULL), 0);
	assert_int_equal(note(r, "c", "a"), 0);
	assert_int_equal(note(r, "c", "a"), 0);
	assert_int_equal(note(r, "c", NULL), 0);
	assert_int_equal(note(r, "c", "b"), -EEXIST);
	assert_int_equal(descends(r, "c", "a"), 1);
	assert_int_equal(descends(r, "c", "b"), 0);
}

static void no_session_is_its_own_ancestor(void **state)
{
	const struct registry *r = &((struct fixture *)*state)->r;

	assert_int_equal(note(r, "a", "a"), -ELOOP);
	assert_int_equal(note(r, "b", "a"), 0);
	assert_int_equal(note(r, "c", "b"), 0);
	assert_int_equal(note(r, "a", "c"), -ELOOP);
	assert_int_equal(descends(r, "a", "c"), 0);
}

static void generations_are_bounded(void **state)
{
	const struct registry *r = &((struct fixture *)*state)->r;
	char key[32] = "g0";
	int made = 0;

	for (int i = 1; i < REGISTRY_DEPTH_MAX + 10; i++) {
		char parent[32];

		memcpy(parent, key, sizeof(parent));
		snprintf(key, sizeof(key), "g%d", i);
		if (note(r, key, parent) != 0)
			break;
		made = i;
	}
	assert_true(made >= REGISTRY_DEPTH_MAX - 1 && made <= REGISTRY_DEPTH_MAX);
	snprintf(key, sizeof(key), "g%d", made);
	assert_int_equal(descends(r, key, "g0"), 1);
}

static void keys_with_controls_or_too_long_are_refused(void **state)
{
	const struct registry *r = &((struct fixture *)*state)->r;
	char longest[REGISTRY_KEY_MAX + 2];

	assert_int_equal(note(r, "", NULL), -EINVAL);
	assert_int_equal(note(r, "a\nb", NULL), -EINVAL);
	assert_int_equal(note(r, "a", "b\n"), -EINVAL);
	memset(longest, 'k', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(note(r, longest, NULL), -EINVAL);
	assert_int_equal(descends(r, longest, "a"), -EINVAL);
	longest[REGISTRY_KEY_MAX] = '\0';
	assert_int_equal(note(r, longest, "../../etc/passwd"), 0);
	assert_int_equal(descends(r, longest, "../../etc/passwd"), 1);
}

static void what_is_forgotten_opens_nothing(void **state)
{
	const struct registry *r = &((struct fixture *)*state)->r;
	struct pinfold_error e = { 0 };

	assert_int_equal(note(r, "b", "a"), 0);
	assert_int_equal(note(r, "c", "b"), 0);
	assert_int_equal(registry_forget(r, "b", &e), 0);
	assert_int_equal(registry_forget(r, "b", &e), 0);
	assert_int_equal(descends(r, "c", "a"), 0);
	assert_int_equal(descends(r, "c", "b"), 1);
}

static void a_half_written_file_is_none(void **state)
{
	struct fixture *f = *state;
	static const char *const torn[] = {
		"",
		"pinfold 1\n",
		"pinfold 1\nc\n",
		"pinfold 1\nc\na",
		"pinfold 2\nc\na\n",
		"pinfold 1\nd\na\n",
		"pinfold 1\nc\na\nmore\n",
	};
	char name[] =
	    "2e7d2c03a9507ae265ecf5b5356885a53393a2029d241394997265a1a25aefc6"; /* of "c" */

	for (size_t i = 0; i < ARRAY_SIZE(torn); i++) {
		int fd = openat(f->r.dir, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

		assert_int_equal(write(fd, torn[i], strlen(torn[i])), strlen(torn[i]));
		close(fd);
		assert_int_equal(descends(&f->r, "c", "a"), 0);
	}
	assert_int_equal(note(&f->r, "c", "a"), 0);
	assert_int_equal(descends(&f->r, "c", "a"), 1);
}

static void a_directory_of_others_is_refused(void **state)
{
	struct fixture *f = *state;
	struct pinfold_error e = { 0 };
	struct registry r = { .dir = -1 };
	char link[PATH_MAX + 8];

	assert_int_equal(registry_open(f->dir, REGISTRY_LOOK, &r, &e), 0);
	registry_done(&r);
	assert_int_equal(chmod(f->dir, 0770), 0);
	assert_int_equal(registry_open(f->dir, REGISTRY_LOOK, &r, &e), -EPERM);
	assert_int_equal(chmod(f->dir, 0700), 0);
	snprintf(link, sizeof(link), "%s-link", f->dir);
	assert_int_equal(symlink(f->dir, link), 0);
	assert_int_equal(registry_open(link, REGISTRY_LOOK, &r, &e), -ENOTDIR);
	snprintf(link, sizeof(link), "%s-none", f->dir);
	assert_int_equal(registry_open(link, REGISTRY_LOOK, &r, &e), -ENOENT);
}

/* Processes that are killed in the middle leave whole files, and no lock. */
static void a_killed_writer_leaves_it_whole(void **state)
{
	struct fixture *f = *state;

	for (int round = 0; round < 30; round++) {
		int started[2];
		char byte;
		pid_t pid;

		assert_int_equal(pipe2(started, O_CLOEXEC), 0);
		pid = fork();
		assert_true(pid >= 0);
		if (pid == 0) {
			struct registry mine;
			char key[32];

			if (registry_open(f->dir, REGISTRY_LOOK, &mine, NULL) != 0)
				_exit(1);
			for (int i = 0;; i++) {
				snprintf(key, sizeof(key), "k%d-%d", round, i);
				(void)registry_note(&mine, key, "top", NULL);
				if (i == 0 && write(started[1], "x", 1) < 0)
					_exit(1);
			}
		}
		assert_int_equal(read(started[0], &byte, 1), 1);
		close(started[0]);
		close(started[1]);
		usleep((useconds_t)round * 300);
		assert_int_equal(kill(pid, SIGKILL), 0);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		assert_int_equal(note(&f->r, "after", "top"), 0);
		assert_int_equal(descends(&f->r, "after", "top"), 1);
	}
	assert_int_equal(descends(&f->r, "k0-0", "top"), 1);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(children_and_theirs_descend_and_nobody_else_does),
		T(the_order_of_noting_does_not_matter),
		T(who_spawned_a_session_never_changes),
		T(no_session_is_its_own_ancestor),
		T(generations_are_bounded),
		T(keys_with_controls_or_too_long_are_refused),
		T(what_is_forgotten_opens_nothing),
		T(a_half_written_file_is_none),
		T(a_directory_of_others_is_refused),
		T(a_killed_writer_leaves_it_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
