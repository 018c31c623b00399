/* SPDX-License-Identifier: MIT */
/*
 * DOC: whose call it was
 *
 * The kernel tells refused calls of the whole host.  Ours are those of the audit session that
 * began when init took the session's login uid: everybody inside inherits its number, and nobody
 * may change it.  A launcher that had a login uid already shares its number with the pen; then the
 * cgroup tells, and a process that is gone by the time its record is read is passed over.
 */
#include "session/log_call.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit/landlock.h"
#include "audit/record.h"
#include "base/clean.h"
#include "base/io.h"
#include "seccomp/words.h"
#include "session/log.h"
#include "session/session.h"

#define PROC_TEXT_MAX 65536
#define CALL_NAME_MAX 64
#define NO_AUDIT_SESSION UINT32_MAX

static uint32_t audit_session_of(pid_t pid)
{
	auto_free char *text = NULL;
	char path[64];
	size_t len;

	snprintf(path, sizeof(path), "/proc/%d/sessionid", (int)pid);
	if (io_read_file(AT_FDCWD, path, PROC_TEXT_MAX, &text, &len) < 0 || len == 0)
		return NO_AUDIT_SESSION;
	return (uint32_t)strtoul(text, NULL, 10);
}

static bool is_in_cgroup(const struct session *s, pid_t pid)
{
	auto_free char *text = NULL;
	char path[64];
	size_t len;

	snprintf(path, sizeof(path), "/proc/%d/cgroup", (int)pid);
	return io_read_file(AT_FDCWD, path, PROC_TEXT_MAX, &text, &len) == 0 && strstr(text, s->id);
}

static bool is_ours(const struct session *s, const struct call_denial *d)
{
	if (s->audit_session != NO_AUDIT_SESSION)
		return d->audit_session == s->audit_session;
	return d->uid == s->identity.uid && is_in_cgroup(s, d->pid);
}

static void on_call(void *data, const struct call_denial *d)
{
	struct session *s = data;
	struct record_line *l;
	char name[CALL_NAME_MAX];
	char key[CALL_NAME_MAX + sizeof(d->exe)];
	char hint[CALL_NAME_MAX + 128];
	const char *advice = seccomp_call_advice(d->arch, d->nr);

	if (!is_ours(s, d))
		return;
	s->denied.calls++;
	seccomp_call_name(d->arch, d->nr, name, sizeof(name));
	snprintf(key, sizeof(key), "%s %s", name, d->exe);
	if (record_fold(s->record, "syscall_deny", key))
		return;
	l = record_begin(s->record, "syscall_deny");
	record_number(l, "pid", d->pid);
	record_text(l, "comm", d->comm[0] ? d->comm : NULL);
	record_text(l, "exe", d->exe[0] ? d->exe : NULL);
	record_number(l, "uid", d->uid);
	record_text(l, "op", name);
	record_text(l, "rule", "seccomp");
	record_text(l, "reason", "system call");
	if (d->signal)
		record_number(l, "signal", d->signal);
	record_text(l, "advice", advice[0] ? advice : NULL);
	record_end(l);
	snprintf(hint, sizeof(hint), "refused the system call %s of %.32s", name, d->comm);
	log_hint(s, hint, advice);
}

void log_calls_start(struct session *s)
{
	if (!s->landlock)
		return;
	s->audit_session = audit_session_of(s->init);
	if (s->audit_session == audit_session_of(getpid()))
		s->audit_session = NO_AUDIT_SESSION;
	landlock_audit_on_call(s->landlock, on_call, s);
}
