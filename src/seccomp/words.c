/* SPDX-License-Identifier: MIT */
#include "seccomp/words.h"

#include <seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/clean.h"
#include "seccomp/rules.h"

void seccomp_call_name(uint32_t arch, int nr, char *ret, size_t size)
{
	auto_free char *name = seccomp_syscall_resolve_num_arch(arch, nr);

	if (name)
		snprintf(ret, size, "%s", name);
	else
		snprintf(ret, size, "call %d", nr);
}

static const char *advice_of_rule(int nr)
{
	for (size_t i = 0; i < seccomp_n_session_rules; i++)
		if (seccomp_session_rules[i].nr == nr && seccomp_session_rules[i].nested)
			return "to allow nested sandboxes set seccomp.allowNested";
	return "";
}

const char *seccomp_call_advice(uint32_t arch, int nr)
{
	/* A number means another call elsewhere, and all of those are killed. */
	if (arch != seccomp_arch_native())
		return "";
	if (nr == SYS_socket)
		return "seccomp.families lists socket families to allow; network.icmp allows ping";
	return advice_of_rule(nr);
}
