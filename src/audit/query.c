/* SPDX-License-Identifier: MIT */
/*
 * DOC: following.  The file is read to its end; then, four times a second, its name is looked at.
 * When another file stands there, the old one is read to its very end first (a writer that has it
 * open may still have appended), and then the new one from its start.  A file that became shorter
 * was cut by whoever copies and truncates, and starts anew.
 */
#include "audit/query.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>

#include "audit/escape.h"
#include "audit/files.h"
#include "audit/filter.h"
#include "audit/line.h"
#include "audit/reader.h"
#include "base/clean.h"
#include "base/err.h"

#define FOLLOW_MS 250
#define ESCAPE_LEN 6 /* \uXXXX */

struct pump {
	const char *path;
	const struct pinfold_log_query *q;
	int (*fn)(void *data, const struct pinfold_log_line *line);
	void *data;
	struct pinfold_log_counts counts;
	struct pinfold_error *e;
};

static void add_counts(struct pump *p, const struct record_reader *r)
{
	const struct record_counts *c = record_reader_counts(r);

	p->counts.files++;
	p->counts.bytes += c->bytes;
	p->counts.lines += c->lines;
	p->counts.broken += c->broken;
	p->counts.forged += c->forged;
	p->counts.damaged += c->damaged;
}

/* Up to the end, for now.  1: fn has enough. */
static int drain(struct pump *p, struct record_reader *r)
{
	struct pinfold_log_line line;
	int n;

	while ((n = record_reader_next_line(r, &line)) > 0) {
		if (!log_filter_passes(p->q->filter, &line))
			continue;
		p->counts.matched++;
		if (p->fn(p->data, &line) != 0)
			return 1;
	}
	return n < 0 ? err_set(p->e, n, "cannot read the record '%s': %s", p->path, strerror(-n))
		     : 0;
}

/* Does another file stand there by now? */
static bool was_rotated(const char *path, const struct record_reader *r)
{
	struct stat there;
	struct stat ours;

	if (stat(path, &there) < 0 || fstat(record_reader_fd(r), &ours) < 0)
		return false;
	return there.st_ino != ours.st_ino || there.st_dev != ours.st_dev;
}

/* *r is read out and replaced.  1: fn has enough. */
static int change_file(struct pump *p, struct record_reader **r)
{
	int fd;
	int n;

	record_reader_expect_more(*r, false);
	n = drain(p, *r);
	add_counts(p, *r);
	record_reader_free(take_ptr(*r));
	if (n == 0)
		n = record_file_open(p->path, &fd, p->e);
	if (n == 0)
		n = record_reader_take(fd, p->path, r, p->e);
	if (n == 0)
		record_reader_expect_more(*r, true);
	return n;
}

static int follow(struct pump *p, struct record_reader **r)
{
	if (record_reader_is_compressed(*r))
		return err_set(p->e, -EINVAL,
			       "'%s' is compressed and will not grow; leave out --follow", p->path);
	record_reader_expect_more(*r, true);
	for (;;) {
		int n = drain(p, *r);

		if (n != 0)
			return n;
		if (p->fn(p->data, NULL) != 0)
			return 1;
		if (record_reader_rewind_if_cut(*r))
			continue;
		if (was_rotated(p->path, *r)) {
			n = change_file(p, r);
			if (n != 0)
				return n;
			continue;
		}
		poll(NULL, 0, FOLLOW_MS);
	}
}

static int read_file(struct pump *p, struct record_file *file, bool is_last)
{
	struct record_reader *r = NULL;
	int n = record_reader_take(take_fd(file->fd), file->path, &r, p->e);

	if (n < 0)
		return n;
	n = p->q->follow && is_last ? follow(p, &r) : drain(p, r);
	if (r)
		add_counts(p, r);
	record_reader_free(r);
	return n;
}

int log_read(const char *path, const struct pinfold_log_query *q,
	     int (*fn)(void *data, const struct pinfold_log_line *line), void *data,
	     struct pinfold_log_counts *ret_counts, struct pinfold_error *e)
{
	struct pump p = { .path = path, .q = q, .fn = fn, .data = data, .e = e };
	struct record_files files;
	int r;

	if (q->follow && strcmp(path, "-") == 0)
		return err_set(e, -EINVAL,
			       "standard input cannot be followed, only read; leave out --follow");
	r = record_files_open(path, q->only, &files, e);
	if (r == 0 && q->follow && !files.has_current) {
		record_files_done(&files);
		return err_set(e, -ENOENT,
			       "there is no record '%s' to follow; name the file that --log or "
			       "audit.path names",
			       path);
	}
	if (r < 0)
		return r;
	for (size_t i = 0; i < files.n && r == 0; i++)
		r = read_file(&p, &files.file[i], i + 1 == files.n);
	record_files_done(&files);
	if (r < 0)
		return r;
	if (ret_counts)
		*ret_counts = p.counts;
	return 0;
}

/* ---- one line, for those who print it ------------------------------------------------------- */

static size_t put_escape(uint32_t c, char *ret)
{
	static const char HEX[] = "0123456789abcdef";

	ret[0] = '\\';
	ret[1] = 'u';
	for (int i = 0; i < 4; i++)
		ret[2 + i] = HEX[c >> (12 - 4 * i) & 0xf];
	return ESCAPE_LEN;
}

size_t pinfold_log_line_json(const struct pinfold_log_line *line, char *ret, size_t size)
{
	size_t used = 0;
	size_t i = 0;

	if (!line->odd) {
		if (line->len > size)
			return 0;
		memcpy(ret, line->text, line->len);
		return line->len;
	}
	while (i < line->len) {
		uint32_t c;
		size_t n = escape_decode(line->text + i, &c);
		bool escape = escape_wants(c) && c <= 0xffff;

		if (used + (escape ? ESCAPE_LEN : n) > size)
			return 0;
		if (escape)
			used += put_escape(c, ret + used);
		else
			memcpy(ret + used, line->text + i, n);
		used += escape ? 0 : n;
		i += n;
	}
	return used;
}

bool pinfold_log_line_text(const struct pinfold_log_line *line, const char *key, char *ret,
			   size_t size)
{
	bool found = line_text(line, key, ret, size);

	line_clean(ret);
	return found;
}

const char *pinfold_log_line_verdict(const struct pinfold_log_line *line)
{
	return log_verdict(line);
}
