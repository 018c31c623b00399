/* SPDX-License-Identifier: MIT */
// E134: inotify on an outside directory shows other sessions' file names and timing (not covered by
// Landlock).
#include "esc.h"
#include <sys/inotify.h>
int main(void)
{
	int f = inotify_init1(IN_NONBLOCK);
	if (f < 0)
		blocked("inotify_init");
	if (inotify_add_watch(f, OUTSIDE_DIR, IN_ALL_EVENTS) < 0) {
		if (errno == ENOENT && !getenv("FIXTURE"))
			skip("no OUTSIDE_DIR");
		blocked("inotify_add_watch");
	}
	escaped("watching %s", OUTSIDE_DIR);
}
