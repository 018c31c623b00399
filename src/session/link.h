/* SPDX-License-Identifier: MIT */
/* What the supervisor and the pen's init say to each other: fixed-size messages over a
 * SOCK_SEQPACKET pair.  The supervisor takes init's words as hostile input. */
#ifndef PINFOLD_SESSION_LINK_H
#define PINFOLD_SESSION_LINK_H

#include <stdint.h>

enum link_word {
	LINK_NONE = 0,
	LINK_FAILED,      /* init: stage, step and error; no command ran */
	LINK_READY,       /* init: every fence has closed around me; `value` is my listener, or 0 */
	LINK_GO,          /* supervisor: start the command */
	LINK_SIGNAL,      /* supervisor: pass on signal `value` */
	LINK_DIR_FAILED,  /* the command's process: chdir gave `error` */
	LINK_EXEC_FAILED, /* the command's process: execve gave `error` */
	LINK_ENDED,       /* init: the command's wait status is `value` */
	LINK_STOPPED,     /* init: the command was stopped by signal `value` */
};

/* Where entering the pen can fail, in order. */
enum link_stage {
	STAGE_NONE = 0,
	STAGE_VIEW,
	STAGE_GUARD,
	STAGE_SESSION,
	STAGE_IDENTITY,
	STAGE_DOMAIN,
	STAGE_DESCRIPTORS,
	STAGE_FILTER,
	STAGE_SELF_TEST,
	STAGE_LOOK,
	STAGE_FORK,
	STAGE_MAX,
};

struct link_message {
	uint32_t word;
	uint32_t stage;
	int32_t step;
	int32_t error; /* negative errno */
	int32_t value;
};

/* Both return 0 or -errno; -EPIPE when the other side is gone, -EBADMSG for a message of another
 * size.  System calls only. */
int link_send(int fd, const struct link_message *m);
int link_receive(int fd, struct link_message *ret);

#endif
