/* SPDX-License-Identifier: MIT */
/* The parts of the report, each in a file of its own. */
#ifndef PINFOLD_REVIEW_REPORT_INNER_H
#define PINFOLD_REVIEW_REPORT_INNER_H

#include <stdbool.h>
#include <stdio.h>

struct digest;

/* The style sheet, and (with its NUL) the base64 of its SHA-256: the page allows this one style and
 * nothing else. */
#define REPORT_HASH_MAX 45
const char *report_style(void);
void report_style_hash(char ret[static REPORT_HASH_MAX]);

/* Each writes one <section> with its heading.  -ENOMEM. */
void report_timeline(FILE *out, const struct digest *d);
int report_advice(FILE *out, const struct digest *d);
int report_network(FILE *out, const struct digest *d);
int report_files(FILE *out, const struct digest *d);
int report_sessions(FILE *out, const struct digest *d);
void report_unused(FILE *out, const struct digest *d);

/* The sentence for a reason's word in the record; the word where there is none. */
const char *report_reason(const char *word);

#endif
