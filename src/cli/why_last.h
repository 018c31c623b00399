/* SPDX-License-Identifier: MIT */
/* `why --last`: the last denial of a session, from its record. */
#ifndef PINFOLD_CLI_WHY_LAST_H
#define PINFOLD_CLI_WHY_LAST_H

#include <stdbool.h>

struct pinfold_policy;

struct why_last {
	const struct pinfold_policy *policy; /* asked again; may be NULL */
	const char *log;                     /* NULL: the policy's */
	const char *session;                 /* NULL: the newest */
	bool json;
};

/* Prints the answer; the result is the exit status. */
int why_last(const struct why_last *w);

#endif
