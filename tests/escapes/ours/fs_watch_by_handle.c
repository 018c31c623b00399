/* SPDX-License-Identifier: MIT */
// fanotify with file handles needs no privilege (since Linux 5.13): names and times of others' files.
#include "esc.h"
#include <sys/fanotify.h>
int main(void)
{
	int f = fanotify_init(FAN_CLASS_NOTIF | FAN_REPORT_FID | FAN_REPORT_DFID_NAME, 0);
	if (f < 0)
		blocked("fanotify_init");
	if (fanotify_mark(f, FAN_MARK_ADD, FAN_CREATE | FAN_ONDIR, AT_FDCWD, OUTSIDE_DIR) < 0)
		blocked("fanotify_mark");
	escaped("watches a directory outside");
}
