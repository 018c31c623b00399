/* SPDX-License-Identifier: MIT */
// chmod of a file that the uid owns: Landlock has no say in it.
#include "esc.h"
int main(void)
{
	struct stat st;
	const char *p = path2(OUTSIDE_DIR, "victim");
	if (chmod(p, 0640) < 0)
		blocked("chmod");
	if (stat(p, &st) == 0)
		chmod(p, 0666);
	escaped("changed the mode of %s", p);
}
