/* SPDX-License-Identifier: MIT */
/* What every pen has of its own, what ordinary programs need, and that the host notices nothing. */
#include "fs_pen.h"

#include <time.h>

static void init(struct pen *pen)
{
	pen_init(pen, "/var/tmp");
	make_dir(in(pen, "ws"), TENANT);
	allow(pen, PATH_RW, in(pen, "ws"), by_policy);
}

static void ordinary_programs_run(void **state)
{
	struct pen pen;

	(void)state;
	init(&pen);
	make_file(in(&pen, "ws/h.c"), TENANT,
		  "#include <stdio.h>\nint main(void) { return puts(\"hi\") < 0; }\n");
	assert_int_equal(chdir("/"), 0);
	const struct try try[] = {
		{ "sh", t_sh, "true", NULL, 0 },
		{ "ls", t_sh, "ls -l /usr/bin >/dev/null", NULL, 0 },
		{ "mktemp", t_sh, "f=$(mktemp); echo x >$f; test -s $f; rm $f", NULL, 0 },
		{ "home", t_sh, "test -O $HOME; echo x >$HOME/.rc; ls -A $HOME | grep -qx .rc",
		  NULL, 0 },
		{ "sort", t_sh, "seq 1000 | sort -R -T /tmp >/dev/null", NULL, 0 },
		{ "pipes", t_sh, "echo x | cat >/dev/stdout", NULL, 0 },
		{ "nproc", t_sh, "test $(nproc) -ge 1", NULL, 0 },
		{ "perl", t_sh, "perl -e 'print 1'", NULL, 0 },
		{ "getent", t_sh, "getent passwd root", NULL, 0 },
		{ "resolv", t_sh, "grep -qx 'nameserver 192.0.2.53' /etc/resolv.conf", NULL, 0 },
		{ "resolv is held", t_write, "/etc/resolv.conf", NULL, EACCES },
		{ "devices", t_sh, "head -c 4 /dev/zero /dev/urandom /dev/random >/dev/null", NULL,
		  0 },
		{ "full", t_sh, "! echo x >/dev/full", NULL, 0 },
		{ "no other devices", t_sh, "test $(ls /dev | wc -l) = 13", NULL, 0 },
		{ "pty", t_sh,
		  "script -qec 'tty' /dev/null | grep -q /dev/pts/0 || test ! -x /usr/bin/script",
		  NULL, 0 },
		{ "no dev of the host", t_stat, "/dev/mem", NULL, ENOENT },
		{ "make in dev", t_create, "/dev/x", NULL, EACCES },
		{ "make in shm", t_create, "/dev/shm/x", NULL, 0 },
		{ "make in run", t_create, "/run/x", NULL, EROFS },
		{ "var run", t_sh, "test \"$(readlink /var/run)\" = /run || test ! -L /var/run",
		  NULL, 0 },
		{ "no cgroups", t_stat, "/sys/fs", NULL, ENOENT },
		{ "sys", t_write, "/sys/devices/system/cpu/online", NULL, EACCES },
	};

	pen_try(&pen, try, ARRAY_SIZE(try));
	const char *ws = in(&pen, "ws");
	char cc[256];

	snprintf(cc, sizeof(cc), "cd %s; ! command -v gcc || { gcc -o h h.c && ./h; }", ws);
	const struct try build[] = { { "gcc", t_sh, cc, NULL, 0 } };

	pen_try(&pen, build, 1);
	pen_done(&pen);
}

static int t_openpt(const char *a, const char *b)
{
	auto_close int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	auto_close int slave = -1;

	(void)a;
	(void)b;
	if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0)
		return errno;
	slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	return slave < 0 ? errno : isatty(slave) ? 0 : ENOTTY;
}

static int t_shm(const char *a, const char *b)
{
	auto_close int fd = shm_open(a, O_RDWR | O_CREAT | O_EXCL, 0600);

	(void)b;
	return fd < 0 ? errno : done(shm_unlink(a));
}

static int t_connect_own(const char *a, const char *b)
{
	int r = t_bind(a, b);

	if (r)
		return r;
	/* Nobody listens: the socket was found. */
	r = t_connect(a, b);
	return r == ECONNREFUSED ? 0 : r;
}

static int listen_at(const char *path)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un sun = { .sun_family = AF_UNIX };

	snprintf(sun.sun_path, sizeof(sun.sun_path), "%s", path);
	assert_int_equal(bind(fd, (struct sockaddr *)&sun, sizeof(sun)), 0);
	assert_int_equal(listen(fd, 8), 0);
	assert_int_equal(chmod(path, 0777), 0);
	return fd;
}

