/* SPDX-License-Identifier: MIT */
#include "identity/state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/err.h"

static int close_one(const char *path, struct pinfold_error *e)
{
	auto_close int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 && (errno == ELOOP || errno == ENOTDIR))
		return err_set(e, -ENOTDIR, "the state directory '%s' is no directory", path);
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_set(e, -errno, "cannot open the state directory '%s': %s", path,
			       strerror(errno));
	if ((st.st_mode & (S_IRWXG | S_IRWXO)) &&
	    fchmod(fd, st.st_mode & 07777 & ~(mode_t)(S_IRWXG | S_IRWXO)) < 0)
		return err_set(e, -errno, "cannot close the state directory '%s': %s", path,
			       strerror(errno));
	return 0;
}

int state_close(const char *const *dir, size_t n, struct pinfold_error *e)
{
	int r = 0;

	if (n > STATE_DIRS_MAX)
		return err_set(e, -E2BIG, "more than %d state directories", STATE_DIRS_MAX);
	for (size_t i = 0; i < n && r == 0; i++)
		r = close_one(dir[i], e);
	return r;
}

static bool can_open(const char *path, int flags)
{
	auto_close int fd = open(path, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);

	return fd >= 0;
}

/* A file without a name leaves nothing behind; not every file system has them. */
static bool can_write(const char *dir)
{
	if (can_open(dir, O_WRONLY | O_TMPFILE))
		return true;
	return (errno == EOPNOTSUPP || errno == EISDIR) && access(dir, W_OK | X_OK) == 0;
}

enum state_finding state_try(const struct state_test *t, int *ret_index)
{
	char path[64];

	*ret_index = 0;
	(void)snprintf(path, sizeof(path), "/proc/%d/environ", (int)t->launcher);
	if (can_open(path, O_RDONLY))
		return STATE_ENVIRONMENT_READ;
	for (size_t i = 0; i < t->n; i++) {
		*ret_index = (int)i;
		if (can_open(t->dir[i], O_RDONLY | O_DIRECTORY))
			return STATE_DIR_READ;
	}
	if (t->workspace && !can_write(t->workspace))
		return STATE_WORKSPACE_CLOSED;
	return STATE_FINE;
}

int state_explain(const struct state_test *t, enum state_finding finding, int index,
		  struct pinfold_error *e)
{
	switch (finding) {
	case STATE_ENVIRONMENT_READ:
		return err_set(e, -EPERM, "the session could read the environment of its launcher");
	case STATE_DIR_READ:
		return err_set(e, -EPERM, "the session could read the state directory '%s'",
			       index >= 0 && (size_t)index < t->n ? t->dir[index] : "?");
	case STATE_WORKSPACE_CLOSED:
		return err_set(e, -EPERM,
			       "the session could not write its workspace '%s'; identity.handover "
			       "gives it the files",
			       t->workspace ? t->workspace : "?");
	default:
		return err_set(e, -EPERM, "the self-test of the session failed");
	}
}
