/* SPDX-License-Identifier: MIT */
/*
 * Commands that wait for a person.
 *
 * Each waits in a directory of its own below /run/pinfold/approvals, which is root's alone:
 *   request   what it is, written by who waits, never changed
 *   decision  made once, by link(2): who comes second finds it there.  Running out of time is a
 *             decision like others, so exactly one is ever taken
 *   wake      a FIFO: something happened
 * Who waits holds a lock on the directory; without it the request is dead, and is swept away by the
 * next one that comes along.  A decision names the hash of the request that it was made for, and
 * only the process that made the request takes it: it is used once, and outlives nothing.
 */
#ifndef PINFOLD_AGENTS_QUEUE_H
#define PINFOLD_AGENTS_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pinfold_error;

#define QUEUE_RUN_DIR "/run/pinfold"
#define QUEUE_DIR QUEUE_RUN_DIR "/approvals"
#define QUEUE_ALWAYS_DIR "/var/lib/pinfold"
#define QUEUE_ALWAYS_FILE "always.jsonl"
#define QUEUE_ID_LEN 8
#define QUEUE_PENDING_MAX 4096
#define QUEUE_REQUEST_MAX 131072 /* bytes of JSON: what is longer, nobody can read */
#define QUEUE_BY_MAX 64

enum queue_result { QUEUE_DENIED = 0, QUEUE_GRANTED, QUEUE_TIMED_OUT, QUEUE_RESULTS };

/* "denied", "granted", "timed out". */
const char *queue_result_word(enum queue_result r);

/* What waits.  All borrowed. */
struct queue_request {
	char *const *argv; /* NULL-terminated */
	const char *cwd;
	const char *agent;
	const char *session;
	const char *location; /* where it would run: "pen", "host" */
	const char *rule;     /* the one that wants approval, or "" */
	const char *origin;
	const char *reason;
	uint64_t timeout_ms;
	bool ask; /* whoever sits at the terminal may be asked instead */
	/* Called once, when it waits; id is "terminal" where a person is asked there. */
	void (*waits)(void *data, const char *id);
	void *data;
};

struct queue_outcome {
	enum queue_result result;
	bool always; /* the same command of this agent in this directory needs no approval again */
	char by[QUEUE_BY_MAX];
	uint64_t latency_ms;
};

/* Waits for a decision.  A signal that would end the process is a denial, and is raised again once
 * nothing is left behind.  -EPERM: not root, or the directory isn't root's alone; -ENOSPC: too many
 * wait; -E2BIG. */
int queue_wait(const struct queue_request *q, struct queue_outcome *ret, struct pinfold_error *e);

/* The same at the terminal.  -ENOTTY: there is none to ask at. */
int queue_prompt(const struct queue_request *q, struct queue_outcome *ret);

/* ---- the other side -------------------------------------------------------------------------- */

/* All that wait, the oldest first, as a JSON array; free() it. */
int queue_list(char **ret, struct pinfold_error *e);

/* One of them as a JSON object.  -ENOENT: nothing of that id waits. */
int queue_show(const char *id, char **ret, struct pinfold_error *e);

struct queue_decision {
	bool grant;
	bool always; /* adds it to the operator's list, too */
};

/* -ENOENT: nothing of that id waits; -EALREADY: it is decided. */
int queue_decide(const char *id, const struct queue_decision *d, struct pinfold_error *e);

/* ---- the operator's list ----------------------------------------------------------------------
 */

/* One line of QUEUE_ALWAYS_FILE: exactly this command, in this directory, for this agent. */
struct queue_always {
	char *const *argv;
	const char *cwd;
	const char *agent;
	const char *by;
};

/* 1: the list has it; *ret_line is where.  0: it does not, or there is no list.  -EPERM: others
 * than root could write it. */
int queue_always_has(const struct queue_always *a, size_t *ret_line, struct pinfold_error *e);

/* Adds it, once. */
int queue_always_add(const struct queue_always *a, struct pinfold_error *e);

#endif
