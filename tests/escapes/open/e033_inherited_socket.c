/* SPDX-License-Identifier: MIT */
// E033: a connected socket that the launcher left open (LEAK_SOCK_FD): no hook of the new cgroup
// sees it.
#include "esc.h"
int main(void)
{
	int f = atoi(need("LEAK_SOCK_FD"));
	if (send(f, nonce(), strlen(nonce()), MSG_NOSIGNAL) < 0)
		blocked("send on leaked fd");
	if (got_echo(f, 3000))
		escaped("leaked socket still talks");
	errno = ETIMEDOUT;
	blocked("echo");
}
