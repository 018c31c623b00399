/* SPDX-License-Identifier: MIT */
/* Domain names in their canonical text form: lower-case ASCII letters, digits, '-' and '_', labels
 * of 1 to 63 bytes joined by single dots, no trailing dot, at most 253 bytes. */
#ifndef PINFOLD_BASE_NAME_H
#define PINFOLD_BASE_NAME_H

#include <stdbool.h>
#include <stddef.h>

#define NAME_MAX_LEN 253
#define NAME_BUF (NAME_MAX_LEN + 1)
#define NAME_LABEL_MAX 63

/* Lower-cases, removes one trailing dot and checks.  ret may be text itself.  -EINVAL: not a name
 * (empty, empty label, too long, or a byte outside the alphabet). */
int name_canonical(const char *text, char ret[static NAME_BUF]);

/* Whether name lies strictly below parent, on a label boundary.  Both canonical. */
bool name_is_below(const char *name, const char *parent);

#endif
