/* SPDX-License-Identifier: MIT */
// E141: a world-writable directory shared between sessions: read another session's file
// (SHARED_TMP).
#include "esc.h"
int main(void)
{
	const char *d = env("SHARED_TMP", "/tmp/pf/shared");
	const char *p = path2(d, "other-session");
	int f = open(p, O_RDONLY);
	if (f < 0) {
		if (errno == ENOENT && !getenv("FIXTURE"))
			skip("%s missing", p);
		blocked("open");
	}
	escaped("read another session's file %s", p);
}
