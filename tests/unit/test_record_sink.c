/* wrap: write fstat */
/* SPDX-License-Identifier: MIT */
/* Where lines go: refused places, full disks and pipes, torn lines, rotation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "audit/record.h"
#include "base/clean.h"
#include "base/io.h"
#include "pinfold.h"

#define TEXT_MAX (64 << 20)

/* What the next writes do: fail with an errno, or write at most so many bytes; 0: the real thing.
 */
static int write_errno;
static size_t write_at_most;
static unsigned writes;
static uid_t owner; /* of every file, when not 0 */

ssize_t __real_write(int fd, const void *buf, size_t n);
ssize_t __wrap_write(int fd, const void *buf, size_t n);
int __real_fstat(int fd, struct stat *st);
int __wrap_fstat(int fd, struct stat *st);

ssize_t __wrap_write(int fd, const void *buf, size_t n)
{
	writes++;
	if (write_errno) {
		errno = write_errno;
		return -1;
	}
	return __real_write(fd, buf, write_at_most && n > write_at_most ? write_at_most : n);
}

int __wrap_fstat(int fd, struct stat *st)
{
	int r = __real_fstat(fd, st);

	if (owner)
		st->st_uid = owner;
	return r;
}

struct fixture {
	char dir[32];
	char path[64];
	char other[64];
};

static const struct record_who who = { .session = "s-1" };

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	write_errno = 0;
	write_at_most = 0;
	owner = 0;
	snprintf(f->dir, sizeof(f->dir), "/tmp/pinfold-test-XXXXXX");
	if (!mkdtemp(f->dir))
		return -1;
	snprintf(f->path, sizeof(f->path), "%s/audit.jsonl", f->dir);
	snprintf(f->other, sizeof(f->other), "%s/other", f->dir);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	unlink(f->path);
	unlink(f->other);
	rmdir(f->dir);
	free(f);
	return 0;
}

static struct record *open_record(const char *path)
{
	struct pinfold_error e = { "" };
	struct record *r = NULL;

	if (record_open(path, &who, &r, &e) != 0)
		fail_msg("%s", e.text);
	return r;
}

static void say(struct record *r, const char *event)
{
	struct record_line *l = record_begin(r, event);

	record_text(l, "dst", "192.0.2.1");
	record_end(l);
}

static char *content(const char *path)
{
	char *text = NULL;
	size_t len;

	assert_int_equal(io_read_file(AT_FDCWD, path, TEXT_MAX, &text, &len), 0);
	return text;
}

/* Counts whole lines of this event, and sums up a number of theirs; broken lines are counted in
 * *ret_broken. */
static unsigned count(const char *path, const char *event, const char *number, double *ret_sum,
		      unsigned *ret_broken)
{
	auto_free char *text = content(path);
	unsigned n = 0;
	char *end;

	*ret_sum = 0;
	*ret_broken = 0;
	for (char *s = text; (end = strchr(s, '\n')); s = end + 1) {
		cJSON *o;
		const char *is;

		*end = '\0';
		o = cJSON_ParseWithOpts(s, NULL, true);
		is = cJSON_GetStringValue(cJSON_GetObjectItem(o, "event"));
		if (!o)
			++*ret_broken;
		if (is && strcmp(is, event) == 0) {
			const cJSON *v = cJSON_GetObjectItem(o, number);

			n++;
			*ret_sum += v ? v->valuedouble : 0;
		}
		cJSON_Delete(o);
	}
	return n;
}

static bool contains(const char *path, const char *part)
{
	auto_free char *text = content(path);

	return strstr(text, part) != NULL;
}

static void check(const char *path, const char *event, unsigned lines, double lost)
{
	unsigned broken;
	double sum;

	assert_int_equal(count(path, event, "none", &sum, &broken), lines);
	count(path, "lost", "count", &sum, &broken);
	assert_true(sum == lost);
}

static int try_open(const char *path)
{
	struct pinfold_error e = { "" };
	struct record *r = NULL;
	int ret = record_open(path, &who, &r, &e);

	assert_null(r);
	assert_true(strlen(e.text) > 0);
	return ret;
}

