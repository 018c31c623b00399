/* SPDX-License-Identifier: MIT */
/* Arguments by which a harmless program runs anything, or writes anywhere: what "git *" or "awk *"
 * in a list of approvals doesn't mean.  They are approved only where the pattern spells them out.
 */
#ifndef PINFOLD_AGENTS_DANGER_H
#define PINFOLD_AGENTS_DANGER_H

#include <stddef.h>

struct approval_names;
struct pattern_part;

/* words is approved by that pattern.  The word that is not covered, or NULL. */
const char *danger_in(const struct approval_names *names, char *const *words, size_t n,
		      const struct pattern_part *by);

#endif
