/* SPDX-License-Identifier: MIT */
// TIOCEXCL: nobody may open the launcher's terminal any more, also after the session.
// RUN: pty
#include "esc.h"
int main(void)
{
	int on = 0;
	if (ioctl(0, TIOCEXCL) < 0)
		blocked("ioctl");
	ioctl(0, 0x80045440 /* TIOCGEXCL */, &on);
	if (!on)
		blocked_s("it had no effect");
	ioctl(0, TIOCNXCL);
	escaped("the terminal is exclusive");
}
