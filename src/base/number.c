/* SPDX-License-Identifier: MIT */
#include "base/number.h"

#include <errno.h>

int number_parse(const char *text, uint64_t max, uint64_t *ret)
{
	uint64_t n = 0;

	if (!*text)
		return -EINVAL;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return -EINVAL;
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(*text - '0'), &n) || n > max)
			return -EINVAL;
	}
	*ret = n;
	return 0;
}
