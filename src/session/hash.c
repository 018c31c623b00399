/* SPDX-License-Identifier: MIT */
#include "session/hash.h"

#include <sys/types.h>

#include <sha2.h>
#include <string.h>

#include "base/clean.h"
#include "policy/parse.h"

_Static_assert(SHA256_DIGEST_STRING_LENGTH == HASH_TEXT_LEN + 1, "hexadecimal SHA-256");

int hash_policy(const struct policy *p, char ret[static HASH_TEXT_LEN + 1])
{
	auto_free char *text = NULL;
	int r = policy_print(p, &text);

	if (r < 0)
		return r;
	SHA256Data((const uint8_t *)text, strlen(text), ret);
	return 0;
}
