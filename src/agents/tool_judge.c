/* SPDX-License-Identifier: MIT */
/* The eight levels, each a function of the configuration and one name. */
#include <string.h>

#include "agents/tool.h"
#include "base/clean.h"

#define ORIGIN_BUILT_IN "built-in"

const char *tool_level_word(enum tool_level level)
{
	static const char *const words[] = {
		[TOOL_PROFILE] = "profile", [TOOL_PROVIDER_PROFILE] = "providerProfile",
		[TOOL_GLOBAL] = "global",   [TOOL_PROVIDER] = "provider",
		[TOOL_AGENT] = "agent",     [TOOL_AGENT_PROVIDER] = "agentProvider",
		[TOOL_SANDBOX] = "sandbox", [TOOL_SUBAGENT] = "subagent",
	};

	_Static_assert(ARRAY_SIZE(words) == TOOL_LEVELS, "one word a level");
	return words[level];
}

const char *tool_outcome_word(enum tool_outcome o)
{
	static const char *const words[] = {
		[TOOL_DENIED] = "denied",   [TOOL_NOT_ALLOWED] = "not allowed",
		[TOOL_PASSED] = "passed",   [TOOL_ABSENT] = "absent",
		[TOOL_SKIPPED] = "skipped",
	};

	_Static_assert(ARRAY_SIZE(words) == TOOL_SKIPPED + 1, "one word an outcome");
	return words[o];
}

static const struct tool_step absent = { .outcome = TOOL_ABSENT };
static const struct tool_step skipped = { .outcome = TOOL_SKIPPED };

/* ---- lists ---------------------------------------------------------------------------------- */

static const struct tool_entry *find_entry(const struct tool_list *l, const struct tool_query *q,
					   enum tool_compare how)
{
	for (size_t i = 0; i < l->n; i++)
		if (tool_pattern_matches(l->entry[i].text, q->tool, q->groups, how))
			return &l->entry[i];
	return NULL;
}

/* Who may write may patch: the same harm.  NULL: neither is listed. */
static const struct tool_entry *find_allowed(const struct tool_list *l, const struct tool_query *q)
{
	static const struct tool_name write = { "write", "write" };
	const struct tool_entry *entry = find_entry(l, q, TOOL_COMPARE_ALLOW);
	struct tool_query as_write = *q;

	if (entry || strcmp(q->tool->name, "apply_patch") != 0)
		return entry;
	as_write.tool = &write;
	return find_entry(l, &as_write, TOOL_COMPARE_ALLOW);
}

static const char *find_word(const char *const *list, const struct tool_query *q,
			     enum tool_compare how)
{
	for (; *list; list++)
		if (tool_pattern_matches(*list, q->tool, q->groups, how))
			return *list;
	return NULL;
}

static struct tool_step step_of(enum tool_outcome outcome, const struct tool_entry *entry)
{
	return (struct tool_step){ outcome, entry->text, entry->origin };
}

static struct tool_step judge_block(const struct tool_block *b, const struct tool_query *q)
{
	const struct tool_entry *entry = find_entry(&b->deny, q, TOOL_COMPARE_DENY);

	if (entry)
		return step_of(TOOL_DENIED, entry);
	if (b->allow.n == 0)
		return b->deny.given || b->allow.given
			   ? (struct tool_step){ TOOL_PASSED, NULL, NULL }
			   : absent;
	entry = find_allowed(&b->allow, q);
	if (entry)
		return step_of(TOOL_PASSED, entry);
	return (struct tool_step){ TOOL_NOT_ALLOWED, "allow", b->allow.origin };
}

/* ---- profiles ------------------------------------------------------------------------------- */

/* The agent's profile stands in place of the global one, and so does its alsoAllow. */
static struct tool_step judge_profile(const struct tool_block *global,
				      const struct tool_block *agent, const struct tool_query *q)
{
	const struct tool_block *from = agent && agent->profile ? agent : global;
	const struct tool_block *also = agent && agent->also.given ? agent : global;
	const struct tool_entry *entry;
	const char *const *profile;

	if (!from || !from->profile)
		return absent;
	profile = tool_profile(from->profile, q->groups);
	if (profile && find_word(profile, q, TOOL_COMPARE_ALLOW))
		return (struct tool_step){ TOOL_PASSED, from->profile, from->profile_origin };
	entry = also ? find_allowed(&also->also, q) : NULL;
	if (entry)
		return step_of(TOOL_PASSED, entry);
	return (struct tool_step){ TOOL_NOT_ALLOWED, from->profile, from->profile_origin };
}

/* ---- providers ------------------------------------------------------------------------------ */

static const struct tool_block *find_key(const struct tool_rules *r, const char *key, size_t len)
{
	for (size_t i = 0; i < r->n_providers; i++)
		if (strlen(r->provider[i].key) == len && memcmp(r->provider[i].key, key, len) == 0)
			return &r->provider[i].block;
	return NULL;
}

/* "provider/model" first, then "provider". */
static const struct tool_block *find_provider(const struct tool_rules *r, const char *provider)
{
	char key[TOOL_NAME_BUF];
	const struct tool_block *b;

	if (!r || !provider || tool_pattern_read(provider, key) <= 0)
		return NULL;
	b = find_key(r, key, strlen(key));
	return b ? b : find_key(r, key, strcspn(key, "/"));
}

/* ---- the pen -------------------------------------------------------------------------------- */

static bool is_view_image(const struct tool_query *q)
{
	return strcmp(q->tool->name, "view_image") == 0;
}

