/* SPDX-License-Identifier: MIT */
// E013: IPPROTO_MPTCP stream socket (Landlock TCP rights do not cover it).
#include "esc.h"
int main(void)
{
	struct sockaddr_in d = in4(TARGET_IP, TARGET_PORT);
	tcp_try(socket(AF_INET, SOCK_STREAM, 262), &d, sizeof d, "mptcp");
}
