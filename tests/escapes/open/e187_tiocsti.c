/* SPDX-License-Identifier: MIT */
// E187: push characters into the launcher's terminal.  RUN: pty
#include "esc.h"
int main(void)
{
	char c = '#';
	int f = isatty(0) ? 0 : open("/dev/tty", O_RDWR);
	if (f < 0) {
		if (getenv("FIXTURE"))
			blocked("open(/dev/tty)");
		skip("no terminal");
	}
	if (ioctl(f, TIOCSTI, &c) < 0) {
		if (errno == EIO)
			skip("dev.tty.legacy_tiocsti=0");
		blocked("ioctl(TIOCSTI)");
	}
	escaped("TIOCSTI accepted");
}
