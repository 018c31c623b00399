/* SPDX-License-Identifier: MIT */
/* Pieces of HTML.  Everything that is not a literal of this program goes through html_text(). */
#ifndef PINFOLD_REVIEW_HTML_H
#define PINFOLD_REVIEW_HTML_H

#include <stdint.h>
#include <stdio.h>

/* Text as text, for elements and for quoted attributes: whatever stands in it. */
void html_text(FILE *out, const char *text);

/* The same, apart from what surrounds it: a name in a script that runs from right to left does not
 * reorder its row. */
void html_isolated(FILE *out, const char *text);

/* "12,345" */
void html_number(FILE *out, uint64_t n);

/* <time> with the day and the minute, or an en dash for 0. */
void html_time(FILE *out, int64_t us);

#endif
