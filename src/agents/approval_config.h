/* SPDX-License-Identifier: MIT */
/* The judgement of a command by a gateway's configuration. */
#ifndef PINFOLD_AGENTS_APPROVAL_CONFIG_H
#define PINFOLD_AGENTS_APPROVAL_CONFIG_H

#include <stdint.h>

#include "agents/approval.h"

struct agents_config;

/* Reads the rules and judges.  *ret_timeout_ms: how long a person has.  Where the file has no
 * exec-approvals at all, a pen is enough, and the host is asked for. */
int approval_by_config(const struct agents_config *c, const struct approval_query *q,
		       struct pinfold_answer *ret, uint64_t *ret_timeout_ms,
		       struct pinfold_error *e);

#endif
