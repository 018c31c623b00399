/* SPDX-License-Identifier: MIT */
/* The view as a session sees it: allowed beside denied, on a real kernel. */
#include "fs_pen.h"

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

static void a_read_only_tree_inside_a_writable_one_holds(void **state)
{
	struct pen pen;

	(void)state;
	pen_init(&pen, "/var/tmp");
	make_dir(in(&pen, "ws"), TENANT);
	make_dir(in(&pen, "ws/sub"), TENANT);
	make_dir(in(&pen, "ws/sub/ro"), TENANT);
	make_file(in(&pen, "ws/sub/ro/f"), TENANT, "#!/bin/sh\n");
	make_dir(in(&pen, "ws/sub/rox"), TENANT);
	make_file(in(&pen, "ws/sub/rox/f"), TENANT, "#!/bin/sh\n");
	make_file(in(&pen, "ws/f"), TENANT, "x");
	assert_int_equal(chmod(in(&pen, "ws/sub/ro/f"), 0755), 0);
	assert_int_equal(chmod(in(&pen, "ws/sub/rox/f"), 0755), 0);
	allow(&pen, PATH_RO, in(&pen, "ws/sub/ro"), by_policy);
	allow(&pen, PATH_RW, in(&pen, "ws"), by_policy);
	allow(&pen, PATH_ROX, in(&pen, "ws/sub/rox"), by_policy);

	const struct try try[] = {
		{ "read", t_read, in(&pen, "ws/sub/ro/f"), NULL, 0 },
		{ "list", t_list, in(&pen, "ws/sub/ro"), NULL, 0 },
		{ "write", t_write, in(&pen, "ws/sub/ro/f"), NULL, EROFS },
		{ "exec", t_exec, in(&pen, "ws/sub/ro/f"), NULL, EACCES },
		{ "exec", t_exec, in(&pen, "ws/sub/rox/f"), NULL, 0 },
		{ "write", t_write, in(&pen, "ws/sub/rox/f"), NULL, EROFS },
		{ "create", t_create, in(&pen, "ws/sub/ro/new"), NULL, EROFS },
		{ "create beside", t_create, in(&pen, "ws/sub/new"), NULL, 0 },
		{ "unlink", t_unlink, in(&pen, "ws/sub/ro/f"), NULL, EROFS },
		{ "rename", t_rename, in(&pen, "ws/sub/ro/f"), in(&pen, "ws/sub/ro/g"), EROFS },
		{ "rename out", t_rename, in(&pen, "ws/sub/ro/f"), in(&pen, "ws/g"), EXDEV },
		{ "rename in", t_rename, in(&pen, "ws/f"), in(&pen, "ws/sub/ro/f"), EXDEV },
		{ "link out", t_link, in(&pen, "ws/sub/ro/f"), in(&pen, "ws/g"), EXDEV },
		{ "chmod", t_chmod, in(&pen, "ws/sub/ro/f"), NULL, EROFS },
		{ "setxattr", t_setxattr, in(&pen, "ws/sub/ro/f"), NULL, EROFS },
		{ "truncate", t_truncate, in(&pen, "ws/sub/ro/f"), NULL, EROFS },
		{ "rmdir", t_rmdir, in(&pen, "ws/sub/ro"), NULL, EBUSY },
		{ "move it", t_rename, in(&pen, "ws/sub/ro"), in(&pen, "ws/sub/x"), EBUSY },
		{ "move its parent", t_rename, in(&pen, "ws/sub"), in(&pen, "ws/sub2"), 0 },
		{ "write there", t_write, in(&pen, "ws/sub2/ro/f"), NULL, EROFS },
		{ "move it back", t_rename, in(&pen, "ws/sub2"), in(&pen, "ws/sub"), 0 },
	};

	pen_try(&pen, try, ARRAY_SIZE(try));
	pen_done(&pen);
}

static void a_writable_tree_inside_a_read_only_one_opens_only_itself(void **state)
{
	struct pen pen;

	(void)state;
	pen_init(&pen, "/var/tmp");
	make_dir(in(&pen, "ws"), TENANT);
	make_dir(in(&pen, "ws/out"), TENANT);
	make_dir(in(&pen, "ws/out/keep"), TENANT);
	make_file(in(&pen, "ws/f"), TENANT, "x");
	make_file(in(&pen, "ws/out/f"), TENANT, "x");
	allow(&pen, PATH_RW, in(&pen, "ws/out"), by_policy);
	allow(&pen, PATH_RO, in(&pen, "ws"), by_policy);
	allow(&pen, PATH_DENY, in(&pen, "ws/out/keep"), by_policy);

	const struct try try[] = {
		{ "write", t_write, in(&pen, "ws/out/f"), NULL, 0 },
		{ "write", t_write, in(&pen, "ws/f"), NULL, EROFS },
		{ "read", t_read, in(&pen, "ws/f"), NULL, 0 },
		{ "create", t_create, in(&pen, "ws/out/new"), NULL, 0 },
		{ "create", t_create, in(&pen, "ws/new"), NULL, EROFS },
		{ "list denied", t_list, in(&pen, "ws/out/keep"), NULL, EACCES },
		{ "move denied", t_rename, in(&pen, "ws/out/keep"), in(&pen, "ws/out/k"), EBUSY },
	};

	pen_try(&pen, try, ARRAY_SIZE(try));
	pen_done(&pen);
}

