/* SPDX-License-Identifier: MIT */
#include "review/json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "audit/when.h"
#include "base/clean.h"
#include "base/err.h"

#define PART_MAX 2048

void json_add_counts(cJSON *o, const struct pinfold_log_counts *c)
{
	const struct {
		const char *key;
		uint64_t value;
	} COUNTS[] = {
		{ "files", c->files },     { "bytes", c->bytes },   { "lines", c->lines },
		{ "matched", c->matched }, { "broken", c->broken }, { "forged", c->forged },
		{ "damaged", c->damaged },
	};

	for (size_t i = 0; i < ARRAY_SIZE(COUNTS); i++)
		cJSON_AddNumberToObject(o, COUNTS[i].key, (double)COUNTS[i].value);
}

void json_add_time(cJSON *o, const char *key, int64_t us)
{
	char text[WHEN_TEXT_MAX + 1];

	if (us == 0) {
		cJSON_AddNullToObject(o, key);
		return;
	}
	when_format(us, text);
	text[10] = 'T';
	memcpy(text + strlen(text), "Z", 2);
	cJSON_AddStringToObject(o, key, text);
}

/* Whole numbers where they are some: a port is one. */
static void add_part(cJSON *o, const char *name, const char *part)
{
	char *end;
	double number = strtod(part, &end);

	if (strcmp(name, "port") == 0 && *part && !*end)
		cJSON_AddNumberToObject(o, name, number);
	else if (*part)
		cJSON_AddStringToObject(o, name, part);
}

static cJSON *entry_object(const struct tally_entry *t, const char *const *parts,
			   const char *detail_key)
{
	cJSON *o = cJSON_CreateObject();
	char part[PART_MAX];

	for (unsigned i = 0; parts[i]; i++) {
		tally_part(t->key, i, part, sizeof(part));
		add_part(o, parts[i], part);
	}
	if (detail_key && t->detail)
		cJSON_AddStringToObject(o, detail_key, t->detail);
	cJSON_AddNumberToObject(o, "count", (double)t->count);
	json_add_time(o, "first", t->first_us);
	json_add_time(o, "last", t->last_us);
	return o;
}

int json_add_tally(cJSON *o, const char *key, const struct tally *t, size_t max,
		   const char *const *parts, const char *detail_key)
{
	auto_free const struct tally_entry **top = NULL;
	cJSON *list = cJSON_AddArrayToObject(o, key);
	uint64_t left = tally_sum(t);
	char others[64];
	int n = tally_top(t, max, &top);

	if (n < 0 || !list)
		return -ENOMEM;
	for (int i = 0; i < n; i++) {
		cJSON_AddItemToArray(list, entry_object(top[i], parts, detail_key));
		left -= top[i]->count;
	}
	if (left == 0)
		return 0;
	if (snprintf(others, sizeof(others), "%sOthers", key) > 0)
		cJSON_AddNumberToObject(o, others, (double)left);
	return 0;
}

int json_print(cJSON *o, char **ret, struct pinfold_error *e)
{
	char *text = o ? cJSON_PrintUnformatted(o) : NULL;

	cJSON_Delete(o);
	if (!text)
		return err_set(e, -ENOMEM, "out of memory");
	*ret = text;
	return 0;
}
