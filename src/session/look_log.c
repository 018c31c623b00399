/* SPDX-License-Identifier: MIT */
#include "session/look_log.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "audit/record.h"
#include "base/addr.h"
#include "base/clean.h"
#include "base/io.h"
#include "dns/worker.h"
#include "net/fence.h"
#include "net/judge.h"
#include "policy/names.h"
#include "session/calls.h"
#include "session/log.h"
#include "session/look_judge.h"
#include "session/session.h"

#define ADVICE_MAX 512
#define OP_MAX 128
#define KEY_MAX 4400
#define COMM_MAX 64

_Static_assert(CALL_LOOK == PINFOLD_USE_LOOK && CALL_READ == PINFOLD_USE_READ &&
		   CALL_WRITE == PINFOLD_USE_WRITE && CALL_EXEC == PINFOLD_USE_EXEC &&
		   CALL_MAKE == PINFOLD_USE_MAKE && CALL_REMOVE == PINFOLD_USE_REMOVE &&
		   CALL_CHANGE == PINFOLD_USE_CHANGE,
	       "the public bits are these");

/* ---- sights --------------------------------------------------------------------------------- */

static void program_of(pid_t pid, char ret[static COMM_MAX])
{
	auto_free char *text = NULL;
	char path[64];
	size_t len;

	ret[0] = '\0';
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	if (pid > 0 && io_read_file(AT_FDCWD, path, COMM_MAX - 1, &text, &len) == 0)
		snprintf(ret, COMM_MAX, "%.*s", (int)strcspn(text, "\n"), text);
}

static void tell_path(const struct session *s, pid_t pid, const struct look_use *u,
		      const struct look_verdict *v)
{
	static const enum pinfold_verdict verdict[] = {
		[LOOK_SHUT] = PINFOLD_DENY,
		[LOOK_WOULD_DENY] = PINFOLD_ASK,
		[LOOK_ALLOWED] = PINFOLD_ALLOW,
	};
	char comm[COMM_MAX] = "";

	if (!s->sight)
		return;
	if (v->said != LOOK_ALLOWED ||
	    (u->need & (CALL_WRITE | CALL_MAKE | CALL_REMOVE | CALL_CHANGE)))
		program_of(pid, comm);
	s->sight(s->sight_data,
		 &(struct pinfold_sight){
		     .kind = u->need & CALL_SOCKET ? PINFOLD_SIGHT_UNIX : PINFOLD_SIGHT_FILE,
		     .verdict = verdict[v->said],
		     .uses = u->need & ~CALL_SOCKET,
		     .missing = v->missing & ~CALL_SOCKET,
		     .path = u->path,
		     .is_dir = u->is_dir,
		     .reason = v->reason,
		     .program = comm,
		 });
}

void look_tell_destination(const struct session *s, const struct net_event *ev)
{
	char address[ADDR_TEXT_MAX];
	char comm[COMM_MAX];

	if (!s->sight || ev->reason == PF_DENY_UNIX || ev->reason == PF_DENY_BIND ||
	    ev->reason == PF_DENY_INBOUND)
		return;
	addr_format(&ev->addr, address);
	program_of(ev->pid, comm);
	s->sight(s->sight_data, &(struct pinfold_sight){
				    .kind = PINFOLD_SIGHT_DESTINATION,
				    .verdict = ev->reason >= PF_ALLOW ? PINFOLD_ALLOW
					       : ev->observed         ? PINFOLD_ASK
								      : PINFOLD_DENY,
				    .name = ev->name,
				    .address = address,
				    .port = ev->port,
				    .proto = ev->proto,
				    .reason = net_reason_word(ev->reason),
				    .program = comm,
				});
}

void look_tell_name(const struct session *s, const struct dns_note *note, bool is_refused)
{
	const struct net_rule *rule;
	bool allows = policy_may_resolve(s->policy, note->name, &rule);

	if (!s->sight)
		return;
	s->sight(s->sight_data, &(struct pinfold_sight){
				    .kind = PINFOLD_SIGHT_NAME,
				    .verdict = is_refused ? PINFOLD_DENY
					       : allows   ? PINFOLD_ALLOW
							  : PINFOLD_ASK,
				    .name = note->name,
				    .program = "",
				});
}

