/* SPDX-License-Identifier: MIT */
/* A running session as JSON. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "audit/escape.h"
#include "audit/record.h"
#include "audit/redact.h"
#include "base/clean.h"
#include "base/clock.h"
#include "net/fence.h"
#include "policy/parse.h"
#include "session/hash.h"
#include "session/live.h"
#include "session/session.h"

#define VALUE_MAX 1024 /* bytes of a string */
#define ARGS_MAX 64

static void put_string(FILE *out, const char *text)
{
	char buf[VALUE_MAX];
	bool cut = false;
	size_t n = escape_json(buf, sizeof(buf), text, &cut);

	fputc('"', out);
	fwrite(buf, 1, n, out);
	fputc('"', out);
}

static void put_member(FILE *out, const char *key, const char *value)
{
	fprintf(out, ",\"%s\":", key);
	if (value)
		put_string(out, value);
	else
		fputs("null", out);
}

static void put_number(FILE *out, const char *key, uint64_t value)
{
	fprintf(out, ",\"%s\":%llu", key, (unsigned long long)value);
}

/* Secrets on a command line stay where they are. */
static int put_command(FILE *out, char *const *argv)
{
	fputs(",\"command\":[", out);
	for (size_t i = 0; argv && argv[i] && i < ARGS_MAX; i++) {
		bool secret = i > 0 && redact_is_secret_argument(argv[i - 1], argv[i]);
		auto_free char *text = secret ? strdup("[redacted]") : redact(argv[i]);

		if (!text)
			return -ENOMEM;
		if (i > 0)
			fputc(',', out);
		put_string(out, text);
	}
	fputc(']', out);
	return 0;
}

static int put_line(FILE *out, const struct session *s)
{
	fprintf(out, "\"session\":\"%s\"", s->id);
	put_member(out, "agent", s->agent);
	put_number(out, "pid", (uint64_t)getpid());
	put_number(out, "uid", s->identity.uid);
	put_number(out, "ageMs", (clock_us() - s->started_us) / 1000);
	put_number(out, "generation", s->generation);
	put_member(out, "workspace", s->attached ? NULL : s->policy->workspace);
	if (s->attached)
		put_member(out, "cgroup", s->attached);
	return put_command(out, s->command.argv);
}

static void put_counters(FILE *out, const struct session *s)
{
	struct net_counts counts = { 0 };

	net_fence_counts(s->net, &counts);
	fprintf(out, ",\"denied\":{\"net\":%llu,\"dns\":%llu,\"fs\":%llu}",
		(unsigned long long)counts.denied, (unsigned long long)s->denied.dns,
		(unsigned long long)s->denied.fs);
	put_number(out, "allowed", counts.allowed);
	put_number(out, "evicted", counts.evicted);
	put_number(out, "lost", counts.lost + record_lost(s->record));
}

struct vouched_list {
	FILE *out;
	size_t n;
};

static void put_vouched(void *data, const struct addr *a, const char *name, uint64_t seconds)
{
	struct vouched_list *l = data;
	char address[ADDR_TEXT_MAX];

	addr_format(a, address);
	fprintf(l->out, "%s{\"address\":\"%s\",\"name\":", l->n++ ? "," : "", address);
	put_string(l->out, name);
	fprintf(l->out, ",\"seconds\":%llu}", (unsigned long long)seconds);
}

static int put_all(FILE *out, const struct session *s)
{
	auto_free char *policy = NULL;
	char hash[HASH_TEXT_LEN + 1];
	struct vouched_list list = { .out = out };
	int r = policy_print(s->policy, &policy);

	if (r == 0)
		r = hash_policy(s->policy, hash);
	if (r < 0)
		return r;
	put_member(out, "hash", hash);
	put_member(out, "source", s->policy->source);
	put_counters(out, s);
	fputs(",\"vouched\":[", out);
	net_fence_list_vouched(s->net, put_vouched, &list);
	fprintf(out, "],\"policy\":%s", policy);
	return 0;
}

int session_describe(const struct session *s, enum describe how, char **ret)
{
	auto_free char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	int r;

	if (!out)
		return -ENOMEM;
	fputc('{', out);
	r = put_line(out, s);
	if (r == 0 && how == DESCRIBE_ALL)
		r = put_all(out, s);
	fputc('}', out);
	if (fclose(out) != 0)
		r = -ENOMEM;
	if (r == 0)
		*ret = take_ptr(text);
	return r;
}
