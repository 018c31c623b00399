/* SPDX-License-Identifier: MIT */
#include "audit/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clean.h"
#include "base/err.h"
#include "pinfold_review.h"

#define NUMBER_DIGITS_MAX 6
#define DATE_DIGITS_MIN 8 /* logrotate's dateext */
#define DATE_DIGITS_MAX 18

const char *record_default_path(void)
{
	const char *named = secure_getenv("PINFOLD_LOG");

	return named && named[0] ? named : PINFOLD_LOG_DEFAULT;
}

static const char *remedy_for(int code)
{
	if (code == ENOENT)
		return "; name a file, set PINFOLD_LOG, or give a policy that has audit.path (-p)";
	return code == EACCES ? "; it is for its owner alone: try sudo" : "";
}

int record_file_open(const char *path, int *ret_fd, struct pinfold_error *e)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_set(e, -errno, "cannot read the record '%.120s': %s%s", path,
			       strerror(errno), remedy_for(errno));
	if (!S_ISREG(st.st_mode))
		return err_set(e, -ENOTSUP, "the record '%s' is not a regular file", path);
	*ret_fd = take_fd(fd);
	return 0;
}

static bool is_packed_suffix(const char *text)
{
	static const char *const SUFFIXES[] = { "", ".gz", ".xz", ".zst" };

	for (size_t i = 0; i < ARRAY_SIZE(SUFFIXES); i++)
		if (strcmp(text, SUFFIXES[i]) == 0)
			return true;
	return false;
}

/* The order of what follows the record's name: ".3.gz" or "-20260131".  Numbers grow with age,
 * dates shrink.  False: it is no rotated file. */
static bool order_of(const char *rest, uint64_t *ret)
{
	bool dated = rest[0] == '-';
	uint64_t value = 0;
	size_t n = 0;
	const char *at = rest + 1;

	if (rest[0] != '.' && !dated)
		return false;
	for (; (*at >= '0' && *at <= '9') || (dated && *at == '-' && n > 0); at++) {
		if (*at == '-')
			continue;
		if (++n > DATE_DIGITS_MAX)
			return false;
		value = value * 10 + (uint64_t)(*at - '0');
	}
	if (n == 0 || !is_packed_suffix(at))
		return false;
	if (dated ? n < DATE_DIGITS_MIN : n > NUMBER_DIGITS_MAX)
		return false;
	for (; dated && n < DATE_DIGITS_MAX; n++)
		value *= 10; /* a date alone comes before one of that day with a time */
	*ret = dated ? UINT64_MAX - value : value;
	return true;
}

static int add(struct record_files *f, char *path, uint64_t order, struct pinfold_error *e)
{
	int fd;
	int r;

	if (f->n == RECORD_FILES_MAX) {
		free(path);
		return err_set(e, -E2BIG, "more than %d rotated files; read them one by one",
			       RECORD_FILES_MAX);
	}
	r = record_file_open(path, &fd, e);
	if (r < 0) {
		free(path);
		return r;
	}
	f->file[f->n++] = (struct record_file){ .fd = fd, .path = path, .order = order };
	return 0;
}

static int by_order(const void *a, const void *b)
{
	const struct record_file *x = a;
	const struct record_file *y = b;

	if (x->order != y->order)
		return x->order < y->order ? 1 : -1;
	return strcmp(x->path, y->path); /* "FILE.2" before "FILE.2.gz" */
}

static void drop_twins(struct record_files *f)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->n; i++) {
		if (kept > 0 && f->file[kept - 1].order == f->file[i].order) {
			close(f->file[i].fd);
			free(f->file[i].path);
			continue;
		}
		f->file[kept++] = f->file[i];
	}
	f->n = kept;
}

static int add_rotated(const char *dir, const char *name, struct record_files *f,
		       struct pinfold_error *e)
{
	DIR *d = opendir(*dir ? dir : ".");
	const size_t len = strlen(name);
	const struct dirent *at;
	int r = 0;

	if (!d)
		return 0; /* opening the record itself will tell */
	while (r == 0 && (at = readdir(d))) {
		uint64_t order;
		char *path;

		if (strncmp(at->d_name, name, len) != 0 || !order_of(at->d_name + len, &order))
			continue;
		if (asprintf(&path, "%s%s", dir, at->d_name) < 0)
			r = err_set(e, -ENOMEM, "out of memory");
		else
			r = add(f, path, order, e);
		if (r == -ENOENT || r == -ENOTSUP)
			r = 0; /* rotated on meanwhile; something else of that name */
	}
	closedir(d);
	return r;
}

/* name is taken over, as in add(). */
static int add_stdin(struct record_files *f, char *name, struct pinfold_error *e)
{
	int fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);

	if (fd < 0) {
		free(name);
		return err_set(e, -EBADF, "there is no standard input");
	}
	f->file[f->n++] = (struct record_file){ .fd = fd, .path = name };
	return 0;
}

static int add_current(const char *path, struct record_files *f, struct pinfold_error *e)
{
	char *copy = strdup(path);
	int r;

	if (!copy)
		return err_set(e, -ENOMEM, "out of memory");
	r = strcmp(path, "-") == 0 ? add_stdin(f, copy, e) : add(f, copy, 0, e);
	f->has_current = r == 0;
	return r == -ENOENT && f->n > 0 ? 0 : r;
}

int record_files_open(const char *path, bool only, struct record_files *ret,
		      struct pinfold_error *e)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	auto_free char *dir = strndup(path, (size_t)(name - path));
	int r = dir ? 0 : err_set(e, -ENOMEM, "out of memory");

	ret->n = 0;
	ret->has_current = false;
	if (r == 0 && !only && strcmp(path, "-") != 0 && *name)
		r = add_rotated(dir, name, ret, e);
	if (r == 0) {
		qsort(ret->file, ret->n, sizeof(ret->file[0]), by_order);
		drop_twins(ret);
		r = add_current(path, ret, e);
	}
	if (r < 0)
		record_files_done(ret);
	return r;
}

void record_files_done(struct record_files *f)
{
	for (size_t i = 0; i < f->n; i++) {
		if (f->file[i].fd >= 0)
			close(f->file[i].fd);
		free(f->file[i].path);
	}
	f->n = 0;
}
