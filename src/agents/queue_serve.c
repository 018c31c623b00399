/* SPDX-License-Identifier: MIT */
/* The side that decides. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "agents/queue_inner.h"
#include "base/clean.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/io.h"

#define US_PER_MS 1000

/* What was asked, as it was written; cJSON_Delete() it.  NULL: nobody waits there. */
static cJSON *read_request(int queue, const char *id, char ret_hash[static QUEUE_HASH_LEN + 1])
{
	auto_close int fd = queue_open_request(queue, id);
	auto_free char *text = NULL;
	size_t len = 0;

	if (fd < 0 || io_read_file(fd, QUEUE_REQUEST, QUEUE_REQUEST_MAX, &text, &len) < 0)
		return NULL;
	queue_hash(text, len, ret_hash);
	return cJSON_Parse(text);
}

static double number(const cJSON *o, const char *key)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(o, key);

	return cJSON_IsNumber(v) ? v->valuedouble : 0;
}

static const char *string(const cJSON *o, const char *key)
{
	const char *s = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(o, key));

	return s ? s : "";
}

/* The clock's reading in the file means something here only as an age. */
static void add_age(cJSON *o)
{
	const uint64_t now_ms = clock_us() / US_PER_MS;
	const double age = (double)now_ms - number(o, "sinceMs");
	const double left = number(o, "timeoutMs") - age;

	cJSON_DeleteItemFromObjectCaseSensitive(o, "sinceMs");
	cJSON_AddNumberToObject(o, "ageMs", age);
	cJSON_AddNumberToObject(o, "leftMs", left > 0 ? left : 0);
}

struct row {
	cJSON *request;
	double age_ms;
};

static int by_age(const void *a, const void *b)
{
	const double x = ((const struct row *)a)->age_ms;
	const double y = ((const struct row *)b)->age_ms;

	return x > y ? -1 : x < y;
}

static size_t collect(int queue, struct row *ret)
{
	char hash[QUEUE_HASH_LEN + 1];
	int fd = openat(queue, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	size_t n = 0;

	if (!d && fd >= 0)
		close(fd);
	for (const struct dirent *f = d ? readdir(d) : NULL; f && n < QUEUE_PENDING_MAX;
	     f = readdir(d)) {
		cJSON *o = queue_is_id(f->d_name) ? read_request(queue, f->d_name, hash) : NULL;

		if (!o)
			continue;
		add_age(o);
		ret[n++] = (struct row){ o, number(o, "ageMs") };
	}
	if (d)
		closedir(d);
	return n;
}

int queue_list(char **ret, struct pinfold_error *e)
{
	auto_close int queue = queue_open(e);
	struct row *all = NULL;
	cJSON *list = NULL;
	size_t n;

	if (queue < 0)
		return queue;
	all = calloc(QUEUE_PENDING_MAX, sizeof(*all));
	if (!all)
		return err_set(e, -ENOMEM, "out of memory");
	queue_sweep(queue);
	n = collect(queue, all);
	qsort(all, n, sizeof(all[0]), by_age);
	list = cJSON_CreateArray();
	for (size_t i = 0; i < n; i++)
		cJSON_AddItemToArray(list, all[i].request);
	free(all);
	*ret = cJSON_PrintUnformatted(list);
	cJSON_Delete(list);
	return *ret ? 0 : err_set(e, -ENOMEM, "out of memory");
}

static int find(int *ret_queue, const char *id, cJSON **ret,
		char ret_hash[static QUEUE_HASH_LEN + 1], struct pinfold_error *e)
{
	auto_close int queue = queue_open(e);

	if (queue < 0)
		return queue;
	*ret = read_request(queue, id, ret_hash);
	if (!*ret) {
		queue_sweep(queue);
		return err_set(e, -ENOENT,
			       "nothing of the id '%.40s' waits; see 'pinfold approve "
			       "list'",
			       id);
	}
	*ret_queue = take_fd(queue);
	return 0;
}

int queue_show(const char *id, char **ret, struct pinfold_error *e)
{
	char hash[QUEUE_HASH_LEN + 1];
	auto_close int queue = -1;
	cJSON *o = NULL;
	char *text = NULL;
	int r = find(&queue, id, &o, hash, e);

	if (r < 0)
		return r;
	add_age(o);
	text = cJSON_PrintUnformatted(o);
	cJSON_Delete(o);
	if (!text)
		return err_set(e, -ENOMEM, "out of memory");
	*ret = text;
	return 0;
}

static void ring(int request)
{
	auto_close int fd = openat(request, QUEUE_WAKE, O_WRONLY | O_NONBLOCK | O_CLOEXEC);

	/* Who waits looks by itself once a second. */
	if (fd >= 0 && write(fd, "!", 1) < 0)
		return;
}

static int write_decision(int queue, const char *id, const struct queue_decision *d,
			  const char *hash, const char *by)
{
	auto_close int request = queue_open_request(queue, id);
	auto_close int lock = request < 0 ? request : queue_lock_request(request);
	cJSON *o = cJSON_CreateObject();
	auto_free char *text = NULL;
	int r;

	cJSON_AddStringToObject(o, "decision", d->grant ? "allow" : "deny");
	cJSON_AddBoolToObject(o, "always", d->grant && d->always);
	cJSON_AddStringToObject(o, "by", by);
	cJSON_AddStringToObject(o, "request", hash);
	text = cJSON_PrintUnformatted(o);
	cJSON_Delete(o);
	if (lock < 0)
		return -ENOENT;
	r = text ? queue_put(request, QUEUE_DECISION, text) : -ENOMEM;
	if (r == 0)
		ring(request);
	return r;
}

static int remember(const cJSON *request, const char *by, struct pinfold_error *e)
{
	const cJSON *words = cJSON_GetObjectItemCaseSensitive(request, "command");
	const size_t n = (size_t)cJSON_GetArraySize(words);
	auto_free char **argv = calloc(n + 1, sizeof(*argv));
	const struct queue_always a = { .argv = argv,
					.cwd = string(request, "cwd"),
					.agent = string(request, "agent"),
					.by = by };
	const cJSON *word;
	size_t i = 0;
	int r;

	if (!argv)
		return err_set(e, -ENOMEM, "out of memory");
	cJSON_ArrayForEach(word, words)
		argv[i++] = cJSON_GetStringValue(word);
	r = queue_always_add(&a, e);
	return r < 0 ? err_wrap(e, r, "allowed this once, but not for good") : 0;
}

int queue_decide(const char *id, const struct queue_decision *d, struct pinfold_error *e)
{
	char hash[QUEUE_HASH_LEN + 1];
	char by[QUEUE_BY_MAX];
	auto_close int queue = -1;
	cJSON *request = NULL;
	int r = find(&queue, id, &request, hash, e);

	if (r < 0)
		return r;
	queue_who(by);
	r = write_decision(queue, id, d, hash, by);
	if (r == -EEXIST)
		r = err_set(e, -EALREADY, "'%s' is decided already", id);
	else if (r < 0)
		r = err_set(e, r, "'%s' waits no more: %s", id, strerror(-r));
	else if (d->grant && d->always)
		r = remember(request, by, e);
	cJSON_Delete(request);
	return r;
}
