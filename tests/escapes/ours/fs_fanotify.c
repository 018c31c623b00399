/* SPDX-License-Identifier: MIT */
// fanotify on a mount tells of every file that anybody opens there.
// RUN: root
#include "esc.h"
#include <sys/fanotify.h>
int main(void)
{
	int f = fanotify_init(FAN_CLASS_NOTIF, O_RDONLY);
	if (f < 0)
		blocked("fanotify_init");
	if (fanotify_mark(f, FAN_MARK_ADD | FAN_MARK_MOUNT, FAN_OPEN, AT_FDCWD, "/") < 0)
		blocked("fanotify_mark");
	escaped("every open is reported");
}
