/* SPDX-License-Identifier: MIT */
// bpf(2) loads a program into the kernel.
// RUN: root
#include "esc.h"
#include <linux/bpf.h>
int main(void)
{
	struct bpf_insn i[] = { { .code = 0xb7 }, { .code = 0x95 } };
	union bpf_attr a = { .prog_type = BPF_PROG_TYPE_SOCKET_FILTER };
	a.insns = (uintptr_t)i;
	a.insn_cnt = 2;
	a.license = (uintptr_t) "GPL";
	if (syscall(SYS_bpf, BPF_PROG_LOAD, &a, sizeof a) < 0)
		blocked("bpf");
	escaped("loaded a program");
}
