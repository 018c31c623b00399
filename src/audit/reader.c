/* SPDX-License-Identifier: MIT */
#include "audit/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include "audit/line.h"
#include "audit/record.h"
#include "audit/source.h"
#include "base/clean.h"
#include "base/err.h"
#include "base/json5.h"

/* Large enough that reading costs little, small enough to stay in the processor's cache. */
#define BLOCK (64 * RECORD_LINE_MAX)
#define WHOLE_MAX 9007199254740992.0 /* up to here a double holds every whole number */

struct record_reader {
	struct source source;
	bool ended;
	bool more;     /* the end is only the end for now */
	bool skipping; /* the line in hand is longer than a line may be */
	size_t from;   /* bytes[from, to) are still to be looked at */
	size_t to;
	struct record_counts counts;
	struct json5 *line;
	char bytes[BLOCK];
};

int record_reader_take(int fd, const char *path, struct record_reader **ret,
		       struct pinfold_error *e)
{
	struct record_reader *r = malloc(sizeof(*r));
	int rc;

	if (!r) {
		close(fd);
		return err_set(e, -ENOMEM, "out of memory");
	}
	memset(r, 0, offsetof(struct record_reader, bytes));
	rc = source_open(fd, path, &r->source, e);
	if (rc < 0) {
		free(r);
		return rc;
	}
	*ret = r;
	return 0;
}

int record_reader_open(const char *path, struct record_reader **ret, struct pinfold_error *e)
{
	bool is_stdin = strcmp(path, "-") == 0;
	auto_close int fd = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
				     : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_set(e, -errno, "cannot read the record '%s': %s", path, strerror(errno));
	if (!is_stdin && !S_ISREG(st.st_mode))
		return err_set(e, -ENOTSUP, "the record '%s' is not a regular file", path);
	return record_reader_take(take_fd(fd), path, ret, e);
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
	n = source_read(&r->source, r->bytes + r->to, sizeof(r->bytes) - r->to);
	if (n == -EBADMSG) {
		r->counts.damaged++;
		n = 0;
	}
	if (n < 0)
		return (int)n;
	r->ended = n == 0 && !r->more;
	r->to += (size_t)n;
	r->counts.bytes += (uint64_t)n;
	return n > 0;
}

static void skip(struct record_reader *r)
{
	r->counts.broken++;
	r->skipping = false;
}

/* The next line, as text[0, len) with its newline behind.  1, 0 at the end, or a negative errno. */
static int next_text(struct record_reader *r, const char **ret, size_t *ret_len)
{
	for (;;) {
		char *start = r->bytes + r->from;
		char *end = memchr(start, '\n', r->to - r->from);
		int n;

		if (end) {
			r->from += (size_t)(end - start) + 1;
			r->counts.lines++;
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
		if (r->more)
			return 0;
		if (r->skipping || r->from < r->to) {
			r->counts.lines++;
			skip(r); /* a line without its end */
		}
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

int record_reader_next_line(struct record_reader *r, struct pinfold_log_line *ret)
{
	const char *text;
	size_t len;
	int n;

	while ((n = next_text(r, &text, &len)) > 0) {
		bool is_long = r->skipping || len >= RECORD_LINE_MAX;

		n = is_long ? -EINVAL : line_scan(text, len, ret);
		if (n == 0)
			n = line_check(ret);
		if (n == 0)
			return 1;
		if (n == -EBADMSG)
			r->counts.forged++;
		else
			skip(r);
	}
	return n;
}

void record_reader_expect_more(struct record_reader *r, bool more)
{
	r->more = more;
	if (more)
		r->ended = false;
}

bool record_reader_rewind_if_cut(struct record_reader *r)
{
	off_t at = lseek(r->source.fd, 0, SEEK_CUR);
	struct stat st;

	if (at <= 0 || fstat(r->source.fd, &st) < 0 || st.st_size >= at)
		return false;
	if (lseek(r->source.fd, 0, SEEK_SET) < 0)
		return false;
	r->from = 0;
	r->to = 0;
	r->skipping = false;
	r->ended = false;
	return true;
}

bool record_reader_is_compressed(const struct record_reader *r)
{
	return source_is_compressed(&r->source);
}

int record_reader_fd(const struct record_reader *r)
{
	return r->source.fd;
}

const struct record_counts *record_reader_counts(const struct record_reader *r)
{
	return &r->counts;
}

uint64_t record_reader_skipped(const struct record_reader *r)
{
	return r->counts.broken;
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
	source_done(&r->source);
	free(r);
}
