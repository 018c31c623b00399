/* SPDX-License-Identifier: MIT */
// SO_BINDTODEVICE (unprivileged since Linux 5.7) picks the interface past the routes.
#include "esc.h"
int main(void)
{
	const char *dev = env("IFACE", "veth0");
	int f = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in a = in4(TARGET_IP, TARGET_PORT);
	if (f < 0)
		blocked("socket");
	if (setsockopt(f, SOL_SOCKET, SO_BINDTODEVICE, dev, strlen(dev)) < 0)
		blocked("setsockopt(SO_BINDTODEVICE)");
	tcp_try(f, &a, sizeof a, "bound to the device");
}
