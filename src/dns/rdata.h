/* SPDX-License-Identifier: MIT */
/* The data of the record types that are passed on: rebuilt field by field. */
#ifndef PINFOLD_DNS_RDATA_H
#define PINFOLD_DNS_RDATA_H

#include <stdint.h>

struct dns_reader;
struct dns_rr;
struct dns_writer;

/* Puts the length and the data of rr, names without compression.  -EBADMSG: the data is not of the
 * type's form; -EOPNOTSUPP: a type that is not passed on. */
int dns_rdata_copy(const struct dns_reader *r, const struct dns_rr *rr, struct dns_writer *w);

#endif
