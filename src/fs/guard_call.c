/* SPDX-License-Identifier: MIT */
/* Whether an open that waits for an answer is one for writing.  The kernel's question does not say,
 * but the thread stands still in its system call, and its arguments can be read. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clean.h"
#include "fs/guard_inner.h"

#define CALL_TEXT_BYTES 256

/* Calls that open a file, and which argument says how.  Of any other nothing is known: it counts
 * as one for writing, as does openat2, whose arguments can still change. */
static const struct {
	long number;
	int argument; /* -1: never for writing */
} calls[] = {
	{ SYS_openat, 2 },
#ifdef SYS_open
	{ SYS_open, 1 },
#endif
	{ SYS_execve, -1 },
	{ SYS_execveat, -1 },
};

int guard_calls_start(struct guard_core *g)
{
	/* Of the guard's pid namespace, whose numbers the questions carry. */
	auto_close int fs = fsopen("proc", FSOPEN_CLOEXEC);

	if (fs < 0 || fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return -errno;
	g->calls =
	    fsmount(fs, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
	return g->calls < 0 ? -errno : 0;
}

/* "NUMBER ARG0 ARG1 ...": the arguments in hexadecimal. */
static bool text_says_write(char *text)
{
	char *at = text;
	long number = strtol(text, &at, 10);
	unsigned long arg[3];

	if (at == text)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(arg); i++)
		arg[i] = strtoul(at, &at, 16);
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		if (calls[i].number != number)
			continue;
		if (calls[i].argument < 0)
			return false;
		unsigned long flags = arg[calls[i].argument];

		return (flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC);
	}
	return true;
}

bool guard_open_writes(const struct guard_core *g, pid_t tid)
{
	char text[CALL_TEXT_BYTES];
	auto_close int fd = -1;
	ssize_t n;

	snprintf(text, sizeof(text), "%d/syscall", (int)tid);
	fd = openat(g->calls, text, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return true;
	text[n] = '\0';
	return text_says_write(text);
}