static const struct tool_entry *sandbox_denies(const struct tool_block *b,
					       const struct tool_query *q)
{
	static const struct tool_name image = { "image", "image" };
	const struct tool_entry *entry = find_entry(&b->deny, q, TOOL_COMPARE_DENY);
	struct tool_query as_image = *q;

	if (entry || !is_view_image(q))
		return entry;
	as_image.tool = &image; /* who may not make pictures sees none either */
	return find_entry(&b->deny, &as_image, TOOL_COMPARE_DENY);
}

/* The block that holds in a pen: the agent's replaces the global one.  Where it names no denies,
 * those of the built-in list hold that it does not allow by name. */
static struct tool_step judge_sandbox(const struct tool_query *q)
{
	static const struct tool_block none = { 0 };
	const struct tool_block *b = q->agent && q->agent->sandbox.given     ? &q->agent->sandbox
				     : q->global && q->global->sandbox.given ? &q->global->sandbox
									     : &none;
	const struct tool_entry *denied = sandbox_denies(b, q);
	const struct tool_entry *named = find_entry(&b->allow, q, TOOL_COMPARE_ALLOW);
	const char *word;

	if (denied)
		return step_of(TOOL_DENIED, denied);
	if (!named)
		named = find_entry(&b->also, q, TOOL_COMPARE_ALLOW);
	word = b->deny.given || named ? NULL : find_word(TOOL_SANDBOX_DENY, q, TOOL_COMPARE_DENY);
	if (word)
		return (struct tool_step){ TOOL_DENIED, word, ORIGIN_BUILT_IN };
	if (named)
		return step_of(TOOL_PASSED, named);
	if (b->allow.given && b->allow.n == 0)
		return (struct tool_step){ TOOL_PASSED, "allow", b->allow.origin };
	if (b->allow.n > 0 && is_view_image(q))
		return (struct tool_step){ TOOL_PASSED, "view_image", ORIGIN_BUILT_IN };
	if (b->allow.n > 0)
		return (struct tool_step){ TOOL_NOT_ALLOWED, "allow", b->allow.origin };
	word = find_word(TOOL_SANDBOX_ALLOW, q, TOOL_COMPARE_ALLOW);
	return word ? (struct tool_step){ TOOL_PASSED, word, ORIGIN_BUILT_IN }
		    : (struct tool_step){ TOOL_NOT_ALLOWED, "the built-in list", ORIGIN_BUILT_IN };
}

/* ---- subagents ------------------------------------------------------------------------------ */

/* What a subagent loses unless a block allows it by name; a pattern is no name. */
static bool names_plainly(const struct tool_list *l, const struct tool_query *q)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strchr(l->entry[i].text, '*') &&
		    tool_pattern_matches(l->entry[i].text, q->tool, q->groups, TOOL_COMPARE_ALLOW))
			return true;
	return false;
}

static bool block_blocks(const struct tool_step *s)
{
	return s->outcome == TOOL_DENIED || s->outcome == TOOL_NOT_ALLOWED;
}

/* Both the global block and the agent's have to let it pass. */
static struct tool_step judge_subagent(const struct tool_query *q)
{
	static const struct tool_block none = { 0 };
	const struct tool_block *global = q->global ? &q->global->subagents : &none;
	const struct tool_block *agent = q->agent ? &q->agent->subagents : &none;
	struct tool_step a = judge_block(global, q);
	struct tool_step b = judge_block(agent, q);
	const char *word;

	if (block_blocks(&a))
		return a;
	if (block_blocks(&b))
		return b;
	word = find_word(TOOL_SUBAGENT_DENY, q, TOOL_COMPARE_DENY);
	if (word && !names_plainly(&global->allow, q) && !names_plainly(&global->also, q) &&
	    !names_plainly(&agent->allow, q) && !names_plainly(&agent->also, q))
		return (struct tool_step){ TOOL_DENIED, word, ORIGIN_BUILT_IN };
	return b.outcome == TOOL_PASSED ? b : a;
}

/* ---- all of them ---------------------------------------------------------------------------- */

static struct tool_step judge_maybe(const struct tool_block *b, const struct tool_query *q)
{
	return b ? judge_block(b, q) : absent;
}

void tool_judge(const struct tool_query *q, struct tool_verdict *ret)
{
	const struct tool_block *global = q->global ? &q->global->own : NULL;
	const struct tool_block *agent = q->agent ? &q->agent->own : NULL;
	const struct tool_block *provider = find_provider(q->global, q->provider);
	const struct tool_block *agent_provider = find_provider(q->agent, q->provider);
	struct tool_step *s = ret->step;

	s[TOOL_PROFILE] = judge_profile(global, agent, q);
	s[TOOL_PROVIDER_PROFILE] =
	    q->provider ? judge_profile(provider, agent_provider, q) : skipped;
	s[TOOL_GLOBAL] = judge_maybe(global, q);
	s[TOOL_PROVIDER] = q->provider ? judge_maybe(provider, q) : skipped;
	s[TOOL_AGENT] = judge_maybe(agent, q);
	s[TOOL_AGENT_PROVIDER] = q->provider ? judge_maybe(agent_provider, q) : skipped;
	s[TOOL_SANDBOX] = q->sandboxed ? judge_sandbox(q) : skipped;
	s[TOOL_SUBAGENT] = q->subagent ? judge_subagent(q) : skipped;
	ret->level = TOOL_PROFILE;
	while (ret->level < TOOL_LEVELS && !block_blocks(&s[ret->level]))
		ret->level++;
	ret->allowed = ret->level == TOOL_LEVELS;
}
