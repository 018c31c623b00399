/* SPDX-License-Identifier: MIT */
/* The side that waits. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "agents/queue_inner.h"
#include "base/clean.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/io.h"

#define MAKE_TRIES 8
#define LOOK_MS 1000 /* at least so often, should nobody have rung */
#define US_PER_MS 1000

struct waiter {
	int queue;
	int own; /* the request's directory, locked */
	int wake;
	int signals;
	sigset_t old;
	char id[QUEUE_ID_LEN + 1];
	char hash[QUEUE_HASH_LEN + 1];
	uint64_t since_us;
	int signal; /* that ended the waiting; 0: none */
};

const char *queue_result_word(enum queue_result r)
{
	static const char *const WORDS[] = {
		[QUEUE_DENIED] = "denied",
		[QUEUE_GRANTED] = "granted",
		[QUEUE_TIMED_OUT] = "timed out",
	};

	_Static_assert(ARRAY_SIZE(WORDS) == QUEUE_RESULTS, "one word a result");
	return WORDS[r];
}

static int choose_id(char ret[static QUEUE_ID_LEN + 1])
{
	static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyz234567";
	uint8_t random[QUEUE_ID_LEN];

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return -EIO;
	for (size_t i = 0; i < QUEUE_ID_LEN; i++)
		ret[i] = LETTERS[random[i] % 32];
	ret[QUEUE_ID_LEN] = '\0';
	return 0;
}

static int make_dir(struct waiter *w)
{
	int r = -EEXIST;

	for (int i = 0; i < MAKE_TRIES && r == -EEXIST; i++) {
		r = choose_id(w->id);
		if (r == 0 && mkdirat(w->queue, w->id, 0700) < 0)
			r = -errno;
	}
	if (r < 0)
		return r;
	w->own = openat(w->queue, w->id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (w->own < 0 || flock(w->own, LOCK_EX) < 0 || mkfifoat(w->own, QUEUE_WAKE, 0600) < 0)
		return -errno;
	w->wake = openat(w->own, QUEUE_WAKE, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	return w->wake < 0 ? -errno : 0;
}

static void add_time(cJSON *o)
{
	char text[40];
	time_t now = time(NULL);
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	cJSON_AddStringToObject(o, "requestedAt", text);
}

/* The request as it is shown and bound: one JSON object; free() it. */
static char *describe(const struct waiter *w, const struct queue_request *q)
{
	cJSON *o = cJSON_CreateObject();
	cJSON *argv = NULL;
	const uint64_t since_ms = w->since_us / US_PER_MS;
	char *text;

	cJSON_AddStringToObject(o, "id", w->id);
	cJSON_AddStringToObject(o, "agent", q->agent);
	cJSON_AddStringToObject(o, "session", q->session);
	cJSON_AddStringToObject(o, "location", q->location);
	cJSON_AddStringToObject(o, "cwd", q->cwd);
	argv = cJSON_AddArrayToObject(o, "command");
	for (size_t i = 0; q->argv[i]; i++)
		cJSON_AddItemToArray(argv, cJSON_CreateString(q->argv[i]));
	cJSON_AddStringToObject(o, "rule", q->rule);
	cJSON_AddStringToObject(o, "origin", q->origin);
	cJSON_AddStringToObject(o, "reason", q->reason);
	cJSON_AddNumberToObject(o, "pid", getpid());
	add_time(o);
	cJSON_AddNumberToObject(o, "sinceMs", (double)since_ms);
	cJSON_AddNumberToObject(o, "timeoutMs", (double)q->timeout_ms);
	text = cJSON_PrintUnformatted(o);
	cJSON_Delete(o);
	return text;
}

static int make_request(struct waiter *w, const struct queue_request *q, struct pinfold_error *e)
{
	auto_free char *text = NULL;
	int r;

	flock(w->queue, LOCK_SH);
	r = make_dir(w);
	text = r == 0 ? describe(w, q) : NULL;
	if (r == 0 && !text)
		r = -ENOMEM;
	if (r == 0 && strlen(text) > QUEUE_REQUEST_MAX)
		r = -E2BIG;
	if (r == 0) {
		queue_hash(text, strlen(text), w->hash);
		r = queue_put(w->own, QUEUE_REQUEST, text);
	}
	flock(w->queue, LOCK_UN);
	return r < 0 ? err_set(e, r, "the command can't wait for approval: %s",
			       r == -E2BIG ? "it is too long for anybody to read" : strerror(-r))
		     : 0;
}

/* Takes the decision that is there.  What was made for another request is a denial. */
static void take(const struct waiter *w, struct queue_outcome *ret)
{
	auto_free char *text = NULL;
	size_t len = 0;
	cJSON *o;
	const char *decision;
	const char *hash;
	const char *by;

	*ret = (struct queue_outcome){ .result = QUEUE_DENIED };
	if (io_read_file(w->own, QUEUE_DECISION, QUEUE_REQUEST_MAX, &text, &len) < 0)
		return;
	o = cJSON_Parse(text);
	decision = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(o, "decision"));
	hash = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(o, "request"));
	by = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(o, "by"));
	snprintf(ret->by, sizeof(ret->by), "%s", by ? by : "");
	if (decision && hash && strcmp(hash, w->hash) == 0) {
		if (strcmp(decision, "allow") == 0)
			ret->result = QUEUE_GRANTED;
		else if (strcmp(decision, "timeout") == 0)
			ret->result = QUEUE_TIMED_OUT;
		ret->always = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(o, "always"));
	}
	cJSON_Delete(o);
}

