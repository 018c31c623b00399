/* SPDX-License-Identifier: MIT */
/* What somebody may have meant. */
#ifndef PINFOLD_CLI_NEAR_H
#define PINFOLD_CLI_NEAR_H

#include <stdbool.h>

/* Whether word is another spelling of wanted: a slip or two apart. */
bool near_is(const char *word, const char *wanted);

#endif
