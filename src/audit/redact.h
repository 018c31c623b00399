/* SPDX-License-Identifier: MIT */
/* Cuts secrets out of text before it reaches the record. */
#ifndef PINFOLD_AUDIT_REDACT_H
#define PINFOLD_AUDIT_REDACT_H

/* Returns a copy with every secret-looking part replaced by "[redacted]"; free() it; NULL only
 * when memory ran out. */
char *redact(const char *text);

#endif
