/* SPDX-License-Identifier: MIT */
/* Numbers of the DNS protocol (RFC 1035 and successors) that this module uses. */
#ifndef PINFOLD_DNS_PROTO_H
#define PINFOLD_DNS_PROTO_H

#define DNS_HEADER_LEN 12
#define DNS_UDP_MIN 512 /* what every client takes */
#define DNS_PORT 53

#define DNS_FLAG_QR 0x8000u
#define DNS_FLAG_OPCODE 0x7800u
#define DNS_FLAG_TC 0x0200u
#define DNS_FLAG_RD 0x0100u
#define DNS_FLAG_RA 0x0080u
#define DNS_FLAG_RCODE 0x000fu

#define DNS_CLASS_IN 1

enum dns_type {
	DNS_TYPE_A = 1,
	DNS_TYPE_NS = 2,
	DNS_TYPE_CNAME = 5,
	DNS_TYPE_SOA = 6,
	DNS_TYPE_PTR = 12,
	DNS_TYPE_MX = 15,
	DNS_TYPE_TXT = 16,
	DNS_TYPE_AAAA = 28,
	DNS_TYPE_SRV = 33,
	DNS_TYPE_OPT = 41,
	DNS_TYPE_SVCB = 64,
	DNS_TYPE_HTTPS = 65,
	DNS_TYPE_CAA = 257,
};

enum dns_rcode {
	DNS_NOERROR = 0,
	DNS_FORMERR = 1,
	DNS_SERVFAIL = 2,
	DNS_NXDOMAIN = 3,
	DNS_NOTIMP = 4,
	DNS_REFUSED = 5,
	DNS_BADVERS = 16, /* the upper bits travel in the OPT record */
};

/* Extended DNS Errors (RFC 8914). */
#define DNS_OPTION_EDE 15
#define DNS_EDE_NONE 0 /* "Other": never sent by us */
#define DNS_EDE_BLOCKED 15
#define DNS_EDE_NOT_SUPPORTED 21
#define DNS_EDE_NETWORK_ERROR 23

#endif
