/* SPDX-License-Identifier: MIT */
#include "audit/files.h"
#include "audit/query.h"
#include "policy/handle.h"
#include "review/review.h"

const char *review_log_path(const struct pinfold_log_query *q)
{
	if (q->path)
		return q->path;
	if (q->policy && q->policy->policy.audit.path)
		return q->policy->policy.audit.path;
	return record_default_path();
}

int pinfold_log_read(const struct pinfold_log_query *q,
		     int (*fn)(void *data, const struct pinfold_log_line *line), void *data,
		     struct pinfold_log_counts *ret_counts, struct pinfold_error *e)
{
	return log_read(review_log_path(q), q, fn, data, ret_counts, e);
}
