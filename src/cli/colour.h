/* SPDX-License-Identifier: MIT */
/* Colour for people: on a terminal only, and never where NO_COLOR is set. */
#ifndef PINFOLD_CLI_COLOUR_H
#define PINFOLD_CLI_COLOUR_H

#include <stdbool.h>
#include <stdio.h>

enum colour { COLOUR_RED = 0, COLOUR_GREEN, COLOUR_YELLOW, COLOURS };

bool colour_is_wanted(FILE *out);

/* Each is "" unless wanted. */
const char *colour_start(bool wanted, enum colour c);
const char *colour_end(bool wanted);

#endif
