/* SPDX-License-Identifier: MIT */
/* From rules to a plan to operations: no privilege, no mount. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fs/places.h"
#include "fs/plan.h"
#include "fs/resolve.h"
#include "fs/view.h"
#include "pinfold.h"
#include "policy/paths.h"

#define RULES_MAX 16

struct bed {
	char base[64];
	struct path_rule rule[RULES_MAX];
	struct path_set set;
	struct policy policy;
	struct fs_plan plan;
	struct view view;
	struct pinfold_error e;
	char text[8192];
};

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int setup(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));
	char real[PATH_MAX];

	assert_non_null(b);
	snprintf(b->base, sizeof(b->base), "/tmp/pinfold-plan-XXXXXX");
	assert_non_null(mkdtemp(b->base));
	assert_non_null(realpath(b->base, real));
	assert_string_equal(b->base, real);
	b->set.rule = b->rule;
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bed *b = *state;

	for (size_t i = 0; i < b->set.n; i++)
		free(b->rule[i].path);
	view_done(&b->view);
	fs_plan_done(&b->plan);
	nftw(b->base, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(b);
	return 0;
}

static const char *in(const struct bed *b, const char *name, char ret[PATH_MAX])
{
	snprintf(ret, PATH_MAX, "%s/%s", b->base, name);
	return ret;
}

static void dir(const struct bed *b, const char *name)
{
	char path[PATH_MAX];

	assert_int_equal(mkdir(in(b, name, path), 0755), 0);
}

static void file(const struct bed *b, const char *name)
{
	char path[PATH_MAX];
	int fd = open(in(b, name, path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	close(fd);
}

static void link_to(const struct bed *b, const char *target, const char *name)
{
	char path[PATH_MAX];

	assert_int_equal(symlink(target, in(b, name, path)), 0);
}

static void rule(struct bed *b, enum path_right right, const char *name)
{
	static char origin[] = "p.json:3";
	static char text[] = "the entry";
	char path[PATH_MAX];

	assert_true(b->set.n < RULES_MAX);
	b->rule[b->set.n++] = (struct path_rule){
		.right = right,
		.path = strdup(in(b, name, path)),
		.text = text,
		.origin = origin,
	};
}

static int plan(struct bed *b)
{
	int r = fs_plan_rules(&b->plan, &b->policy, &b->set, &b->e);

	return r < 0 ? r : fs_plan_finish(&b->plan, &b->e);
}

/* The operations as text, one a line, the base directory cut off. */
static const char *compiled(struct bed *b)
{
	static const char *const word[] = { "begin",  "dir",    "file", "link", "mount", "proc",
					    "freeze", "stored", "mask", "seal", "pivot" };
	size_t len = 0;

	_Static_assert(sizeof(word) / sizeof(word[0]) == VIEW_OP_KINDS, "one word for each");
	assert_int_equal(plan(b), 0);
	assert_int_equal(view_compile(&b->plan, 100, 101, &b->view, &b->e), 0);
	for (size_t i = 0; i < b->view.n; i++) {
		const struct view_op *op = &b->view.op[i];
		const char *path = op->path;

		if (strncmp(path, b->base + 1, strlen(b->base + 1)) == 0)
			path += strlen(b->base + 1);
		len += (size_t)snprintf(b->text + len, sizeof(b->text) - len, "%s%s%s%s%s\n",
					word[op->kind], *path ? " " : "", path,
					op->target ? " " : "", op->target ? op->target : "");
		assert_true(len < sizeof(b->text));
	}
	return b->text;
}

static void a_tree_is_mounted_below_directories_made_for_it(void **state)
{
	struct bed *b = *state;

	dir(b, "a");
	dir(b, "a/b");
	dir(b, "a/c");
	file(b, "a/f");
	rule(b, PATH_RW, "a/c");
	rule(b, PATH_RO, "a/b");
	rule(b, PATH_RO, "a/f");
	assert_string_equal(compiled(b), "begin\n"
					 "dir tmp\n"
					 "dir\n"
					 "dir /a\n"
					 "dir /a/b\n"
					 "mount /a/b\n"
					 "dir /a/c\n"
					 "mount /a/c\n"
					 "file /a/f\n"
					 "mount /a/f\n"
					 "freeze proc/sys\n"
					 "seal\n"
					 "pivot\n");
}

