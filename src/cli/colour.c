/* SPDX-License-Identifier: MIT */
#include "cli/colour.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/clean.h"

bool colour_is_wanted(FILE *out)
{
	const char *no = getenv("NO_COLOR");

	return isatty(fileno(out)) && !(no && no[0]);
}

const char *colour_start(bool wanted, enum colour c)
{
	static const char *const CODES[] = {
		[COLOUR_RED] = "\033[31m",
		[COLOUR_GREEN] = "\033[32m",
		[COLOUR_YELLOW] = "\033[33m",
	};

	_Static_assert(ARRAY_SIZE(CODES) == COLOURS, "a code for every colour");
	return wanted ? CODES[c] : "";
}

const char *colour_end(bool wanted)
{
	return wanted ? "\033[0m" : "";
}
