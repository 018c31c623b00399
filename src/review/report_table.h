/* SPDX-License-Identifier: MIT */
/* A tally as an HTML table. */
#ifndef PINFOLD_REVIEW_REPORT_TABLE_H
#define PINFOLD_REVIEW_REPORT_TABLE_H

#include <stdio.h>

struct tally;

enum cell {
	CELL_TEXT = 0, /* part n */
	CELL_HOST,     /* parts n, n+1, n+2: host:port/proto */
	CELL_WHY,      /* part n, as a sentence, with the advice */
	CELL_VERDICT,  /* part n */
	CELL_COUNT,    /* with a bar; n is not looked at */
	CELL_LAST,     /* when last seen; likewise */
	CELLS,
};

struct column {
	const char *head;
	enum cell cell;
	unsigned part;
};

#define TABLE_COLUMNS_MAX 6

struct table {
	const char *caption;
	const char *none; /* the sentence for an empty tally; NULL: no table and no word then */
	struct column column[TABLE_COLUMNS_MAX];
};

/* -ENOMEM. */
int report_table(FILE *out, const struct tally *t, const struct table *table);

#endif
