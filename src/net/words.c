/* SPDX-License-Identifier: MIT */
#include "net/words.h"

#include <stdio.h>
#include <string.h>

#include "base/clean.h"
#include "net/judge.h"

struct reason_words {
	const char *word;
	const char *sentence;
	const char *advice; /* %s: the destination; NULL: nothing changes it */
};

#define ADD "add \"%s\" to network.allowOutbound"

static const struct reason_words DENIALS[] = {
	[PF_DENY_UNFILLED] = { "unfilled", "no session is known for this cgroup", NULL },
	[PF_DENY_METADATA] = { "metadata", "cloud metadata and link-local addresses stay shut",
			       "set network.dangerouslyAllowMetadata and add \"%s\" to "
			       "network.allowOutbound, if it really must be reached" },
	[PF_DENY_NEVER] = { "never",
			    "unspecified, multicast, reserved and tunnelling addresses are never "
			    "let through",
			    NULL },
	[PF_DENY_RULE] = { "denied", "an entry of denyOutbound refuses it; a deny always wins",
			   "remove the entry that covers \"%s\" from network.denyOutbound" },
	[PF_DENY_LOOPBACK] = { "loopback",
			       "this host's loopback is open only for the session's own listeners",
			       ADD },
	[PF_DENY_PRIVATE] = { "private",
			      "private space and the host's own addresses need an entry that "
			      "names the address, even where an allowed name led there",
			      ADD },
	[PF_DENY_UNMATCHED] = { "unmatched", "no entry of allowOutbound matches", ADD },
	[PF_DENY_PORT] = { "port", "the address is allowed, this port or protocol is not", ADD },
	[PF_DENY_EXPIRED] = { "expired", "an allowed name led there, but its answer has run out",
			      "look the name up again, or raise network.dns.minTtl" },
	[PF_DENY_SOCKET] = { "socket",
			     "only TCP and UDP sockets are let through (ping and raw ICMP with "
			     "network.icmp)",
			     NULL },
	[PF_DENY_BIND] = { "bind", "a session binds to loopback only",
			   "add the port to network.allowInbound" },
	[PF_DENY_INBOUND] = { "inbound", "nobody but the session itself reaches its listeners",
			      "add the port to network.allowInbound" },
	[PF_DENY_PACKET] = { "packet",
			     "packets with options, extension headers or an unknown shape are "
			     "dropped",
			     NULL },
	[PF_DENY_UNIX] = { "unix", "the socket lies outside the session",
			   "add \"%s\" to unixSockets.allow" },
	[PF_DENY_REVOKED] = { "revoked", "a reload took back what was allowed", ADD },
	[PF_DENY_SNI] = { "sni_mismatch",
			  "the connection has to start with a TLS server name that is allowed and "
			  "was looked up for the address",
			  "with \"verify\", only names that network.allowOutbound holds, looked up "
			  "in the session and sent unencrypted, are let through" },
};
_Static_assert(ARRAY_SIZE(DENIALS) == PF_DENY_MAX, "every reason has its words");

static const struct reason_words ALLOWS[] = {
	[PF_ALLOW_LITERAL - PF_ALLOW] = { "literal", "an entry of allowOutbound names it", NULL },
	[PF_ALLOW_VOUCHED -
	    PF_ALLOW] = { "name", "the answer for an allowed name led there", NULL },
	[PF_ALLOW_OWN - PF_ALLOW] = { "own", "it is the session's own", NULL },
	[PF_ALLOW_DNS - PF_ALLOW] = { "dns", "port 53 is steered to the session's resolver", NULL },
	[PF_ALLOW_NOSEND - PF_ALLOW] = { "nosend", "nothing is sent", NULL },
	[PF_ALLOW_METADATA -
	    PF_ALLOW] = { "metadata", "dangerouslyAllowMetadata and an entry open it", NULL },
	[PF_ALLOW_ANY - PF_ALLOW] = { "any", "the entry \"*\" allows every public address", NULL },
	[PF_ALLOW_VERIFY - PF_ALLOW] = { "sni", "its TLS server name is verified", NULL },
};
_Static_assert(ARRAY_SIZE(ALLOWS) == PF_ALLOW_END - PF_ALLOW, "every reason has its words");

static const char *const OPS[] = {
	[PF_OP_NONE] = "",
	[PF_OP_SOCKET] = "socket",
	[PF_OP_BIND] = "bind",
	[PF_OP_CONNECT] = "connect",
	[PF_OP_SENDMSG] = "sendmsg",
	[PF_OP_PACKET] = "packet",
	[PF_OP_INBOUND] = "inbound",
	[PF_OP_UNIX_CONNECT] = "connect",
	[PF_OP_UNIX_SENDMSG] = "sendmsg",
};
_Static_assert(ARRAY_SIZE(OPS) == PF_OP_MAX, "every operation has its word");

static const struct reason_words *words_of(enum pf_reason reason)
{
	const unsigned r = (unsigned)reason;

	if (r >= PF_ALLOW && r < PF_ALLOW_END)
		return &ALLOWS[r - PF_ALLOW];
	return &DENIALS[r < PF_DENY_MAX ? r : PF_DENY_UNFILLED];
}

const char *net_reason_word(enum pf_reason reason)
{
	return words_of(reason)->word;
}

const char *net_reason_text(enum pf_reason reason)
{
	return words_of(reason)->sentence;
}

/* The advice is not a format string: its one %s is replaced by hand. */
void net_reason_advice(enum pf_reason reason, const char *dst, char *ret, size_t size)
{
	const char *advice = words_of(reason)->advice;
	const char *slot = advice ? strstr(advice, "%s") : NULL;

	if (size == 0)
		return;
	ret[0] = '\0';
	int n = 0;

	if (slot)
		n = snprintf(ret, size, "%.*s%s%s", (int)(slot - advice), advice, dst, slot + 2);
	else if (advice)
		n = snprintf(ret, size, "%s", advice);
	if (n < 0)
		ret[0] = '\0';
}

const char *net_op_word(unsigned op)
{
	return OPS[op < PF_OP_MAX ? op : PF_OP_NONE];
}

const char *net_proto_word(unsigned proto)
{
	static const struct {
		unsigned proto;
		const char *word;
	} PROTOS[] = {
		{ 0, "" },      { PF_TCP, "tcp" }, { PF_UDP, "udp" },  { PF_ICMP, "icmp" },
		{ 58, "icmp" }, { 132, "sctp" },   { 136, "udplite" }, { 262, "mptcp" },
		{ 33, "dccp" }, { 255, "raw" },    { 256, "smc" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(PROTOS); i++)
		if (PROTOS[i].proto == proto)
			return PROTOS[i].word;
	return "other";
}
