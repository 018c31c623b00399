/* SPDX-License-Identifier: MIT */
/* One message to the control socket: what is taken for a request is one. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "session/control.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct control c = CONTROL_EMPTY;
	struct control_request r;
	int pair[2];

	if (size == 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return 0;
	c.peer[0].fd = pair[0];
	if (send(pair[1], data, size, MSG_DONTWAIT) == (ssize_t)size &&
	    control_receive(&c, 0, &r) == 1 &&
	    (size != sizeof(r) || r.version != CONTROL_VERSION || r.verb == CONTROL_NONE ||
	     r.verb >= CONTROL_VERBS || !memchr(r.path, '\0', sizeof(r.path)) ||
	     (r.verb == CONTROL_RELOAD ? r.path[0] != '/' : r.path[0] != '\0')))
		abort();
	control_done(&c);
	close(pair[1]);
	return 0;
}
