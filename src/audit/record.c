/* SPDX-License-Identifier: MIT */
/*
 * DOC: a line is built in place and is at every moment a prefix of a valid line: each member is
 * put in whole or not at all, and RESERVE bytes are kept free for what must still follow (closing
 * brackets, the verdict, the mark of a cut, the count of a summary).
 */
#include "audit/record.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "audit/escape.h"
#include "audit/fold.h"
#include "audit/mirror.h"
#include "audit/redact.h"
#include "audit/sink.h"
#include "base/clean.h"
#include "base/err.h"

#define EVENT_MAX FOLD_EVENT_MAX
#define WHO_MAX 128
#define VALUE_MAX 1024
#define LIST_MAX 1536
#define DEPTH_MAX 4
/* ] }}}} ,"verdict":"would_deny" ,"cut":true ,"suppressed":N, a longer "seq", }\n: 94 bytes. */
#define RESERVE 112
/* Less room than this for a text is none. */
#define TEXT_ROOM_MIN 8

_Static_assert(SINK_LINE_MAX >= RECORD_LINE_MAX, "a line must fit its sink");

struct record {
	struct sink sink;
	struct mirror mirror;
	struct fold fold;
	char *session;
	char *agent;
	char *lane;
	char *channel;
	uint64_t seq;
	uint64_t lost;
	uint64_t untold; /* of the lost ones, those that no "lost" line has told yet */
	enum record_verdict last_verdict;
};

struct record_line {
	struct record *r;
	char event[EVENT_MAX];
	size_t len;
	size_t own;     /* where the members begin that are not common to all lines */
	unsigned depth; /* open objects within the line's own */
	unsigned skip;  /* objects that had no room: their members are left out */
	bool cut;
	enum record_verdict verdict;
	char buf[RECORD_LINE_MAX];
};

/* ---- members ------------------------------------------------------------------------------ */

static size_t room(const struct record_line *l)
{
	size_t taken = l->len + RESERVE;

	return taken < RECORD_LINE_MAX ? RECORD_LINE_MAX - taken : 0;
}

static void put(struct record_line *l, const char *text, size_t n)
{
	assert(n <= sizeof(l->buf) - l->len);
	memcpy(l->buf + l->len, text, n);
	l->len += n;
}

/* Writes `,"key":` when that and `more` bytes fit.  Keys are words of this program. */
static bool put_key(struct record_line *l, const char *key, size_t more)
{
	bool first = l->buf[l->len - 1] == '{';
	size_t n = strlen(key);

	if (l->skip > 0)
		return false;
	if (n + 4 + more > room(l)) {
		l->cut = true;
		return false;
	}
	if (!first)
		put(l, ",", 1);
	put(l, "\"", 1);
	put(l, key, n);
	put(l, "\":", 2);
	return true;
}

/* Writes `"value"`, of which the inside takes at most max bytes.  The caller made sure of room for
 * TEXT_ROOM_MIN. */
static void put_text(struct record_line *l, const char *value, size_t max)
{
	auto_free char *clean = redact(value);
	size_t free_bytes = room(l) - 2;

	put(l, "\"", 1);
	l->len += escape_json(l->buf + l->len, max < free_bytes ? max : free_bytes,
			      clean ? clean : "[no memory]", &l->cut);
	put(l, "\"", 1);
}

static void put_member(struct record_line *l, const char *key, const char *value, size_t max)
{
	if (value && put_key(l, key, TEXT_ROOM_MIN + 2))
		put_text(l, value, max);
}

void record_text(struct record_line *l, const char *key, const char *value)
{
	if (l)
		put_member(l, key, value, VALUE_MAX);
}

void record_verdict(struct record_line *l, enum record_verdict verdict)
{
	if (l)
		l->verdict = verdict;
}

void record_number(struct record_line *l, const char *key, int64_t value)
{
	char text[24];
	int n = snprintf(text, sizeof(text), "%" PRId64, value);

	if (l && put_key(l, key, (size_t)n))
		put(l, text, (size_t)n);
}

void record_bool(struct record_line *l, const char *key, bool value)
{
	const char *text = value ? "true" : "false";

	if (l && put_key(l, key, strlen(text)))
		put(l, text, strlen(text));
}

