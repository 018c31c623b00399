/* SPDX-License-Identifier: MIT */
/*
 * pinfold, looking back: what a record tells, and what a policy would have made of it.
 *
 * The conventions are those of pinfold.h.  Nothing here needs privileges but those of reading the
 * files that are named, and nothing here changes a session.
 */
#ifndef PINFOLD_REVIEW_H
#define PINFOLD_REVIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pinfold.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the record: reading it -------------------------------------------------------------- */

/* Where a record is when nobody says otherwise.  Since 0.2. */
#define PINFOLD_LOG_DEFAULT "/var/log/pinfold/audit.jsonl"

/* What a filter looks at.  Since 0.2. */
enum pinfold_log_field {
	PINFOLD_LOG_SESSION, /* the beginning of a session's name */
	PINFOLD_LOG_AGENT,   /* "*" stands for any text here, and in the next five */
	PINFOLD_LOG_LANE,
	PINFOLD_LOG_EVENT,   /* "net_deny", "*_deny" */
	PINFOLD_LOG_VERDICT, /* "deny", "would_deny", "allow" */
	PINFOLD_LOG_NAME,    /* a domain name, compared without regard to case */
	PINFOLD_LOG_PATH,    /* a path and what lies below it */
	PINFOLD_LOG_DST,     /* ADDRESS, CIDR or NAME, with [:PORT][/tcp|/udp] if wanted */
	PINFOLD_LOG_SINCE,   /* RFC 3339, a date, "now", or how long ago: "2h", "1d12h", "90s" */
	PINFOLD_LOG_UNTIL,   /* the same */
	PINFOLD_LOG_FIELDS,
};

struct pinfold_log_filter;

/* A filter that lets every line pass.  Free with pinfold_log_filter_free().  -ENOMEM.  Since 0.2.
 */
int pinfold_log_filter_new(struct pinfold_log_filter **ret, struct pinfold_error *e);

/* One more wish.  Of several for one field a line has to meet one; fields are all to be met.  A
 * later SINCE or UNTIL takes the place of the earlier.  -EINVAL: the text is malformed; -E2BIG: too
 * many.  Since 0.2. */
int pinfold_log_filter_add(struct pinfold_log_filter *f, enum pinfold_log_field field,
			   const char *text, struct pinfold_error *e);

/* Accepts NULL.  Since 0.2. */
void pinfold_log_filter_free(struct pinfold_log_filter *f);

/* What to read.  Zero-initialise.  Since 0.2. */
struct pinfold_log_query {
	/* The record; "-" is standard input; NULL is the policy's audit.path if there is one, else
	 * $PINFOLD_LOG, else PINFOLD_LOG_DEFAULT.  Files that were rotated
	 * away beside it (FILE.1, FILE.2.gz, FILE-20260131.xz, ...) are read first, oldest first.
	 * What is compressed with gzip, xz or zstd is recognised by its content, and needs that
	 * program. */
	const char *path;
	const struct pinfold_policy *policy;     /* borrowed; what each function makes of it */
	const struct pinfold_log_filter *filter; /* borrowed; NULL lets all pass */
	bool only;                               /* the one file, not the rotated ones */
	bool follow;                             /* pinfold_log_read() only: go on at the end */
};

/* What was read.  Since 0.2. */
struct pinfold_log_counts {
	uint64_t files;
	uint64_t bytes; /* after decompression */
	uint64_t lines;
	uint64_t matched;
	uint64_t broken; /* torn, too long, no JSON object */
	uint64_t forged; /* JSON, but nothing that pinfold writes: no schema, time or event, members
			    that stand twice */
	uint64_t damaged; /* files whose compressed data ends in the middle or is wrong */
};

/* One line, for the time of the call that gets it. */
struct pinfold_log_line;

/* The line as it stands in the record, without its newline, *ret_len bytes.  Characters that steer
 * a terminal, or hide or reorder its text, are never in it: where a line has them (pinfold writes
 * none) they are replaced by \u escapes, and with more than PINFOLD_LOG_LINE_MAX bytes left out.
 * Since 0.2. */
#define PINFOLD_LOG_LINE_MAX 8192
size_t pinfold_log_line_json(const struct pinfold_log_line *line, char *ret, size_t size);

/* A member's text, or a number's digits, made fit for a terminal: controls and characters that
 * reorder or hide text become '?', invalid parts U+FFFD; cut to size.  False, and ret is empty,
 * when there is no such member or it is an object or a list.  Since 0.2. */
bool pinfold_log_line_text(const struct pinfold_log_line *line, const char *key, char *ret,
			   size_t size);

/* "deny", "would_deny", "allow" or "".  Static storage.  Since 0.2. */
const char *pinfold_log_line_verdict(const struct pinfold_log_line *line);

/* Reads the record and hands each line that the filter lets pass to fn, oldest file first; stops
 * with 0 when fn returns another value than 0.  With follow it does not return at the end but waits
 * for more, also in the file that takes the place of a rotated one; fn is then called with NULL
 * about four times a second.  Memory does not grow with the record.  -ENOENT: there is no such
 * record; -ENOTSUP: it is no regular file; -EINVAL: follow with standard input.  *ret_counts may be
 * NULL.  Since 0.2. */
int pinfold_log_read(const struct pinfold_log_query *q,
		     int (*fn)(void *data, const struct pinfold_log_line *line), void *data,
		     struct pinfold_log_counts *ret_counts, struct pinfold_error *e);

/* ---- the record: what it comes to --------------------------------------------------------- */

