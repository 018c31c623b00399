/* wrap: path_set_judge */
/* SPDX-License-Identifier: MIT */
/* The view as a session sees it: allowed beside denied, on a real kernel. */
#include "fs_pen.h"

struct path_judgement __wrap_path_set_judge(const struct path_set *s, const char *path);

struct path_judgement __wrap_path_set_judge(const struct path_set *s, const char *path)
{
	(void)s;
	(void)path;
	return (struct path_judgement){ .right = PATH_DENY };
}

static void a_workspace_is_open_and_its_neighbours_are_not(void **state)
{
	struct pen pen;

	(void)state;
	pen_init(&pen, "/var/tmp");
	make_dir(in(&pen, "ws"), TENANT);
	make_dir(in(&pen, "other"), TENANT);
	make_file(in(&pen, "ws/f"), TENANT, "inside");
	make_file(in(&pen, "other/f"), TENANT, "outside");
	allow(&pen, PATH_RW, in(&pen, "ws"), by_policy);
	pen.policy.workspace = in(&pen, "ws");

	const struct try try[] = {
		{ "read", t_read, in(&pen, "ws/f"), NULL, 0 },
		{ "read", t_read, in(&pen, "other/f"), NULL, ENOENT },
		{ "write", t_write, in(&pen, "ws/f"), NULL, 0 },
		{ "write", t_write, in(&pen, "other/f"), NULL, ENOENT },
		{ "stat", t_stat, in(&pen, "other/f"), NULL, ENOENT },
		{ "chmod", t_chmod, in(&pen, "ws/f"), NULL, 0 },
		{ "chmod", t_chmod, in(&pen, "other/f"), NULL, ENOENT },
		{ "chmod", t_chmod, in(&pen, "other"), NULL, ENOENT },
		{ "setxattr", t_setxattr, in(&pen, "other/f"), NULL, ENOENT },
		{ "inotify", t_inotify, in(&pen, "ws"), NULL, 0 },
		{ "inotify", t_inotify, in(&pen, "other"), NULL, ENOENT },
		{ "create", t_create, in(&pen, "ws/new"), NULL, 0 },
		{ "create", t_create, in(&pen, "new"), NULL, EACCES },
		{ "list", t_list, in(&pen, "ws"), NULL, 0 },
		{ "list a cover", t_list, "/home", NULL, EACCES },
		{ "list the root", t_list, "/", NULL, EACCES },
		{ "mkdir", t_mkdir, in(&pen, "ws/d"), NULL, 0 },
		{ "rename", t_rename, in(&pen, "ws/new"), in(&pen, "ws/d/moved"), 0 },
		{ "link", t_link, in(&pen, "ws/f"), in(&pen, "ws/d/hard"), 0 },
		{ "truncate", t_truncate, in(&pen, "ws/d/hard"), NULL, 0 },
		{ "truncate", t_truncate, "/etc/passwd", NULL, EACCES },
		{ "symlink out", t_symlink, in(&pen, "other/f"), in(&pen, "ws/sym"), 0 },
		{ "read by symlink", t_read, in(&pen, "ws/sym"), NULL, ENOENT },
		{ "rename out", t_rename, in(&pen, "ws/f"), "/tmp/f", EXDEV },
		{ "system read", t_read, "/etc/passwd", NULL, 0 },
		{ "system write", t_write, "/etc/passwd", NULL, EACCES },
		{ "system create", t_create, "/usr/bin/pinfold-x", NULL, EACCES },
		{ "system run", t_exec, "/bin/true", NULL, 0 },
		{ "mkdir in root", t_mkdir, "/pinfold-x", NULL, EROFS },
	};

	pen_try(&pen, try, ARRAY_SIZE(try));
	assert_int_equal(access(in(&pen, "ws/d/moved"), F_OK), 0);
	pen_done(&pen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_workspace_is_open_and_its_neighbours_are_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
