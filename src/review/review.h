/* SPDX-License-Identifier: MIT */
/* What the files of this module share. */
#ifndef PINFOLD_REVIEW_REVIEW_H
#define PINFOLD_REVIEW_REVIEW_H

#include "pinfold_review.h"

/* The record that a query is about: borrowed from it, or static. */
const char *review_log_path(const struct pinfold_log_query *q);

#endif
