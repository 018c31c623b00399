/* SPDX-License-Identifier: MIT */
/* The public suffix list is the one that comes with libpsl. */
#include <stddef.h>

#include <libpsl.h>

#include "review/lint.h"

bool lint_is_public_suffix(const char *name, bool *ret_of_registry)
{
	const psl_ctx_t *list = psl_builtin();

	if (!list)
		return false;
	/* A label that stands in no list (internal, lan) is nobody's to sell. */
	*ret_of_registry =
	    psl_is_public_suffix2(list, name, PSL_TYPE_ICANN | PSL_TYPE_NO_STAR_RULE) == 1;
	return *ret_of_registry ||
	       psl_is_public_suffix2(list, name, PSL_TYPE_PRIVATE | PSL_TYPE_NO_STAR_RULE) == 1;
}
