/* SPDX-License-Identifier: MIT */
// E196: open and rewrite a pinned BPF map (the allow map) or detach programs.  BPF_PIN.  RUN: root
#include "esc.h"
#include <linux/bpf.h>
int main(void)
{
	union bpf_attr a = { 0 };
	const char *p = env("BPF_PIN", "/sys/fs/bpf/pf-fixture-map");
	a.pathname = (uintptr_t)p;
	int f = syscall(SYS_bpf, BPF_OBJ_GET, &a, sizeof a);
	if (f < 0) {
		if (errno == ENOENT && !getenv("FIXTURE"))
			skip("no pin");
		blocked("bpf(BPF_OBJ_GET)");
	}
	unsigned k = 0;
	unsigned long long v = 1;
	memset(&a, 0, sizeof a);
	a.map_fd = f;
	a.key = (uintptr_t)&k;
	a.value = (uintptr_t)&v;
	if (syscall(SYS_bpf, BPF_MAP_UPDATE_ELEM, &a, sizeof a) < 0)
		blocked("bpf(MAP_UPDATE)");
	escaped("rewrote pinned map %s", p);
}
