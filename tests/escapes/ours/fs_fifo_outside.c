/* SPDX-License-Identifier: MIT */
// A named pipe outside hands bytes to a process there.
#include "esc.h"
int main(void)
{
	int f = open(path2(OUTSIDE_DIR, "pipe"), O_RDWR | O_NONBLOCK);
	if (f < 0)
		blocked("open");
	escaped("opened a pipe outside");
}
