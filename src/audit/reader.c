/* SPDX-License-Identifier: MIT */
#include "audit/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "audit/record.h"
#include "base/clean.h"
#include "base/err.h"
#include "base/json5.h"

#define BLOCK (4 * RECORD_LINE_MAX)
#define WHOLE_MAX 9007199254740992.0 /* up to here a double holds every whole number */

struct record_reader {
	int fd;
	bool ended;
	bool skipping; /* the line in hand is longer than a line may be */
	char bytes[BLOCK];
	size_t from; /* bytes[from, to) are still to be looked at */
	size_t to;
	uint64_t skipped;
	struct json5 *line;
};

int record_reader_open(const char *path, struct record_reader **ret, struct pinfold_error *e)
{
	bool is_stdin = strcmp(path, "-") == 0;
	auto_close int fd = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
				     : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct record_reader *r;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_set(e, -errno, "cannot read the record '%s': %s", path, strerror(errno));
	if (!is_stdin && !S_ISREG(st.st_mode))
		return err_set(e, -ENOTSUP, "the record '%s' is not a regular file", path);
	r = calloc(1, sizeof(*r));
	if (!r)
		return err_set(e, -ENOMEM, "out of memory");
	r->fd = take_fd(fd);
	*ret = r;
	return 0;
}

/* Makes room and reads on.  1: there is more; 0: the end. */
static int fill(struct record_reader *r)
{
	ssize_t n;

	if (r->ended)
		return 0;
	memmove(r->bytes, r->bytes + r->from, r->to - r->from);
	r->to -= r->from;
	r->from = 0;
	do
		n = read(r->fd, r->bytes + r->to, sizeof(r->bytes) - r->to);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	r->ended = n == 0;
	r->to += (size_t)n;
	return n > 0;
}

static void skip(struct record_reader *r)
{
	r->skipped++;
	r->skipping = false;
}

/* The next line, without its newline, as text[0, len).  1, 0 at the end, or a negative errno. */
static int next_text(struct record_reader *r, const char **ret, size_t *ret_len)
{
	for (;;) {
		char *start = r->bytes + r->from;
		char *end = memchr(start, '\n', r->to - r->from);
		int n;

		if (end) {
			r->from += (size_t)(end - start) + 1;
			*ret = start;
			*ret_len = (size_t)(end - start);
			return 1;
		}
		if (r->to - r->from >= RECORD_LINE_MAX) {
			r->skipping = true; /* its end is still to come */
			r->from = r->to;
		}
		n = fill(r);
		if (n < 0)
			return n;
		if (n > 0)
			continue;
		if (r->skipping || r->from < r->to)
			skip(r); /* a line without its end */
		r->from = r->to;
		return 0;
	}
}

int record_reader_next(struct record_reader *r, const struct json5 **ret)
{
	const char *text;
	size_t len;
	int n;

	json5_free(take_ptr(r->line));
	while ((n = next_text(r, &text, &len)) > 0) {
		if (r->skipping || len >= RECORD_LINE_MAX) {
			skip(r);
			continue;
		}
		n = json5_parse(text, len, "record", &r->line, NULL);
		if (n == -ENOMEM)
			return n;
		if (n == 0 && r->line && r->line->type == JSON5_OBJECT) {
			*ret = r->line;
			return 1;
		}
		json5_free(take_ptr(r->line));
		skip(r);
	}
	return n;
}

uint64_t record_reader_skipped(const struct record_reader *r)
{
	return r->skipped;
}

const char *record_member_text(const struct json5 *line, const char *key)
{
	const struct json5 *m = json5_member(line, key);

	return m && m->type == JSON5_STRING ? m->string : NULL;
}

int64_t record_member_number(const struct json5 *line, const char *key, int64_t fallback)
{
	const struct json5 *m = json5_member(line, key);

	if (!m || m->type != JSON5_NUMBER || m->number < -WHOLE_MAX || m->number > WHOLE_MAX)
		return fallback;
	return (int64_t)m->number;
}

void record_reader_free(struct record_reader *r)
{
	if (!r)
		return;
	json5_free(r->line);
	close(r->fd);
	free(r);
}
