/* SPDX-License-Identifier: MIT */
/* From a line of the record to a question. */
#include <stdio.h>
#include <string.h>

#include "audit/filter.h"
#include "audit/line.h"
#include "base/clean.h"
#include "base/name.h"
#include "policy/policy.h"
#include "review/judge.h"

static const char *const KINDS[] = {
	[JUDGE_CONNECT] = "connect",
	[JUDGE_RESOLVE] = "resolve",
	[JUDGE_FILE] = "file",
	[JUDGE_UNIX] = "unix",
};
_Static_assert(ARRAY_SIZE(KINDS) == JUDGE_KINDS, "a word for every kind");

const char *judge_kind_word(enum judge_kind kind)
{
	return KINDS[kind];
}

/* Refusals that no entry of a policy decides. */
static bool is_beyond_policy(const char *reason)
{
	static const char *const WORDS[] = {
		"unfilled",           "socket", "packet", "malformed", "cname", "record type",
		"too many new names",
	};

	for (size_t i = 0; i < ARRAY_SIZE(WORDS); i++)
		if (strcmp(WORDS[i], reason) == 0)
			return true;
	return false;
}

static bool take_connect(const struct pinfold_log_line *l, struct judge_ask *ret)
{
	char text[NAME_BUF + 2];
	int64_t port = line_number(l, "port", -1);

	if (!line_text(l, "dst", text, sizeof(text)) || addr_parse(text, &ret->addr) < 0 ||
	    port < 0 || port > UINT16_MAX)
		return false;
	ret->port = (uint16_t)port;
	ret->proto = line_text_is(l, "proto", "udp") ? PROTO_UDP : PROTO_TCP;
	if (!line_text_is(l, "proto", "udp") && !line_text_is(l, "proto", "tcp"))
		return false;
	addr_format(&ret->addr, ret->subject);
	if (!line_text(l, "name", text, sizeof(text)))
		return true;
	ret->has_name = name_canonical(text, ret->subject) == 0;
	if (!ret->has_name)
		addr_format(&ret->addr, ret->subject);
	return true;
}

static bool take_resolve(const struct pinfold_log_line *l, struct judge_ask *ret)
{
	char text[NAME_BUF + 2];

	return line_text(l, "name", text, sizeof(text)) && name_canonical(text, ret->subject) == 0;
}

static bool take_file(const struct pinfold_log_line *l, struct judge_ask *ret)
{
	line_text(l, "op", ret->op, sizeof(ret->op));
	if (strncmp(ret->op, "scope.", 6) == 0 || strncmp(ret->op, "net.", 4) == 0)
		return false;
	return line_text(l, "path", ret->subject, sizeof(ret->subject)) && ret->subject[0] == '/';
}

static bool take_unix(const struct pinfold_log_line *l, struct judge_ask *ret)
{
	return line_text(l, "path", ret->subject, sizeof(ret->subject)) &&
	       (ret->subject[0] == '/' || ret->subject[0] == '@');
}

bool judge_take(const struct pinfold_log_line *l, struct judge_ask *ret)
{
	static const struct {
		const char *event;
		enum judge_kind kind;
		bool (*take)(const struct pinfold_log_line *l, struct judge_ask *ret);
	} EVENTS[] = {
		{ "net_deny", JUDGE_CONNECT, take_connect },
		{ "net_allow", JUDGE_CONNECT, take_connect },
		{ "dns_deny", JUDGE_RESOLVE, take_resolve },
		{ "dns_vouch", JUDGE_RESOLVE, take_resolve },
		{ "fs_deny", JUDGE_FILE, take_file },
		{ "unix_deny", JUDGE_UNIX, take_unix },
	};

	for (size_t i = 0; i < ARRAY_SIZE(EVENTS); i++) {
		const char *verdict;

		if (!line_text_is(l, "event", EVENTS[i].event))
			continue;
		verdict = log_verdict(l);
		ret->kind = EVENTS[i].kind;
		ret->was = strcmp(verdict, "allow") == 0 ? JUDGED_ALLOW : JUDGED_DENY;
		ret->has_name = false;
		ret->op[0] = '\0';
		line_text(l, "reason", ret->reason, sizeof(ret->reason));
		/* A text that was cut is another one. */
		if (line_find(l, "cut") || is_beyond_policy(ret->reason))
			return false;
		return EVENTS[i].take(l, ret);
	}
	return false;
}

void judge_say(const struct judge_ask *ask, char *ret, size_t size)
{
	bool v6 = ask->kind == JUDGE_CONNECT && strchr(ask->subject, ':');

	if (ask->kind == JUDGE_CONNECT)
		snprintf(ret, size, "%s%.300s%s:%u%s", v6 ? "[" : "", ask->subject, v6 ? "]" : "",
			 ask->port, ask->proto == PROTO_UDP ? "/udp" : "");
	else
		snprintf(ret, size, "%s", ask->subject);
	line_clean(ret);
}
