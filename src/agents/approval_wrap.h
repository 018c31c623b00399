/* SPDX-License-Identifier: MIT */
/* Commands that start other commands: what they start, one level at a time. */
#ifndef PINFOLD_AGENTS_APPROVAL_WRAP_H
#define PINFOLD_AGENTS_APPROVAL_WRAP_H

#include <stdbool.h>
#include <stddef.h>

#include "agents/approval_names.h"

/* What came out of a wrapper.  Each function takes its words or text as they are, borrowed for the
 * call, and yields 0 or a negative errno, which ends the unwrapping. */
struct wrap_sink {
	/* Words that will run.  `guess`: they only might. */
	int (*command)(void *data, char *const *words, size_t n, bool guess);
	/* A line that a shell will read. */
	int (*line)(void *data, const char *text, bool guess);
	void *data;
};

enum wrap_kind {
	WRAP_NONE = 0, /* starts nothing that is known of */
	WRAP_CLEAR,    /* does nothing but run what came out */
	WRAP_MORE,     /* runs it with other rights, arguments or surroundings, or it isn't clear */
};

/* words[0] is known by these names. */
int wrap_open(const struct approval_names *names, char *const *words, size_t n,
	      const struct wrap_sink *sink, enum wrap_kind *ret);

/* Is it one of those that start something, and nobody here knows where in their words? */
bool wrap_may_start(const struct approval_names *names);

#endif
