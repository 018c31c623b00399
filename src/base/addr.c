/* SPDX-License-Identifier: MIT */
#include "base/addr.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

static const uint8_t V4_PREFIX[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

/* inet_pton takes "01.2.3.4" on some systems: octal spellings are refused here. */
static bool has_leading_zero(const char *text)
{
	for (const char *c = text; *c; c++)
		if (*c == '0' && (c == text || c[-1] == '.') && c[1] >= '0' && c[1] <= '9')
			return true;
	return false;
}

int addr_parse(const char *text, struct addr *ret)
{
	struct in_addr v4;
	struct in6_addr v6;

	if (!strchr(text, ':')) {
		if (has_leading_zero(text) || inet_pton(AF_INET, text, &v4) != 1)
			return -EINVAL;
		*ret = addr_from_v4(v4.s_addr);
		return 0;
	}
	if (inet_pton(AF_INET6, text, &v6) != 1)
		return -EINVAL;
	memcpy(ret->b, &v6, sizeof(ret->b));
	return 0;
}

void addr_format(const struct addr *a, char ret[static ADDR_TEXT_MAX])
{
	if (addr_is_v4(a))
		inet_ntop(AF_INET, a->b + 12, ret, ADDR_TEXT_MAX);
	else
		inet_ntop(AF_INET6, a->b, ret, ADDR_TEXT_MAX);
}

bool addr_is_v4(const struct addr *a)
{
	return memcmp(a->b, V4_PREFIX, sizeof(V4_PREFIX)) == 0;
}

bool addr_equal(const struct addr *a, const struct addr *b)
{
	return memcmp(a->b, b->b, sizeof(a->b)) == 0;
}

bool addr_in_prefix(const struct addr *a, const struct addr *net, unsigned prefix_len)
{
	unsigned bytes = prefix_len / 8;
	unsigned bits = prefix_len % 8;

	if (prefix_len > 128 || memcmp(a->b, net->b, bytes) != 0)
		return false;
	return bits == 0 || ((a->b[bytes] ^ net->b[bytes]) >> (8 - bits)) == 0;
}

struct addr addr_from_v4(uint32_t network_order)
{
	struct addr a;

	memcpy(a.b, V4_PREFIX, sizeof(V4_PREFIX));
	memcpy(a.b + 12, &network_order, sizeof(network_order));
	return a;
}

int addr_from_sockaddr(const struct sockaddr *sa, struct addr *ret, uint16_t *ret_port)
{
	struct sockaddr_in in;
	struct sockaddr_in6 in6;

	if (sa->sa_family == AF_INET) {
		memcpy(&in, sa, sizeof(in));
		*ret = addr_from_v4(in.sin_addr.s_addr);
		*ret_port = ntohs(in.sin_port);
		return 0;
	}
	if (sa->sa_family == AF_INET6) {
		memcpy(&in6, sa, sizeof(in6));
		memcpy(ret->b, &in6.sin6_addr, sizeof(ret->b));
		*ret_port = ntohs(in6.sin6_port);
		return 0;
	}
	return -EAFNOSUPPORT;
}
