/* SPDX-License-Identifier: MIT */
// O_TMPFILE in a directory outside: no name until linkat gives it one.
#include "esc.h"
int main(void)
{
	int f = open(OUTSIDE_DIR, O_TMPFILE | O_RDWR, 0600);
	if (f < 0) {
		if (errno == EOPNOTSUPP)
			skip("no O_TMPFILE on this file system");
		blocked("open");
	}
	escaped("made a nameless file in %s", OUTSIDE_DIR);
}
