/* SPDX-License-Identifier: MIT */
/* The record on a disk that is really full: a tmpfs of a few pages in a mount namespace. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "audit/record.h"
#include "base/clean.h"
#include "base/io.h"
#include "pinfold.h"

#define LINES 200
#define SIZE "size=16k"
#define TEXT_MAX (1 << 20)

static int write_lines(const char *path, const char *ballast)
{
	struct record_who who = { .session = "s-1" };
	struct pinfold_error e;
	struct record *r = NULL;

	if (record_open(path, &who, &r, &e) != 0)
		return 10;
	for (int i = 0; i < LINES; i++) {
		struct record_line *l = record_begin(r, "net_deny");

		record_text(l, "dst", "192.0.2.1");
		record_end(l);
	}
	if (record_lost(r) == 0 || record_lost(r) >= LINES)
		return 11;
	if (unlink(ballast) != 0)
		return 12;
	record_tick(r);
	record_end(record_begin(r, "session_end"));
	record_free(r);
	return 0;
}

/* Whole lines, told losses and torn lines make up everything; the end came through. */
static int check_lines(const char *path)
{
	auto_free char *text = NULL;
	unsigned whole = 0;
	unsigned lost = 0;
	unsigned ends = 0;
	unsigned torn = 0;
	size_t len;
	char *end;

	if (io_read_file(AT_FDCWD, path, TEXT_MAX, &text, &len) != 0)
		return 20;
	for (char *s = text; (end = strchr(s, '\n')); s = end + 1) {
		cJSON *o;
		const char *event;

		*end = '\0';
		o = cJSON_ParseWithOpts(s, NULL, true);
		event = cJSON_GetStringValue(cJSON_GetObjectItem(o, "event"));
		torn += o == NULL;
		whole += event && strcmp(event, "net_deny") == 0;
		ends += event && strcmp(event, "session_end") == 0;
		if (event && strcmp(event, "lost") == 0)
			lost += (unsigned)cJSON_GetObjectItem(o, "count")->valueint;
		cJSON_Delete(o);
	}
	if (whole + lost != LINES)
		return 21;
	return ends == 1 && torn <= 1 ? 0 : 22;
}

/* Runs in a child; the exit code tells the step that failed. */
static int fill_a_disk(const char *dir)
{
	char path[64];
	char ballast[64];
	char page[4096] = "";
	int fd;
	int r;

	if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("tmpfs", dir, "tmpfs", MS_NOSUID | MS_NODEV, SIZE) != 0)
		return 1;
	snprintf(path, sizeof(path), "%s/audit.jsonl", dir);
	snprintf(ballast, sizeof(ballast), "%s/ballast", dir);
	fd = open(ballast, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, page, sizeof(page)) != sizeof(page) ||
	    write(fd, page, sizeof(page)) != sizeof(page))
		return 2;
	close(fd);
	r = write_lines(path, ballast);
	return r ? r : check_lines(path);
}

static void tells_how_many_lines_a_full_disk_lost_and_goes_on(void **state)
{
	char dir[] = "/tmp/pinfold-test-XXXXXX";
	int status = -1;
	pid_t child;

	(void)state;
	assert_non_null(mkdtemp(dir));
	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		_exit(fill_a_disk(dir));
	waitpid(child, &status, 0);
	rmdir(dir);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_how_many_lines_a_full_disk_lost_and_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
