/* SPDX-License-Identifier: MIT */
/* The answers to questions about a policy, by kind.  Internal to this module. */
#ifndef PINFOLD_SESSION_WHY_H
#define PINFOLD_SESSION_WHY_H

#include "pinfold.h"

/* Rule and origin of an answer; NULL leaves one empty. */
void why_fill(struct pinfold_answer *a, const char *rule, const char *origin);

/* One of its sentences, cut where it is too long. */
__attribute__((format(printf, 2, 3))) void why_say(char ret[static PINFOLD_WHY_TEXT_MAX],
						   const char *format, ...);

/* q is PINFOLD_WHY_READ, _WRITE or _EXEC. */
int why_path(const struct pinfold_policy *p, enum pinfold_question q, const char *subject,
	     struct pinfold_answer *ret, struct pinfold_error *e);

int why_unix(const struct pinfold_policy *p, const char *subject, struct pinfold_answer *ret,
	     struct pinfold_error *e);

#endif
