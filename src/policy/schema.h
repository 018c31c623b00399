/* SPDX-License-Identifier: MIT */
/* The one table of the members of a policy: the parser, the printer and the narrowing walk it. */
#ifndef PINFOLD_POLICY_SCHEMA_H
#define PINFOLD_POLICY_SCHEMA_H

#include <stddef.h>

struct cJSON;
struct json5;
struct policy;
struct reader;

enum member_id {
	M_VERSION,
	M_WORKSPACE,
	M_WORKSPACE_ACCESS,
	M_LANE,
	M_FENCE_TO_LANE,
	M_FS,
	M_FS_RW,
	M_FS_RO,
	M_FS_ROX,
	M_FS_DENY,
	M_FS_SYSTEM,
	M_FS_TMP,
	M_FS_SENSITIVE,
	M_FS_STRICT_DENY,
	M_FS_PROTECT_GIT,
	M_NET,
	M_NET_METADATA,
	M_NET_ALLOW,
	M_NET_DENY,
	M_NET_INBOUND,
	M_NET_ICMP,
	M_NET_ERRNO,
	M_NET_REVOKE,
	M_DNS,
	M_DNS_UPSTREAM,
	M_DNS_MIN_TTL,
	M_DNS_ANSWER,
	M_DNS_MAX,
	M_DNS_NEW,
	M_UNIX,
	M_UNIX_ALLOW,
	M_ID,
	M_ID_UID,
	M_ID_GID,
	M_ID_HOME,
	M_ID_PATH,
	M_ID_KEEP,
	M_ID_SET,
	M_ID_HANDOVER,
	M_SECCOMP,
	M_SECCOMP_NESTED,
	M_SECCOMP_FAMILIES,
	M_LIMITS,
	M_LIMITS_PIDS,
	M_LIMITS_MEMORY,
	M_LIMITS_CPU,
	M_LIMITS_TIMEOUT,
	M_LIMITS_FILES,
	M_UNAVAILABLE,
	M_AUDIT,
	M_AUDIT_PATH,
	M_AUDIT_ALLOWED,
	M_AUDIT_QUIET,
	M_MAX,
};

enum member_kind {
	KIND_NONE = 0,
	KIND_OBJECT, /* holds the members whose names start with its own */
	KIND_BOOL,   /* a bool at offset */
	KIND_NUMBER, /* an unsigned at offset, low to high */
	KIND_WORD,   /* an int or enum at offset, one of words */
	KIND_OWN,    /* read and print know */
};

/* Which value of a plain member is the narrower one. */
enum member_order {
	ORDER_NONE = 0, /* no value is narrower than another */
	ORDER_LOW,      /* the smaller one; false before true */
	ORDER_HIGH,     /* the greater one; true before false */
	ORDER_LIMIT,    /* the smaller one, but 0 is no limit */
};

struct word {
	const char *text; /* NULL ends a table */
	int value;
};

struct member {
	const char *name; /* "network.dns.minTtl" */
	enum member_kind kind;
	enum member_order order;
	size_t offset;
	unsigned low;
	unsigned high;
	const struct word *words;
	int (*read)(struct reader *r, const struct json5 *v);
	/* Adds the member to object under key; adds nothing when it is absent.  -ENOMEM. */
	int (*print)(const struct policy *p, struct cJSON *object, const char *key);
};

/* Never NULL for id < M_MAX. */
const struct member *schema_member(enum member_id id);

/* What the name holds after its last dot. */
const char *member_key(const struct member *m);

/* The plain members as numbers. */
unsigned member_value(const struct member *m, const struct policy *p);
void member_set_value(const struct member *m, struct policy *p, unsigned value);

#endif
