/* wrap: fs_resolve */
/* SPDX-License-Identifier: MIT */
/* Denied paths that nobody can look at: homes on a dead or distant file system. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "fs/plan.h"
#include "fs/resolve.h"
#include "pinfold.h"
#include "policy/paths.h"

int __real_fs_resolve(const char *path, enum fs_follow follow, struct fs_resolved *ret);
int __wrap_fs_resolve(const char *path, enum fs_follow follow, struct fs_resolved *ret);

int __wrap_fs_resolve(const char *path, enum fs_follow follow, struct fs_resolved *ret)
{
	return strstr(path, "dead") ? -ENOTCONN : __real_fs_resolve(path, follow, ret);
}

static char deny_origin[] = "p.json:7";
static char elsewhere[] = "/nowhere/dead";
static char granted[] = "/tmp/dead";
static char tree[] = "/tmp";

static int plan_with(char *denied, struct pinfold_error *e)
{
	struct path_rule rule[] = {
		{ .right = PATH_RO, .path = tree, .text = tree, .origin = deny_origin },
		{ .right = PATH_DENY, .path = denied, .text = denied, .origin = deny_origin },
	};
	const struct path_set set = { .rule = rule, .n = 2 };
	const struct policy policy = { .degrade = false };
	struct fs_plan plan = { 0 };
	int r = fs_plan_rules(&plan, &policy, &set, e);

	fs_plan_done(&plan);
	return r;
}

static void a_denied_path_out_of_every_grant_does_not_stop_the_launch(void **state)
{
	struct pinfold_error e = { "" };

	(void)state;
	assert_int_equal(plan_with(elsewhere, &e), 0);
}

static void a_denied_path_in_a_grant_that_can_not_be_masked_stops_it(void **state)
{
	struct pinfold_error e = { "" };

	(void)state;
	assert_int_equal(plan_with(granted, &e), -ENOTCONN);
	assert_non_null(strstr(e.text, "p.json:7"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_denied_path_out_of_every_grant_does_not_stop_the_launch),
		cmocka_unit_test(a_denied_path_in_a_grant_that_can_not_be_masked_stops_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
