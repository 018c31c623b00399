/* SPDX-License-Identifier: MIT */
/* The last denial of a session, as its record tells it, explained; or that there was none. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "audit/files.h"
#include "audit/reader.h"
#include "base/clean.h"
#include "base/err.h"
#include "base/json5.h"
#include "net/judge.h"
#include "pinfold.h"
#include "session/api.h"

/* What is known of the session in question, while the record is read. */
struct story {
	const char *wanted; /* NULL: the newest */
	bool started;       /* its session_start was seen */
	bool ended;
	bool timed_out;
	bool not_started;
	bool no_file_record;
	int64_t exit_code; /* -1: none */
	int64_t signal;    /* 0: none */
	int64_t lost;
	char cause[PINFOLD_WHY_TEXT_MAX]; /* what degraded last */
	struct pinfold_last last;
};

/* Names in a record are what programs chose: nothing in them may move a terminal's cursor or turn
 * its text round.  The length of the harmful character at c, or 0. */
static size_t harm_at(const unsigned char *c)
{
	if (*c < 0x20 || *c == 0x7f)
		return 1;
	if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] <= 0x9f)
		return 2;
	if (c[0] != 0xe2)
		return 0;
	if (c[1] == 0x80 && c[2] >= 0x8e && c[2] <= 0xae && (c[2] <= 0x8f || c[2] >= 0xa8))
		return 3;
	return c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9 ? 3 : 0;
}

static void copy(char *ret, size_t size, const char *text)
{
	snprintf(ret, size, "%s", text ? text : "");
	for (unsigned char *c = (unsigned char *)ret; *c; c++)
		memset(c, '?', harm_at(c));
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text);
	size_t m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

/* ---- one denial ----------------------------------------------------------------------------- */

/* Reasons that lie in the address, whatever name led there. */
static bool is_of_address(const char *reason)
{
	static const char *const WORDS[] = { "private", "loopback", "metadata", "never", "denied" };

	for (size_t i = 0; reason && i < ARRAY_SIZE(WORDS); i++)
		if (strcmp(reason, WORDS[i]) == 0)
			return true;
	return false;
}

/* What was tried, as `pinfold why` would be asked. */
static void fill_subject(const struct json5 *line, struct pinfold_last *ret)
{
	const char *path = record_member_text(line, "path");
	const char *name = record_member_text(line, "name");
	const char *dst = record_member_text(line, "dst");
	const char *proto = record_member_text(line, "proto");
	int64_t port = record_member_number(line, "port", 0);
	bool by_name = name && !is_of_address(record_member_text(line, "reason"));
	const char *host = by_name ? name : dst;
	bool bare6 = host && strchr(host, ':');
	char text[PINFOLD_WHY_TEXT_MAX];

	if (path || !dst) {
		copy(ret->subject, sizeof(ret->subject), path ? path : name);
		return;
	}
	snprintf(text, sizeof(text), "%s%.300s%s:%lld%s", bare6 ? "[" : "", host, bare6 ? "]" : "",
		 (long long)port, proto && strcmp(proto, "udp") == 0 ? "/udp" : "");
	copy(ret->subject, sizeof(ret->subject), text);
}

static const char *net_sentence(const char *word)
{
	for (int r = 0; word && r < PF_DENY_MAX; r++)
		if (strcmp(net_reason_word((enum pf_reason)r), word) == 0)
			return net_reason_text((enum pf_reason)r);
	return NULL;
}

/* The record has a word for the reason; here it becomes a sentence again. */
static const char *sentence_of(const char *event, const char *word)
{
	static const struct {
		const char *event;
		const char *word;
		const char *sentence;
	} SENTENCES[] = {
		{ "dns_deny", "unmatched", "no entry of allowOutbound matches that name" },
		{ "dns_deny", "rule", "an entry of denyOutbound names it" },
		{ "dns_deny", "malformed", "the question is not a well-formed name" },
		{ "dns_deny", "cname", "the answer's chain of names leads where it may not" },
		{ "dns_deny", "record type", "records of that type are not resolved" },
		{ "dns_deny", "too many new names",
		  "too many new names below a wildcard; network.dns.newNamesPerMinute limits "
		  "them" },
		{ "fs_deny", "unmatched", "nothing grants that path" },
		{ "fs_deny", "rule", "the longest matching entry does not grant that" },
		{ "fs_deny", "protectGit", "git obeys it, in a repository that was there" },
		{ "fs_deny", "outside the session", "it belongs to a process outside the session" },
		{ "unix_deny", "outside the session", "the socket was made outside the session" },
		{ "syscall_deny", "system call", "the filter refuses that call to the session" },
	};
	const char *sentence;

	for (size_t i = 0; word && i < ARRAY_SIZE(SENTENCES); i++)
		if (strcmp(SENTENCES[i].event, event) == 0 && strcmp(SENTENCES[i].word, word) == 0)
			return SENTENCES[i].sentence;
	sentence = net_sentence(word);
	return sentence ? sentence : word;
}

