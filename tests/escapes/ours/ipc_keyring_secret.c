/* SPDX-License-Identifier: MIT */
// A key in the session keyring of the launcher survives a change of uid.
// RUN: root
#include "esc.h"
int main(void)
{
	char b[64];
	long k = syscall(SYS_keyctl, 10 /* SEARCH */, -3, "user", env("KEY_NAME", "pf-secret"), 0);
	if (k < 0)
		blocked("keyctl search");
	long n = syscall(SYS_keyctl, 11 /* READ */, k, b, sizeof b);
	if (n < 0)
		escaped("found the key %ld", k);
	escaped("read a key of %ld bytes", n);
}