static void make_secrets(struct pen *pen)
{
	make_dir(in(pen, "ws"), TENANT);
	make_dir(in(pen, "ws/sub"), TENANT);
	make_dir(in(pen, "ws/sub/secret"), TENANT);
	make_file(in(pen, "ws/sub/secret/f"), TENANT, "secret");
	make_file(in(pen, "ws/sub/key"), TENANT, "secret");
	make_file(in(pen, "ws/f"), TENANT, "x");
	make_file(in(pen, "ws/sub/target"), TENANT, "secret");
	make_file(in(pen, "ws/.env"), TENANT, "secret");
	make_file(in(pen, "ws/.env.example"), TENANT, "open");
	assert_int_equal(symlink("sub/target", in(pen, "ws/denied-link")), 0);
	assert_int_equal(symlink("sub/key", in(pen, "ws/way-to-key")), 0);
	allow(pen, PATH_RW, in(pen, "ws"), by_policy);
	allow(pen, PATH_DENY, in(pen, "ws/sub/secret"), by_policy);
	allow(pen, PATH_DENY, in(pen, "ws/sub/secret/f"), by_policy);
	allow(pen, PATH_DENY, in(pen, "ws/sub/key"), by_policy);
	allow(pen, PATH_DENY, in(pen, "ws/denied-link"), by_policy);
	allow(pen, PATH_DENY, in(pen, "ws/absent"), by_policy);
	allow(pen, PATH_DENY, "**/.env", built_in);
}

static void a_denied_path_is_out_of_reach_by_every_spelling(void **state)
{
	struct pen pen;

	(void)state;
	pen_init(&pen, "/var/tmp");
	make_secrets(&pen);

	const struct try try[] = {
		{ "read", t_read, in(&pen, "ws/f"), NULL, 0 },
		{ "read", t_read, in(&pen, "ws/sub/key"), NULL, EACCES },
		{ "read by link", t_read, in(&pen, "ws/way-to-key"), NULL, EACCES },
		{ "read by root", t_read, in(&pen, "ws/../ws/sub/./key"), NULL, EACCES },
		{ "write", t_write, in(&pen, "ws/sub/key"), NULL, EACCES },
		{ "truncate", t_truncate, in(&pen, "ws/sub/key"), NULL, EACCES },
		{ "chmod", t_chmod, in(&pen, "ws/sub/key"), NULL, EROFS },
		{ "list", t_list, in(&pen, "ws/sub/secret"), NULL, EACCES },
		{ "below", t_read, in(&pen, "ws/sub/secret/f"), NULL, EACCES },
		{ "below", t_stat, in(&pen, "ws/sub/secret/f"), NULL, EACCES },
		{ "create", t_create, in(&pen, "ws/sub/secret/new"), NULL, EACCES },
		{ "rename", t_rename, in(&pen, "ws/sub/key"), in(&pen, "ws/k"), EBUSY },
		{ "rename over", t_rename, in(&pen, "ws/f"), in(&pen, "ws/sub/key"), EBUSY },
		{ "exchange", t_exchange, in(&pen, "ws/f"), in(&pen, "ws/sub/key"), EBUSY },
		{ "exchange", t_exchange, in(&pen, "ws/sub/secret"), in(&pen, "ws/f"), EBUSY },
		{ "unlink", t_unlink, in(&pen, "ws/sub/key"), NULL, EBUSY },
		{ "rmdir", t_rmdir, in(&pen, "ws/sub/secret"), NULL, EBUSY },
		{ "link", t_link, in(&pen, "ws/sub/key"), in(&pen, "ws/k"), EXDEV },
		{ "a denied symlink", t_read, in(&pen, "ws/denied-link"), NULL, EACCES },
		{ "its target", t_read, in(&pen, "ws/sub/target"), NULL, EACCES },
		{ "its name", t_unlink, in(&pen, "ws/denied-link"), NULL, EBUSY },
		{ "like it", t_read, in(&pen, "ws/.env.example"), NULL, 0 },
		{ "parent", t_rename, in(&pen, "ws/sub"), in(&pen, "ws/moved"), 0 },
		{ "there", t_read, in(&pen, "ws/moved/key"), NULL, EACCES },
		{ "there", t_list, in(&pen, "ws/moved/secret"), NULL, EACCES },
		{ "back", t_rename, in(&pen, "ws/moved"), in(&pen, "ws/sub"), 0 },
	};

	pen_try(&pen, try, ARRAY_SIZE(try));
	assert_int_equal(access(in(&pen, "ws/sub/secret/f"), R_OK), 0);
	assert_int_not_equal(access(in(&pen, "ws/absent"), F_OK), 0);
	pen_done(&pen);
}

