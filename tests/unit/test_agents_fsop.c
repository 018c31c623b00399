/* SPDX-License-Identifier: MIT */
/* File operations below a directory, with a judge that refuses names with "denied" in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agents/fsop.h"
#include "base/clean.h"
#include "base/err.h"
#include "pinfold.h"

struct fixture {
	char base[64];
	char ws[PATH_MAX];
	bool read_only;
	struct fsop f;
};

static int judge(void *data, const char *path, enum fsop_want want, const struct stat *st,
		 struct pinfold_error *e)
{
	const struct fixture *x = data;

	(void)st;
	if (path[0] != '/')
		return err_set(e, -EINVAL, "not absolute");
	if (strstr(path, "denied") || (x->read_only && want == FSOP_WRITE))
		return err_set(e, -EPERM, "refused");
	return 0;
}

static int setup(void **state)
{
	static struct fixture x;
	struct pinfold_error e = { 0 };

	x = (struct fixture){ .base = "/tmp/pinfold-fsop.XXXXXX" };
	if (!mkdtemp(x.base))
		return -1;
	snprintf(x.ws, sizeof(x.ws), "%s/ws", x.base);
	*state = &x;
	return mkdir(x.ws, 0755) < 0 ? -1 : fsop_open(x.ws, judge, &x, &x.f, &e);
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
	struct fixture *x = *state;

	fsop_done(&x->f);
	return nftw(x->base, drop, 16, FTW_DEPTH | FTW_PHYS);
}

static int memory_with(const char *text)
{
	int fd = memfd_create("text", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static int put(const struct fixture *x, const char *path, const char *text, unsigned flags)
{
	struct pinfold_error e = { 0 };
	auto_close int in = memory_with(text);
	int r = fsop_write(&x->f, path, 1000, in, flags, &e);

	if ((r < 0) != (e.text[0] != '\0'))
		fail_msg("%s: %d with '%s'", path, r, e.text);
	return r;
}

static int get(const struct fixture *x, const char *path, char ret[static 64])
{
	struct pinfold_error e = { 0 };
	auto_close int out = memfd_create("out", MFD_CLOEXEC);
	int r = fsop_read(&x->f, path, 60, out, &e);
	ssize_t n = pread(out, ret, 63, 0);

	ret[n > 0 ? n : 0] = '\0';
	return r;
}

static void check_holds(const struct fixture *x, const char *path, const char *text)
{
	char got[64];

	assert_int_equal(get(x, path, got), 0);
	assert_string_equal(got, text);
}

static int make(const struct fixture *x, const char *path, unsigned flags)
{
	return fsop_mkdir(&x->f, path, flags, &(struct pinfold_error){ 0 });
}

static int drop_it(const struct fixture *x, const char *path, unsigned flags)
{
	return fsop_remove(&x->f, path, flags, &(struct pinfold_error){ 0 });
}

static int move(const struct fixture *x, const char *from, const char *to)
{
	return fsop_move(&x->f, from, to, &(struct pinfold_error){ 0 });
}

static void files_are_made_replaced_and_read(void **state)
{
	const struct fixture *x = *state;
	char absolute[PATH_MAX + 8];
	char got[64];

	assert_int_equal(put(x, "a", "one", 0), 0);
	assert_int_equal(put(x, "a", "2", 0), 0);
	check_holds(x, "a", "2");
	snprintf(absolute, sizeof(absolute), "%s//a/", x->ws);
	check_holds(x, absolute, "2");
	assert_int_equal(put(x, "a", "x", FSOP_EXCLUSIVE), -EEXIST);
	assert_int_equal(put(x, "b", "x", FSOP_EXCLUSIVE), 0);
	assert_int_equal(put(x, "no/b", "x", 0), -ENOENT);
	assert_int_equal(put(x, "no/way/b", "x", FSOP_PARENTS), 0);
	check_holds(x, "no/../no/way/./b", "x");
	assert_int_equal(get(x, "nothing", got), -ENOENT);
	assert_int_equal(get(x, "no", got), -EISDIR);
	assert_int_equal(get(x, "", got), -EINVAL);
	assert_int_equal(put(x, "no", "x", 0), -EISDIR);
	assert_int_equal(put(x, ".", "x", 0), -EINVAL);
}

static void sizes_are_bounded(void **state)
{
	const struct fixture *x = *state;
	struct pinfold_error e = { 0 };
	auto_close int in = memory_with("12345");
	auto_close int out = memfd_create("out", MFD_CLOEXEC);

	assert_int_equal(put(x, "a", "old", 0), 0);
	assert_int_equal(fsop_write(&x->f, "a", 4, in, 0, &e), -EFBIG);
	check_holds(x, "a", "old");
	assert_int_equal(fsop_read(&x->f, "a", 2, out, &e), -EFBIG);
	assert_int_equal(lseek(out, 0, SEEK_END), 0);
	assert_int_equal(fsop_read(&x->f, "a", 3, out, &e), 0);
}

static void nothing_leads_out(void **state)
{
	static const char *const ways[] = { "../out",      "out", "dir/f", "a/../../out",
					    "/etc/passwd", "/",   "magic" };
	const struct fixture *x = *state;
	char path[PATH_MAX + 8];
	char got[64];

	snprintf(path, sizeof(path), "%s/out", x->base);
	close(open(path, O_CREAT | O_WRONLY, 0666));
	assert_int_equal(symlinkat(path, x->f.root, "out"), 0);
	assert_int_equal(symlinkat(x->base, x->f.root, "dir"), 0);
	assert_int_equal(symlinkat("/proc/self/cwd", x->f.root, "magic"), 0);
	assert_int_equal(make(x, "a", 0), 0);
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		if (get(x, ways[i], got) != -EPERM)
			fail_msg("%s is read", ways[i]);
		if (put(x, ways[i], "x", 0) != -EPERM)
			fail_msg("%s is written", ways[i]);
	}
	assert_int_equal(make(x, "dir/new", FSOP_PARENTS), -EPERM);
	assert_int_equal(drop_it(x, "dir/out", 0), -EPERM);
	assert_int_equal(put(x, "a/f", "x", 0), 0);
	assert_int_equal(move(x, "a/f", "../f"), -EPERM);
	assert_int_equal(move(x, "dir/out", "a/g"), -EPERM);
	assert_int_equal(drop_it(x, "dir", FSOP_RECURSIVE), 0);
	assert_int_equal(access(path, F_OK), 0);
}

static void what_is_denied_stays_as_it_is(void **state)
{
	struct fixture *x = *state;
	char got[64];

	assert_int_equal(make(x, "tree/deep", FSOP_PARENTS), 0);
	assert_int_equal(put(x, "tree/deep/f", "x", 0), 0);
	assert_int_equal(mkdirat(x->f.root, "tree/deep/denied", 0755), 0);
	assert_int_equal(symlinkat("tree/deep/denied", x->f.root, "link"), 0);
	assert_int_equal(get(x, "tree/deep/denied", got), -EPERM);
	assert_int_equal(get(x, "link", got), -EPERM);
	assert_int_equal(put(x, "denied", "x", 0), -EPERM);
	assert_int_equal(put(x, "link/f", "x", 0), -EPERM);
	assert_int_equal(make(x, "tree/denied/x", FSOP_PARENTS), -EPERM);
	assert_int_equal(drop_it(x, "tree", FSOP_RECURSIVE), -EPERM);
	check_holds(x, "tree/deep/f", "x");
	assert_int_equal(move(x, "tree", "other"), -EPERM);
	assert_int_equal(move(x, "tree/deep/f", "denied"), -EPERM);
	x->read_only = true;
	check_holds(x, "tree/deep/f", "x");
	assert_int_equal(put(x, "tree/deep/f", "y", 0), -EPERM);
	assert_int_equal(make(x, "new", 0), -EPERM);
	assert_int_equal(drop_it(x, "tree/deep/f", FSOP_FORCE), -EPERM);
	assert_int_equal(move(x, "tree/deep/f", "g"), -EPERM);
}

static void trees_go_and_move(void **state)
{
	const struct fixture *x = *state;

	assert_int_equal(make(x, "a/b/c", FSOP_PARENTS), 0);
	assert_int_equal(make(x, "a/b/c", FSOP_PARENTS), 0);
	assert_int_equal(make(x, "a/b/c", 0), -EEXIST);
	assert_int_equal(make(x, "a/../b", FSOP_PARENTS), -EINVAL);
	assert_int_equal(put(x, "a/b/f", "x", 0), 0);
	assert_int_equal(drop_it(x, "a", 0), -EISDIR);
	assert_int_equal(drop_it(x, "z", 0), -ENOENT);
	assert_int_equal(drop_it(x, "z/y", FSOP_FORCE), 0);
	assert_int_equal(move(x, "a", "n"), 0);
	check_holds(x, "n/b/f", "x");
	assert_int_equal(drop_it(x, "n", FSOP_RECURSIVE), 0);
	assert_int_equal(drop_it(x, "n", 0), -ENOENT);
	assert_int_equal(drop_it(x, ".", FSOP_RECURSIVE), -EINVAL);
}

static void trees_are_bounded_in_depth(void **state)
{
	const struct fixture *x = *state;
	char path[4 * (FSOP_DEPTH_MAX + 10)] = "d";

	for (int i = 0; i < FSOP_DEPTH_MAX + 1; i++)
		memcpy(path + strlen(path), "/d", 3);
	assert_int_equal(make(x, path, FSOP_PARENTS), 0);
	assert_int_equal(drop_it(x, "d", FSOP_RECURSIVE), -EPERM);
	assert_int_equal(drop_it(x, "d/d/d", FSOP_RECURSIVE), 0);
	assert_int_equal(drop_it(x, "d", FSOP_RECURSIVE), 0);
}

static void what_there_is_can_be_told(void **state)
{
	const struct fixture *x = *state;
	struct pinfold_error e = { 0 };
	struct fsop_entry *list = NULL;
	struct fsop_stat st;
	size_t n = 0;

	assert_int_equal(put(x, "f", "abc", 0), 0);
	assert_int_equal(make(x, "d", 0), 0);
	assert_int_equal(symlinkat("d", x->f.root, "l"), 0);
	assert_int_equal(symlinkat("/etc", x->f.root, "m"), 0);
	assert_int_equal(fsop_stat(&x->f, "f", &st, &e), 0);
	assert_int_equal(st.type, FSOP_FILE);
	assert_int_equal(st.size, 3);
	assert_true(st.mtime_ms > 0);
	assert_int_equal(fsop_stat(&x->f, "l", &st, &e), 0);
	assert_int_equal(st.type, FSOP_DIRECTORY);
	assert_int_equal(fsop_stat(&x->f, "m", &st, &e), -EPERM);
	assert_int_equal(fsop_list(&x->f, ".", &list, &n, &e), 0);
	assert_int_equal(n, 4);
	assert_string_equal(list[0].name, "d");
	assert_true(list[0].is_directory && !list[1].is_directory);
	assert_true(list[2].is_directory && !list[3].is_directory);
	fsop_list_done(list, n);
	assert_int_equal(fsop_list(&x->f, "f", &list, &n, &e), -ENOTDIR);
}

/* A process exchanges a directory and a symlink that leads out, as fast as it can. */
static void exchanges_meanwhile_lead_nowhere(void **state)
{
	const struct fixture *x = *state;
	char secret[PATH_MAX + 16];
	int inside = 0;
	char got[64];
	pid_t pid;

	snprintf(secret, sizeof(secret), "%s/denied-not", x->base);
	assert_int_equal(mkdir(secret, 0777), 0);
	assert_int_equal(symlinkat(secret, x->f.root, "swap"), 0);
	assert_int_equal(make(x, "real", 0), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		for (;;)
			(void)renameat2(x->f.root, "real", x->f.root, "swap", RENAME_EXCHANGE);
	for (int i = 0; i < 3000; i++) {
		int r = put(x, "real/f", "x", 0);

		inside += r == 0;
		if (r < 0 && r != -EPERM && r != -EAGAIN)
			fail_msg("%s", strerror(-r));
		(void)get(x, "real/f", got);
		(void)drop_it(x, "real/f", FSOP_FORCE);
		(void)make(x, "real/a/b", FSOP_PARENTS);
	}
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_true(inside > 0);
	assert_int_equal(rmdir(secret), 0); /* still empty */
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(files_are_made_replaced_and_read),
		T(sizes_are_bounded),
		T(nothing_leads_out),
		T(what_is_denied_stays_as_it_is),
		T(trees_go_and_move),
		T(trees_are_bounded_in_depth),
		T(what_there_is_can_be_told),
		T(exchanges_meanwhile_lead_nowhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
