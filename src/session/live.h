/* SPDX-License-Identifier: MIT */
/* What the control socket of a running session leads to. */
#ifndef PINFOLD_SESSION_LIVE_H
#define PINFOLD_SESSION_LIVE_H

struct pinfold_error;
struct session;

enum describe { DESCRIBE_LINE = 0, DESCRIBE_ALL };

/* The session as one JSON object; free() it.  -ENOMEM. */
int session_describe(const struct session *s, enum describe how, char **ret);

/* Puts the network part of the policy in file (absolute) in place of the one that holds, and writes
 * down how that went.  On failure nothing has changed.  -EINVAL: the policy is wrong, or changes
 * what only a new session can. */
int session_reload(struct session *s, const char *file, struct pinfold_error *e);

/* Answers what the connected peers have asked by now. */
void session_serve_control(struct session *s);

#endif
