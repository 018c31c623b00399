/* SPDX-License-Identifier: MIT */
/* Sockets that are there already, as the kernel lists them (sock_diag). */
#ifndef PINFOLD_NET_SOCKET_H
#define PINFOLD_NET_SOCKET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/addr.h"

struct net_socket {
	struct addr local;
	struct addr peer; /* all zero: not connected */
	uint16_t local_port;
	uint16_t peer_port;
	uint8_t family;
	uint8_t proto; /* IPPROTO_TCP, _UDP, _UDPLITE, _RAW */
	uint8_t state; /* as in the kernel's TCP states; of datagrams: established, or not */
	uint32_t interface;
	uint32_t inode; /* 0: no process has a descriptor of it any more */
	uint32_t uid;
	uint64_t cgroup; /* that it was made in; 0: not known */
	uint64_t cookie;
};

bool net_socket_listens(const struct net_socket *s);
bool net_socket_is_connected(const struct net_socket *s);

/* "tcp", "udp", ... */
const char *net_socket_proto(const struct net_socket *s);

/* A socket of the kernel's sock_diag, of this process's network namespace, that waits two seconds
 * for an answer.  -errno. */
int net_diag_open(void);

/* Hands out the internet sockets of this process's network namespace.  Stops with what fn returns
 * when that is negative.  -errno: the kernel can't list them. */
int net_sockets_list(int (*fn)(void *data, const struct net_socket *s), void *data);

/* Ends it: its program is told ECONNABORTED.  To be called in its network namespace.  -ENOENT: it
 * has ended by itself; -EOPNOTSUPP: this kernel can't (CONFIG_INET_DIAG_DESTROY). */
int net_socket_destroy(const struct net_socket *s);

#endif
