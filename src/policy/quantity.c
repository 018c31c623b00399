/* SPDX-License-Identifier: MIT */
#include "policy/quantity.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clean.h"
#include "policy/policy.h"

#define UNITS_MAX 6

struct unit {
	const char *suffix;
	uint64_t factor;
};

/* Units from the smallest to the greatest.  bare_unit: without a suffix the first one is meant. */
static const struct {
	const char *form;
	bool bare;
	uint64_t low;
	uint64_t high;
	struct unit unit[UNITS_MAX];
} KINDS[] = {
	[QUANTITY_PIDS] = { "a number from 1 to 4194304, or \"none\"",
			    true,
			    1,
			    4194304,
			    { { "", 1 } } },
	[QUANTITY_MEMORY] = { "\"512M\", \"2G\" or such (1M to 1024T; K, M, G, T are powers of "
			      "1024), a number of bytes, or \"none\"",
			      true,
			      1u << 20,
			      UINT64_C(1) << 50,
			      { { "", 1 },
				{ "K", UINT64_C(1) << 10 },
				{ "M", UINT64_C(1) << 20 },
				{ "G", UINT64_C(1) << 30 },
				{ "T", UINT64_C(1) << 40 } } },
	[QUANTITY_CPU] = { "\"50%\", \"200%\" or such (1% to 100000%), or \"none\"",
			   false,
			   1,
			   100000,
			   { { "%", 1 } } },
	[QUANTITY_TIME] = { "\"90s\", \"30m\" or such (1ms to 365d; ms, s, m, h, d), or \"none\"",
			    false,
			    1,
			    UINT64_C(365) * 86400000,
			    { { "ms", 1 },
			      { "s", 1000 },
			      { "m", 60000 },
			      { "h", 3600000 },
			      { "d", 86400000 } } },
};
_Static_assert(ARRAY_SIZE(KINDS) == QUANTITY_MAX, "every quantity has its row");

static const struct unit *find_unit(enum quantity q, const char *suffix)
{
	for (const struct unit *u = KINDS[q].unit; u < KINDS[q].unit + UNITS_MAX && u->factor; u++)
		if (strcmp(u->suffix, suffix) == 0)
			return u;
	return NULL;
}

int quantity_parse(enum quantity q, const char *text, bool bare, uint64_t *ret)
{
	const struct unit *u;
	uint64_t value = 0;
	const char *c = text;

	if (!bare && strcmp(text, "none") == 0) {
		*ret = POLICY_NO_LIMIT;
		return 0;
	}
	if (bare && !KINDS[q].bare)
		return -EINVAL;
	for (; *c >= '0' && *c <= '9'; c++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*c - '0'), &value))
			return -EINVAL;
	u = find_unit(q, c);
	if (c == text || !u || __builtin_mul_overflow(value, u->factor, &value))
		return -EINVAL;
	if (value < KINDS[q].low || value > KINDS[q].high)
		return -EINVAL;
	*ret = value;
	return 0;
}

const char *quantity_form(enum quantity q)
{
	return KINDS[q].form;
}

static const struct unit *best_unit(enum quantity q, uint64_t value)
{
	const struct unit *best = KINDS[q].unit;

	for (const struct unit *u = best; u < KINDS[q].unit + UNITS_MAX && u->factor; u++)
		if (value % u->factor == 0)
			best = u;
	return best;
}

void quantity_format(enum quantity q, uint64_t value, char *ret, size_t size)
{
	const struct unit *u = best_unit(q, value);

	if (value == POLICY_NO_LIMIT)
		snprintf(ret, size, "none");
	else
		snprintf(ret, size, "%" PRIu64 "%s", value / u->factor, u->suffix);
}

bool quantity_is_bare(enum quantity q, uint64_t value)
{
	return value != POLICY_NO_LIMIT && best_unit(q, value)->suffix[0] == '\0';
}