/* Counts, as a JSON object: what was refused and what was reached most, by destination, name, path
 * and socket; events, sessions, agents; with q->policy also the entries of its lists that decided
 * nothing.  Different things beyond some thousands a table are counted together.  pinfold-log(1)
 * names the members.  free() *ret.  Errors as pinfold_log_read().  Since 0.2. */
int pinfold_log_stats(const struct pinfold_log_query *q, char **ret, struct pinfold_error *e);

/* What q->policy (not NULL) would have decided on what the record tells: a JSON object with
 * newlyAllowed, newlyDenied and unchanged.  pinfold-log(1) names the members.  The code that
 * enforces judges; this host's addresses, accounts and paths are taken as they are now.  Returns 1
 * when something changes, else 0.  free() *ret.  Errors as pinfold_log_read().  Since 0.2. */
int pinfold_log_replay(const struct pinfold_log_query *q, char **ret, struct pinfold_error *e);

/* Writes one self-contained HTML page to fd; with q->policy it also says which entries decided
 * nothing and what could be narrower.  Errors as pinfold_log_read(), and those of write(2).
 * Since 0.2. */
int pinfold_report(const struct pinfold_log_query *q, int fd, struct pinfold_error *e);

/* ---- policies: what a change opens and closes ------------------------------------------------ */

enum pinfold_effect { PINFOLD_OPENS = 0, PINFOLD_CLOSES, PINFOLD_CHANGES };

/* One difference in what is decided.  Strings live for the call.  Since 0.2. */
struct pinfold_change {
	enum pinfold_effect effect; /* PINFOLD_CHANGES: neither wider nor narrower */
	const char *area;   /* "network", "files", "unix sockets", "identity", "seccomp", "limits",
			       "record" or "session" */
	const char *what;   /* a destination, a path, a member's name, ... */
	const char *from;   /* what held, in words */
	const char *to;     /* what holds now */
	const char *origin; /* of the entry on the wider side that decides; or NULL */
};

/* Hands to fn what the second policy decides otherwise than the first: destinations by name or
 * prefix, port and protocol, rights by path, and so on; how the policies are written plays no part.
 * Both were read by the same caller.  Accounts are taken as they are now; the host's own addresses
 * play no part.  Returns the number of differences.  -ENOMEM; others: the accounts can't be read.
 * Since 0.2. */
int pinfold_diff(const struct pinfold_policy *old, const struct pinfold_policy *now,
		 void (*fn)(void *data, const struct pinfold_change *c), void *data,
		 struct pinfold_error *e);

/* ---- policies: what is wrong with one -------------------------------------------------------- */

/* One finding.  Strings live for the call.  Since 0.2. */
struct pinfold_lint_finding {
	const char *code;   /* "shadowed", "any-port", ...: pinfold-lint(1) documents each */
	const char *rule;   /* the entry or member, as written */
	const char *origin; /* where it stands: file, line, JSON path */
	const char *reason; /* one sentence */
	const char *fix;    /* one sentence */
	bool fixable;       /* pinfold_lint_fix() does it */
};

/* Hands each finding to fn.  Returns their number.  -ENOMEM; others: the accounts can't be read.
 * Since 0.2. */
int pinfold_lint(const struct pinfold_policy *p,
		 void (*fn)(void *data, const struct pinfold_lint_finding *f), void *data,
		 struct pinfold_error *e);

/* Removes from the policy's file what the fixable findings name, leaving everything else as it is
 * written, comments too; fn gets each finding that is taken out.  The new text is compared with the
 * old one before the file is replaced (by rename, with its mode and owner): what would open
 * anything is not written.  p itself stays as it was read.  Returns how many were fixed.
 * -ESTALE: the file is no longer what was read; -ENOTSUP: the policy has no file.  Since 0.2. */
int pinfold_lint_fix(const struct pinfold_policy *p,
		     void (*fn)(void *data, const struct pinfold_lint_finding *f), void *data,
		     struct pinfold_error *e);

/* ---- policies: learning one ------------------------------------------------------------------ */

struct pinfold_learning;

/* Starts to learn what a command needs beyond base, which is that of the observed session and is
 * borrowed for as long.  Free with pinfold_learn_free().  -ENOMEM.  Since 0.2. */
int pinfold_learn_new(const struct pinfold_policy *base, struct pinfold_learning **ret,
		      struct pinfold_error *e);

/* Takes one sight in; as struct pinfold_run's `sight`, with the learning as its data. */
void pinfold_learn_see(void *learning, const struct pinfold_sight *sight);

/* What was learnt, in numbers.  Since 0.2. */
struct pinfold_learnt {
	size_t paths;        /* entries of filesystem */
	size_t destinations; /* entries of allowOutbound */
	size_t sockets;      /* entries of unixSockets */
	size_t left_out;     /* what is only named in comments: sensitive, too broad, gone */
	uint64_t lost;       /* sights beyond what is remembered: the policy may lack something */
};

/* The smallest readable policy that lets pass what was seen: JSON with comments that say why each
 * line is there.  argv (NULL-terminated) is named in it.  target is where the policy will be, or
 * NULL: where the session could write that, an entry protects it.  Paths are looked at as they are
 * now.  free() *ret.  *ret_learnt may be NULL.  -ENOMEM.  Since 0.2. */
int pinfold_learn_write(const struct pinfold_learning *learning, char *const *argv,
			const char *target, char **ret, struct pinfold_learnt *ret_learnt,
			struct pinfold_error *e);

/* Accepts NULL.  Since 0.2. */
void pinfold_learn_free(struct pinfold_learning *learning);

#ifdef __cplusplus
}
#endif

#endif