void record_texts(struct record_line *l, const char *key, const char *const *values, size_t n)
{
	size_t from;

	if (!l || !put_key(l, key, TEXT_ROOM_MIN + 5))
		return;
	put(l, "[", 1);
	from = l->len;
	for (size_t i = 0; i < n; i++) {
		bool secret = i > 0 && redact_is_secret_argument(values[i - 1], values[i]);
		size_t used = l->len - from;

		/* One byte for the comma, one for the bracket, two for the quotes. */
		if (used + TEXT_ROOM_MIN + 4 > LIST_MAX || TEXT_ROOM_MIN + 4 > room(l)) {
			l->cut = true;
			break;
		}
		if (i > 0)
			put(l, ",", 1);
		/* The bracket must still fit: the reserve lends its byte. */
		put_text(l, secret ? "[redacted]" : values[i],
			 LIST_MAX - used < VALUE_MAX ? LIST_MAX - used : VALUE_MAX);
	}
	put(l, "]", 1);
}

void record_object(struct record_line *l, const char *key)
{
	if (!l)
		return;
	if (l->skip > 0 || l->depth == DEPTH_MAX || !put_key(l, key, 2)) {
		l->skip++;
		l->cut = true;
		return;
	}
	put(l, "{", 1);
	l->depth++;
}

void record_object_end(struct record_line *l)
{
	if (!l)
		return;
	if (l->skip > 0) {
		l->skip--;
		return;
	}
	assert(l->depth > 0);
	put(l, "}", 1);
	l->depth--;
}

/* ---- whole lines -------------------------------------------------------------------------- */

static bool is_deny(const char *event)
{
	size_t n = strlen(event);

	return n > 5 && strcmp(event + n - 5, "_deny") == 0;
}

static void put_time(struct record_line *l)
{
	struct timespec now;
	struct tm utc;
	char text[40];
	size_t n;

	clock_gettime(CLOCK_REALTIME, &now);
	if (!gmtime_r(&now.tv_sec, &utc) || !put_key(l, "ts", sizeof(text)))
		return;
	n = strftime(text, sizeof(text), "\"%Y-%m-%dT%H:%M:%S", &utc);
	n += (size_t)snprintf(text + n, sizeof(text) - n, ".%06ldZ\"", now.tv_nsec / 1000);
	put(l, text, n);
}

static void line_begin(struct record_line *l, struct record *r, const char *event)
{
	l->r = r;
	l->len = 0;
	l->depth = 0;
	l->skip = 0;
	l->cut = false;
	l->verdict = RECORD_DENY;
	l->event[EVENT_MAX - 1] = '\0';
	memccpy(l->event, event, '\0', EVENT_MAX - 1);
	put(l, "{", 1);
	record_number(l, "v", RECORD_SCHEMA);
	put_time(l);
	record_number(l, "seq", (int64_t)++r->seq);
	put_member(l, "event", l->event, EVENT_MAX);
	put_member(l, "session", r->session, WHO_MAX);
	put_member(l, "agent", r->agent, WHO_MAX);
	put_member(l, "lane", r->lane, WHO_MAX);
	put_member(l, "channel", r->channel, WHO_MAX);
	l->own = l->len;
}

/* From here on the reserve is used up: nothing more may be put in but what it is for. */
static void line_close_members(struct record_line *l)
{
	static const char *const words[] = {
		[RECORD_DENY] = ",\"verdict\":\"deny\"",
		[RECORD_WOULD_DENY] = ",\"verdict\":\"would_deny\"",
	};

	_Static_assert(ARRAY_SIZE(words) == RECORD_WOULD_DENY + 1, "a word for each verdict");
	l->skip = 0;
	while (l->depth > 0)
		record_object_end(l);
	if (is_deny(l->event))
		put(l, words[l->verdict], strlen(words[l->verdict]));
	if (l->cut)
		put(l, ",\"cut\":true", 11);
}

static void line_close(struct record_line *l)
{
	put(l, "}\n", 2);
}

static bool try_write(struct record *r, const struct record_line *l)
{
	return sink_write(&r->sink, l->buf, l->len) == 0;
}

static bool try_mirror(struct record *r, const struct record_line *l)
{
	return mirror_send(&r->mirror, l->event, r->session, l->buf, l->len - 1);
}

static void count_lost(struct record *r)
{
	r->lost++;
	r->untold++;
}

