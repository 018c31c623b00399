/* SPDX-License-Identifier: MIT */
/* What a launch refuses, what it costs, and that the host notices nothing of it. */
#include "fs_pen.h"

#include <time.h>

#include "policy/parse.h"

static void init(struct pen *pen)
{
	pen_init(pen, "/var/tmp");
	make_dir(in(pen, "ws"), TENANT);
	allow(pen, PATH_RW, in(pen, "ws"), by_policy);
}

static void expect_refusal(struct pen *pen, int code, const char *words)
{
	struct fs_fence *f = NULL;

	assert_int_equal(fs_fence_new(&pen->policy, &pen->set, &pen->tenant, &f, &pen->e), code);
	assert_null(f);
	if (!strstr(pen->e.text, words))
		fail_msg("'%s' does not say '%s'", pen->e.text, words);
	pen->set.n--;
}

static void grants_that_can_not_be_held_are_refused(void **state)
{
	struct pen pen;

	(void)state;
	init(&pen);
	make_dir(in(&pen, "data"), TENANT);
	assert_int_equal(symlink(in(&pen, "data"), in(&pen, "ws/planted")), 0);

	allow(&pen, PATH_RW, in(&pen, "absent"), by_policy);
	expect_refusal(&pen, -ENOENT, "create it first");
	allow(&pen, PATH_RO, in(&pen, "absent"), by_policy);
	expect_refusal(&pen, -ENOENT, "policy.json:1");
	allow(&pen, PATH_RO, in(&pen, "ws/planted"), by_policy);
	expect_refusal(&pen, -EACCES, "planted");
	allow(&pen, PATH_RW, "/", by_policy);
	expect_refusal(&pen, -EINVAL, "name the directories");
	allow(&pen, PATH_RO, "/proc/1", by_policy);
	expect_refusal(&pen, -EINVAL, "process directory");
	allow(&pen, PATH_RO, "/sys/fs/cgroup", by_policy);
	expect_refusal(&pen, -EINVAL, "groups");
	allow(&pen, PATH_RO, in(&pen, "absent"), built_in);

	const struct try try[] = { { "skipped", t_stat, in(&pen, "absent"), NULL, ENOENT } };

	pen_try(&pen, try, 1);
	pen_done(&pen);
}

/* In a mount namespace where everything is shared, as systemd leaves it. */
static int with_shared_mounts(void (*fn)(void))
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		if (unshare(CLONE_NEWNS) < 0 ||
		    mount(NULL, "/", NULL, MS_REC | MS_SHARED, NULL) < 0)
			_exit(2);
		fn();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static size_t count_mounts(void)
{
	auto_file FILE *f = fopen("/proc/self/mountinfo", "re");
	size_t n = 0;
	int c;

	while (f && (c = fgetc(f)) != EOF)
		n += c == '\n';
	return n;
}

static void run_masked_pen(void)
{
	struct pen pen;

	init(&pen);
	make_file(in(&pen, "ws/key"), TENANT, "secret");
	make_dir(in(&pen, "ws/ro"), TENANT);
	allow(&pen, PATH_DENY, in(&pen, "ws/key"), by_policy);
	allow(&pen, PATH_RO, in(&pen, "ws/ro"), by_policy);

	const struct try try[] = {
		{ "denied", t_read, in(&pen, "ws/key"), NULL, EACCES },
		{ "ro", t_create, in(&pen, "ws/ro/f"), NULL, EROFS },
	};
	size_t before = count_mounts();

	pen_try(&pen, try, ARRAY_SIZE(try));
	if (count_mounts() != before)
		_exit(3);
	if (try_open(in(&pen, "ws/key"), O_RDWR) != 0)
		_exit(4);
	pen_done(&pen);
}

static void mounts_do_not_reach_a_host_that_shares_its_own(void **state)
{
	size_t before = count_mounts();

	(void)state;
	assert_int_equal(with_shared_mounts(run_masked_pen), 0);
	assert_int_equal(count_mounts(), before);
}

