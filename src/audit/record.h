/* SPDX-License-Identifier: MIT */
/* The record: one JSON object a line, redacted, at most 4 KiB, appended with one write. */
#ifndef PINFOLD_AUDIT_RECORD_H
#define PINFOLD_AUDIT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct pinfold_error;

#define RECORD_LINE_MAX 4096
#define RECORD_SCHEMA 1

struct record; /* heap object */

/* Common members of every line; all borrowed for the call, NULL where not known. */
struct record_who {
	const char *session;
	const char *agent;
	const char *lane;
	const char *channel;
};

/* What a "*_deny" line says was done: refused, or (in observe mode) only noticed. */
enum record_verdict { RECORD_DENY = 0, RECORD_WOULD_DENY };

/* path: a file (made 0600) or a FIFO, refused when it is a symlink, anything else, has several
 * names, is writable by group or others, or belongs to neither root nor the launcher; "-" for
 * standard error; NULL for none. */
int record_open(const char *path, const struct record_who *who, struct record **ret,
		struct pinfold_error *e);

/* From now on lines go to the journal or syslog as well: "journal", "syslog", with ":/SOCKET"
 * behind if it is not the usual one.  What is not taken at once is lost there, and told by a "lost"
 * line with that word as "what".  -EINVAL: another word; another errno: nobody receives. */
int record_mirror(struct record *r, const char *to, struct pinfold_error *e);

/* One line under construction.  Values are redacted and cut to fit (they then end with U+2026, and
 * the line has "cut": true); NULL strings are left out.  Every function accepts a NULL line, which
 * is what record_begin() returns when memory ran out: the line is then counted as lost. */
struct record_line;

struct record_line *record_begin(struct record *r, const char *event);
void record_text(struct record_line *l, const char *key, const char *value);
/* Only for events named "*_deny"; without this call their verdict is "deny". */
void record_verdict(struct record_line *l, enum record_verdict verdict);
void record_number(struct record_line *l, const char *key, int64_t value);
void record_bool(struct record_line *l, const char *key, bool value);
/* For argument vectors as well: the value of an option like --password is redacted. */
void record_texts(struct record_line *l, const char *key, const char *const *values, size_t n);
/* A member that is an object: {"key": {...}}; end with record_object_end(). */
void record_object(struct record_line *l, const char *key);
void record_object_end(struct record_line *l);
/* pid, comm, exe, uid of a process of this host, as far as /proc still tells. */
void record_process(struct record_line *l, pid_t pid);

/* Writes the line and frees it.  Failure to write is counted and told in a later `lost` line; it
 * never blocks (a pipe or tty that is full loses the line) and never fails the caller. */
void record_end(struct record_line *l);

/* Folding: true when a line of this event and key was written within the last second: this one is
 * counted instead, and record_tick() writes the count.  When false, write the line next; a summary
 * repeats its members. */
bool record_fold(struct record *r, const char *event, const char *fold_key);

/* About once a second: lines with "suppressed" for folded ones, "lost", rotation noticed. */
void record_tick(struct record *r);

/* Opens the file anew, as SIGHUP asks.  On failure the old one stays in use. */
int record_reopen(struct record *r, struct pinfold_error *e);

/* Lines that could not be written, since record_open(). */
uint64_t record_lost(const struct record *r);

/* Writes out what is folded, closes.  Accepts NULL. */
void record_free(struct record *r);

#endif
