/* SPDX-License-Identifier: MIT */
/* The `tools` objects of a gateway's configuration, strictly. */
#include <errno.h>
#include <string.h>

#include "agents/tool.h"
#include "base/clean.h"
#include "base/err.h"
#include "base/json5.h"
#include "policy/read.h"
#include "policy/schema.h"

struct tool_reader {
	struct reader r; /* first: the readers of values want it */
	struct tool_rules *rules;
};

/* One member of an object: what reads it, or NULL for what is the gateway's. */
struct tool_member {
	const char *name;
	int (*read)(struct tool_reader *r, const struct json5 *v, struct tool_block *b);
};

static int read_members(struct tool_reader *r, const struct json5 *v,
			const struct tool_member *members, struct tool_block *b)
{
	if (v->type != JSON5_OBJECT)
		return read_fail(&r->r, v, "an object is wanted");
	for (const struct json5 *c = v->child; c; c = c->next) {
		const struct tool_member *m = members;
		int n;

		while (m->name && strcmp(m->name, c->key) != 0)
			m++;
		if (!m->name)
			return read_fail(&r->r, c, "no such member");
		n = m->read ? m->read(r, c, b) : 0;
		if (n < 0)
			return n;
	}
	return 0;
}

/* ---- lists ---------------------------------------------------------------------------------- */

static int no_memory(const struct tool_reader *r)
{
	return err_set(r->r.e, -ENOMEM, "out of memory");
}

static int add_entry(struct tool_reader *r, const struct json5 *v, struct tool_list *l)
{
	char text[TOOL_NAME_BUF];
	struct tool_entry *entry;
	int n;

	if (v->type != JSON5_STRING)
		return read_fail(&r->r, v, "a tool's name, a pattern or group:NAME is wanted");
	n = tool_pattern_read(v->string, text);
	if (n < 0)
		return read_fail(&r->r, v, "not a tool's name");
	if (n == 0)
		return 0; /* a blank entry says nothing */
	entry = grow(&l->entry, l->n, sizeof(*l->entry));
	if (!entry)
		return no_memory(r);
	l->n++;
	entry->text = strdup(text);
	entry->origin = read_origin(&r->r, v);
	return entry->text && entry->origin ? 0 : no_memory(r);
}

static int read_tools(struct tool_reader *r, const struct json5 *v, struct tool_list *l)
{
	int n;

	if (v->type != JSON5_ARRAY)
		return read_fail(&r->r, v, "a list of tools is wanted");
	n = read_list(&r->r, v);
	for (const struct json5 *c = v->child; c && n >= 0; c = c->next)
		n = add_entry(r, c, l);
	if (n < 0)
		return n;
	l->given = true;
	l->origin = read_origin(&r->r, v);
	return l->origin ? 0 : no_memory(r);
}

static int read_allowed(struct tool_reader *r, const struct json5 *v, struct tool_block *b)
{
	return read_tools(r, v, &b->allow);
}

static int read_also_allowed(struct tool_reader *r, const struct json5 *v, struct tool_block *b)
{
	return read_tools(r, v, &b->also);
}

/* A group that nobody knows would deny nothing. */
static int read_denied(struct tool_reader *r, const struct json5 *v, struct tool_block *b)
{
	char text[TOOL_NAME_BUF];
	int n = read_tools(r, v, &b->deny);

	if (n < 0)
		return n;
	for (const struct json5 *c = v->child; c; c = c->next)
		if (tool_pattern_read(c->string, text) > 0 && tool_pattern_is_unknown_group(text))
			return read_fail(&r->r, c, "no such group: it would deny nothing");
	return 0;
}

static int read_profile(struct tool_reader *r, const struct json5 *v, struct tool_block *b)
{
	if (v->type != JSON5_STRING || !tool_profile(v->string, TOOL_GROUPS_CLASSIC))
		return read_fail(
		    &r->r, v, "one of \"minimal\", \"coding\", \"messaging\", \"full\" is wanted");
	b->profile = strdup(v->string);
	b->profile_origin = read_origin(&r->r, v);
	return b->profile && b->profile_origin ? 0 : no_memory(r);
}

static int check_block(const struct tool_reader *r, const struct json5 *v)
{
	const struct json5 *allow = json5_member(v, "allow");
	const struct json5 *also = json5_member(v, "alsoAllow");

	if (allow && allow->child && also && also->child)
		return read_fail(&r->r, also,
				 "allow and alsoAllow in one block; put all of it into allow");
	return 0;
}

static int read_block(struct tool_reader *r, const struct json5 *v,
		      const struct tool_member *members, struct tool_block *b)
{
	int n = read_members(r, v, members, b);

	if (n < 0)
		return n;
	b->given = true;
	return check_block(r, v);
}

/* ---- the parts of a `tools` object ----------------------------------------------------------- */

static const struct tool_member PLAIN[] = {
	{ "allow", read_allowed },
	{ "alsoAllow", read_also_allowed },
	{ "deny", read_denied },
	{ 0 },
};

