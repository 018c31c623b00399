/* SPDX-License-Identifier: MIT */
// A service of this host by the host's own address on the network: nothing leaves the machine.
#include "esc.h"
int main(void)
{
	struct sockaddr_in a = in4(env("HOST_IP", "203.0.113.1"), TARGET_PORT);
	tcp_try(socket(AF_INET, SOCK_STREAM, 0), &a, sizeof a, "the host's own address");
}
