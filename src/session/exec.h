/* SPDX-License-Identifier: MIT */
/* One command of a gateway's session: decided, approved, run, written down.  Internal. */
#ifndef PINFOLD_SESSION_EXEC_H
#define PINFOLD_SESSION_EXEC_H

#include <stdbool.h>
#include <stdint.h>

#include "agents/api.h"
#include "pinfold_agents.h"
#include "policy/handle.h"

struct record;

enum exec_location { EXEC_NOWHERE = 0, EXEC_PEN, EXEC_BWRAP, EXEC_HOST };

/* "nowhere", "pen", "bubblewrap", "host". */
const char *exec_location_word(enum exec_location l);

struct exec {
	const struct pinfold_exec *args;
	const char *tool;
	struct agents_decision decision;
	struct pinfold_policy *policy;
	struct record *record;
	enum exec_location location;
	bool elevated;
	struct {
		bool required;
		const char *result; /* static: "approved", "denied", ...; NULL: none was needed */
		int64_t latency_ms;
		char by[64];
		char id[16];    /* in the queue */
		char rule[128]; /* the one that decided */
	} approval;
	uint64_t run_us; /* CLOCK_MONOTONIC; 0: it has not come so far */
	bool has_status;
	int status;
};

/* Tells a person. */
void exec_notice(const struct exec *x, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* exec_run.c: where the decision says, or, if the policy allows, in the next lesser place.  Fills
 * location, status. */
int exec_run(struct exec *x, struct pinfold_error *e);

/* exec_local.c: the directories to close and keep out of reach; list_done() ret. */
int exec_list_state(const struct exec *x, struct string_list *ret, struct pinfold_error *e);

/* With the local-user backend: its HOME is there, its own alone, outside the gateway's state. */
int exec_make_home(const struct exec *x, struct pinfold_error *e);

/* exec_host.c: a child process of ours without any fence, which gets our signals.  path NULL:
 * argv[0] is looked up.  -ENOENT or -EACCES with *ret_status as in pinfold_exec(). */
int exec_child(const char *path, char *const *argv, int *ret_status, struct pinfold_error *e);

/* exec_bwrap.c: bubblewrap: files only, no network at all.  -ENOENT: it is not installed. */
int exec_bwrap(struct exec *x, struct pinfold_error *e);

/* exec_approve.c: -EKEYREJECTED when the command is refused. */
int exec_approve(struct exec *x, struct pinfold_error *e);

/* exec_log.c */
int exec_open_record(struct exec *x, struct pinfold_error *e);
void exec_log_tool_policy(const struct exec *x, const char *level, const char *rule);
/* result: "requested", "granted", "denied", "timed out". */
void exec_log_approval(const struct exec *x, const char *result);
void exec_log_degraded(struct exec *x, const char *fence, const char *reason,
		       enum exec_location location);
/* refused: why nothing ran, or NULL. */
void exec_log_end(const struct exec *x, const char *refused);

#endif
