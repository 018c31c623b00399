/* SPDX-License-Identifier: MIT */
/* Cuts secrets out of text before it reaches the record. */
#ifndef PINFOLD_AUDIT_REDACT_H
#define PINFOLD_AUDIT_REDACT_H

#include <stdbool.h>

/* Returns a copy with every secret-looking part replaced by "[redacted]"; free() it; NULL only
 * when memory ran out.  Takes time linear in the length of text. */
char *redact(const char *text);

/* Is value, the argument behind option, a secret ("--password hunter2", "-u user:password")? */
bool redact_is_secret_argument(const char *option, const char *value);

#endif
