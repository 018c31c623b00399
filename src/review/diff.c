/* SPDX-License-Identifier: MIT */
#include "review/diff.h"

#include <string.h>

#include "base/err.h"
#include "pinfold_review.h"
#include "policy/handle.h"

void diff_tell(struct diff *d, const struct pinfold_change *c)
{
	size_t *const counters[] = {
		[PINFOLD_OPENS] = &d->opens,
		[PINFOLD_CLOSES] = &d->closes,
		[PINFOLD_CHANGES] = &d->changes,
	};

	++*counters[c->effect];
	if (d->fn)
		d->fn(d->data, c);
}

int diff_policies(struct diff *d, struct pinfold_error *e)
{
	int r = diff_names(d);

	if (e)
		e->text[0] = '\0';
	if (r == 0)
		r = diff_addresses(d, e);
	if (r == 0)
		r = diff_files(d, e);
	if (r == 0)
		r = diff_lists(d);
	if (r == 0)
		diff_members(d);
	if (r < 0 && e && !e->text[0])
		err_set(e, r, "cannot compare the policies: %s", strerror(-r));
	return r;
}

int pinfold_diff(const struct pinfold_policy *old, const struct pinfold_policy *now,
		 void (*fn)(void *data, const struct pinfold_change *c), void *data,
		 struct pinfold_error *e)
{
	struct diff d = {
		.side = { &old->policy, &now->policy },
		.context = &old->context.policy,
		.fn = fn,
		.data = data,
	};
	int r = diff_policies(&d, e);

	return r < 0 ? r : (int)(d.opens + d.closes + d.changes);
}
