/* SPDX-License-Identifier: MIT */
/* Small, complete reads and writes. */
#ifndef PINFOLD_BASE_IO_H
#define PINFOLD_BASE_IO_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Reads all of a file (relative to dir_fd as openat does; O_CLOEXEC) into a NUL-terminated buffer
 * that the caller frees.  -EFBIG when it holds more than max bytes. */
int io_read_file(int dir_fd, const char *path, size_t max, char **ret, size_t *ret_len);

/* Writes all of buf to fd, through short writes and EINTR. */
int io_write_full(int fd, const void *buf, size_t len);

/* Writes all that is left to read of in to out.  -EFBIG when that is more than max bytes; what came
 * before is written then. */
int io_copy(int in, int out, uint64_t max);

/* Opens path (relative to dir_fd) for writing, without creating it, and writes text in one
 * write(2), as the files of cgroupfs and procfs want it. */
int io_write_file(int dir_fd, const char *path, const char *text);

#endif
