/* SPDX-License-Identifier: MIT */
/* The bytes of a record file, decompressed where that is needed. */
#ifndef PINFOLD_AUDIT_SOURCE_H
#define PINFOLD_AUDIT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct pinfold_error;

struct source {
	int fd;      /* what is read */
	pid_t child; /* of the program that decompresses; 0: none */
};

/* Takes fd over, also on failure.  What gzip, xz or zstd made (told by its first bytes) is read
 * through that program: a process of its own with nothing but the two descriptors, no shell, no
 * environment.  -ENOENT with words: the program is not installed.  path is for words. */
int source_open(int fd, const char *path, struct source *ret, struct pinfold_error *e);

/* As read(2), through EINTR.  0: the end.  -EBADMSG: the end as well, and the compressed data was
 * damaged. */
ssize_t source_read(struct source *s, void *buf, size_t size);

bool source_is_compressed(const struct source *s);

/* Any state but all zero; ends the child. */
void source_done(struct source *s);

#endif
