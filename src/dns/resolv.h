/* SPDX-License-Identifier: MIT */
/* The host's resolv.conf: whom we ask, and what the pen gets to see of it. */
#ifndef PINFOLD_DNS_RESOLV_H
#define PINFOLD_DNS_RESOLV_H

#include <stddef.h>

#include "dns/worker.h"

struct pinfold_error;

/* The host's nameservers, 127.0.0.1 when it names none.  Fills at most DNS_UPSTREAMS_MAX. */
int dns_resolv_upstreams(struct dns_upstream *ret, size_t *ret_n, struct pinfold_error *e);

/* The same for a given text; text is left as it was.  Returns how many. */
size_t dns_resolv_parse(const char *text, struct dns_upstream ret[static DNS_UPSTREAMS_MAX]);

/* What the pen's file says when the host's says text; free() it.  -ENOMEM. */
int dns_resolv_render(const char *text, char **ret);

#endif
