/* SPDX-License-Identifier: MIT */
/* The members that are a word or a number: which value is narrower stands in the table of members.
 */
#include <stdio.h>
#include <string.h>

#include "base/clean.h"
#include "pinfold_review.h"
#include "policy/policy.h"
#include "policy/quantity.h"
#include "policy/schema.h"
#include "review/diff.h"

#define VALUE_MAX 64

/* What the rights of paths tell already. */
static const enum member_id TOLD_BY_PATHS[] = { M_WORKSPACE_ACCESS, M_FENCE_TO_LANE, M_FS_SYSTEM };

static bool is_told(enum member_id id)
{
	for (size_t i = 0; i < ARRAY_SIZE(TOLD_BY_PATHS); i++)
		if (TOLD_BY_PATHS[i] == id)
			return true;
	return false;
}

/* The area of a member is its object. */
static const char *area_of(const char *name)
{
	static const struct {
		const char *start;
		const char *area;
	} AREAS[] = {
		{ "network.", "network" }, { "filesystem.", "files" }, { "identity.", "identity" },
		{ "seccomp.", "seccomp" }, { "limits.", "limits" },    { "audit.", "record" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(AREAS); i++)
		if (strncmp(name, AREAS[i].start, strlen(AREAS[i].start)) == 0)
			return AREAS[i].area;
	return "session";
}

static void format_value(const struct member *m, unsigned value, char ret[static VALUE_MAX])
{
	if (m->kind == KIND_BOOL) {
		snprintf(ret, VALUE_MAX, "%s", value ? "true" : "false");
		return;
	}
	snprintf(ret, VALUE_MAX, "%u", value);
	for (const struct word *w = m->words; m->kind == KIND_WORD && w->text; w++)
		if ((unsigned)w->value == value)
			snprintf(ret, VALUE_MAX, "%s", w->text);
}

/* Without a limit is wider than any. */
static enum pinfold_effect effect_of_limit(uint64_t old, uint64_t now)
{
	if (now == POLICY_NO_LIMIT || (old != POLICY_NO_LIMIT && now > old))
		return PINFOLD_OPENS;
	return PINFOLD_CLOSES;
}

static enum pinfold_effect effect_of(const struct member *m, unsigned old, unsigned now)
{
	if (strncmp(m->name, "audit.", 6) == 0)
		return PINFOLD_CHANGES;
	switch (m->order) {
	case ORDER_LOW:
		return now > old ? PINFOLD_OPENS : PINFOLD_CLOSES;
	case ORDER_HIGH:
		return now < old ? PINFOLD_OPENS : PINFOLD_CLOSES;
	case ORDER_LIMIT:
		return effect_of_limit(old, now);
	case ORDER_NONE:
		break;
	}
	return PINFOLD_CHANGES;
}

static void tell_member(struct diff *d, const struct member *m)
{
	const unsigned old = member_value(m, d->side[DIFF_OLD]);
	const unsigned now = member_value(m, d->side[DIFF_NEW]);
	char from[VALUE_MAX];
	char to[VALUE_MAX];
	struct pinfold_change c = { .what = m->name, .from = from, .to = to };

	if (old == now)
		return;
	format_value(m, old, from);
	format_value(m, now, to);
	c.effect = effect_of(m, old, now);
	c.area = area_of(m->name);
	diff_tell(d, &c);
}

static void tell_limit(struct diff *d, const char *name, enum quantity q, uint64_t old,
		       uint64_t now)
{
	char from[VALUE_MAX];
	char to[VALUE_MAX];
	const struct pinfold_change c = {
		.effect = effect_of_limit(old, now),
		.area = "limits",
		.what = name,
		.from = from,
		.to = to,
	};

	if (old == now)
		return;
	quantity_format(q, old, from, sizeof(from));
	quantity_format(q, now, to, sizeof(to));
	diff_tell(d, &c);
}

static void tell_unavailable(struct diff *d)
{
	static const char *const WORDS[] = { "refuse", "degrade" };
	const bool old = d->side[DIFF_OLD]->degrade;
	const bool now = d->side[DIFF_NEW]->degrade;
	const struct pinfold_change c = {
		.effect = now ? PINFOLD_OPENS : PINFOLD_CLOSES,
		.area = "session",
		.what = "onUnavailable",
		.from = WORDS[old],
		.to = WORDS[now],
	};

	if (old != now)
		diff_tell(d, &c);
}

void diff_members(struct diff *d)
{
	const struct limits_policy *a = &d->side[DIFF_OLD]->limits;
	const struct limits_policy *b = &d->side[DIFF_NEW]->limits;

	for (int id = 0; id < M_MAX; id++) {
		const struct member *m = schema_member((enum member_id)id);

		if ((m->kind == KIND_BOOL || m->kind == KIND_NUMBER || m->kind == KIND_WORD) &&
		    !is_told((enum member_id)id))
			tell_member(d, m);
	}
	tell_limit(d, "limits.pids", QUANTITY_PIDS, a->pids, b->pids);
	tell_limit(d, "limits.memory", QUANTITY_MEMORY, a->memory, b->memory);
	tell_limit(d, "limits.cpu", QUANTITY_CPU, a->cpu_percent, b->cpu_percent);
	tell_limit(d, "limits.timeout", QUANTITY_TIME, a->timeout_ms, b->timeout_ms);
	tell_unavailable(d);
}
