/* SPDX-License-Identifier: MIT */
// E106: a read-write descriptor of an outside file and a directory descriptor the launcher left
// open (LEAK_SECRET_FD, LEAK_DIR_FD).
#include "esc.h"
int main(void)
{
	char b[16];
	int f = atoi(need("LEAK_SECRET_FD")), d = envi("LEAK_DIR_FD", -1);
	if (pread(f, b, 8, 0) > 0)
		escaped("read the secret through leaked fd %d", f);
	int e = errno;
	if (d >= 0) {
		int g = openat(d, "secret.txt", O_RDONLY);
		if (g >= 0)
			escaped("opened the secret through leaked directory fd %d", d);
	}
	errno = e;
	blocked("pread");
}
