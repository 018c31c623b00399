/* SPDX-License-Identifier: MIT */
/* What stats and replay share in their JSON. */
#ifndef PINFOLD_REVIEW_JSON_H
#define PINFOLD_REVIEW_JSON_H

#include <stddef.h>
#include <stdint.h>

#include "pinfold_review.h"
#include "review/tally.h"

struct cJSON;

/* files, bytes, lines, matched, broken, forged, damaged. */
void json_add_counts(struct cJSON *o, const struct pinfold_log_counts *c);

/* RFC 3339, seconds; null for 0. */
void json_add_time(struct cJSON *o, const char *key, int64_t us);

/* An array `key` of the most frequent entries, at most max.  Each is an object: the parts of the
 * tally's key by the names given (NULL ends them; a part that is empty is left out), the detail as
 * detail_key unless that is NULL, and count, first, last.  When more was counted than is in it, o
 * gets that as the number KEY + "Others".  -ENOMEM. */
int json_add_tally(struct cJSON *o, const char *key, const struct tally *t, size_t max,
		   const char *const *parts, const char *detail_key);

/* The text of o, and frees o.  -ENOMEM with words. */
int json_print(struct cJSON *o, char **ret, struct pinfold_error *e);

#endif
