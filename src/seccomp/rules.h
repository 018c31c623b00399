/* SPDX-License-Identifier: MIT */
/* The tables behind the filters. */
#ifndef PINFOLD_SECCOMP_RULES_H
#define PINFOLD_SECCOMP_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A condition on one argument.  Always masked: every other comparison of libseccomp (2.5) looks at
 * all 64 bits where the kernel looks at 32. */
struct arg_match {
	unsigned arg;
	uint32_t mask; /* 0: no condition */
	uint32_t value;
};

#define RULE_MATCHES_MAX 2

struct call_rule {
	int nr; /* negative: this architecture has no such call */
	int error;
	bool nested; /* left out when the policy allows nested sandboxes */
	struct arg_match match[RULE_MATCHES_MAX];
};

/* What a session may not call. */
extern const struct call_rule seccomp_session_rules[];
extern const size_t seccomp_n_session_rules;

/* All that the DNS worker may call; error and nested mean nothing here. */
extern const struct call_rule seccomp_worker_rules[];
extern const size_t seccomp_n_worker_rules;

/* All that the relay may call: it opens no socket and connects none. */
extern const struct call_rule seccomp_relay_rules[];
extern const size_t seccomp_n_relay_rules;

/* What the supervisor of a running session may not call. */
extern const struct call_rule seccomp_supervisor_rules[];
extern const size_t seccomp_n_supervisor_rules;

#endif