/* A host whose root has something stacked on it, as live systems do. */
static void run_with_stacked_root(void)
{
	struct pen pen;

	init(&pen);
	make_file(in(&pen, "f"), 0, "x");
	if (mount("tmpfs", "/", "tmpfs", 0, NULL) < 0)
		_exit(3);
	char above[128];

	snprintf(above, sizeof(above), "/..%s", in(&pen, "f"));
	const struct try try[] = {
		{ "one root", t_sh, "test $(cut -d' ' -f5 /proc/self/mountinfo | grep -cx /) = 1",
		  NULL, 0 },
		{ "above", t_stat, above, NULL, ENOENT },
		{ "inside", t_create, in(&pen, "ws/f"), NULL, 0 },
	};

	pen_try(&pen, try, ARRAY_SIZE(try));
	pen_done(&pen);
}

static void nothing_of_the_old_root_is_left_above_the_new_one(void **state)
{
	(void)state;
	assert_int_equal(with_shared_mounts(run_with_stacked_root), 0);
}

/* /etc/resolv.conf is often a symlink into /run, which is private. */
static void run_with_resolved(void)
{
	struct pen pen;

	init(&pen);
	make_dir(in(&pen, "etc"), 0);
	assert_int_equal(symlink("../run/systemd/resolve/stub.conf", in(&pen, "etc/resolv.conf")),
			 0);
	if (mount(in(&pen, "etc"), "/etc", NULL, MS_BIND, NULL) < 0)
		_exit(3);

	const struct try try[] = {
		{ "text", t_sh, "read a b </etc/resolv.conf; test $b = 192.0.2.53", NULL, 0 },
		{ "link", t_sh, "test -L /etc/resolv.conf", NULL, 0 },
		{ "place", t_sh, "test -f /run/systemd/resolve/stub.conf", NULL, 0 },
		{ "write", t_write, "/etc/resolv.conf", NULL, EACCES },
	};

	pen_try(&pen, try, ARRAY_SIZE(try));
	if (umount("/etc") < 0)
		_exit(4);
	pen_done(&pen);
}

static void resolv_conf_is_the_pens_own_through_a_symlink(void **state)
{
	(void)state;
	assert_int_equal(with_shared_mounts(run_with_resolved), 0);
}

static void run_with_submount(void)
{
	struct pen pen;

	init(&pen);
	make_dir(in(&pen, "ws/sub"), TENANT);
	make_dir(in(&pen, "ro"), TENANT);
	make_dir(in(&pen, "ro/sub"), TENANT);
	for (int i = 0; i < 2; i++) {
		const char *at = in(&pen, i ? "ro/sub" : "ws/sub");

		if (mount("tmpfs", at, "tmpfs", 0, "mode=0777") < 0)
			_exit(3);
	}
	allow(&pen, PATH_RO, in(&pen, "ro"), by_policy);

	const struct try try[] = {
		{ "rw", t_create, in(&pen, "ws/sub/f"), NULL, 0 },
		{ "ro", t_create, in(&pen, "ro/sub/f"), NULL, EROFS },
	};

	pen_try(&pen, try, ARRAY_SIZE(try));
	if (umount(in(&pen, "ws/sub")) < 0 || umount(in(&pen, "ro/sub")) < 0)
		_exit(4);
	pen_done(&pen);
}

static void mounts_inside_a_tree_come_with_its_rights(void **state)
{
	(void)state;
	assert_int_equal(with_shared_mounts(run_with_submount), 0);
}

