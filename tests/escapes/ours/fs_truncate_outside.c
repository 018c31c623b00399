/* SPDX-License-Identifier: MIT */
// truncate(2) needs no descriptor.
#include "esc.h"
int main(void)
{
	const char *p = path2(OUTSIDE_DIR, "victim");
	if (truncate(p, 3) < 0)
		blocked("truncate");
	escaped("cut %s", p);
}
