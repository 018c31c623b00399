/* SPDX-License-Identifier: MIT */
// E189: TIOCLINUX on a virtual console (paste into the console, CVE-2023-28100); uses only the
// harmless subcode 6.  RUN: root
#include "esc.h"
int main(void)
{
	const char *t[] = { "/dev/tty1", "/dev/tty0", "/dev/console" };
	int e = ENOENT;
	for (int i = 0; i < 3; i++) {
		int f = open(t[i], O_RDWR | O_NOCTTY);
		if (f < 0) {
			if (errno != ENOENT)
				e = errno;
			continue;
		}
		char b[2] = { 6, 0 };
		if (ioctl(f, TIOCLINUX, b) >= 0)
			escaped("TIOCLINUX works on %s", t[i]);
		e = errno;
	}
	errno = e;
	if (e == ENOENT || e == ENOTTY)
		skip("no virtual console");
	blocked("TIOCLINUX");
}
