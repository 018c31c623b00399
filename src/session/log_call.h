/* SPDX-License-Identifier: MIT */
/* Refused system calls in the record. */
#ifndef PINFOLD_SESSION_LOG_CALL_H
#define PINFOLD_SESSION_LOG_CALL_H

struct session;

/* Before the command is born, with init behind its fences: from now on the kernel's audit stream is
 * asked for refused calls of this session too.  Without such a stream nothing happens. */
void log_calls_start(struct session *s);

#endif
