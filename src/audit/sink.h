/* SPDX-License-Identifier: MIT */
/* Where lines go: a file, a FIFO or standard error.  Nothing here ever blocks. */
#ifndef PINFOLD_AUDIT_SINK_H
#define PINFOLD_AUDIT_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct pinfold_error;

#define SINK_LINE_MAX 4096

enum sink_kind {
	SINK_NONE = 0, /* every line is thrown away, and none is lost */
	SINK_FILE,     /* a regular file, appended to */
	SINK_STREAM,   /* a FIFO, pipe, terminal or other device */
	SINK_SOCKET,
};

struct sink {
	enum sink_kind kind;
	int fd;
	int dir_fd;    /* the file's directory, so that its path means the same after a chdir */
	char *name;    /* in dir_fd; NULL when the sink is no file of its own */
	char *path;    /* for words */
	bool torn;     /* the last line is not whole: the next one begins with a newline */
	bool may_wait; /* fd could block: ask before writing */
	bool gone;     /* the file was removed and could not be made again: all lines are lost */
};

/* path as in record_open().  -ELOOP: a symlink; -EPERM: something that others can write, or that
 * belongs to somebody else; -ENOTSUP: neither a regular file nor a FIFO; -ENXIO: nobody reads the
 * FIFO. */
int sink_open(struct sink *s, const char *path, struct pinfold_error *e);

/* Opens the file anew, with the same checks; on failure the old one stays in use. */
int sink_reopen(struct sink *s, struct pinfold_error *e);

/* Was the file renamed or removed since it was opened? */
bool sink_is_stale(const struct sink *s);

/* line[0, len) ends with a newline; one write(2).  0, or a negative errno: -EAGAIN when it would
 * have blocked, -EIO when only a part was written. */
int sink_write(struct sink *s, const char *line, size_t len);

void sink_done(struct sink *s);

#endif