/* True when no loss is left to tell. */
static bool tell_lost(struct record *r)
{
	struct record_line l;

	if (r->untold == 0)
		return true;
	line_begin(&l, r, "lost");
	record_number(&l, "count", (int64_t)r->untold);
	line_close_members(&l);
	line_close(&l);
	if (!try_write(r, &l))
		return false;
	try_mirror(r, &l);
	r->untold = 0;
	return true;
}

/* What the journal or syslog did not take. */
static void tell_unmirrored(struct record *r)
{
	struct record_line l;

	if (r->mirror.untold == 0)
		return;
	line_begin(&l, r, "lost");
	record_text(&l, "what", mirror_word(&r->mirror));
	record_number(&l, "count", (int64_t)r->mirror.untold);
	r->mirror.untold = 0;
	line_close_members(&l);
	line_close(&l);
	try_mirror(r, &l);
	if (!try_write(r, &l))
		count_lost(r);
}

static void deliver(struct record *r, const struct record_line *l)
{
	if (!tell_lost(r) || !try_write(r, l))
		count_lost(r);
	if (try_mirror(r, l))
		tell_unmirrored(r); /* it works again */
}

struct record_line *record_begin(struct record *r, const char *event)
{
	struct record_line *l = malloc(sizeof(*l));

	if (!l) {
		count_lost(r);
		return NULL;
	}
	line_begin(l, r, event);
	return l;
}

void record_end(struct record_line *l)
{
	if (!l)
		return;
	line_close_members(l);
	if (is_deny(l->event))
		l->r->last_verdict = l->verdict;
	fold_give_body(&l->r->fold, l->event, l->buf + l->own, l->len - l->own);
	line_close(l);
	deliver(l->r, l);
	free(l);
}

/* ---- folding, the clock, life ------------------------------------------------------------------
 */

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

bool record_fold(struct record *r, const char *event, const char *fold_key)
{
	return fold_count(&r->fold, event, fold_key, now_ms());
}

/* The first line's own members again, or the key when those are not known. */
static void write_summary(void *data, const struct fold_entry *entry)
{
	struct record *r = data;
	struct record_line l;
	char count[40];
	int n = snprintf(count, sizeof(count), ",\"suppressed\":%" PRIu64, entry->count);

	line_begin(&l, r, entry->event);
	if (entry->body) {
		put(&l, entry->body, strlen(entry->body));
	} else {
		l.verdict = r->last_verdict;
		put_member(&l, "fold", entry->key, FOLD_KEY_MAX);
		line_close_members(&l);
	}
	put(&l, count, (size_t)n);
	line_close(&l);
	deliver(r, &l);
}

void record_tick(struct record *r)
{
	if (sink_is_stale(&r->sink))
		sink_reopen(&r->sink, NULL);
	fold_flush(&r->fold, now_ms(), write_summary, r);
	tell_lost(r);
}

int record_reopen(struct record *r, struct pinfold_error *e)
{
	return sink_reopen(&r->sink, e);
}

int record_mirror(struct record *r, const char *to, struct pinfold_error *e)
{
	return mirror_open(&r->mirror, to, e);
}

uint64_t record_lost(const struct record *r)
{
	return r->lost;
}

static int copy_text(const char *text, char **ret)
{
	if (!text)
		return 0;
	*ret = strdup(text);
	return *ret ? 0 : -ENOMEM;
}

int record_open(const char *path, const struct record_who *who, struct record **ret,
		struct pinfold_error *e)
{
	struct record *r = calloc(1, sizeof(*r));
	int failed;

	if (!r)
		return err_set(e, -ENOMEM, "out of memory");
	r->mirror = (struct mirror)MIRROR_EMPTY;
	failed = sink_open(&r->sink, path, e);
	if (failed < 0) {
		free(r);
		return failed;
	}
	if (copy_text(who->session, &r->session) < 0 || copy_text(who->agent, &r->agent) < 0 ||
	    copy_text(who->lane, &r->lane) < 0 || copy_text(who->channel, &r->channel) < 0) {
		record_free(r);
		return err_set(e, -ENOMEM, "out of memory");
	}
	*ret = r;
	return 0;
}

void record_free(struct record *r)
{
	if (!r)
		return;
	record_tick(r);
	tell_unmirrored(r);
	sink_done(&r->sink);
	mirror_done(&r->mirror);
	fold_done(&r->fold);
	free(r->session);
	free(r->agent);
	free(r->lane);
	free(r->channel);
	free(r);
}
