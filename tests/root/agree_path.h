/* SPDX-License-Identifier: MIT */
/* What runs inside the pen in test_agree_path.c: tries each path once, and says how it went. */
#ifndef PINFOLD_TESTS_AGREE_PATH_H
#define PINFOLD_TESTS_AGREE_PATH_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clean.h"

#define QUESTION_PATH_MAX 512

enum deed {
	READ_FILE = 0,
	READ_DIR,
	WRITE_FILE,
	WRITE_NEW, /* a name that does not exist yet */
	EXEC_FILE,
	DEEDS,
};

struct question {
	enum deed deed;
	char path[QUESTION_PATH_MAX];
};

static inline int try_open(const char *path, int flags)
{
	auto_close int fd = open(path, flags | O_CLOEXEC | O_NONBLOCK, 0600);

	return fd < 0 ? errno : 0;
}

static inline int try_new(const char *path)
{
	int r = try_open(path, O_WRONLY | O_CREAT | O_EXCL);

	if (r == 0)
		unlink(path);
	return r;
}

/* The files are scripts for true: they end with status 0. */
static inline int try_exec(const char *path)
{
	char *const argv[] = { (char *)(uintptr_t)path, NULL };
	int status = 0;
	pid_t pid = vfork();

	if (pid == 0) {
		execve(path, argv, NULL);
		_exit(errno);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return EIO;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}

static inline int try_path(const struct question *q)
{
	switch (q->deed) {
	case READ_FILE:
		return try_open(q->path, O_RDONLY);
	case READ_DIR:
		return try_open(q->path, O_RDONLY | O_DIRECTORY);
	case WRITE_FILE:
		return try_open(q->path, O_WRONLY);
	case WRITE_NEW:
		return try_new(q->path);
	case EXEC_FILE:
		return try_exec(q->path);
	case DEEDS:
		break;
	}
	return EINVAL;
}

/* Writes one errno for each question. */
static inline int try_all(const char *asked, const char *told)
{
	FILE *in = fopen(asked, "re");
	FILE *out = fopen(told, "we");
	struct question q;

	if (!in || !out)
		return 2;
	while (fread(&q, sizeof(q), 1, in) == 1)
		fprintf(out, "%d\n", try_path(&q));
	fclose(in);
	return fclose(out) == 0 ? 0 : 2;
}

#endif