static void a_helper_can_enter_nothing(void **state)
{
	int status = 0;
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || fs_enter_nothing() < 0)
			_exit(1);
		if (try_open("/etc/passwd", O_RDONLY) != EACCES || t_list("/", NULL) != EACCES ||
		    t_create("/tmp/pinfold-x", NULL) != EACCES)
			_exit(2);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void the_built_in_policy_runs(void **state)
{
	static const char *const env[] = { "HOME=/root", NULL };
	const struct policy_context ctx = { .home = "/root", .cwd = "/", .env = env };
	struct pen pen;

	(void)state;
	pen_init(&pen, "/var/lib");
	make_dir(in(&pen, "ws"), TENANT);
	assert_int_equal(policy_default(in(&pen, "ws"), &ctx, &pen.policy, &pen.e), 0);
	pen.policy.degrade = fs_landlock_abi() < 6;
	assert_int_equal(path_set_build(&pen.policy, &ctx, pen.tenant.home, &pen.set, &pen.e), 0);

	const struct try try[] = {
		{ "ws", t_create, in(&pen, "ws/f"), NULL, 0 },
		{ "shadow", t_read, "/etc/shadow", NULL, EACCES },
		{ "passwd", t_read, "/etc/passwd", NULL, 0 },
		{ "passwd", t_write, "/etc/passwd", NULL, EACCES },
		{ "root's home", t_stat, "/root", NULL, ENOENT },
		{ "sh", t_sh, "ls /usr/bin | sort | tail -1 >$HOME/x", NULL, 0 },
	};

	pen_try(&pen, try, ARRAY_SIZE(try));
	path_set_done(&pen.set);
	policy_done(&pen.policy);
	pen_done(&pen);
}

