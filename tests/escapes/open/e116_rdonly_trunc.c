/* SPDX-License-Identifier: MIT */
// E116: open(O_RDONLY|O_TRUNC) and truncate(2) destroy an outside file without a write right (ABI <
// 3).
#include "esc.h"
int main(void)
{
	const char *o = path2(OUTSIDE_DIR, "victim");
	struct stat s;
	if (stat(o, &s) < 0) {
		if (!getenv("FIXTURE"))
			skip("no OUTSIDE_DIR/victim");
		blocked("stat");
	}
	int f = open(o, O_RDONLY | O_TRUNC);
	if (f >= 0)
		escaped("truncated with O_RDONLY|O_TRUNC");
	if (truncate(o, 0) == 0)
		escaped("truncate(2) worked");
	blocked("truncate");
}
