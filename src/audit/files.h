/* SPDX-License-Identifier: MIT */
/* A record and the files that were rotated away beside it. */
#ifndef PINFOLD_AUDIT_FILES_H
#define PINFOLD_AUDIT_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pinfold_error;

#define RECORD_FILES_MAX 512

/* Open from the start: a rotation in the middle of reading moves names, not files. */
struct record_file {
	int fd;
	char *path;
	uint64_t order; /* of two, the greater was written first */
};

struct record_files {
	struct record_file file[RECORD_FILES_MAX]; /* oldest first, the record itself last */
	size_t n;
	bool has_current; /* the last one is the record itself */
};

/* Where the record is when nothing names it: $PINFOLD_LOG, else PINFOLD_LOG_DEFAULT. */
const char *record_default_path(void);

/* path: "FILE", beside which FILE.1, FILE.2.gz, FILE-20260131, FILE-20260131-1700000000.zst and the
 * like count; with only, that file alone; "-" is standard input.  Where a file stands there both
 * plain and compressed, the plain one is taken (the other is still being made).  -ENOENT: neither
 * the file nor a rotated one; -ENOTSUP: it is no regular file; -E2BIG: more than RECORD_FILES_MAX.
 */
int record_files_open(const char *path, bool only, struct record_files *ret,
		      struct pinfold_error *e);

/* Opens path for reading: -ENOTSUP with words when it is no regular file. */
int record_file_open(const char *path, int *ret_fd, struct pinfold_error *e);

void record_files_done(struct record_files *f);

#endif
