/* SPDX-License-Identifier: MIT */
/* What every pen has of its own, and what ordinary programs need. */
#include "fs_pen.h"

#include <sys/sysmacros.h>

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

static void a_pipe_can_be_reopened_in_its_own_direction(void **state)
{
	auto_close int saved = dup(1);
	struct pen pen;
	int ends[2];

	(void)state;
	init(&pen);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	dup2(ends[1], 1);
	const struct try try[] = {
		{ "write", t_write, "/dev/stdout", NULL, 0 },
		{ "read", t_read, "/dev/stdout", NULL, EACCES },
	};

	pen_try(&pen, try, ARRAY_SIZE(try));
	dup2(saved, 1);
	close(ends[0]);
	close(ends[1]);
	pen_done(&pen);
}

static int t_terminal(const char *a, const char *b)
{
	auto_close int fd = open(a, O_RDWR | O_NOCTTY | O_CLOEXEC);

	(void)b;
	return fd < 0 ? errno : isatty(fd) ? 0 : errno;
}

static void an_inherited_terminal_can_be_reopened_and_driven(void **state)
{
	auto_close int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	auto_close int saved = dup(0);
	struct pen pen;

	(void)state;
	init(&pen);
	assert_true(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
	auto_close int slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);

	assert_int_equal(fchmod(slave, 0666), 0);
	dup2(slave, 0);
	const struct try try[] = {
		{ "by name", t_terminal, "/dev/stdin", NULL, 0 },
		{ "by fd", t_terminal, "/proc/self/fd/0", NULL, 0 },
		{ "host's name", t_stat, strdup(ptsname(master)), NULL, ENOENT },
	};

	pen_try(&pen, try, ARRAY_SIZE(try));
	dup2(saved, 0);
	pen_done(&pen);
}

static void devices_may_be_granted_by_name(void **state)
{
	struct pen pen;

	(void)state;
	init(&pen);
	/* Numbers of /dev/null: a device that no pen has of its own. */
	assert_int_equal(mknod(in(&pen, "dev"), S_IFCHR | 0666, makedev(1, 3)), 0);
	assert_int_equal(chmod(in(&pen, "dev"), 0666), 0);
	assert_int_equal(mknod(in(&pen, "ws/dev"), S_IFCHR | 0666, makedev(1, 3)), 0);
	assert_int_equal(chmod(in(&pen, "ws/dev"), 0666), 0);
	allow(&pen, PATH_RW, in(&pen, "dev"), by_policy);
	allow(&pen, PATH_RW, "/dev/null", by_policy);

	const struct try try[] = {
		{ "granted", t_write, in(&pen, "dev"), NULL, 0 },
		{ "in a tree", t_write, in(&pen, "ws/dev"), NULL, EACCES },
		{ "own", t_write, "/dev/null", NULL, 0 },
	};

	pen_try(&pen, try, ARRAY_SIZE(try));
	pen_done(&pen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ordinary_programs_run),
		cmocka_unit_test(sockets_outside_need_a_rule),
		cmocka_unit_test(a_grant_through_a_symlink_shows_at_both_names),
		cmocka_unit_test(the_whole_host_may_be_shown_read_only),
		cmocka_unit_test(standard_output_can_be_reopened),
		cmocka_unit_test(a_pipe_can_be_reopened_in_its_own_direction),
		cmocka_unit_test(an_inherited_terminal_can_be_reopened_and_driven),
		cmocka_unit_test(devices_may_be_granted_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
