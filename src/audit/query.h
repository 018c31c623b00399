/* SPDX-License-Identifier: MIT */
/* A record from its oldest rotated file to its end. */
#ifndef PINFOLD_AUDIT_QUERY_H
#define PINFOLD_AUDIT_QUERY_H

#include "pinfold_review.h"

/* pinfold_log_read() of a record that is named: q->policy is not looked at. */
int log_read(const char *path, const struct pinfold_log_query *q,
	     int (*fn)(void *data, const struct pinfold_log_line *line), void *data,
	     struct pinfold_log_counts *ret_counts, struct pinfold_error *e);

#endif
