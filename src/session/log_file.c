/* SPDX-License-Identifier: MIT */
/* Refused files, signals and abstract sockets in the record, as the kernel's audit stream tells. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "audit/landlock.h"
#include "audit/record.h"
#include "policy/paths.h"
#include "session/log.h"
#include "session/session.h"

#define HINT_MAX 512
#define ADVICE_MAX 512

int log_is_ours(void *data, pid_t pid)
{
	const struct session *s = data;

	return pid == s->init;
}

static bool is_signal_or_socket(const char *blockers)
{
	return strncmp(blockers, "scope.", 6) == 0;
}

/* Landlock judges a new or removed name before the directory's mode does.  What the mode refuses as
 * well is an ordinary EACCES, not ours: interpreters try to cache in system directories. */
static bool would_fail_anyway(const struct session *s, const struct landlock_denial *d)
{
	struct stat st;

	if (strncmp(d->blockers, "fs.make_", strlen("fs.make_")) != 0 &&
	    strncmp(d->blockers, "fs.remove_", strlen("fs.remove_")) != 0)
		return false;
	if (stat(d->path, &st) < 0 || !S_ISDIR(st.st_mode))
		return false;
	if (st.st_uid == s->identity.uid)
		return !(st.st_mode & S_IWUSR);
	if (st.st_gid == s->identity.gid)
		return !(st.st_mode & S_IWGRP);
	return !(st.st_mode & S_IWOTH);
}

void log_landlock_denial(void *data, const struct landlock_denial *d)
{
	struct session *s = data;
	bool scoped = is_signal_or_socket(d->blockers);
	const char *event =
	    scoped && strstr(d->blockers, "abstract_unix") ? "unix_deny" : "fs_deny";
	struct path_judgement judged = { 0 };
	char advice[ADVICE_MAX] = "";
	char key[LANDLOCK_PATH_MAX + 160];
	char hint[HINT_MAX];
	struct record_line *l;
	bool writes =
	    strstr(d->blockers, "read_") == NULL && strstr(d->blockers, "execute") == NULL;

	if (would_fail_anyway(s, d))
		return;
	s->denied.fs++;
	snprintf(key, sizeof(key), "%s %s", d->blockers, d->path);
	if (record_fold(s->record, event, key))
		return;
	if (!scoped)
		judged = path_set_judge(&s->paths, d->path);
	/* No member opens what a writable tree does not give: devices. */
	if (!scoped && judged.right != PATH_RW) {
		snprintf(advice, sizeof(advice), "to allow it add \"%.300s\" to filesystem.%s",
			 d->path,
			 writes                           ? "rw"
			 : strstr(d->blockers, "execute") ? "rox"
							  : "ro");
	}
	l = record_begin(s->record, event);
	record_number(l, "pid", d->pid);
	record_text(l, "comm", d->comm[0] ? d->comm : NULL);
	record_text(l, "path", d->path[0] ? d->path : NULL);
	record_text(l, "op", d->blockers);
	record_text(l, "rule", judged.rule ? judged.rule->text : NULL);
	record_text(l, "origin", judged.rule ? judged.rule->origin : NULL);
	record_text(l, "reason",
		    scoped        ? "outside the session"
		    : judged.rule ? "rule"
				  : "unmatched");
	record_text(l, "advice", advice[0] ? advice : NULL);
	record_end(l);
	snprintf(hint, sizeof(hint), "refused %s of %.300s", d->blockers, d->path);
	log_hint(s, hint, advice);
}