static void note_denial(struct story *t, const struct json5 *line, const char *event)
{
	struct pinfold_last *l = &t->last;
	const char *verdict = record_member_text(line, "verdict");
	const char *comm = record_member_text(line, "comm");
	char process[sizeof(l->process)];

	l->denials += (uint64_t)record_member_number(line, "suppressed",
						     record_member_number(line, "count", 1));
	l->observed = verdict && strcmp(verdict, "would_deny") == 0;
	copy(l->event, sizeof(l->event), event);
	copy(l->time, sizeof(l->time), record_member_text(line, "ts"));
	copy(l->op, sizeof(l->op), record_member_text(line, "op"));
	fill_subject(line, l);
	snprintf(process, sizeof(process), comm ? "%.40s (pid %lld)" : "%.0spid %lld",
		 comm ? comm : "", (long long)record_member_number(line, "pid", 0));
	copy(l->process, sizeof(l->process), record_member_number(line, "pid", 0) ? process : "");
	copy(l->answer.rule, sizeof(l->answer.rule), record_member_text(line, "rule"));
	copy(l->answer.origin, sizeof(l->answer.origin), record_member_text(line, "origin"));
	copy(l->answer.fix, sizeof(l->answer.fix), record_member_text(line, "advice"));
	copy(l->answer.reason, sizeof(l->answer.reason),
	     sentence_of(event, record_member_text(line, "reason")));
}

/* ---- the session ---------------------------------------------------------------------------- */

static void note_start(struct story *t, const struct json5 *line)
{
	const struct json5 *fences = json5_member(line, "fences");
	const char *files = NULL;

	if (fences && fences->type == JSON5_OBJECT)
		files = record_member_text(fences, "fileRecord");
	t->no_file_record = files && strcmp(files, "ready") != 0;
	t->started = true;
	copy(t->last.time, sizeof(t->last.time), record_member_text(line, "ts"));
}

static void note_end(struct story *t, const struct json5 *line)
{
	const char *reason = record_member_text(line, "reason");

	t->ended = true;
	t->timed_out = reason && strcmp(reason, "timeout") == 0;
	t->not_started = reason && strcmp(reason, "not started") == 0;
	t->exit_code = record_member_number(line, "exitCode", -1);
	t->signal = record_member_number(line, "signal", 0);
	t->lost = record_member_number(line, "lost", 0);
}

/* Whether the line is of the session in question, which without a wish is the one that started last
 * (or, in a record that begins in the middle, spoke last). */
static bool follow(struct story *t, const struct json5 *line, const char *event)
{
	const char *session = record_member_text(line, "session");
	bool starts = strcmp(event, "session_start") == 0;

	if (!session || strlen(session) >= sizeof(t->last.session))
		return false;
	if (strcmp(session, t->last.session) == 0)
		return true;
	if (t->wanted ? strcmp(session, t->wanted) != 0 : t->started && !starts)
		return false;
	*t = (struct story){ .wanted = t->wanted, .exit_code = -1 };
	copy(t->last.session, sizeof(t->last.session), session);
	return true;
}

static void note_line(struct story *t, const struct json5 *line)
{
	const char *event = record_member_text(line, "event");

	if (!event || !follow(t, line, event))
		return;
	if (strcmp(event, "session_start") == 0)
		note_start(t, line);
	else if (strcmp(event, "session_end") == 0)
		note_end(t, line);
	else if (strcmp(event, "degraded") == 0)
		copy(t->cause, sizeof(t->cause), record_member_text(line, "reason"));
	else if (ends_with(event, "_deny") || strcmp(event, "dns_strip") == 0)
		note_denial(t, line, event);
}

static int read_story(const char *path, struct story *t, struct pinfold_error *e)
{
	struct record_reader *r = NULL;
	const struct json5 *line;
	int n = record_reader_open(path, &r, e);

	if (n == -ENOENT)
		return err_set(e, n,
			       "no record '%.120s': name one with --log, set PINFOLD_LOG, or give "
			       "a policy that has audit.path (-p)",
			       path);
	if (n < 0)
		return n;
	while ((n = record_reader_next(r, &line)) > 0)
		note_line(t, line);
	record_reader_free(r);
	if (n < 0)
		return err_set(e, n, "cannot read the record '%s': %s", path, strerror(-n));
	if (t->last.session[0])
		return 0;
	if (t->wanted)
		return err_set(e, -ENOENT, "the record '%.120s' has no session '%.40s'", path,
			       t->wanted);
	return err_set(e, -ENOENT, "the record '%.120s' has no session", path);
}

