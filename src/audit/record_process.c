/* SPDX-License-Identifier: MIT */
/* Who did it, as /proc tells. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit/record.h"
#include "base/clean.h"
#include "base/io.h"

#define STATUS_MAX 16384

/* The real uid from the text of /proc/PID/status, or -1. */
static int64_t status_uid(const char *status)
{
	const char *at = strstr(status, "\nUid:");
	char *end;
	unsigned long uid;

	if (!at)
		return -1;
	uid = strtoul(at + 5, &end, 10);
	return end == at + 5 ? -1 : (int64_t)uid;
}

void record_process(struct record_line *l, pid_t pid)
{
	auto_close int dir = -1;
	auto_free char *text = NULL;
	char path[PATH_MAX];
	ssize_t n;
	size_t len;

	if (!l || pid <= 0)
		return;
	record_number(l, "pid", pid);
	if (snprintf(path, sizeof(path), "/proc/%d", pid) < 0)
		return;
	dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return;
	if (io_read_file(dir, "comm", STATUS_MAX, &text, &len) == 0) {
		if (len > 0 && text[len - 1] == '\n')
			text[len - 1] = '\0';
		record_text(l, "comm", text);
	}
	n = readlinkat(dir, "exe", path, sizeof(path) - 1);
	if (n > 0) {
		path[n] = '\0';
		record_text(l, "exe", path);
	}
	clean_free(&text);
	text = NULL;
	if (io_read_file(dir, "status", STATUS_MAX, &text, &len) == 0 && status_uid(text) >= 0)
		record_number(l, "uid", status_uid(text));
}