static int t_fd_spellings(const char *dir, const char *name)
{
	char path[PATH_MAX];
	auto_close int fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int r;

	if (fd < 0)
		return errno;
	snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", fd, name);
	r = try_open(path, O_RDONLY);
	snprintf(path, sizeof(path), "/proc/self/root%s/%s", dir, name);
	if (try_open(path, O_RDONLY) != r)
		return EINVAL;
	snprintf(path, sizeof(path), "/proc/%d/cwd/../../..%s/%s", (int)getpid(), dir, name);
	return try_open(path, O_RDONLY) == r ? r : EINVAL;
}

static void other_names_of_a_denied_file_are_masked_too(void **state)
{
	struct pen pen;

	(void)state;
	pen_init(&pen, "/var/tmp");
	make_secrets(&pen);
	assert_int_equal(link(in(&pen, "ws/sub/key"), in(&pen, "ws/alias")), 0);
	assert_int_equal(link(in(&pen, "ws/sub/secret/f"), in(&pen, "ws/sub/alias")), 0);
	assert_int_equal(link(in(&pen, "ws/f"), in(&pen, "ws/f2")), 0);

	const struct try try[] = {
		{ "hard link", t_read, in(&pen, "ws/alias"), NULL, EACCES },
		{ "of a file below", t_read, in(&pen, "ws/sub/alias"), NULL, EACCES },
		{ "of another", t_read, in(&pen, "ws/f2"), NULL, 0 },
	};

	pen_try(&pen, try, ARRAY_SIZE(try));
	pen_done(&pen);
}

static void proc_is_no_way_around(void **state)
{
	struct pen pen;

	(void)state;
	pen_init(&pen, "/var/tmp");
	make_secrets(&pen);

	const struct try try[] = {
		{ "by fd", t_fd_spellings, in(&pen, "ws"), "f", 0 },
		{ "by fd", t_fd_spellings, in(&pen, "ws/sub"), "key", EACCES },
		{ "bus", t_list, "/proc/bus", NULL, EACCES },
		{ "keys", t_read, "/proc/keys", NULL, EACCES },
		{ "cpuinfo", t_read, "/proc/cpuinfo", NULL, 0 },
		{ "one root", t_sh, "test $(cut -d' ' -f5 /proc/self/mountinfo | grep -cx /) = 1",
		  NULL, 0 },
		{ "above the root", t_stat, "/../boot", NULL, ENOENT },
		{ "above the root", t_list, "/..", NULL, EACCES },
		{ "own status", t_read, "/proc/self/status", NULL, 0 },
		{ "own comm", t_write, "/proc/self/comm", NULL, 0 },
		{ "sysctl", t_read, "/proc/sys/kernel/ostype", NULL, 0 },
		{ "sysctl", t_write, "/proc/sys/kernel/ns_last_pid", NULL, EROFS },
		{ "others", t_sh, "for p in /proc/[0-9]*; do test ${p#/proc/} -lt 100; done", NULL,
		  0 },
	};

	pen_try(&pen, try, ARRAY_SIZE(try));
	pen_done(&pen);
}

static void a_workspace_below_tmp_shows_at_its_own_path(void **state)
{
	struct pen pen;
	struct pen other;

	(void)state;
	pen_init(&pen, "/tmp");
	pen_init(&other, "/tmp");
	make_dir(in(&pen, "a"), TENANT);
	make_dir(in(&pen, "a/ws"), TENANT);
	make_file(in(&pen, "a/beside"), TENANT, "x");
	allow(&pen, PATH_RW, in(&pen, "a/ws"), by_policy);

	const struct try try[] = {
		{ "create", t_create, in(&pen, "a/ws/f"), NULL, 0 },
		{ "beside", t_stat, in(&pen, "a/beside"), NULL, ENOENT },
		{ "in the cover", t_create, in(&pen, "a/new"), NULL, EACCES },
		{ "list the cover", t_list, in(&pen, "a"), NULL, 0 },
		{ "move the cover", t_rename, in(&pen, ""), "/tmp/moved", EPERM },
		{ "in tmp", t_create, "/tmp/f", NULL, 0 },
		{ "in var tmp", t_create, "/var/tmp/f", NULL, 0 },
		{ "other", t_stat, in(&other, ""), NULL, ENOENT },
	};

	pen_try(&pen, try, ARRAY_SIZE(try));
	assert_int_not_equal(access("/tmp/f", F_OK), 0);
	pen_done(&pen);
	pen_done(&other);
}

