/* SPDX-License-Identifier: MIT */
#include "agents/place.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include <sha2.h>

#include "base/clean.h"
#include "base/err.h"
#include "base/json5_tree.h"
#include "policy/path_text.h"
#include "policy/read.h"

#define GLOBAL_KEY "global"
#define HASH_DIGITS SCOPE_NAME_LEN /* of a SHA-256 in hexadecimal; the gateway cuts it so */

/* ---- keys ----------------------------------------------------------------------------------- */

static bool is_global(const struct agents_config *c)
{
	const struct json5 *scope = agents_config_global(c, "session.scope");

	return scope && scope->type == JSON5_STRING && strcmp(scope->string, GLOBAL_KEY) == 0;
}

static int trim(const char *text, char ret[static SESSION_KEY_MAX + 1], struct pinfold_error *e)
{
	size_t n;

	text += strspn(text, " \t");
	n = strlen(text);
	while (n > 0 && strchr(" \t", text[n - 1]))
		n--;
	if (n == 0)
		return err_set(e, -EINVAL, "the session's key is empty");
	if (n > SESSION_KEY_MAX / 2)
		return err_set(e, -EINVAL, "the session's key is longer than %d bytes",
			       SESSION_KEY_MAX / 2);
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			return err_set(e, -EINVAL, "the session's key holds a control character");
	memcpy(ret, text, n);
	ret[n] = '\0';
	return 0;
}

/* A short name is one of the agent's; "global" and whole keys are kept. */
static int read_session(const struct agents_config *c, const struct agents_call *call,
			struct agents_place *p, struct pinfold_error *e)
{
	char key[SESSION_KEY_MAX + 1];
	int r;

	snprintf(p->main_session, sizeof(p->main_session), "agent:%s:main", p->agent);
	if (is_global(c))
		memcpy(p->main_session, GLOBAL_KEY, sizeof(GLOBAL_KEY));
	if (!call->session) {
		memcpy(p->session, p->main_session, sizeof(p->session));
		return 0;
	}
	r = trim(call->session, key, e);
	if (r < 0)
		return r;
	if (strchr(key, ':') || strcmp(key, GLOBAL_KEY) == 0)
		memcpy(p->session, key, sizeof(key));
	else
		snprintf(p->session, sizeof(p->session), "agent:%s:%.*s", p->agent,
			 SESSION_KEY_MAX / 2, key);
	return 0;
}

static bool is_main(const struct agents_place *p)
{
	char own[SESSION_KEY_MAX + 1];

	snprintf(own, sizeof(own), "agent:%s:main", p->agent);
	return strcmp(p->session, p->main_session) == 0 || strcmp(p->session, own) == 0;
}

/* "agent:ID:rest" */
static bool agent_of_key(const char *session, char ret[static AGENT_ID_MAX + 1])
{
	static const char START[] = "agent:";
	size_t n;

	session += strspn(session, " \t");
	if (strncmp(session, START, strlen(START)) != 0)
		return false;
	session += strlen(START);
	n = strcspn(session, ":");
	if (session[n] != ':' || n == 0 || n > AGENT_ID_MAX)
		return false;
	memcpy(ret, session, n);
	ret[n] = '\0';
	return true;
}

int place_agent(const struct agents_config *c, const struct agents_call *call,
		char ret[static AGENT_ID_MAX + 1], struct pinfold_error *e)
{
	char of_key[AGENT_ID_MAX + 1];
	char wanted[AGENT_ID_MAX + 1];
	bool has_key = call->session && agent_of_key(call->session, of_key);
	int r = agents_config_agent_id(c,
				       call->agent ? call->agent
				       : has_key   ? of_key
						   : NULL,
				       wanted, e);

	if (r == 0 && call->agent && has_key) {
		r = agents_config_agent_id(c, of_key, ret, e);
		if (r == 0 && strcmp(ret, wanted) != 0)
			r = err_set(e, -EINVAL, "the session '%.80s' is not one of the agent '%s'",
				    call->session, wanted);
	}
	if (r == 0)
		memcpy(ret, wanted, sizeof(wanted));
	return r;
}

