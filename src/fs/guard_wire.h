/* SPDX-License-Identifier: MIT */
/* What the pen's init and the guard say to each other before the command runs. */
#ifndef PINFOLD_FS_GUARD_WIRE_H
#define PINFOLD_FS_GUARD_WIRE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum guard_hello {
	GUARD_HELLO_NONE = 0,
	GUARD_HELLO_VIEW,     /* with the mount namespace */
	GUARD_HELLO_LISTENER, /* with the seccomp listener */
};

struct guard_greeting {
	enum guard_hello word;
};

struct guard_reply {
	int32_t error; /* 0, or why the guard gives up */
	uint32_t hold;
};

/* System calls only.  fd is sent along. */
int guard_wire_send(int sock, void *message, size_t size, int fd);

/* What came along; sock passes credentials. */
struct guard_mail {
	int fd;    /* -1: none */
	pid_t pid; /* the sender, as seen here; 0: none that is seen */
};

/* -EPIPE: nobody is there any more. */
int guard_wire_receive(int sock, void *message, size_t size, struct guard_mail *ret);

/* Puts path changes of this process and its children on a listener, whose descriptor is returned.
 * Needs no_new_privs. */
int guard_wire_install(void);

#endif