static void a_deny_that_yields_leaves_only_what_is_granted_inside(void **state)
{
	struct pen pen;

	(void)state;
	pen_init(&pen, "/var/tmp");
	make_dir(in(&pen, "homes"), 0);
	make_dir(in(&pen, "homes/bob"), TENANT);
	make_dir(in(&pen, "homes/bob/shared"), TENANT);
	make_file(in(&pen, "homes/bob/diary"), TENANT, "x");
	make_dir(in(&pen, "homes/eve"), TENANT);
	allow(&pen, PATH_RO, in(&pen, "homes"), by_policy);
	allow(&pen, PATH_RW, in(&pen, "homes/bob/shared"), by_policy);
	allow(&pen, PATH_DENY, in(&pen, "homes/bob"), by_policy);
	pen.rule[pen.set.n - 1].yields = true;
	allow(&pen, PATH_DENY, in(&pen, "homes/eve"), by_policy);
	pen.rule[pen.set.n - 1].yields = true;

	const struct try try[] = {
		{ "granted inside", t_create, in(&pen, "homes/bob/shared/f"), NULL, 0 },
		{ "beside it", t_stat, in(&pen, "homes/bob/diary"), NULL, ENOENT },
		{ "in the cover", t_create, in(&pen, "homes/bob/f"), NULL, EACCES },
		{ "nothing inside", t_list, in(&pen, "homes/eve"), NULL, EACCES },
		{ "around", t_list, in(&pen, "homes"), NULL, 0 },
	};

	pen_try(&pen, try, ARRAY_SIZE(try));
	pen_done(&pen);
}

static void globs_of_the_system_set_are_masked(void **state)
{
	struct pen pen;

	(void)state;
	pen_init(&pen, "/var/tmp");
	make_dir(in(&pen, "etc"), 0);
	make_file(in(&pen, "etc/shadow"), TENANT, "x");
	make_file(in(&pen, "etc/shadow-"), TENANT, "x");
	make_file(in(&pen, "etc/passwd"), TENANT, "x");
	allow(&pen, PATH_RO, in(&pen, "etc"), built_in);
	allow(&pen, PATH_DENY, in(&pen, "etc/shadow*"), built_in);
	pen.rule[pen.set.n - 1].glob = true;

	const struct try try[] = {
		{ "passwd", t_read, in(&pen, "etc/passwd"), NULL, 0 },
		{ "shadow", t_read, in(&pen, "etc/shadow"), NULL, EACCES },
		{ "shadow-", t_read, in(&pen, "etc/shadow-"), NULL, EACCES },
		{ "write", t_write, in(&pen, "etc/passwd"), NULL, EROFS },
	};

	pen_try(&pen, try, ARRAY_SIZE(try));
	pen_done(&pen);
}

static void lanes_do_not_see_each_other(void **state)
{
	struct pen pen;

	(void)state;
	pen_init(&pen, "/var/lib");
	make_dir(in(&pen, "ws"), TENANT);
	make_dir(in(&pen, "ws/a"), TENANT);
	make_dir(in(&pen, "ws/b"), TENANT);
	make_file(in(&pen, "ws/b/f"), TENANT, "x");
	make_file(in(&pen, "ws/a/f"), TENANT, "x");
	allow(&pen, PATH_RW, in(&pen, "ws/a"), by_policy);

	const struct try try[] = {
		{ "own", t_write, in(&pen, "ws/a/f"), NULL, 0 },
		{ "other", t_read, in(&pen, "ws/b/f"), NULL, ENOENT },
		{ "other", t_stat, in(&pen, "ws/b"), NULL, ENOENT },
		{ "list", t_list, in(&pen, "ws"), NULL, EACCES },
		{ "out", t_rename, in(&pen, "ws/a/f"), in(&pen, "ws/f"), EXDEV },
	};

	pen_try(&pen, try, ARRAY_SIZE(try));
	pen_done(&pen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_workspace_is_open_and_its_neighbours_are_not),
		cmocka_unit_test(a_read_only_tree_inside_a_writable_one_holds),
		cmocka_unit_test(a_writable_tree_inside_a_read_only_one_opens_only_itself),
		cmocka_unit_test(a_denied_path_is_out_of_reach_by_every_spelling),
		cmocka_unit_test(other_names_of_a_denied_file_are_masked_too),
		cmocka_unit_test(proc_is_no_way_around),
		cmocka_unit_test(a_workspace_below_tmp_shows_at_its_own_path),
		cmocka_unit_test(a_deny_that_yields_leaves_only_what_is_granted_inside),
		cmocka_unit_test(globs_of_the_system_set_are_masked),
		cmocka_unit_test(lanes_do_not_see_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
