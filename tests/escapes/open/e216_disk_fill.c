/* SPDX-License-Identifier: MIT */
// E216: write DISK_MB (default 256) into the workspace.
#include "esc.h"
int main(void)
{
	signal(SIGXFSZ, SIG_IGN);
	const char *p = path2(WORKSPACE, "e216");
	int f = open(p, O_CREAT | O_WRONLY | O_TRUNC, 0600);
	if (f < 0)
		blocked("open");
	static char b[1 << 20];
	int n = envi("DISK_MB", 256), i, e = 0;
	for (i = 0; i < n; i++)
		if (write(f, b, sizeof b) != sizeof b) {
			e = errno ? errno : ENOSPC;
			break;
		}
	unlink(p);
	if (i == n)
		escaped("%d MiB written", n);
	errno = e;
	blocked("write");
}
