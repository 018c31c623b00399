/* SPDX-License-Identifier: MIT */
// TIOCSETD gives the launcher's terminal another line discipline (N_NULL: it goes dead).
// RUN: pty
#include "esc.h"
int main(void)
{
	int old, null = 27;
	if (ioctl(0, TIOCGETD, &old) < 0)
		skip("no terminal");
	if (ioctl(0, TIOCSETD, &null) < 0) {
		if (errno == EINVAL)
			skip("no N_NULL in this kernel");
		blocked("TIOCSETD");
	}
	ioctl(0, TIOCSETD, &old);
	escaped("the terminal had another discipline");
}