static bool is_decided(const struct waiter *w)
{
	return faccessat(w->own, QUEUE_DECISION, F_OK, 0) == 0;
}

/* Nobody decided: that is decided now, unless somebody is quicker. */
static void decide_oneself(const struct waiter *w, const char *decision)
{
	char text[256];

	snprintf(text, sizeof(text), "{\"decision\":\"%s\",\"by\":\"\",\"request\":\"%s\"}",
		 decision, w->hash);
	queue_put(w->own, QUEUE_DECISION, text);
}

static int left_ms(const struct waiter *w, const struct queue_request *q)
{
	const uint64_t waited = (clock_us() - w->since_us) / US_PER_MS;

	if (waited >= q->timeout_ms)
		return 0;
	return q->timeout_ms - waited > LOOK_MS ? LOOK_MS : (int)(q->timeout_ms - waited);
}

static void watch(struct waiter *w, const struct queue_request *q)
{
	struct pollfd fds[] = { { .fd = w->wake, .events = POLLIN },
				{ .fd = w->signals, .events = POLLIN } };
	struct signalfd_siginfo info;
	char byte[16];

	while (!is_decided(w)) {
		const int ms = left_ms(w, q);

		if (ms == 0)
			return decide_oneself(w, "timeout");
		poll(fds, ARRAY_SIZE(fds), ms);
		if (fds[1].revents & POLLIN &&
		    read(w->signals, &info, sizeof(info)) == sizeof(info)) {
			w->signal = (int)info.ssi_signo;
			return decide_oneself(w, "interrupted");
		}
		if (fds[0].revents & POLLIN && read(w->wake, byte, sizeof(byte)) < 0)
			continue;
	}
}

static void hold_signals(struct waiter *w)
{
	static const int ENDING[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	sigset_t block;

	sigemptyset(&block);
	for (size_t i = 0; i < ARRAY_SIZE(ENDING); i++)
		sigaddset(&block, ENDING[i]);
	pthread_sigmask(SIG_BLOCK, &block, &w->old);
	w->signals = signalfd(-1, &block, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void end(struct waiter *w)
{
	if (w->own >= 0)
		queue_remove(w->queue, w->id);
	const int fds[] = { w->own, w->wake, w->signals, w->queue };

	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	pthread_sigmask(SIG_SETMASK, &w->old, NULL);
	if (w->signal)
		raise(w->signal);
}

int queue_wait(const struct queue_request *q, struct queue_outcome *ret, struct pinfold_error *e)
{
	struct waiter w = { .own = -1, .wake = -1, .signals = -1, .since_us = clock_us() };
	struct queue_outcome outcome = { .result = QUEUE_DENIED };
	int r = 0;

	w.queue = queue_open(e);
	if (w.queue < 0)
		return w.queue;
	hold_signals(&w);
	if (queue_sweep_lightly(w.queue) >= QUEUE_PENDING_MAX)
		r = err_set(e, -ENOSPC, "%d commands wait for approval already", QUEUE_PENDING_MAX);
	if (r == 0)
		r = make_request(&w, q, e);
	if (r == 0) {
		if (q->waits)
			q->waits(q->data, w.id);
		watch(&w, q);
		take(&w, &outcome);
		outcome.latency_ms = (clock_us() - w.since_us) / US_PER_MS;
		*ret = outcome;
	}
	end(&w);
	return r;
}
