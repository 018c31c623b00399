/* SPDX-License-Identifier: MIT */
// E215: touch MEM_MB (default 1024) of memory in a child.
#include "esc.h"
int main(void)
{
	size_t n = (size_t)envi("MEM_MB", 1024) << 20;
	pid_t c = fork();
	if (!c) {
		char *p = mmap(0, n, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (p == MAP_FAILED)
			_exit(12);
		for (size_t i = 0; i < n; i += 4096)
			p[i] = 1;
		_exit(0);
	}
	int s;
	waitpid(c, &s, 0);
	if (WIFSIGNALED(s))
		blocked_s("SIGKILL (memory limit)");
	if (WEXITSTATUS(s) == 12) {
		errno = ENOMEM;
		blocked("mmap");
	}
	escaped("%zu MiB touched", n >> 20);
}
