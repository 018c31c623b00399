/* SPDX-License-Identifier: MIT */
/* Telling what an observer saw: the record, and whoever asked for sights. */
#ifndef PINFOLD_SESSION_LOOK_LOG_H
#define PINFOLD_SESSION_LOOK_LOG_H

#include <stdbool.h>
#include <sys/types.h>

struct dns_note;
struct look_use;
struct look_verdict;
struct net_event;
struct session;

/* word: of the record, where the use alone does not tell; NULL. */
void look_log(struct session *s, pid_t pid, const struct look_use *u, const char *word,
	      const struct look_verdict *v);

/* The network's side; nothing when nobody asked. */
void look_tell_destination(const struct session *s, const struct net_event *ev);
void look_tell_name(const struct session *s, const struct dns_note *note, bool is_refused);

#endif