/* ---- the record ----------------------------------------------------------------------------- */

/* As Landlock's own words, so that one reader understands both. */
static void op_text(const struct look_use *u, unsigned bits, const char *word,
		    char ret[static OP_MAX])
{
	const struct {
		unsigned bit;
		const char *word;
	} WORDS[] = {
		{ CALL_EXEC, "fs.execute" },
		{ CALL_WRITE, word ? word : "fs.write_file" },
		{ CALL_READ, u->is_dir ? "fs.read_dir" : "fs.read_file" },
		{ CALL_REMOVE, word        ? word
			       : u->is_dir ? "fs.remove_dir"
					   : "fs.remove_file" },
		{ CALL_MAKE, word ? word : "fs.make_reg" },
		{ CALL_CHANGE, "fs.set_attr" },
		{ CALL_LOOK, "fs.read_attr" },
		{ CALL_SOCKET, word },
	};
	size_t len = 0;

	ret[0] = '\0';
	/* That it is looked at goes without saying. */
	if (bits & ~CALL_LOOK)
		bits &= ~CALL_LOOK;
	/* A new file is written to anyway. */
	if (bits & CALL_MAKE)
		bits &= ~(CALL_READ | CALL_WRITE);
	for (size_t i = 0; i < ARRAY_SIZE(WORDS) && len < OP_MAX; i++)
		if (bits & WORDS[i].bit)
			len += (size_t)snprintf(ret + len, OP_MAX - len, "%s%s", len ? "," : "",
						WORDS[i].word);
}

static void advise(const struct look_use *u, const struct look_verdict *v,
		   char ret[static ADVICE_MAX])
{
	ret[0] = '\0';
	if (v->said == LOOK_SHUT)
		return;
	if (v->list)
		snprintf(ret, ADVICE_MAX, "to allow it add \"%.400s\" to %s", u->path, v->list);
	else
		snprintf(ret, ADVICE_MAX, "to allow it set filesystem.protectGit to false");
}

/* glibc asks for nscd at every lookup of a name, and is content without. */
static bool is_everyday(const struct look_use *u)
{
	return (u->need & CALL_SOCKET) && strcmp(u->path, "/run/nscd/socket") == 0;
}

static void write_line(struct session *s, pid_t pid, const struct look_use *u, const char *op,
		       const struct look_verdict *v)
{
	char advice[ADVICE_MAX];
	char hint[ADVICE_MAX];
	struct record_line *l;

	advise(u, v, advice);
	l = record_begin(s->record, u->need & CALL_SOCKET ? "unix_deny" : "fs_deny");
	record_process(l, pid);
	record_text(l, "path", u->path);
	record_text(l, "op", op);
	record_text(l, "rule", v->rule ? v->rule->text : NULL);
	record_text(l, "origin", v->rule ? v->rule->origin : NULL);
	record_text(l, "reason", v->reason);
	record_text(l, "advice", advice[0] ? advice : NULL);
	record_verdict(l, v->said == LOOK_SHUT ? RECORD_DENY : RECORD_WOULD_DENY);
	record_end(l);
	snprintf(hint, sizeof(hint), "%s %s of %.300s",
		 v->said == LOOK_SHUT ? "refused" : "would refuse", op, u->path);
	log_hint(s, hint, advice);
}

void look_log(struct session *s, pid_t pid, const struct look_use *u, const char *word,
	      const struct look_verdict *v)
{
	char op[OP_MAX];
	char key[KEY_MAX];

	if (is_everyday(u))
		return;
	tell_path(s, pid, u, v);
	if (v->said == LOOK_ALLOWED)
		return;
	op_text(u, v->missing, word, op);
	if (v->said == LOOK_SHUT)
		s->denied.fs++;
	snprintf(key, sizeof(key), "%d %s %s", v->said, op, u->path);
	if (!record_fold(s->record, u->need & CALL_SOCKET ? "unix_deny" : "fs_deny", key))
		write_line(s, pid, u, op, v);
}
