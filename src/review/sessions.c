/* SPDX-License-Identifier: MIT */
#include "review/sessions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/filter.h"
#include "audit/line.h"
#include "base/clean.h"
#include "review/hash.h"

static struct session_row **place_of(struct sessions *s, const char *name)
{
	size_t i = hash_text(name) & (SESSIONS_PLACES - 1);

	while (s->row[i] && strcmp(s->row[i]->name, name) != 0)
		i = (i + 1) & (SESSIONS_PLACES - 1);
	return &s->row[i];
}

static int newest_first(const void *a, const void *b)
{
	const struct session_row *const *x = a;
	const struct session_row *const *y = b;

	if ((*x)->last_us != (*y)->last_us)
		return (*x)->last_us > (*y)->last_us ? -1 : 1;
	return strcmp((*x)->name, (*y)->name);
}

int sessions_list(const struct sessions *s, struct session_row ***ret)
{
	struct session_row **list = calloc(s->n + 1, sizeof(struct session_row *));
	size_t n = 0;

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < SESSIONS_PLACES; i++)
		if (s->row[i])
			list[n++] = s->row[i];
	qsort(list, n, sizeof(struct session_row *), newest_first);
	*ret = list;
	return (int)n;
}

/* The older half goes. */
static int drop_old(struct sessions *s)
{
	struct session_row **list;
	int n = sessions_list(s, &list);

	if (n < 0)
		return n;
	memset(s->row, 0, sizeof(s->row));
	for (int i = 0; i < n; i++) {
		struct session_row *row = list[i];

		if (i < n / 2)
			*place_of(s, row->name) = row;
		else
			free(row);
	}
	s->n = (size_t)n / 2;
	s->dropped += (uint64_t)(n - n / 2);
	free(list);
	return 0;
}

static int find(struct sessions *s, const char *name, struct session_row **ret)
{
	struct session_row **at = place_of(s, name);
	int r;

	if (!*at) {
		r = s->n == SESSIONS_MAX ? drop_old(s) : 0;
		if (r < 0)
			return r;
		at = place_of(s, name);
		*at = calloc(1, sizeof(**at));
		if (!*at)
			return -ENOMEM;
		snprintf((*at)->name, sizeof((*at)->name), "%s", name);
		s->n++;
	}
	*ret = *at;
	return 0;
}

static void take_text(const struct pinfold_log_line *l, const char *key, char *ret, size_t size)
{
	if (!ret[0] && line_text(l, key, ret, size))
		line_clean(ret);
}

static void take_command(const struct pinfold_log_line *l, char *ret, size_t size)
{
	const struct line_value *argv = line_find(l, "argv");
	char word[200];
	size_t at = 0;
	size_t used = 0;

	if (!argv || argv->type != LINE_ARRAY)
		return;
	while (used + 1 < size && line_list_next(argv, &at, word, sizeof(word))) {
		int n;

		line_clean(word);
		n = snprintf(ret + used, size - used, "%s%s", used ? " " : "", word);
		used = n < 0 || used + (size_t)n >= size ? size : used + (size_t)n;
	}
}

static void take_end(struct session_row *row, const struct pinfold_log_line *l)
{
	int64_t code = line_number(l, "exitCode", -1);
	int64_t signal = line_number(l, "signal", 0);
	char reason[24] = "";

	take_text(l, "reason", reason, sizeof(reason));
	row->end_us = l->time_us;
	if (code >= 0)
		snprintf(row->end, sizeof(row->end), "exit %lld%s%s", (long long)code,
			 reason[0] ? ", " : "", reason);
	else if (signal > 0)
		snprintf(row->end, sizeof(row->end), "signal %lld%s%s", (long long)signal,
			 reason[0] ? ", " : "", reason);
	else
		snprintf(row->end, sizeof(row->end), "%s", reason);
}

static void count(struct session_row *row, const struct pinfold_log_line *l)
{
	const char *verdict = log_verdict(l);

	if (strcmp(verdict, "deny") == 0)
		row->denied += line_weight(l);
	else if (strcmp(verdict, "would_deny") == 0)
		row->would_deny += line_weight(l);
	else if (strcmp(verdict, "allow") == 0)
		row->allowed += line_weight(l);
}

int sessions_add(struct sessions *s, const struct pinfold_log_line *l)
{
	char name[sizeof(((struct session_row *)NULL)->name)];
	struct session_row *row;
	int r;

	if (!line_text(l, "session", name, sizeof(name)) || !name[0])
		return 0;
	line_clean(name);
	r = find(s, name, &row);
	if (r < 0)
		return r;
	if (l->time_us > row->last_us)
		row->last_us = l->time_us;
	take_text(l, "agent", row->agent, sizeof(row->agent));
	take_text(l, "lane", row->lane, sizeof(row->lane));
	count(row, l);
	if (line_text_is(l, "event", "session_start")) {
		const struct line_value *observe = line_find(l, "observe");

		row->start_us = l->time_us;
		row->observed = observe && observe->type == LINE_WORD && observe->at[0] == 't';
		take_command(l, row->command, sizeof(row->command));
	} else if (line_text_is(l, "event", "session_end")) {
		take_end(row, l);
	}
	return 0;
}

void sessions_done(struct sessions *s)
{
	for (size_t i = 0; i < SESSIONS_PLACES; i++) {
		free(s->row[i]);
		s->row[i] = NULL;
	}
	s->n = 0;
}
