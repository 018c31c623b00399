/* SPDX-License-Identifier: MIT */
// /proc/self/root and /proc/self/cwd with dot-dot are other spellings of the same tree.
#include "esc.h"
int main(void)
{
	char p[2][4096];
	snprintf(p[0], sizeof p[0], "/proc/self/root/%s", SECRET_FILE);
	snprintf(p[1], sizeof p[1], "/proc/thread-self/cwd/../../../../../../../../%s", SECRET_FILE);
	for (int i = 0; i < 2; i++) {
		int f = open(p[i], O_RDONLY);
		if (f >= 0)
			escaped("opened %s", p[i]);
	}
	blocked("open");
}
