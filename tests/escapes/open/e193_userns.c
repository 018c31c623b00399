/* SPDX-License-Identifier: MIT */
// E193: unshare(CLONE_NEWUSER|CLONE_NEWNS|CLONE_NEWNET): a namespace root with new kernel attack
// surface.
#include "esc.h"
#include <sched.h>
int main(void)
{
	if (unshare(CLONE_NEWUSER) < 0)
		blocked("unshare(CLONE_NEWUSER)");
	if (unshare(CLONE_NEWNS | CLONE_NEWNET) < 0)
		escaped("user namespace made (further unshare: %s)", strerror(errno));
	escaped("user+mount+net namespaces made");
}
