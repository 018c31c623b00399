/* SPDX-License-Identifier: MIT */
/* Lines of /proc/PID/mountinfo (proc(5)). */
#ifndef PINFOLD_BASE_MOUNTINFO_H
#define PINFOLD_BASE_MOUNTINFO_H

/* The mount point that a line tells, unescaped; the line is cut up for it.  NULL: it is no such
 * line. */
char *mountinfo_point(char *line);

#endif
