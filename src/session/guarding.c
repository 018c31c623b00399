/* SPDX-License-Identifier: MIT */
/* The guard of denied names: its start, and what it has to say. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "audit/record.h"
#include "base/clean.h"
#include "base/err.h"
#include "fs/fence.h"
#include "fs/guard.h"
#include "policy/paths.h"
#include "policy/policy.h"
#include "session/log.h"
#include "session/made.h"
#include "session/session.h"

#define QUARANTINE_DIR "/var/lib/pinfold/quarantine"

int session_start_guard(struct session *s, struct pinfold_error *e)
{
	bool may_degrade = s->policy->degrade;
	int r;

	if (fs_fence_gap(s->fs)[0])
		log_degraded(s, "files", fs_fence_gap(s->fs));
	snprintf(s->quarantine, sizeof(s->quarantine), QUARANTINE_DIR "/%s", s->id);
	r = guard_new(&s->paths, s->fs, s->quarantine, may_degrade ? GUARD_DEGRADES : GUARD_REFUSES,
		      &s->guard, e);
	if (r == 0 || !may_degrade)
		return r;
	log_degraded(s, "files", e->text);
	return 0;
}

static void log_planted(struct session *s, const struct guard_message *m)
{
	struct path_judgement j = path_set_judge(&s->paths, m->path);
	struct record_line *l;
	char hint[1024];

	s->denied.fs++;
	l = record_begin(s->record, "fs_deny");
	record_text(l, "path", m->path);
	record_text(l, "op", "plant");
	record_text(l, "rule", j.rule ? j.rule->text : NULL);
	record_text(l, "origin", j.rule ? j.rule->origin : NULL);
	record_text(l, "reason", "rule");
	record_text(l, "action", m->word == GUARD_QUARANTINED ? "quarantined" : "removed");
	record_text(l, "movedTo", m->moved_to[0] ? m->moved_to : NULL);
	record_end(l);
	snprintf(hint, sizeof(hint), "%.300s has a denied name and was %s%.300s", m->path,
		 m->word == GUARD_QUARANTINED ? "moved to " : "removed", m->moved_to);
	log_hint(s, hint, "");
}

static void log_masked(struct session *s, const struct guard_message *m)
{
	struct record_line *l;

	if (!s->policy->audit.allowed)
		return;
	l = record_begin(s->record, "fs_deny");
	record_text(l, "path", m->path);
	record_text(l, "op", "appear");
	record_text(l, "action", "masked");
	record_end(l);
}

static void note_repository(struct session *s, const struct guard_message *m)
{
	made_note(s, m->path);
}

static void log_trouble(struct session *s, const struct guard_message *m)
{
	char text[PINFOLD_ERROR_MAX];

	snprintf(text, sizeof(text), "denied names %s '%.120s': %s",
		 m->word == GUARD_BLIND ? "that appear later are not seen below"
					: "can't be held any more, the session ends:",
		 m->path, strerror(-m->error));
	log_degraded(s, "files", text);
}

int session_hear_guard(struct session *s)
{
	static void (*const LOG[])(struct session * s, const struct guard_message *m) = {
		[GUARD_NONE] = log_trouble,           [GUARD_MASKED] = log_masked,
		[GUARD_QUARANTINED] = log_planted,    [GUARD_REMOVED] = log_planted,
		[GUARD_BLIND] = log_trouble,          [GUARD_FAILED] = log_trouble,
		[GUARD_REPOSITORY] = note_repository,
	};
	struct guard_message m;
	int r;

	_Static_assert(ARRAY_SIZE(LOG) == GUARD_WORDS, "one function for every word");
	while ((r = guard_receive(s->guard, &m)) == 0) {
		LOG[m.word](s, &m);
		if (m.lost > s->guard_lost)
			log_lost(s, "denied names", m.lost - s->guard_lost);
		s->guard_lost = m.lost;
	}
	return r == -EAGAIN ? 0 : r;
}

int session_explain_guard(const struct session *s, int code, struct pinfold_error *e)
{
	struct guard_message m;

	while (s->guard && guard_receive(s->guard, &m) == 0) {
		if (m.word != GUARD_FAILED)
			continue;
		return err_set(e, code,
			       "denied names can't be held below '%.120s': %s "
			       "(\"onUnavailable\": \"degrade\" may start without)",
			       m.path, strerror(-m.error));
	}
	return err_set(e, code, "the pen's init died before it was ready: %s", strerror(-code));
}
