/* SPDX-License-Identifier: MIT */
/* Internet addresses, always 128 bits: IPv4 is ::ffff:a.b.c.d, so that one rule and one code path
 * serve both families. */
#ifndef PINFOLD_BASE_ADDR_H
#define PINFOLD_BASE_ADDR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ADDR_TEXT_MAX 48 /* longest printed address with its NUL, brackets included */

struct sockaddr;

struct addr {
	uint8_t b[16]; /* network order */
};

/* Reads an IPv4 address in its four-part decimal form (no octal, hex or short forms) or an IPv6
 * address without brackets, scope or prefix.  -EINVAL otherwise. */
int addr_parse(const char *text, struct addr *ret);

/* Prints IPv4 as a.b.c.d and IPv6 without brackets. */
void addr_format(const struct addr *a, char ret[static ADDR_TEXT_MAX]);

bool addr_is_v4(const struct addr *a);
bool addr_equal(const struct addr *a, const struct addr *b);

/* Whether the first prefix_len (0 to 128) bits of both are the same. */
bool addr_in_prefix(const struct addr *a, const struct addr *net, unsigned prefix_len);

struct addr addr_from_v4(uint32_t network_order);

/* AF_INET and AF_INET6 only; -EAFNOSUPPORT otherwise.  The port is in host order. */
int addr_from_sockaddr(const struct sockaddr *sa, struct addr *ret, uint16_t *ret_port);

#endif
