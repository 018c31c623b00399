/* SPDX-License-Identifier: MIT */
/* The operator's list: commands that were allowed for good. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "agents/queue_inner.h"
#include "base/clean.h"
#include "base/err.h"
#include "base/io.h"

#define LIST_MAX ((size_t)16 << 20)

static const char PATH[] = QUEUE_ALWAYS_DIR "/" QUEUE_ALWAYS_FILE;

static bool same_string(const cJSON *o, const char *key, const char *want)
{
	const char *s = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(o, key));

	return s && strcmp(s, want) == 0;
}

static bool same_words(const cJSON *words, char *const *argv)
{
	const cJSON *word;
	size_t i = 0;

	if (!cJSON_IsArray(words))
		return false;
	cJSON_ArrayForEach(word, words) {
		const char *s = cJSON_GetStringValue(word);

		if (!s || !argv[i] || strcmp(s, argv[i]) != 0)
			return false;
		i++;
	}
	return !argv[i];
}

static bool is_same(const char *line, size_t len, const struct queue_always *a)
{
	cJSON *o = cJSON_ParseWithLength(line, len);
	const bool same = same_string(o, "agent", a->agent) && same_string(o, "cwd", a->cwd) &&
			  same_words(cJSON_GetObjectItemCaseSensitive(o, "command"), a->argv);

	cJSON_Delete(o);
	return same;
}

static int search(const char *text, const struct queue_always *a, size_t *ret_line)
{
	for (size_t n = 1; *text; n++) {
		const size_t len = strcspn(text, "\n");

		if (is_same(text, len, a)) {
			*ret_line = n;
			return 1;
		}
		text += len + (text[len] == '\n');
	}
	return 0;
}

static int check(int fd, struct pinfold_error *e)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_uid != 0 || (st.st_mode & 022))
		return err_set(e, -EPERM, "'%s' has to be a file that only root can write", PATH);
	return 0;
}

int queue_always_has(const struct queue_always *a, size_t *ret_line, struct pinfold_error *e)
{
	auto_close int fd = open(PATH, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	auto_free char *text = NULL;
	size_t len = 0;
	int r;

	if (fd < 0)
		return errno == ENOENT
			   ? 0
			   : err_set(e, -errno, "cannot read '%s': %s", PATH, strerror(errno));
	r = check(fd, e);
	if (r == 0)
		r = io_read_file(AT_FDCWD, PATH, LIST_MAX, &text, &len);
	if (r < 0)
		return r;
	return text ? search(text, a, ret_line) : 0;
}

/* One line of JSON; free() it. */
static char *describe(const struct queue_always *a)
{
	cJSON *o = cJSON_CreateObject();
	cJSON *words = cJSON_AddArrayToObject(o, "command");
	time_t now = time(NULL);
	char at[40];
	struct tm tm;
	char *text;

	for (size_t i = 0; a->argv[i]; i++)
		cJSON_AddItemToArray(words, cJSON_CreateString(a->argv[i]));
	cJSON_AddStringToObject(o, "cwd", a->cwd);
	cJSON_AddStringToObject(o, "agent", a->agent);
	cJSON_AddStringToObject(o, "by", a->by);
	gmtime_r(&now, &tm);
	strftime(at, sizeof(at), "%Y-%m-%dT%H:%M:%SZ", &tm);
	cJSON_AddStringToObject(o, "at", at);
	text = cJSON_PrintUnformatted(o);
	cJSON_Delete(o);
	return text;
}

static int append(int dir, const struct queue_always *a, struct pinfold_error *e)
{
	auto_close int fd = openat(dir, QUEUE_ALWAYS_FILE,
				   O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	auto_free char *object = describe(a);
	auto_free char *line = NULL;
	size_t found;
	int r;

	if (fd < 0)
		return err_set(e, -errno, "cannot write '%s': %s", PATH, strerror(errno));
	flock(fd, LOCK_EX);
	r = check(fd, e);
	if (r == 0)
		r = queue_always_has(a, &found, e);
	if (r != 0)
		return r < 0 ? r : 0;
	if (!object || asprintf(&line, "%s\n", object) < 0)
		return err_set(e, -ENOMEM, "out of memory");
	r = io_write_full(fd, line, strlen(line));
	return r < 0 ? err_set(e, r, "cannot write '%s': %s", PATH, strerror(-r)) : 0;
}

int queue_always_add(const struct queue_always *a, struct pinfold_error *e)
{
	auto_close int dir = queue_open_dir(QUEUE_ALWAYS_DIR, 022, e);

	return dir < 0 ? dir : append(dir, a, e);
}
