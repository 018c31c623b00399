/* SPDX-License-Identifier: MIT */
#include "session/live.h"

#include <stdio.h>
#include <string.h>

#include "base/clean.h"
#include "base/clock.h"
#include "session/control.h"
#include "session/session.h"

/* Each puts its answer into reply and, if it is a text, *ret_text. */
typedef void (*answerer)(struct session *s, const struct control_request *request,
			 struct control_reply *reply, char **ret_text);

static void describe(const struct session *s, enum describe how, struct control_reply *reply,
		     char **ret_text)
{
	reply->error = session_describe(s, how, ret_text);
	if (reply->error < 0)
		snprintf(reply->text, sizeof(reply->text), "%s", strerror(-reply->error));
}

static void answer_info(struct session *s, const struct control_request *request,
			struct control_reply *reply, char **ret_text)
{
	(void)request;
	describe(s, DESCRIBE_LINE, reply, ret_text);
}

static void answer_show(struct session *s, const struct control_request *request,
			struct control_reply *reply, char **ret_text)
{
	(void)request;
	describe(s, DESCRIBE_ALL, reply, ret_text);
}

static void answer_reload(struct session *s, const struct control_request *request,
			  struct control_reply *reply, char **ret_text)
{
	struct pinfold_error e = { 0 };

	(void)ret_text;
	reply->error = session_reload(s, request->path, &e);
	memcpy(reply->text, e.text, sizeof(reply->text));
}

/* The loop that watches the session asks the command to end. */
static void answer_kill(struct session *s, const struct control_request *request,
			struct control_reply *reply, char **ret_text)
{
	(void)request;
	(void)reply;
	(void)ret_text;
	s->kill_wanted = true;
}

static const answerer ANSWERERS[] = {
	[CONTROL_NONE] = NULL,        [CONTROL_INFO] = answer_info,
	[CONTROL_SHOW] = answer_show, [CONTROL_RELOAD] = answer_reload,
	[CONTROL_KILL] = answer_kill,
};
_Static_assert(ARRAY_SIZE(ANSWERERS) == CONTROL_VERBS, "an answer to every verb");

void session_serve_control(struct session *s)
{
	struct control *c = &s->control;

	for (size_t i = 0; i < CONTROL_PEERS_MAX; i++) {
		struct control_reply reply = { .version = CONTROL_VERSION };
		struct control_request request;
		auto_free char *text = NULL;

		if (c->peer[i].fd < 0 || control_receive(c, i, &request) <= 0)
			continue;
		ANSWERERS[request.verb](s, &request, &reply, &text);
		control_answer(c, i, &reply, text);
	}
}
