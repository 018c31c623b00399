/* SPDX-License-Identifier: MIT */
/* Which lines of a record are wanted. */
#ifndef PINFOLD_AUDIT_FILTER_H
#define PINFOLD_AUDIT_FILTER_H

#include <stdbool.h>

#include "pinfold_review.h"

/* f may be NULL: every line passes. */
bool log_filter_passes(const struct pinfold_log_filter *f, const struct pinfold_log_line *l);

/* "deny", "would_deny", "allow" (also of the events that only allowed things have) or "". */
const char *log_verdict(const struct pinfold_log_line *l);

#endif
