/* SPDX-License-Identifier: MIT */
// E191: open another terminal of the same uid (OUTSIDE_PTS) and write or TIOCSTI into it.
#include "esc.h"
int main(void)
{
	int f = open(need("OUTSIDE_PTS"), O_RDWR | O_NOCTTY);
	if (f < 0) {
		if (errno == ENOENT && !getenv("FIXTURE"))
			skip("absent");
		blocked("open");
	}
	escaped("opened %s of another session", getenv("OUTSIDE_PTS"));
}
