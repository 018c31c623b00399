/* SPDX-License-Identifier: MIT */
/* The verdict for a destination, outside the kernel: the same bpf/verdict.h over a policy. */
#ifndef PINFOLD_NET_JUDGE_H
#define PINFOLD_NET_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "abi.h"
#include "base/addr.h"
#include "net/host.h"
#include "net/tables.h"

struct net_rule;
struct pinfold_error;
struct policy;

#define NET_STEERED_PORT 53 /* of every server: the session's resolver answers there */

struct net_judgement {
	enum pf_reason reason;       /* < PF_ALLOW denies */
	const struct net_rule *rule; /* the entry that decided, or NULL */
};

/* proto is one PROTO_* bit.  name: the allowed name whose answer led to a, or NULL for an address
 * given as such.  The host's own addresses are read from the system. */
struct net_judgement net_judge(const struct policy *p, const struct addr *a, uint16_t port,
			       unsigned proto, const char *name);

/* The same for many questions to one policy, which is borrowed. */
struct net_judge {
	const struct policy *policy;
	struct net_tables tables;
	struct net_host host;
};

int net_judge_prepare(struct net_judge *j, const struct policy *p, struct pinfold_error *e);
struct net_judgement net_judge_ask(const struct net_judge *j, const struct addr *a, uint16_t port,
				   unsigned proto, const char *name);
void net_judge_done(struct net_judge *j);

/* One sentence for a reason; and how to change such a verdict ("" where nothing can).  dst is
 * "host:port" as it would stand in a policy. */
const char *net_reason_text(enum pf_reason reason);
void net_reason_advice(enum pf_reason reason, const char *dst, char *ret, size_t size);

/* The short word of a reason for the record: "private", "metadata", "port", ... */
const char *net_reason_word(enum pf_reason reason);

#endif
