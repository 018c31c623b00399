/* SPDX-License-Identifier: MIT */
/* Landlock's system calls, in a file of their own so that tests can stand in for the kernel. */
#include "fs/landlock_abi.h"

#include <sys/syscall.h>
#include <unistd.h>

int ll_create_ruleset(const struct ll_ruleset_attr *attr, size_t size, unsigned flags)
{
	return (int)syscall(SYS_landlock_create_ruleset, attr, size, flags);
}

int ll_add_rule(int ruleset, unsigned type, const void *attr, unsigned flags)
{
	return (int)syscall(SYS_landlock_add_rule, ruleset, type, attr, flags);
}

int ll_restrict_self(int ruleset, unsigned flags)
{
	return (int)syscall(SYS_landlock_restrict_self, ruleset, flags);
}
