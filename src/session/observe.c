/* SPDX-License-Identifier: MIT */
#include "session/observe.h"

#include <errno.h>
#include <string.h>

#include "base/addr.h"
#include "base/clean.h"
#include "base/name.h"
#include "dns/worker.h"
#include "net/fence.h"
#include "net/judge.h"
#include "policy/names.h"
#include "policy/policy.h"

#define NAMES_MAX 2048 /* the oldest goes first */
#define ANY_PORT 443   /* the class of an address does not depend on it */

struct observed {
	struct addr addr;
	char name[NAME_BUF];
};

struct observe {
	const struct policy *policy;
	struct policy open; /* shallow: owns nothing */
	struct net_rule any;
	size_t next;
	struct observed seen[NAMES_MAX];
};

int observe_new(const struct policy *p, struct observe **ret)
{
	struct observe *o = calloc(1, sizeof(*o));

	if (!o)
		return -ENOMEM;
	o->policy = p;
	o->any = (struct net_rule){
		.host = HOST_ANY,
		.port_high = UINT16_MAX,
		.protos = PROTO_TCP | PROTO_UDP,
	};
	o->open = *p;
	o->open.net.allow = (struct net_rules){ &o->any, 1 };
	o->open.net.deny = (struct net_rules){ 0 };
	o->open.net.allow_metadata = false;
	o->open.net.dns.new_names_per_minute = 0;
	*ret = o;
	return 0;
}

const struct policy *observe_policy(const struct observe *o)
{
	return &o->open;
}

static bool stays_shut(const struct observe *o, const struct addr *a)
{
	enum pf_reason reason = net_judge(&o->open, a, ANY_PORT, PROTO_TCP, NULL).reason;

	return reason == PF_DENY_METADATA || reason == PF_DENY_NEVER || reason == PF_DENY_UNFILLED;
}

static void remember(struct observe *o, const struct addr *a, const char *name)
{
	struct observed *to = &o->seen[o->next++ % NAMES_MAX];

	to->addr = *a;
	memcpy(to->name, name, strnlen(name, NAME_MAX_LEN));
	to->name[strnlen(name, NAME_MAX_LEN)] = '\0';
}

uint64_t observe_names(struct observe *o, const struct dns_note *note, struct net_vouch *v)
{
	uint64_t keep = 0;

	for (size_t i = 0; i < note->n_addrs; i++) {
		if (observe_name(o, &v[i].addr) == NULL ||
		    strcmp(observe_name(o, &v[i].addr), note->name) != 0)
			remember(o, &v[i].addr, note->name);
		if (v[i].reason >= PF_ALLOW || stays_shut(o, &v[i].addr))
			continue;
		v[i].reason = PF_ALLOW_NOSEND;
		keep |= UINT64_C(1) << i;
	}
	return keep;
}

const char *observe_name(const struct observe *o, const struct addr *a)
{
	size_t n = o->next < NAMES_MAX ? o->next : NAMES_MAX;

	for (size_t i = 1; i <= n; i++) {
		const struct observed *at = &o->seen[(o->next - i) % NAMES_MAX];

		if (memcmp(&at->addr, a, sizeof(*a)) == 0)
			return at->name;
	}
	return NULL;
}

void observe_free(struct observe *o)
{
	free(o);
}
