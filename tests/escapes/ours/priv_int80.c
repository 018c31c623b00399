/* SPDX-License-Identifier: MIT */
// int 0x80 calls by the numbers of another architecture, which a filter for this one misreads.
#include "esc.h"
int main(void)
{
#ifdef __x86_64__
	long r;
	pid_t p = fork();
	int st;
	if (p == 0) {
		__asm__ volatile("int $0x80" : "=a"(r) : "a"(20 /* getpid */) : "memory", "r8", "r9", "r10", "r11");
		_exit(r == getpid() ? 7 : 8);
	}
	waitpid(p, &st, 0);
	if (WIFEXITED(st) && WEXITSTATUS(st) == 7)
		escaped("calls of the other architecture work");
	if (WIFSIGNALED(st) && WTERMSIG(st) == SIGSEGV)
		skip("no int 0x80 in this kernel");
	errno = EPERM;
	blocked("int 0x80");
#else
	skip("not this machine");
#endif
}
