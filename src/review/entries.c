/* SPDX-License-Identifier: MIT */
#include "review/entries.h"

#include <string.h>

#include "policy/handle.h"
#include "review/digest.h"

static void each_net(const struct net_rules *rules, const char *list,
		     void (*fn)(void *data, const struct entry *at), void *data)
{
	for (size_t i = 0; i < rules->n; i++) {
		const struct net_rule *r = &rules->rule[i];
		const struct entry at = { list, r->text, r->origin, r };

		if (!r->more)
			fn(data, &at);
	}
}

void entries_each(const struct digest *d, void (*fn)(void *data, const struct entry *at),
		  void *data)
{
	const struct policy *p = d->policy ? &d->policy->policy : NULL;

	if (!p)
		return;
	each_net(&p->net.allow, "network.allowOutbound", fn, data);
	each_net(&p->net.deny, "network.denyOutbound", fn, data);
	for (size_t i = 0; i < p->fs.n; i++) {
		const struct path_rule *r = &p->fs.rule[i];
		const struct entry at = { "filesystem.deny", r->text, r->origin, NULL };

		if (r->right == PATH_DENY)
			fn(data, &at);
	}
}