static void nothing_is_made_inside_a_tree_of_the_host(void **state)
{
	struct bed *b = *state;

	dir(b, "a");
	dir(b, "a/b");
	dir(b, "a/b/c");
	file(b, "a/key");
	rule(b, PATH_RO, "a");
	rule(b, PATH_RW, "a/b/c");
	rule(b, PATH_DENY, "a/key");
	rule(b, PATH_DENY, "a/absent");
	rule(b, PATH_DENY, "elsewhere");
	assert_string_equal(compiled(b), "begin\n"
					 "dir tmp\n"
					 "dir\n"
					 "dir /a\n"
					 "mount /a\n"
					 "mount /a/b/c\n"
					 "mask /a/key " PLACE_STORE_FILE "\n"
					 "freeze proc/sys\n"
					 "seal\n"
					 "pivot\n");
	/* What is mounted upon has to be the very object that was seen. */
	assert_true(b->view.op[5].is_checked && b->view.op[6].is_checked);
}

static void a_symlink_on_the_way_is_made_where_it_does_not_show(void **state)
{
	struct bed *b = *state;

	dir(b, "real");
	dir(b, "real/ws");
	link_to(b, "real", "alias");
	rule(b, PATH_RW, "alias/ws");
	assert_string_equal(compiled(b), "begin\n"
					 "dir tmp\n"
					 "dir\n"
					 "link /alias real\n"
					 "dir /real\n"
					 "dir /real/ws\n"
					 "mount /real/ws\n"
					 "freeze proc/sys\n"
					 "seal\n"
					 "pivot\n");
}

static void a_symlink_in_a_writable_tree_is_refused_for_a_grant(void **state)
{
	struct bed *b = *state;

	dir(b, "ws");
	dir(b, "data");
	link_to(b, "../data", "ws/planted");
	rule(b, PATH_RO, "ws/planted");
	rule(b, PATH_RW, "ws");
	assert_int_equal(plan(b), -EACCES);
	assert_non_null(strstr(b->e.text, "p.json:3"));
	assert_non_null(strstr(b->e.text, "planted"));
}

static void a_symlink_in_a_read_only_tree_is_accepted(void **state)
{
	struct bed *b = *state;

	dir(b, "ws");
	dir(b, "data");
	link_to(b, "../data", "ws/link");
	rule(b, PATH_RW, "ws/link");
	rule(b, PATH_RO, "ws");
	assert_int_equal(plan(b), 0);
	assert_int_equal(b->plan.n_nodes, 3);
}

static void a_narrower_tree_inside_a_wider_one_is_held_by_its_mount(void **state)
{
	struct bed *b = *state;

	dir(b, "a");
	dir(b, "a/ro");
	dir(b, "a/rox");
	rule(b, PATH_RW, "a");
	rule(b, PATH_RO, "a/ro");
	rule(b, PATH_ROX, "a/rox");
	assert_int_equal(plan(b), 0);
	assert_int_equal(b->plan.n_nodes, 3);
	assert_false(b->plan.node[0].attrs & MOUNT_ATTR_RDONLY);
	assert_true(b->plan.node[1].attrs & MOUNT_ATTR_RDONLY);
	assert_true(b->plan.node[1].attrs & MOUNT_ATTR_NOEXEC);
	assert_true(b->plan.node[2].attrs & MOUNT_ATTR_RDONLY);
	assert_false(b->plan.node[2].attrs & MOUNT_ATTR_NOEXEC);
}

static void a_grant_below_a_deny_is_not_mounted(void **state)
{
	struct bed *b = *state;

	dir(b, "a");
	dir(b, "a/b");
	rule(b, PATH_RW, "a/b");
	rule(b, PATH_DENY, "a");
	assert_int_equal(plan(b), 0);
	assert_int_equal(b->plan.n_nodes, 0);
	assert_int_equal(b->plan.n_masks, 0);
}

static void deny_env(struct bed *b)
{
	rule(b, PATH_DENY, "x");
	free(b->rule[b->set.n - 1].path);
	b->rule[b->set.n - 1].path = strdup("**/.env");
	b->rule[b->set.n - 1].pattern = true;
}

static void a_grant_of_what_a_pattern_names_is_not_mounted(void **state)
{
	struct bed *b = *state;
	char path[PATH_MAX];

	dir(b, "a");
	dir(b, "a/.env");
	dir(b, "a/.env/d");
	file(b, ".env");
	file(b, "f");
	rule(b, PATH_RW, ".env");
	rule(b, PATH_RO, "a/.env/d");
	rule(b, PATH_RO, "f");
	deny_env(b);
	assert_int_equal(plan(b), 0);
	assert_true(fs_plan_grants(&b->plan, in(b, "f", path)));
	assert_false(fs_plan_grants(&b->plan, in(b, ".env", path)));
	assert_false(fs_plan_grants(&b->plan, in(b, "a/.env/d", path)));
}

