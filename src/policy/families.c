/* SPDX-License-Identifier: MIT */
#include "policy/families.h"

#include <string.h>
#include <sys/socket.h>

#include "base/clean.h"

int family_number(const char *name)
{
	static const struct {
		const char *name;
		int number;
	} families[] = {
		{ "alg", AF_ALG },         { "ax25", AF_AX25 },       { "bluetooth", AF_BLUETOOTH },
		{ "can", AF_CAN },         { "kcm", AF_KCM },         { "key", AF_KEY },
		{ "llc", AF_LLC },         { "netlink", AF_NETLINK }, { "nfc", AF_NFC },
		{ "packet", AF_PACKET },   { "phonet", AF_PHONET },   { "pppox", AF_PPPOX },
		{ "qipcrtr", AF_QIPCRTR }, { "rds", AF_RDS },         { "smc", AF_SMC },
		{ "tipc", AF_TIPC },       { "vsock", AF_VSOCK },     { "x25", AF_X25 },
		{ "xdp", AF_XDP },
	};

	for (size_t i = 0; i < ARRAY_SIZE(families); i++)
		if (strcmp(families[i].name, name) == 0)
			return families[i].number;
	return -1;
}

bool family_is_known(const char *name)
{
	return family_number(name) >= 0;
}
