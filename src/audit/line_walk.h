/* SPDX-License-Identifier: MIT */
/* The walk over one value, for the files that read lines. */
#ifndef PINFOLD_AUDIT_LINE_WALK_H
#define PINFOLD_AUDIT_LINE_WALK_H

#include <stdbool.h>

struct line_value;

struct walk {
	const char *at;
	bool odd;
	bool escaped; /* the string that was walked last */
};

/* Stands behind the value afterwards.  False: it is none. */
bool line_walk_value(struct walk *w, struct line_value *ret);

#endif
