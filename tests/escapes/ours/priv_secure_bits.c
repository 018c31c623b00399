/* SPDX-License-Identifier: MIT */
// PR_SET_SECUREBITS and ambient capabilities: privilege that survives exec.
// RUN: root
#include "esc.h"
int main(void)
{
	if (prctl(PR_SET_SECUREBITS, prctl(PR_GET_SECUREBITS) | 1) < 0)
		blocked("prctl");
	escaped("set the secure bits");
}
