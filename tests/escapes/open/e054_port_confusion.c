/* SPDX-License-Identifier: MIT */
// E054: the allowed address on a port that is not allowed.
#include "esc.h"
int main(void)
{
	struct sockaddr_in d = in4(ALLOWED_IP, envi("DENIED_PORT", 25));
	tcp_try(socket(AF_INET, SOCK_STREAM, 0), &d, sizeof d, "allowed ip, other port");
}
