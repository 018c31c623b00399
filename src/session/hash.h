/* SPDX-License-Identifier: MIT */
/* The policy's hash, by which a record tells which policy held. */
#ifndef PINFOLD_SESSION_HASH_H
#define PINFOLD_SESSION_HASH_H

struct policy;

#define HASH_TEXT_LEN 64

/* SHA-256 of the canonical policy, in hexadecimal.  -ENOMEM. */
int hash_policy(const struct policy *p, char ret[static HASH_TEXT_LEN + 1]);

#endif