static void refuses_a_symlink(void **state)
{
	struct fixture *f = *state;

	close(open(f->other, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	assert_int_equal(symlink(f->other, f->path), 0);
	assert_int_equal(try_open(f->path), -ELOOP);
	record_free(open_record(f->other));
}

static void refuses_directories_devices_and_what_is_not_there(void **state)
{
	struct fixture *f = *state;
	char path[128];

	assert_int_equal(try_open(f->dir), -EISDIR);
	snprintf(path, sizeof(path), "%s/no/file", f->dir);
	assert_int_equal(try_open(path), -ENOENT);
	assert_int_equal(try_open("/dev/null"), -ENOTSUP);
}

static void refuses_a_file_that_others_can_write(void **state)
{
	static const mode_t modes[] = { 0620, 0602, 0666 };
	struct fixture *f = *state;

	close(open(f->path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		assert_int_equal(chmod(f->path, modes[i]), 0);
		assert_int_equal(try_open(f->path), -EPERM);
	}
	assert_int_equal(chmod(f->path, 0640), 0);
	record_free(open_record(f->path));
}

static void refuses_a_file_of_somebody_else(void **state)
{
	struct fixture *f = *state;

	owner = getuid() + 12345;
	assert_int_equal(try_open(f->path), -EPERM);
	owner = 0;
	record_free(open_record(f->path));
}

static void refuses_a_file_that_has_a_second_name(void **state)
{
	struct fixture *f = *state;

	close(open(f->other, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	assert_int_equal(link(f->other, f->path), 0);
	assert_int_equal(try_open(f->path), -EPERM);
	assert_int_equal(unlink(f->other), 0);
	record_free(open_record(f->path));
}

static void writes_each_line_with_one_write(void **state)
{
	struct fixture *f = *state;
	struct record *r = open_record(f->path);

	writes = 0;
	say(r, "net_deny");
	assert_int_equal(writes, 1);
	say(r, "net_deny");
	assert_int_equal(writes, 2);
	record_free(r);
	check(f->path, "net_deny", 2, 0);
}

static void counts_what_a_full_disk_lost_and_tells_it_later(void **state)
{
	static const int errors[] = { ENOSPC, EDQUOT, EIO, EAGAIN };
	struct fixture *f = *state;
	struct record *r = open_record(f->path);

	say(r, "net_deny");
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		write_errno = errors[i];
		say(r, "net_deny");
	}
	assert_int_equal(record_lost(r), 4);
	check(f->path, "net_deny", 1, 0);
	write_errno = 0;
	say(r, "net_deny");
	record_tick(r);
	check(f->path, "net_deny", 2, 4);
	assert_int_equal(record_lost(r), 4);
	record_free(r);
}

static void tells_a_loss_at_the_next_tick_when_nothing_else_is_said(void **state)
{
	struct fixture *f = *state;
	struct record *r = open_record(f->path);

	write_errno = ENOSPC;
	say(r, "net_deny");
	record_tick(r);
	write_errno = 0;
	record_free(r);
	check(f->path, "net_deny", 0, 1);
}

static void does_not_let_a_torn_line_spoil_the_next(void **state)
{
	struct fixture *f = *state;
	struct record *r = open_record(f->path);
	unsigned broken;
	double sum;

	say(r, "net_deny");
	write_at_most = 50;
	say(r, "net_deny");
	write_at_most = 1; /* only the newline that mends it */
	say(r, "net_deny");
	write_at_most = 0;
	say(r, "net_deny");
	record_free(r);
	assert_int_equal(count(f->path, "net_deny", "none", &sum, &broken), 2);
	assert_int_equal(broken, 1);
	check(f->path, "net_deny", 2, 2);
}

static void never_waits_for_the_reader_of_a_fifo(void **state)
{
	struct fixture *f = *state;
	struct record *r;
	unsigned said = 0;
	auto_close int reader = -1;
	ssize_t n;
	char buf[65536];

	assert_int_equal(mkfifo(f->path, 0600), 0);
	assert_int_equal(try_open(f->path), -ENXIO);
	reader = open(f->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	r = open_record(f->path);
	while (record_lost(r) < 10 && said < 100000) {
		say(r, "net_deny");
		said++;
	}
	assert_int_equal(record_lost(r), 10);
	n = read(reader, buf, sizeof(buf) - 1);
	assert_true(n > 0);
	record_tick(r);
	while ((n = read(reader, buf, sizeof(buf) - 1)) > 0)
		buf[n] = '\0';
	assert_non_null(strstr(buf, "\"event\":\"lost\""));
	assert_non_null(strstr(buf, "\"count\":10}\n"));
	close(take_fd(reader));
	say(r, "net_deny"); /* no SIGPIPE */
	assert_int_equal(record_lost(r), 11);
	record_free(r);
}

/* Puts fd in the place of standard error; what it was comes back with put_back(). */
static int replace_stderr(int fd)
{
	int saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 10);

	assert_true(saved >= 0);
	assert_int_equal(dup2(fd, STDERR_FILENO), STDERR_FILENO);
	return saved;
}

static void put_back(int saved)
{
	dup2(saved, STDERR_FILENO);
	close(saved);
}

static void never_waits_for_the_reader_of_standard_error(void **state)
{
	struct record *r;
	int fds[2];
	int saved;

	(void)state;
	for (int is_socket = 0; is_socket < 2; is_socket++) {
		if (is_socket)
			assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds),
					 0);
		else
			assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
		saved = replace_stderr(fds[1]);
		r = open_record("-");
		for (unsigned said = 0; record_lost(r) < 5 && said < 100000; said++)
			say(r, "net_deny");
		assert_int_equal(record_lost(r), 5);
		assert_int_equal(fcntl(fds[1], F_GETFL) & O_NONBLOCK, 0);
		close(fds[0]);
		say(r, "net_deny");
		assert_int_equal(record_lost(r), 6);
		record_free(r);
		put_back(saved);
		close(fds[1]);
	}
}

static void shares_the_offset_of_standard_error_with_others(void **state)
{
	struct fixture *f = *state;
	int fd = open(f->path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	int saved = replace_stderr(fd);
	struct record *r = open_record("-");

	say(r, "net_deny");
	assert_int_equal(__real_write(STDERR_FILENO, "words\n", 6), 6);
	say(r, "net_deny");
	record_free(r);
	put_back(saved);
	close(fd);
	assert_true(contains(f->path, "}\nwords\n{"));
	check(f->path, "net_deny", 2, 0);
}

static void survives_a_limit_on_file_sizes(void **state)
{
	struct fixture *f = *state;
	struct record *r = open_record(f->path);
	struct rlimit old;
	struct rlimit small;

	say(r, "net_deny");
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = old;
	small.rlim_cur = 16;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	say(r, "net_deny"); /* no SIGXFSZ */
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(record_lost(r), 1);
	record_free(r);
	check(f->path, "net_deny", 1, 1);
}

static void follows_a_rename_and_a_removal_at_the_next_tick(void **state)
{
	struct fixture *f = *state;
	struct record *r = open_record(f->path);

	say(r, "net_deny");
	assert_int_equal(rename(f->path, f->other), 0);
	say(r, "net_deny");
	record_tick(r);
	say(r, "net_deny");
	check(f->other, "net_deny", 2, 0);
	check(f->path, "net_deny", 1, 0);
	assert_int_equal(unlink(f->path), 0);
	record_tick(r);
	say(r, "net_deny");
	check(f->path, "net_deny", 1, 0);
	record_free(r);
}

static void keeps_the_old_file_when_the_new_one_is_refused(void **state)
{
	struct fixture *f = *state;
	struct record *r = open_record(f->path);
	struct pinfold_error e = { "" };

	assert_int_equal(rename(f->path, f->other), 0);
	assert_int_equal(symlink(f->other, f->path), 0);
	record_tick(r);
	assert_int_equal(record_reopen(r, &e), -ELOOP);
	say(r, "net_deny");
	check(f->other, "net_deny", 1, 0);
	/* A file without a name is no record: its lines are lost, and told once there is one. */
	assert_int_equal(unlink(f->other), 0);
	record_tick(r);
	say(r, "net_deny");
	assert_int_equal(record_lost(r), 1);
	assert_int_equal(unlink(f->path), 0);
	record_free(r);
	check(f->path, "net_deny", 0, 1);
}

static void opens_the_same_file_after_a_change_of_directory(void **state)
{
	struct fixture *f = *state;
	auto_close int home = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct record *r;

	assert_int_equal(chdir(f->dir), 0);
	r = open_record("audit.jsonl");
	assert_int_equal(fchdir(home), 0);
	assert_int_equal(rename(f->path, f->other), 0);
	record_tick(r);
	say(r, "net_deny");
	record_free(r);
	check(f->path, "net_deny", 1, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(refuses_a_symlink),
		TEST(refuses_directories_devices_and_what_is_not_there),
		TEST(refuses_a_file_that_others_can_write),
		TEST(refuses_a_file_of_somebody_else),
		TEST(refuses_a_file_that_has_a_second_name),
		TEST(writes_each_line_with_one_write),
		TEST(counts_what_a_full_disk_lost_and_tells_it_later),
		TEST(tells_a_loss_at_the_next_tick_when_nothing_else_is_said),
		TEST(does_not_let_a_torn_line_spoil_the_next),
		TEST(never_waits_for_the_reader_of_a_fifo),
		TEST(never_waits_for_the_reader_of_standard_error),
		TEST(shares_the_offset_of_standard_error_with_others),
		TEST(survives_a_limit_on_file_sizes),
		TEST(follows_a_rename_and_a_removal_at_the_next_tick),
		TEST(keeps_the_old_file_when_the_new_one_is_refused),
		TEST(opens_the_same_file_after_a_change_of_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
