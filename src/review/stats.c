/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/clean.h"
#include "base/err.h"
#include "policy/handle.h"
#include "review/digest.h"
#include "review/entries.h"
#include "review/json.h"

#define TOP_MAX 100

struct table_row {
	const char *group; /* NULL: at the top */
	const char *key;
	enum digest_table table;
	const char *detail;
	const char *parts[6];
};

static const struct table_row TABLES[] = {
	{ "refused",
	  "destinations",
	  DIGEST_REFUSED_DST,
	  "advice",
	  { "host", "port", "proto", "reason", "verdict" } },
	{ "refused", "names", DIGEST_REFUSED_NAME, "advice", { "name", "reason", "verdict" } },
	{ "refused", "stripped", DIGEST_STRIPPED, "advice", { "name", "reason" } },
	{ "refused",
	  "paths",
	  DIGEST_REFUSED_PATH,
	  "advice",
	  { "path", "op", "reason", "verdict" } },
	{ "refused",
	  "sockets",
	  DIGEST_REFUSED_SOCKET,
	  "advice",
	  { "path", "op", "reason", "verdict" } },
	{ "refused", "other", DIGEST_REFUSED_OTHER, NULL, { "event", "op", "reason", "verdict" } },
	{ "reached", "destinations", DIGEST_REACHED_DST, NULL, { "host", "port", "proto" } },
	{ "reached", "names", DIGEST_REACHED_NAME, NULL, { "name" } },
	{ NULL, "rules", DIGEST_RULES, NULL, { "rule", "origin" } },
	{ NULL, "events", DIGEST_EVENTS, NULL, { "event" } },
	{ NULL, "agents", DIGEST_AGENTS, NULL, { "agent" } },
};

static cJSON *group_of(cJSON *o, const char *name)
{
	cJSON *group = name ? cJSON_GetObjectItemCaseSensitive(o, name) : o;

	return group ? group : cJSON_AddObjectToObject(o, name);
}

struct unused {
	const struct digest *d;
	cJSON *list;
};

static void add_unused(void *data, const struct entry *at)
{
	const struct unused *u = data;
	cJSON *o;

	if (digest_rule_was_used(u->d, at->text, at->origin))
		return;
	o = cJSON_CreateObject();
	cJSON_AddStringToObject(o, "list", at->list);
	cJSON_AddStringToObject(o, "rule", at->text);
	cJSON_AddStringToObject(o, "origin", at->origin ? at->origin : "");
	cJSON_AddItemToArray(u->list, o);
}

static void add_policy(cJSON *o, const struct digest *d)
{
	struct unused u = { .d = d };

	if (!d->policy)
		return;
	cJSON_AddStringToObject(o, "policy", d->policy->policy.source);
	cJSON_AddBoolToObject(o, "allowedRecorded", d->verdicts[TIMELINE_ALLOWED] > 0);
	u.list = cJSON_AddArrayToObject(o, "unusedRules");
	entries_each(d, add_unused, &u);
}

static int add_tables(cJSON *o, const struct digest *d)
{
	for (size_t i = 0; i < ARRAY_SIZE(TABLES); i++) {
		const struct table_row *t = &TABLES[i];
		int r = json_add_tally(group_of(o, t->group), t->key, &d->table[t->table], TOP_MAX,
				       t->parts, t->detail);

		if (r < 0)
			return r;
	}
	return 0;
}

int pinfold_log_stats(const struct pinfold_log_query *q, char **ret, struct pinfold_error *e)
{
	struct digest *d = NULL;
	cJSON *o;
	cJSON *verdicts;
	int r = digest_read(q, &d, e);

	if (r < 0)
		return r;
	o = cJSON_CreateObject();
	cJSON_AddStringToObject(o, "record", d->path);
	json_add_counts(o, &d->counts);
	json_add_time(o, "first", d->first_us);
	json_add_time(o, "last", d->last_us);
	cJSON_AddNumberToObject(o, "sessions", (double)(d->sessions.n + d->sessions.dropped));
	verdicts = cJSON_AddObjectToObject(o, "verdicts");
	cJSON_AddNumberToObject(verdicts, "deny", (double)d->verdicts[TIMELINE_DENIED]);
	cJSON_AddNumberToObject(verdicts, "would_deny", (double)d->verdicts[TIMELINE_WOULD_DENY]);
	cJSON_AddNumberToObject(verdicts, "allow", (double)d->verdicts[TIMELINE_ALLOWED]);
	r = add_tables(o, d);
	add_policy(o, d);
	digest_free(d);
	if (r < 0) {
		cJSON_Delete(o);
		return err_set(e, r, "out of memory");
	}
	return json_print(o, ret, e);
}