/* ---- the answer ----------------------------------------------------------------------------- */

/* The command's end, as a part of a sentence. */
static void say_end(const struct story *t, char *ret, size_t size)
{
	if (!t->ended)
		snprintf(ret, size, "the session has not ended");
	else if (t->not_started)
		snprintf(ret, size, "the command was not started");
	else if (t->signal)
		snprintf(ret, size, "the command was ended by signal %lld", (long long)t->signal);
	else
		snprintf(ret, size, "the command ended with exit status %lld",
			 (long long)t->exit_code);
}

/* What the record can't know is said, so that "not ours" claims no more than it may. */
static void answer_nothing(const struct story *t, struct pinfold_last *l)
{
	char end[128];

	say_end(t, end, sizeof(end));
	l->answer.verdict = PINFOLD_NOT_OURS;
	snprintf(l->answer.reason, sizeof(l->answer.reason), "%s, and the record has no denial%s%s",
		 end, t->lost > 0 ? "; but some lines of it were lost" : "",
		 t->no_file_record ? "; refused files were not recorded (see 'pinfold doctor')"
				   : "");
	snprintf(l->answer.fix, sizeof(l->answer.fix),
		 "a path that is not granted, denied by name or granted for reading alone is "
		 "refused without a line: ask 'pinfold why read PATH' or 'why write PATH'");
}

static void answer_timeout(struct pinfold_last *l)
{
	copy(l->answer.rule, sizeof(l->answer.rule), "limits.timeout");
	copy(l->answer.reason, sizeof(l->answer.reason), "the session's time was over");
	copy(l->answer.fix, sizeof(l->answer.fix), "raise limits.timeout");
	copy(l->subject, sizeof(l->subject), "more time");
	copy(l->event, sizeof(l->event), "session_end");
}

/* The question that the denial was an answer to. */
static bool question_of(const struct pinfold_last *l, enum pinfold_question *ret)
{
	static const struct {
		const char *event;
		enum pinfold_question question;
	} QUESTIONS[] = {
		{ "net_deny", PINFOLD_WHY_CONNECT },
		{ "dns_deny", PINFOLD_WHY_RESOLVE },
		{ "unix_deny", PINFOLD_WHY_UNIX },
	};

	for (size_t i = 0; i < ARRAY_SIZE(QUESTIONS); i++)
		if (strcmp(QUESTIONS[i].event, l->event) == 0) {
			*ret = QUESTIONS[i].question;
			return true;
		}
	if (strcmp(l->event, "fs_deny") != 0 || l->subject[0] != '/')
		return false;
	*ret = strstr(l->op, "execute")  ? PINFOLD_WHY_EXEC
	       : strstr(l->op, "write_") ? PINFOLD_WHY_WRITE
	       : strstr(l->op, "read_")  ? PINFOLD_WHY_READ
					 : PINFOLD_WHY_WRITE;
	return true;
}

/* The policy as it is now has the better words, unless it would allow by now. */
static void ask_policy(const struct pinfold_policy *p, struct pinfold_last *l)
{
	struct pinfold_error e = { 0 };
	struct pinfold_answer now;
	enum pinfold_question q;

	if (!question_of(l, &q) || pinfold_why(p, q, l->subject, &now, &e) < 0)
		return;
	l->allowed_now = now.verdict == PINFOLD_ALLOW;
	if (!l->allowed_now)
		l->answer = now;
}

int pinfold_why_last(const struct pinfold_policy *p, const char *log_path, const char *session,
		     struct pinfold_last *ret, struct pinfold_error *e)
{
	struct story t = { .wanted = session, .exit_code = -1 };
	const char *path = log_path ? log_path : p ? p->policy.audit.path : NULL;
	int r = read_story(path ? path : record_default_path(), &t, e);

	if (r < 0)
		return r;
	t.last.answer.verdict = PINFOLD_DENY;
	if (t.timed_out)
		answer_timeout(&t.last);
	else if (!t.last.denials)
		answer_nothing(&t, &t.last);
	else if (p)
		ask_policy(p, &t.last);
	*ret = t.last;
	return 0;
}
