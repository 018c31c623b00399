/* SPDX-License-Identifier: MIT */
#include "policy/space.h"

#include <string.h>

#include "base/clean.h"

#define V4(a, b, c, d)                                                                             \
	{                                                                                          \
		{                                                                                  \
			0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, a, b, c, d                       \
		}                                                                                  \
	}
#define V6(...)                                                                                    \
	{                                                                                          \
		{                                                                                  \
			__VA_ARGS__                                                                \
		}                                                                                  \
	}

/* The first row that holds wins: ::1 and 192.0.0.192 lie inside spaces that
 * never open. */
static const struct {
	struct addr net;
	unsigned len;
	enum space space;
} SPACES[] = {
	{ V6(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1), 128, SPACE_PLAIN }, /* loopback */
	{ V4(169, 254, 0, 0), 112, SPACE_METADATA },
	{ V4(100, 100, 100, 200), 128, SPACE_METADATA },
	{ V4(168, 63, 129, 16), 128, SPACE_METADATA },
	{ V4(192, 0, 0, 192), 128, SPACE_METADATA },
	{ V6(0xfe, 0x80), 10, SPACE_METADATA },
	{ V6(0xfd, 0x00, 0x0e, 0xc2), 32, SPACE_METADATA },
	{ V6(0xfd, 0x20, 0x00, 0xce, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54), 128,
	  SPACE_METADATA },
	{ V6(0xfd, 0x00, 0x00, 0xc1, 0, 0, 0, 0, 0, 0, 0, 0, 0xa9, 0xfe, 0xa9, 0xfe), 128,
	  SPACE_METADATA },
	{ V6(0xfd, 0x00, 0x00, 0x42, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x42), 128, SPACE_METADATA },
	{ V4(0, 0, 0, 0), 104, SPACE_NEVER },
	{ V4(192, 0, 0, 0), 120, SPACE_NEVER },
	{ V4(224, 0, 0, 0), 99, SPACE_NEVER },
	{ V6(0x20, 0x01, 0, 0), 32, SPACE_NEVER },                   /* Teredo */
	{ V6(0x00, 0x64, 0xff, 0x9b, 0x00, 0x01), 48, SPACE_NEVER }, /* local NAT64 */
	{ V6(0xff), 8, SPACE_NEVER },
	{ V6(0), 96, SPACE_NEVER },
	{ V6(0x20, 0x02), 16, SPACE_EMBEDDED },                         /* 6to4 */
	{ V6(0x00, 0x64, 0xff, 0x9b), 96, SPACE_EMBEDDED },             /* NAT64 */
	{ V6(0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff), 96, SPACE_EMBEDDED }, /* IPv4-translated */
};

/* ISATAP is told by its interface identifier, 0000:5efe or 0200:5efe before the IPv4 address,
 * below any prefix (RFC 5214, 6.1). */
static bool is_isatap(const struct addr *net, unsigned prefix_len)
{
	static const uint8_t mark[4] = { 0x00, 0x00, 0x5e, 0xfe };
	uint8_t id[4];

	memcpy(id, net->b + 8, sizeof(id));
	id[0] &= (uint8_t)~0x02;
	return prefix_len >= 96 && !addr_is_v4(net) && memcmp(id, mark, sizeof(mark)) == 0;
}

enum space space_of(const struct addr *net, unsigned prefix_len)
{
	for (size_t i = 0; i < ARRAY_SIZE(SPACES); i++)
		if (prefix_len >= SPACES[i].len &&
		    addr_in_prefix(net, &SPACES[i].net, SPACES[i].len))
			return SPACES[i].space;
	return is_isatap(net, prefix_len) ? SPACE_NEVER : SPACE_PLAIN;
}

const char *space_name(enum space s)
{
	static const char *const names[] = { [SPACE_PLAIN] = "ordinary space",
					     [SPACE_METADATA] = "metadata or link-local space",
					     [SPACE_NEVER] = "space that is never opened",
					     [SPACE_EMBEDDED] = "space that embeds IPv4" };

	_Static_assert(ARRAY_SIZE(names) == SPACE_EMBEDDED + 1, "every space has a name");
	return names[s];
}
