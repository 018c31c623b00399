/* SPDX-License-Identifier: MIT */
// E024: AF_VSOCK reaches the hypervisor with no IP at all.  Only opens and binds a socket; sends
// nothing.
#include "esc.h"
#include <linux/vm_sockets.h>
int main(void)
{
	int f = socket(AF_VSOCK, SOCK_STREAM, 0);
	if (f < 0) {
		if (is_absent(errno))
			skip("no vsock: %s", strerror(errno));
		blocked("socket");
	}
	struct sockaddr_vm a = { .svm_family = AF_VSOCK,
				 .svm_cid = VMADDR_CID_ANY,
				 .svm_port = VMADDR_PORT_ANY };
	if (bind(f, (void *)&a, sizeof a) < 0)
		blocked("bind");
	escaped("vsock socket bound; host CID 2 is one connect away");
}