static void the_start_directory_is_one_that_is_granted(void **state)
{
	struct fs_fence *f = NULL;
	struct pen pen;

	(void)state;
	init(&pen);
	make_dir(in(&pen, "ws/denied"), TENANT);
	allow(&pen, PATH_DENY, in(&pen, "ws/denied"), by_policy);
	pen.policy.workspace = in(&pen, "ws");
	assert_int_equal(fs_fence_new(&pen.policy, &pen.set, &pen.tenant, &f, &pen.e), 0);
	assert_string_equal(fs_fence_start_dir(f, in(&pen, "ws/sub")), in(&pen, "ws/sub"));
	assert_string_equal(fs_fence_start_dir(f, in(&pen, "ws/denied")), in(&pen, "ws"));
	assert_string_equal(fs_fence_start_dir(f, "/root"), in(&pen, "ws"));
	assert_string_equal(fs_fence_start_dir(f, "/tmp"), in(&pen, "ws"));
	assert_string_equal(fs_fence_start_dir(f, NULL), in(&pen, "ws"));
	fs_fence_free(f);
	pen.policy.workspace_access = WORKSPACE_NONE;
	assert_int_equal(fs_fence_new(&pen.policy, &pen.set, &pen.tenant, &f, &pen.e), 0);
	assert_string_equal(fs_fence_start_dir(f, "/root"), "/");
	fs_fence_free(f);
	pen_done(&pen);
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int enter_only(const struct fs_fence *f, int *ret_step, double *ret_ms)
{
	struct clone_args args = { .flags = CLONE_NEWNS | CLONE_NEWPID, .exit_signal = SIGCHLD };
	struct pen_report *r =
	    mmap(NULL, sizeof(*r), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));

	if (pid == 0) {
		double start = now_ms();

		r->code = fs_fence_enter_view(f, &r->step);
		r->got[0] = (int)((now_ms() - start) * 1000);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	int code = r->code;

	*ret_step = r->step;
	*ret_ms = r->got[0] / 1e3;
	munmap(r, sizeof(*r));
	return code;
}

static void a_denied_file_that_is_swapped_before_the_launch_stops_it(void **state)
{
	struct fs_fence *f = NULL;
	struct pen pen;
	int step = 0;
	double ms = 0;

	(void)state;
	init(&pen);
	make_file(in(&pen, "ws/key"), TENANT, "secret");
	make_file(in(&pen, "ws/decoy"), TENANT, "x");
	allow(&pen, PATH_DENY, in(&pen, "ws/key"), by_policy);
	assert_int_equal(fs_fence_new(&pen.policy, &pen.set, &pen.tenant, &f, &pen.e), 0);
	assert_int_equal(rename(in(&pen, "ws/key"), in(&pen, "ws/moved")), 0);
	assert_int_equal(rename(in(&pen, "ws/decoy"), in(&pen, "ws/key")), 0);
	assert_int_equal(enter_only(f, &step, &ms), -ESTALE);
	assert_int_equal(fs_fence_explain(f, step, -ESTALE, &pen.e), -ESTALE);
	assert_non_null(strstr(pen.e.text, "ws/key"));
	fs_fence_free(f);
	pen_done(&pen);
}

static void a_denied_file_that_goes_before_the_launch_does_not_stop_it(void **state)
{
	struct fs_fence *f = NULL;
	struct pen pen;
	int step = 0;
	double ms = 0;

	(void)state;
	init(&pen);
	make_file(in(&pen, "ws/key"), TENANT, "secret");
	make_file(in(&pen, "ws/target"), TENANT, "secret");
	assert_int_equal(symlink("target", in(&pen, "ws/other")), 0);
	allow(&pen, PATH_DENY, in(&pen, "ws/key"), by_policy);
	assert_int_equal(fs_fence_new(&pen.policy, &pen.set, &pen.tenant, &f, &pen.e), 0);
	assert_int_equal(unlink(in(&pen, "ws/key")), 0);
	assert_int_equal(enter_only(f, &step, &ms), 0);
	fs_fence_free(f);
	/* The guard knows names, and this one stands in no rule. */
	allow(&pen, PATH_DENY, in(&pen, "ws/other"), by_policy);
	assert_int_equal(fs_fence_new(&pen.policy, &pen.set, &pen.tenant, &f, &pen.e), 0);
	assert_int_equal(unlink(in(&pen, "ws/target")), 0);
	assert_int_equal(enter_only(f, &step, &ms), -ENOENT);
	fs_fence_free(f);
	pen_done(&pen);
}

/* Prints what a launch costs; a hundred masks may not cost a second. */
static void a_launch_costs_milliseconds(void **state)
{
	struct pen pen;
	double limit = getenv("SLOW_MACHINE") ? 2000 : 200;
	double prepare = 0;
	double enter = 0;

	(void)state;
	init(&pen);
	for (int i = 0; i < 20; i++) {
		struct fs_fence *f = NULL;
		int step = 0;
		double ms = 0;
		double t0 = now_ms();

		assert_int_equal(fs_fence_new(&pen.policy, &pen.set, &pen.tenant, &f, &pen.e), 0);
		double t1 = now_ms();

		assert_int_equal(enter_only(f, &step, &ms), 0);
		enter += ms;
		prepare += t1 - t0;
		fs_fence_free(f);
	}
	print_message("# fs_fence_new %.2f ms, enter %.2f ms\n", prepare / 20, enter / 20);
	assert_true(prepare / 20 < limit && enter / 20 < limit);
	pen_done(&pen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grants_that_can_not_be_held_are_refused),
		cmocka_unit_test(mounts_do_not_reach_a_host_that_shares_its_own),
		cmocka_unit_test(nothing_of_the_old_root_is_left_above_the_new_one),
		cmocka_unit_test(resolv_conf_is_the_pens_own_through_a_symlink),
		cmocka_unit_test(mounts_inside_a_tree_come_with_its_rights),
		cmocka_unit_test(a_helper_can_enter_nothing),
		cmocka_unit_test(the_built_in_policy_runs),
		cmocka_unit_test(the_start_directory_is_one_that_is_granted),
		cmocka_unit_test(a_denied_file_that_is_swapped_before_the_launch_stops_it),
		cmocka_unit_test(a_denied_file_that_goes_before_the_launch_does_not_stop_it),
		cmocka_unit_test(a_launch_costs_milliseconds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