static const struct tool_member WITH_PROFILE[] = {
	{ "profile", read_profile },
	{ "allow", read_allowed },
	{ "alsoAllow", read_also_allowed },
	{ "deny", read_denied },
	{ 0 },
};

static int read_plain(struct tool_reader *r, const struct json5 *v, struct tool_block *b)
{
	return read_block(r, v, PLAIN, b);
}

static const struct tool_member ONLY_TOOLS[] = { { "tools", read_plain }, { 0 } };

static int read_sandbox(struct tool_reader *r, const struct json5 *v, struct tool_block *b)
{
	(void)b;
	return read_members(r, v, ONLY_TOOLS, &r->rules->sandbox);
}

static int read_subagents(struct tool_reader *r, const struct json5 *v, struct tool_block *b)
{
	(void)b;
	return read_members(r, v, ONLY_TOOLS, &r->rules->subagents);
}

static int read_provider(struct tool_reader *r, const struct json5 *v)
{
	struct tool_rules *rules = r->rules;
	struct tool_provider *p;
	char key[TOOL_NAME_BUF];

	if (tool_pattern_read(v->key, key) <= 0)
		return read_fail(&r->r, v, "not a provider");
	for (size_t i = 0; i < rules->n_providers; i++)
		if (strcmp(rules->provider[i].key, key) == 0)
			return read_fail(&r->r, v, "the provider stands here twice");
	if (rules->n_providers == TOOL_PROVIDERS_MAX)
		return read_fail(&r->r, v, "more than %d providers", TOOL_PROVIDERS_MAX);
	p = grow(&rules->provider, rules->n_providers, sizeof(*rules->provider));
	if (!p)
		return no_memory(r);
	rules->n_providers++;
	p->key = strdup(key);
	return p->key ? read_block(r, v, WITH_PROFILE, &p->block) : no_memory(r);
}

static int read_providers(struct tool_reader *r, const struct json5 *v, struct tool_block *b)
{
	int n = 0;

	(void)b;
	if (v->type != JSON5_OBJECT)
		return read_fail(&r->r, v, "an object is wanted");
	for (const struct json5 *c = v->child; c && n >= 0; c = c->next)
		n = read_provider(r, c);
	return n;
}

static int read_groups(struct tool_reader *r, const struct json5 *v, struct tool_block *b)
{
	(void)b;
	r->rules->groups_given = true;
	return tool_groups_parse(v, r->r.file, &r->rules->groups, r->r.e);
}

/* Without a reader: the gateway's own, or read elsewhere. */
static const struct tool_member TOOLS[] = {
	{ "profile", read_profile },
	{ "allow", read_allowed },
	{ "alsoAllow", read_also_allowed },
	{ "deny", read_denied },
	{ "byProvider", read_providers },
	{ "sandbox", read_sandbox },
	{ "subagents", read_subagents },
	{ "toolGroups", read_groups },
	{ "elevated", NULL },
	{ "sessions", NULL },
	{ "agentToAgent", NULL },
	{ "codeMode", NULL },
	{ "exec", NULL },
	{ "experimental", NULL },
	{ "fs", NULL },
	{ "links", NULL },
	{ "loopDetection", NULL },
	{ "media", NULL },
	{ "message", NULL },
	{ "sessions_spawn", NULL },
	{ "toolsBySender", NULL },
	{ "web", NULL },
	{ 0 },
};

int tool_groups_parse(const struct json5 *v, const char *file, enum tool_groups *ret,
		      struct pinfold_error *e)
{
	static const struct word words[] = {
		{ "classic", TOOL_GROUPS_CLASSIC },
		{ "2026.9", TOOL_GROUPS_2026_9 },
		{ 0 },
	};
	struct reader r = { .file = file, .e = e };
	int value;
	int n = read_word(&r, v, words, &value);

	if (n < 0)
		return n;
	*ret = (enum tool_groups)value;
	return 0;
}

int tool_rules_parse(const struct json5 *tools, const char *file, struct tool_rules *ret,
		     struct pinfold_error *e)
{
	struct tool_rules rules = { 0 };
	struct tool_reader r = { .r = { .file = file, .e = e }, .rules = &rules };
	int n = tools ? read_block(&r, tools, TOOLS, &rules.own) : 0;

	if (n < 0) {
		tool_rules_done(&rules);
		return n;
	}
	*ret = rules;
	return 0;
}

/* ---- release -------------------------------------------------------------------------------- */

static void list_release(struct tool_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->entry[i].text);
		free(l->entry[i].origin);
	}
	free(l->entry);
	free(l->origin);
	*l = (struct tool_list){ 0 };
}

static void block_done(struct tool_block *b)
{
	free(b->profile);
	free(b->profile_origin);
	list_release(&b->allow);
	list_release(&b->also);
	list_release(&b->deny);
	*b = (struct tool_block){ 0 };
}

void tool_rules_done(struct tool_rules *r)
{
	block_done(&r->own);
	block_done(&r->sandbox);
	block_done(&r->subagents);
	for (size_t i = 0; i < r->n_providers; i++) {
		free(r->provider[i].key);
		block_done(&r->provider[i].block);
	}
	free(r->provider);
	*r = (struct tool_rules){ 0 };
}
