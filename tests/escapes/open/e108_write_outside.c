/* SPDX-License-Identifier: MIT */
// E108: create a file outside the fence.
#include "esc.h"
int main(void)
{
	const char *p = path2(OUTSIDE_DIR, "e108");
	int f = open(p, O_WRONLY | O_CREAT, 0600);
	if (f < 0)
		blocked("open(O_CREAT)");
	unlink(p);
	escaped("created %s", p);
}
