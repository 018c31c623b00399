/* SPDX-License-Identifier: MIT */
/* State directories: closed to others, and found when the session could read them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "identity/identity.h"
#include "identity/state.h"
#include "pinfold.h"
#include "policy/policy.h"

struct place {
	char dir[64];
	char link[80];
};

static int set_up(void **state)
{
	struct place *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	snprintf(p->dir, sizeof(p->dir), "/tmp/pinfold-state-XXXXXX");
	assert_non_null(mkdtemp(p->dir));
	snprintf(p->link, sizeof(p->link), "%s.link", p->dir);
	assert_int_equal(symlink(p->dir, p->link), 0);
	*state = p;
	return 0;
}

static int tear_down(void **state)
{
	struct place *p = *state;

	unlink(p->link);
	rmdir(p->dir);
	free(p);
	return 0;
}

static void group_and_others_lose_access_and_the_owner_does_not(void **state)
{
	const struct place *p = *state;
	const char *dirs[] = { p->dir };
	struct pinfold_error e = { "" };
	struct stat st;

	assert_int_equal(chmod(p->dir, 01777), 0);
	assert_int_equal(state_close(dirs, 1, &e), 0);
	assert_int_equal(stat(p->dir, &st), 0);
	assert_int_equal(st.st_mode & 07777, 01700);
}

static void a_symlink_or_a_missing_directory_is_refused(void **state)
{
	const struct place *p = *state;
	const char *const bad[] = { p->link, "/nonexistent/state", "/dev/null" };

	for (size_t i = 0; i < 3; i++) {
		struct pinfold_error e = { "" };

		assert_true(state_close(&bad[i], 1, &e) < 0);
		assert_non_null(strstr(e.text, bad[i]));
	}
}

static void what_can_be_reached_is_found(void **state)
{
	const struct place *p = *state;
	const char *dirs[] = { "/nonexistent/state", p->dir };
	struct state_test t = { .dir = dirs, .n = 1, .launcher = 0x3fffffff };
	struct pinfold_error e = { "" };
	int index = -1;

	assert_int_equal(state_try(&t, &index), STATE_FINE);
	t.workspace = p->dir;
	assert_int_equal(state_try(&t, &index), STATE_FINE);
	t.workspace = "/nonexistent/workspace";
	assert_int_equal(state_try(&t, &index), STATE_WORKSPACE_CLOSED);
	t.n = 2;
	assert_int_equal(state_try(&t, &index), STATE_DIR_READ);
	assert_int_equal(index, 1);
	assert_int_equal(state_explain(&t, STATE_DIR_READ, index, &e), -EPERM);
	assert_non_null(strstr(e.text, p->dir));
	t.launcher = getpid();
	assert_int_equal(state_try(&t, &index), STATE_ENVIRONMENT_READ);
}

static void tmpdir_is_tmp_where_there_is_one(void **state)
{
	static const char *const none[] = { NULL };
	struct policy_context ctx = { .home = "/home/a", .cwd = "/data", .env = none };
	struct policy p = { .identity = { .choice = UID_FIXED, .uid = 7, .gid = 7 } };
	struct pinfold_error e = { "" };

	(void)state;
	for (int mode = TMP_NONE; mode <= TMP_SHARED; mode++) {
		struct identity id = { 0 };
		const char *want =
		    mode == TMP_NONE ? "TMPDIR=" IDENTITY_PRIVATE_HOME : "TMPDIR=/tmp";
		size_t found = 0;

		p.fs.tmp = (enum tmp_mode)mode;
		assert_int_equal(identity_prepare(&id, &p, &ctx, "s1", &e), 0);
		for (char **v = id.env; *v; v++)
			found += strcmp(*v, want) == 0;
		assert_int_equal(found, 1);
		identity_done(&id);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(group_and_others_lose_access_and_the_owner_does_not,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_symlink_or_a_missing_directory_is_refused, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_can_be_reached_is_found, set_up, tear_down),
		cmocka_unit_test(tmpdir_is_tmp_where_there_is_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
