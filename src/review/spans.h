/* SPDX-License-Identifier: MIT */
/* Ports at which two policies decide differently about one host. */
#ifndef PINFOLD_REVIEW_SPANS_H
#define PINFOLD_REVIEW_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "review/diff.h"

struct net_rule;

/* How far a destination is open; more is wider. */
enum diff_level { LEVEL_SHUT = 0, LEVEL_OWN, LEVEL_VERIFIED, LEVEL_OPEN, LEVELS };

struct span {
	unsigned proto; /* one PROTO_* bit */
	uint16_t low;
	uint16_t high;
	enum diff_level level[DIFF_SIDES];
	const char *origin; /* of the entry that opens it, on the wider side; or NULL */
};

struct spans {
	struct span *s;
	size_t n;
};

/* Says how far one side opens a port, and which entry does. */
typedef enum diff_level (*span_judge)(void *data, enum diff_side side, unsigned proto,
				      uint16_t port, const struct net_rule **ret_rule);

/* Only ports where some of the rules begins or ends can differ from their neighbours: one port of
 * each stretch is judged.  spans_done() it.  -ENOMEM. */
int spans_find(const struct net_rule *const *rules, size_t n, span_judge judge, void *data,
	       struct spans *ret);

/* Same ports, same levels. */
bool spans_equal(const struct spans *a, const struct spans *b);

/* One change for each: "HOST:PORTS/PROTO". */
void spans_tell(struct diff *d, const char *host, const struct spans *s);

/* Any state. */
void spans_done(struct spans *s);

#endif
