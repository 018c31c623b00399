/* SPDX-License-Identifier: MIT */
/* Any text as an address and as a network entry: what is printed reads as the same again. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/addr.h"
#include "pinfold.h"
#include "policy/net_entry.h"
#include "policy/space.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_address(const char *text)
{
	char printed[ADDR_TEXT_MAX];
	struct addr a;
	struct addr b;

	if (addr_parse(text, &a) < 0)
		return;
	addr_format(&a, printed);
	assert(addr_parse(printed, &b) == 0 && addr_equal(&a, &b));
	for (unsigned len = 0; len <= 128; len++)
		assert(addr_in_prefix(&a, &b, len) && space_name(space_of(&a, len)));
}

static void check_entry(const char *text, enum net_use use, unsigned protos)
{
	struct pinfold_error e = { "" };
	char printed[NET_ENTRY_TEXT_MAX];
	struct net_rule a = { 0 };
	struct net_rule b = { 0 };

	if (net_entry_parse(text, use, &a, &e) < 0) {
		assert(!a.text && e.text[0] != '\0');
		return;
	}
	net_entry_format(&a, false, protos, printed);
	assert(net_entry_parse(printed, use, &b, &e) == 0);
	assert(a.host == b.host && a.prefix_len == b.prefix_len && addr_equal(&a.addr, &b.addr));
	assert(a.port_low == b.port_low && a.port_high == b.port_high && a.protos == b.protos);
	assert(!a.name == !b.name && (!a.name || strcmp(a.name, b.name) == 0));
	net_rule_done(&a);
	net_rule_done(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct inbound_rule in = { 0 };
	struct pinfold_error e;
	char *text = strndup((const char *)data, size);

	check_address(text);
	check_entry(text, NET_USE_ALLOW, PROTO_TCP);
	check_entry(text, NET_USE_DENY, PROTO_TCP | PROTO_UDP);
	if (inbound_entry_parse(text, &in, &e) == 0)
		inbound_rule_done(&in);
	free(text);
	return 0;
}
