/* SPDX-License-Identifier: MIT */
#include "agents/lane.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "agents/shape.h"
#include "base/clean.h"
#include "base/err.h"
#include "base/json5_tree.h"

static const char *const DECISION_WORDS[] = {
	[LANE_ABSENT] = "absent",
	[LANE_DENIED] = "denied",
	[LANE_ALLOWED] = "allowed",
};

const char *lane_decision_word(enum lane_decision d)
{
	return DECISION_WORDS[d];
}

static int check_senders(const struct json5 *v, const struct shape *s, struct pinfold_error *e)
{
	int r = shape_object(v, s, e);

	for (const struct json5 *channel = v->child; channel && r == 0; channel = channel->next) {
		if (channel->type != JSON5_ARRAY)
			return agents_fail(channel, e, "a list of senders is wanted");
		for (const struct json5 *c = channel->child; c; c = c->next)
			if (c->type != JSON5_STRING && c->type != JSON5_NUMBER)
				return agents_fail(c, e, "a sender is wanted");
	}
	return r;
}

static const struct shape LANE[] = {
	{ "dir", shape_text, NULL, 0 },
	{ "allowed", check_senders, NULL, 0 },
	{ "denied", check_senders, NULL, 0 },
	{ 0 },
};

int lane_check(const struct json5 *lanes, struct pinfold_error *e)
{
	int r = shape_object(lanes, NULL, e);

	for (const struct json5 *v = lanes->child; v && r == 0; v = v->next) {
		if (v->key[0] == '\0')
			r = agents_fail(v, e, "a lane wants a name");
		else
			r = v->type == JSON5_STRING ? shape_text(v, NULL, e)
						    : shape_check(v, LANE, e);
	}
	return r;
}

/* "id:", "from:" and "e164:" say what kind of number it is; the number is the sender. */
static bool is_sender(const struct json5 *v, const char *sender)
{
	static const char *const KINDS[] = { "id:", "from:", "e164:" };

	if (v->type == JSON5_STRING && strcmp(v->string, "*") == 0)
		return true;
	if (!sender || !v->string)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(KINDS); i++) {
		size_t n = strlen(KINDS[i]);

		if (strncmp(v->string, KINDS[i], n) == 0 && strcmp(v->string + n, sender) == 0)
			return true;
	}
	return strcmp(v->string, sender) == 0;
}

bool lane_has_sender(const struct json5 *list, const char *sender)
{
	for (const struct json5 *v = list ? list->child : NULL; v; v = v->next)
		if (is_sender(v, sender))
			return true;
	return false;
}

/* Whether the lane's list (allowed or denied) names the sender; channels in any case. */
static bool names(const struct json5 *lane, const char *list, const char *channel,
		  const char *sender)
{
	const struct json5 *channels = lane->type == JSON5_OBJECT ? json5_member(lane, list) : NULL;

	for (const struct json5 *v = channels ? channels->child : NULL; v; v = v->next)
		if (channel && strcasecmp(v->key, channel) == 0 && lane_has_sender(v, sender))
			return true;
	return false;
}

static void fill(const struct json5 *lane, enum lane_decision decision, struct lane_choice *ret)
{
	const char *dir = lane->type == JSON5_STRING ? lane->string : json5_text(lane, "dir");

	ret->decision = decision;
	ret->name = lane->key;
	ret->dir = dir ? dir : lane->key;
	ret->from = lane;
}

/* By name: from the host anybody; through a channel those whom the lane lets in. */
static enum lane_decision decide_named(const struct json5 *lane, const char *channel,
				       const char *sender)
{
	if (!channel)
		return LANE_ALLOWED;
	if (names(lane, "denied", channel, sender) || !names(lane, "allowed", channel, sender))
		return LANE_DENIED;
	return LANE_ALLOWED;
}

int lane_choose(const struct json5 *lanes, const char *name, const char *channel,
		const char *sender, struct lane_choice *ret, struct pinfold_error *e)
{
	const struct json5 *lane = lanes && name ? json5_member(lanes, name) : NULL;

	*ret = (struct lane_choice){ 0 };
	if (name && !lane)
		return err_set(e, -ENOENT, "the agent has no lane '%.60s'", name);
	if (lane) {
		fill(lane, decide_named(lane, channel, sender), ret);
		return 0;
	}
	for (lane = lanes ? lanes->child : NULL; lane; lane = lane->next) {
		if (names(lane, "denied", channel, sender)) {
			fill(lane, LANE_DENIED, ret);
			return 0;
		}
		if (ret->decision == LANE_ABSENT && names(lane, "allowed", channel, sender))
			fill(lane, LANE_ALLOWED, ret);
	}
	return 0;
}