static void sockets_outside_need_a_rule(void **state)
{
	struct unix_rule rule = { .text = by_policy, .origin = by_policy };
	struct pen pen;

	(void)state;
	init(&pen);
	auto_close int open_one = listen_at(in(&pen, "open.sock"));
	auto_close int shut_one = listen_at(in(&pen, "shut.sock"));

	assert_true(open_one >= 0 && shut_one >= 0);
	assert_int_equal(symlink("open.sock", in(&pen, "alias.sock")), 0);
	assert_int_equal(symlink(in(&pen, "shut.sock"), in(&pen, "ws/way")), 0);
	rule.path = in(&pen, "alias.sock");
	pen.policy.unix_allow = &rule;
	pen.policy.n_unix_allow = 1;

	const struct try try[] = {
		{ "allowed", t_connect, in(&pen, "open.sock"), NULL, 0 },
		{ "by symlink", t_connect, in(&pen, "alias.sock"), NULL, 0 },
		{ "not allowed", t_connect, in(&pen, "shut.sock"), NULL, ENOENT },
		{ "by planted link", t_connect, in(&pen, "ws/way"), NULL, ENOENT },
		{ "own", t_connect_own, in(&pen, "ws/own.sock"), NULL, 0 },
		{ "own in tmp", t_connect_own, "/tmp/own.sock", NULL, 0 },
		{ "pty", t_openpt, NULL, NULL, 0 },
		{ "shm", t_shm, "/pinfold-test", NULL, 0 },
	};

	pen_try(&pen, try, ARRAY_SIZE(try));
	pen_done(&pen);
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

static void a_grant_through_a_symlink_shows_at_both_names(void **state)
{
	struct pen pen;

	(void)state;
	pen_init(&pen, "/var/tmp");
	make_dir(in(&pen, "real"), TENANT);
	make_dir(in(&pen, "real/ws"), TENANT);
	assert_int_equal(symlink("real", in(&pen, "alias")), 0);
	allow(&pen, PATH_RW, in(&pen, "alias/ws"), by_policy);

	const struct try try[] = {
		{ "by alias", t_create, in(&pen, "alias/ws/f"), NULL, 0 },
		{ "by name", t_read, in(&pen, "real/ws/f"), NULL, 0 },
		{ "beside", t_create, in(&pen, "real/f"), NULL, EACCES },
	};

	pen_try(&pen, try, ARRAY_SIZE(try));
	pen_done(&pen);
}

static void the_whole_host_may_be_shown_read_only(void **state)
{
	struct pen pen;

	(void)state;
	init(&pen);
	make_file(in(&pen, "f"), 0, "x");
	allow(&pen, PATH_RO, "/", by_policy);
	pen.tenant.home = "/root";

	const struct try try[] = {
		{ "read", t_read, in(&pen, "f"), NULL, ENOENT }, /* /var/tmp is private */
		{ "create", t_create, in(&pen, "ws/f"), NULL, 0 },
		{ "list", t_list, "/", NULL, 0 },
		{ "create", t_create, "/x", NULL, EROFS },
		{ "run", t_exec, "/bin/true", NULL, 0 },
		{ "tmp", t_create, "/tmp/x", NULL, 0 },
		{ "host's processes", t_sh, "test ! -e /proc/1000", NULL, 0 },
		{ "host's cgroups", t_stat, "/sys/fs/cgroup", NULL, ENOENT },
		{ "host's run", t_sh, "test $(ls -A /run | wc -l) = 0", NULL, 0 },
		{ "host's devices", t_stat, "/dev/mem", NULL, ENOENT },
	};

	pen_try(&pen, try, ARRAY_SIZE(try));
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

static void standard_output_can_be_reopened(void **state)
{
	struct pen pen;

	(void)state;
	init(&pen);
	make_file(in(&pen, "out"), 0, "");
	make_file(in(&pen, "other"), 0, "");
	int saved = dup(1);
	int out = open(in(&pen, "out"), O_WRONLY);

	assert_true(saved >= 0 && out >= 0);
	assert_int_equal(fchmod(out, 0666), 0);
	dup2(out, 1);
	const struct try try[] = {
		{ "write", t_write, "/dev/stdout", NULL, 0 },
		{ "read", t_read, "/dev/stdout", NULL, EACCES },
		{ "beside", t_stat, in(&pen, "other"), NULL, ENOENT },
	};

	pen_try(&pen, try, ARRAY_SIZE(try));
	dup2(saved, 1);
	close(saved);
	close(out);
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

/* Prints what a launch costs; a hundred masks may not cost a second. */
static void a_launch_costs_milliseconds(void **state)
{
	struct pen pen;
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
	assert_true(prepare / 20 < 200 && enter / 20 < 200);
	pen_done(&pen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ordinary_programs_run),
		cmocka_unit_test(sockets_outside_need_a_rule),
		cmocka_unit_test(grants_that_can_not_be_held_are_refused),
		cmocka_unit_test(a_grant_through_a_symlink_shows_at_both_names),
		cmocka_unit_test(the_whole_host_may_be_shown_read_only),
		cmocka_unit_test(mounts_do_not_reach_a_host_that_shares_its_own),
		cmocka_unit_test(resolv_conf_is_the_pens_own_through_a_symlink),
		cmocka_unit_test(mounts_inside_a_tree_come_with_its_rights),
		cmocka_unit_test(a_helper_can_enter_nothing),
		cmocka_unit_test(standard_output_can_be_reopened),
		cmocka_unit_test(the_start_directory_is_one_that_is_granted),
		cmocka_unit_test(a_denied_file_that_is_swapped_before_the_launch_stops_it),
		cmocka_unit_test(a_launch_costs_milliseconds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
