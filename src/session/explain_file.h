/* SPDX-License-Identifier: MIT */
/* What a file that could not be executed asks for: its first line, or its ELF headers.  The file is
 * hostile input: every offset in it is only handed to pread(2), every count is bounded. */
#ifndef PINFOLD_SESSION_EXPLAIN_FILE_H
#define PINFOLD_SESSION_EXPLAIN_FILE_H

#include <stdbool.h>
#include <stddef.h>

#define EXPLAIN_TEXT_MAX 256 /* of a name in a file; longer ones count as absent */
#define EXPLAIN_NEEDS_MAX 64 /* libraries of one file; more are passed over */

enum explain_kind {
	EXPLAIN_UNKNOWN = 0, /* neither script nor program */
	EXPLAIN_SCRIPT,
	EXPLAIN_PROGRAM, /* ELF for this processor */
	EXPLAIN_FOREIGN, /* ELF for another one */
};

struct explain_head {
	enum explain_kind kind;
	bool ends_in_cr;                    /* the first line of a script has a CR */
	char interpreter[EXPLAIN_TEXT_MAX]; /* or the loader of a program; empty: none */
	char argument[EXPLAIN_TEXT_MAX];    /* of the interpreter */
};

/* What the loader will look for. */
struct explain_needs {
	size_t n;
	char library[EXPLAIN_NEEDS_MAX][EXPLAIN_TEXT_MAX];
	char run_path[EXPLAIN_TEXT_MAX]; /* DT_RUNPATH, else DT_RPATH; $ORIGIN as written */
};

/* fd is open for reading.  Whatever can't be read counts as absent. */
void explain_read_head(int fd, struct explain_head *ret);
void explain_read_needs(int fd, struct explain_needs *ret);

#endif