/* ---- steps ---------------------------------------------------------------------------------- */

static int step(struct agents_place *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static int step(struct agents_place *p, const char *format, ...)
{
	auto_free char *text = NULL;
	va_list ap;
	int n;

	va_start(ap, format);
	n = vasprintf(&text, format, ap);
	va_end(ap);
	if (n < 0) {
		text = NULL;
		return -ENOMEM;
	}
	return list_add(&p->steps, text);
}

static int read_origin_word(const struct agents_call *call, struct agents_place *p,
			    struct pinfold_error *e)
{
	static const char CHANNEL[] = "channel:";
	const char *word = call->origin;

	if (!word)
		return 0;
	if (strcmp(word, "cli") == 0) {
		p->origin = ORIGIN_CLI;
	} else if (strcmp(word, "websocket") == 0) {
		p->origin = ORIGIN_WEBSOCKET;
	} else if (strncmp(word, CHANNEL, strlen(CHANNEL)) == 0 && word[strlen(CHANNEL)]) {
		p->origin = ORIGIN_CHANNEL;
		p->channel = word + strlen(CHANNEL);
	} else {
		return err_set(e, -EINVAL,
			       "'%.60s' is no origin: cli, websocket or channel:NAME is wanted",
			       word);
	}
	return 0;
}

/* Non-main: by where the call came from; where that is not said, by the session's key. */
static int decide_non_main(const struct agents_call *call, struct agents_place *p)
{
	if (p->origin == ORIGIN_CHANNEL) {
		p->in_pen = true;
		return step(p, "origin %s: from outside, so in the pen", call->origin);
	}
	if (p->origin != ORIGIN_NONE) {
		p->in_pen = false;
		return step(p, "origin %s: the operator's own, so on the host", call->origin);
	}
	p->in_pen = !is_main(p);
	return step(p, "no origin: session %s is %s", p->session,
		    p->in_pen ? "not the main one, so in the pen"
			      : "the agent's main one, so on the host");
}

static int decide(const struct agents_sandbox *s, const struct agents_call *call,
		  struct agents_place *p)
{
	char origin[PINFOLD_ERROR_MAX] = "the default";
	int r;

	if (s->from[FIELD_MODE])
		agents_origin(s->from[FIELD_MODE], origin, sizeof(origin));
	r = step(p, "mode %s (%s)", MODE_WORDS[s->mode], origin);
	if (r < 0)
		return r;
	switch (s->mode) {
	case MODE_OFF:
		p->in_pen = false;
		return step(p, "off: on the host");
	case MODE_NON_MAIN:
		return decide_non_main(call, p);
	case MODE_ALL:
		break;
	}
	p->in_pen = true;
	return step(p, "all: in the pen");
}

/* ---- scope and directories ------------------------------------------------------------------ */

static void short_hash(const char *text, char ret[static HASH_DIGITS + 1])
{
	char whole[SHA256_DIGEST_STRING_LENGTH];

	SHA256Data((const uint8_t *)text, strlen(text), whole);
	memcpy(ret, whole, HASH_DIGITS);
	ret[HASH_DIGITS] = '\0';
}

static int find_scope(const struct agents_sandbox *s, struct agents_place *p)
{
	char of_workspace[HASH_DIGITS + 1];
	int n;

	short_hash(s->workspace, of_workspace);
	if (s->scope == SCOPE_SHARED)
		n = asprintf(&p->scope_key, "shared");
	else if (s->scope == SCOPE_AGENT)
		n = asprintf(&p->scope_key, "agent:%s:workspace:%s", p->agent, of_workspace);
	else
		n = asprintf(&p->scope_key, "%s:workspace:%s", p->session, of_workspace);
	if (n < 0) {
		p->scope_key = NULL;
		return -ENOMEM;
	}
	short_hash(p->scope_key, p->scope_name);
	if (s->scope == SCOPE_SHARED)
		memcpy(p->scope_name, "shared", sizeof("shared"));
	if (s->access == WORKSPACE_RW)
		return step(p, "scope %s: works in the agent's workspace %s", SCOPE_WORDS[s->scope],
			    s->workspace);
	if (s->scope == SCOPE_SHARED)
		n = asprintf(&p->private_dir, "%s", s->workspace_root);
	else
		n = asprintf(&p->private_dir, "%s/workspace-%s", s->workspace_root, p->scope_name);
	if (n < 0) {
		p->private_dir = NULL;
		return -ENOMEM;
	}
	return step(p, "scope %s, access %s: works in %s", SCOPE_WORDS[s->scope],
		    ACCESS_WORDS[s->access], p->private_dir);
}

static const struct json5 *lanes_of(const struct agents_config *c, const char *agent)
{
	const struct json5 *own = agents_config_node(c, agent, "lanes");

	return own ? own : agents_config_default(c, "lanes");
}

static int find_lane(const struct agents_config *c, const struct agents_sandbox *s,
		     const struct agents_call *call, struct agents_place *p,
		     struct pinfold_error *e)
{
	struct pinfold_error why = { 0 };
	int r =
	    lane_choose(lanes_of(c, p->agent), call->lane, p->channel, call->sender, &p->lane, e);

	if (r < 0)
		return r;
	p->lane_fenced = s->fence_to_lane && p->lane.decision == LANE_ALLOWED;
	if (p->lane.decision == LANE_ABSENT)
		return 0;
	r = path_expand(p->lane.dir, s->workspace, &c->context, &p->lane_dir, &why);
	if (r == -EINVAL)
		return agents_fail(p->lane.from, e, "%s", why.text);
	if (r == 0 &&
	    (!path_is_within(p->lane_dir, s->workspace) || strcmp(p->lane_dir, s->workspace) == 0))
		return agents_fail(p->lane.from, e, "not a directory below the workspace %.80s",
				   s->workspace);
	if (r == 0)
		r = step(p, "lane %s: %s%s", p->lane.name, lane_decision_word(p->lane.decision),
			 p->lane_fenced ? ", fenced" : "");
	return r < 0 ? err_set(e, r, "out of memory") : 0;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static int fill(const struct agents_config *c, const struct agents_sandbox *s,
		const struct agents_call *call, struct agents_place *p, struct pinfold_error *e)
{
	int r = read_origin_word(call, p, e);

	if (r == 0)
		r = read_session(c, call, p, e);
	if (r < 0)
		return r;
	if (decide(s, call, p) < 0 || find_scope(s, p) < 0)
		return err_set(e, -ENOMEM, "out of memory");
	return find_lane(c, s, call, p, e);
}

int place_decide(const struct agents_config *c, const struct agents_sandbox *s,
		 const struct agents_call *call, struct agents_place *ret, struct pinfold_error *e)
{
	struct agents_place p = { 0 };
	int r;

	memcpy(p.agent, s->agent, sizeof(p.agent));
	r = fill(c, s, call, &p, e);
	if (r < 0) {
		place_done(&p);
		return r;
	}
	*ret = p;
	return 0;
}

const char *place_provider(const struct agents_place *p)
{
	static const char *const NAMES[] = {
		[ORIGIN_NONE] = NULL,
		[ORIGIN_CLI] = "cli",
		[ORIGIN_WEBSOCKET] = "webchat",
		[ORIGIN_CHANNEL] = NULL,
	};

	return p->channel ? p->channel : NAMES[p->origin];
}

void place_done(struct agents_place *p)
{
	free(p->lane_dir);
	free(p->scope_key);
	free(p->private_dir);
	list_done(&p->steps);
	*p = (struct agents_place){ 0 };
}
