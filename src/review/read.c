/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "audit/query.h"
#include "policy/handle.h"
#include "review/review.h"

const char *review_log_path(const struct pinfold_log_query *q)
{
	const char *named = secure_getenv("PINFOLD_LOG");

	if (q->path)
		return q->path;
	if (q->policy && q->policy->policy.audit.path)
		return q->policy->policy.audit.path;
	return named && named[0] ? named : PINFOLD_LOG_DEFAULT;
}

int pinfold_log_read(const struct pinfold_log_query *q,
		     int (*fn)(void *data, const struct pinfold_log_line *line), void *data,
		     struct pinfold_log_counts *ret_counts, struct pinfold_error *e)
{
	return log_read(review_log_path(q), q, fn, data, ret_counts, e);
}
