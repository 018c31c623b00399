/* SPDX-License-Identifier: MIT */
/* Words for a refused system call. */
#ifndef PINFOLD_SECCOMP_WORDS_H
#define PINFOLD_SECCOMP_WORDS_H

#include <stddef.h>
#include <stdint.h>

/* The name of call nr of an architecture (AUDIT_ARCH_), or its number. */
void seccomp_call_name(uint32_t arch, int nr, char *ret, size_t size);

/* Which member of the policy would allow it; "" when none does. */
const char *seccomp_call_advice(uint32_t arch, int nr);

#endif
