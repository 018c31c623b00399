/* SPDX-License-Identifier: MIT */
// Keys of the uid are shared by all its sessions: one that is added here can be found there.
#include "esc.h"
int main(void)
{
	long k = syscall(SYS_add_key, "user", "pf-left", "x", 1L, -4 /* the uid's keyring */);
	if (k < 0)
		blocked("add_key");
	syscall(SYS_keyctl, 9 /* UNLINK */, k, -4);
	escaped("left a key for the uid's other processes");
}
