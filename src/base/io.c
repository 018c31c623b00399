/* SPDX-License-Identifier: MIT */
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/clean.h"

#define COPY_CHUNK 65536

int io_read_file(int dir_fd, const char *path, size_t max, char **ret, size_t *ret_len)
{
	auto_close int fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	auto_free char *buf = NULL;
	size_t cap = 4096;
	size_t len = 0;

	if (fd < 0)
		return -errno;
	buf = malloc(cap + 1);
	if (!buf)
		return -ENOMEM;
	for (;;) {
		ssize_t n = read(fd, buf + len, cap - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		len += (size_t)n;
		if (len > max)
			return -EFBIG;
		if (len < cap)
			continue;
		cap *= 2;
		char *bigger = realloc(buf, cap + 1);

		if (!bigger)
			return -ENOMEM;
		buf = bigger;
	}
	buf[len] = '\0';
	*ret_len = len;
	*ret = take_ptr(buf);
	return 0;
}

int io_write_full(int fd, const void *buf, size_t len)
{
	const char *at = buf;

	while (len > 0) {
		ssize_t n = write(fd, at, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

int io_copy(int in, int out, uint64_t max)
{
	char chunk[COPY_CHUNK];
	uint64_t done = 0;

	for (;;) {
		ssize_t n = read(in, chunk, sizeof(chunk));
		int r;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 0;
		if ((uint64_t)n > max - done)
			return -EFBIG;
		r = io_write_full(out, chunk, (size_t)n);
		if (r < 0)
			return r;
		done += (uint64_t)n;
	}
}

int io_write_file(int dir_fd, const char *path, const char *text)
{
	auto_close int fd = openat(dir_fd, path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	ssize_t n;

	if (fd < 0)
		return -errno;
	do
		n = write(fd, text, strlen(text));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return (size_t)n == strlen(text) ? 0 : -EIO;
}