static void a_file_granted_by_another_name_of_a_denied_one_is_masked(void **state)
{
	struct bed *b = *state;
	char path[PATH_MAX];
	char other[PATH_MAX];

	dir(b, "a");
	dir(b, "a/secret");
	file(b, "a/secret/key");
	file(b, "f");
	assert_int_equal(link(in(b, "a/secret/key", path), in(b, "other", other)), 0);
	rule(b, PATH_RO, "a");
	rule(b, PATH_RO, "other");
	rule(b, PATH_RO, "f");
	rule(b, PATH_DENY, "a/secret");
	assert_int_equal(plan(b), 0);
	assert_true(fs_plan_masks(&b->plan, in(b, "other", path)));
	assert_false(fs_plan_masks(&b->plan, in(b, "f", path)));
}

static void a_repeated_grant_makes_no_second_mount(void **state)
{
	struct bed *b = *state;

	dir(b, "a");
	dir(b, "a/b");
	rule(b, PATH_RW, "a");
	rule(b, PATH_RW, "a");
	rule(b, PATH_RW, "a/b");
	assert_int_equal(plan(b), 0);
	assert_int_equal(b->plan.n_nodes, 1);
}

static void of_two_rights_for_one_path_the_narrower_holds(void **state)
{
	struct bed *b = *state;

	dir(b, "a");
	rule(b, PATH_RW, "a");
	rule(b, PATH_RO, "a");
	assert_int_equal(plan(b), 0);
	assert_int_equal(b->plan.n_nodes, 1);
	assert_int_equal(b->plan.node[0].grant, DOMAIN_READ);
}

static void a_missing_grant_is_an_error_that_names_the_entry(void **state)
{
	struct bed *b = *state;

	rule(b, PATH_RW, "absent");
	assert_int_equal(plan(b), -ENOENT);
	assert_string_equal(b->e.text, "p.json:3: 'the entry' does not exist; create it first");
}

static void paths_are_compared_by_components(void **state)
{
	(void)state;
	assert_true(fs_path_is_at_or_below("/a/b", "/a"));
	assert_true(fs_path_is_at_or_below("/a", "/a"));
	assert_true(fs_path_is_at_or_below("/a", "/"));
	assert_false(fs_path_is_at_or_below("/ab", "/a"));
	assert_false(fs_path_is_at_or_below("/", "/a"));
}

static void a_loop_of_symlinks_ends(void **state)
{
	struct bed *b = *state;
	struct fs_resolved at = { .fd = -1 };
	char path[PATH_MAX];

	link_to(b, "two", "one");
	link_to(b, "one", "two");
	assert_int_equal(fs_resolve(in(b, "one/x", path), FS_FOLLOW_ALL, &at), -ELOOP);
	assert_int_equal(at.fd, -1);
}

static void dots_and_missing_parts_are_resolved(void **state)
{
	struct bed *b = *state;
	struct fs_resolved at = { .fd = -1 };
	char path[PATH_MAX];
	char want[PATH_MAX];

	dir(b, "a");
	dir(b, "a/b");
	link_to(b, "a/b", "l");
	assert_int_equal(fs_resolve(in(b, "l/../c//./d", path), FS_FOLLOW_ALL, &at), 0);
	assert_int_equal(at.fd, -1);
	assert_string_equal(at.path, in(b, "a/c/d", want));
	assert_int_equal(at.n_links, 1);
	fs_resolved_done(&at);
	assert_int_equal(fs_resolve(in(b, "l", path), FS_FOLLOW_PARENTS, &at), 0);
	assert_true(S_ISLNK(at.st.st_mode));
	assert_int_equal(at.n_links, 0);
	fs_resolved_done(&at);
	assert_int_equal(fs_resolve("relative", FS_FOLLOW_ALL, &at), -EINVAL);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_tree_is_mounted_below_directories_made_for_it),
		T(nothing_is_made_inside_a_tree_of_the_host),
		T(a_symlink_on_the_way_is_made_where_it_does_not_show),
		T(a_symlink_in_a_writable_tree_is_refused_for_a_grant),
		T(a_symlink_in_a_read_only_tree_is_accepted),
		T(a_narrower_tree_inside_a_wider_one_is_held_by_its_mount),
		T(a_grant_below_a_deny_is_not_mounted),
		T(a_grant_of_what_a_pattern_names_is_not_mounted),
		T(a_file_granted_by_another_name_of_a_denied_one_is_masked),
		T(a_repeated_grant_makes_no_second_mount),
		T(of_two_rights_for_one_path_the_narrower_holds),
		T(a_missing_grant_is_an_error_that_names_the_entry),
		T(paths_are_compared_by_components),
		T(a_loop_of_symlinks_ends),
		T(dots_and_missing_parts_are_resolved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
