/* SPDX-License-Identifier: MIT */
/* What a session may do, as plain data: parsed and checked once, const ever after. */
#ifndef PINFOLD_POLICY_POLICY_H
#define PINFOLD_POLICY_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/addr.h"

struct pinfold_error;

#define POLICY_TEXT_MAX 1048576 /* bytes of a policy file */
#define POLICY_NESTING_MAX 32
#define POLICY_ENTRIES_MAX 20000 /* over all lists together */
#define POLICY_NO_LIMIT 0
#define POLICY_BUILT_IN "built-in" /* the source of a policy without a file */

enum workspace_access { WORKSPACE_NONE = 0, WORKSPACE_RO, WORKSPACE_RW };

/* What a path rule grants.  Zero denies; the order is not a ranking. */
enum path_right { PATH_DENY = 0, PATH_RO, PATH_ROX, PATH_RW };

enum tmp_mode { TMP_NONE = 0, TMP_PRIVATE, TMP_SHARED };

/* One path rule.  `path` is absolute and lexically clean, symlinks not yet resolved.
 *
 * A pattern (deny only) starts with two stars and a slash; what follows is one or more components,
 * in which * and ? stand for bytes of one component.  It holds for every directory of a granted
 * tree, but not inside what the built-in system set alone grants.
 *
 * glob (built-in denies only): the last component holds stars, and the rule is for every name that
 * matches.
 *
 * yields (built-in denies only): this deny takes part in the longest match as a grant does, instead
 * of lying on top of it; a longer grant inside it holds.  Whoever does not know the flag denies too
 * much, never too little. */
struct path_rule {
	enum path_right right;
	bool pattern;
	bool glob;
	bool yields;
	const char *const *except; /* pattern: last components it spares; NULL-terminated, static;
				      NULL: none */
	char *path;
	char *text;   /* the entry as written, for messages */
	char *origin; /* "FILE:LINE (JSON path)", "built-in", "command line --rw" */
};

enum host_kind {
	HOST_NONE = 0,
	HOST_NAME,       /* api.example.org */
	HOST_BELOW,      /* *.example.org: one or more labels below, not the name itself */
	HOST_BELOW_SELF, /* **.example.org: the name too */
	HOST_PREFIX,     /* an address or CIDR: addr, prefix_len */
	HOST_LOCALHOST,  /* both loopback addresses, 127.0.0.1 and ::1 */
	HOST_ANY,        /* *: every public address, every name */
};

#define PROTO_TCP 1u
#define PROTO_UDP 2u

struct net_rule {
	enum host_kind host;
	char *name;          /* HOST_NAME, HOST_BELOW, HOST_BELOW_SELF: canonical (base/name.h) */
	struct addr addr;    /* HOST_PREFIX */
	unsigned prefix_len; /* HOST_PREFIX: 0 to 128, of the 128-bit form */
	uint16_t port_low;   /* 0 with port_high 65535: any port */
	uint16_t port_high;
	unsigned protos; /* PROTO_* bits, never 0 */
	bool verify_sni;
	bool more; /* HOST_PREFIX: one more prefix of the entry before, which needs several */
	char *text;
	char *origin;
};

struct net_rules {
	struct net_rule *rule;
	size_t n;
};

/* allowInbound: a port reachable from anywhere, or from this host's loopback only. */
struct inbound_rule {
	uint16_t port;
	unsigned protos;
	bool loopback_only;
	char *text;
	char *origin;
};

enum revoke { REVOKE_KEEP = 0, REVOKE_CUT };
enum denied_answer { ANSWER_NXDOMAIN = 0, ANSWER_REFUSED };

struct string_list {
	char **s;
	size_t n;
};

struct dns_policy {
	struct {
		struct addr addr;
		uint16_t port;
	} * upstream;
	size_t n_upstream; /* 0: the host's resolv.conf */
	unsigned min_ttl_s;
	enum denied_answer denied_answer;
	unsigned max_addresses;
	unsigned new_names_per_minute; /* 0: no limit */
};

struct net_policy {
	struct net_rules allow;
	struct net_rules deny;
	struct inbound_rule *inbound;
	size_t n_inbound;
	bool icmp;
	int deny_errno; /* positive: EPERM, EACCES, ... */
	enum revoke on_revoke;
	struct dns_policy dns;
	bool allow_metadata;
};

struct fs_policy {
	struct path_rule *rule; /* rw, ro, rox and deny together, in the order of reading */
	size_t n;
	bool system;
	enum tmp_mode tmp;
	bool sensitive;
	bool strict_deny;
	bool protect_git;
};

enum uid_choice { UID_DEFAULT = 0, UID_FIXED, UID_AUTO };

struct env_var {
	char *name;
	char *value;
};

struct identity_policy {
	enum uid_choice choice;
	uid_t uid;                   /* UID_FIXED */
	gid_t gid;                   /* UID_FIXED */
	char *home;                  /* absolute; NULL: a private one for the session */
	char *path;                  /* PATH inside */
	struct string_list keep_env; /* names; a star at the end stands for any bytes */
	struct env_var *set_env;
	size_t n_set_env;
	bool handover;
};

struct seccomp_policy {
	bool allow_nested;
	struct string_list families; /* names such as "vsock" */
};

struct limits_policy {
	uint64_t pids;        /* POLICY_NO_LIMIT: none; likewise below */
	uint64_t memory;      /* bytes */
	unsigned cpu_percent; /* 100 is one processor */
	uint64_t timeout_ms;
	unsigned files; /* descriptors that each process may have open */
};

struct audit_policy {
	char *path; /* NULL: no file */
	bool allowed;
	struct string_list quiet; /* names and addresses whose denials are not written */
};

struct unix_rule {
	char *path; /* absolute */
	char *text;
	char *origin;
};

struct policy {
	char *source; /* what is told as the policy's name: the file, or "built-in" */
	char *workspace;
	enum workspace_access workspace_access;
	char *lane; /* absolute; NULL: none */
	bool fence_to_lane;
	struct fs_policy fs;
	struct net_policy net;
	struct unix_rule *unix_allow;
	size_t n_unix_allow;
	struct identity_policy identity;
	struct seccomp_policy seccomp;
	struct limits_policy limits;
	bool degrade; /* onUnavailable: "degrade" */
	struct audit_policy audit;
	uint64_t given; /* which members the text held; for policy_narrow() */
};

/* Who launches: what `~`, `$VAR` and relative paths mean.  All borrowed. */
struct policy_context {
	const char *home;       /* of the launcher; under sudo, of the invoking user */
	const char *cwd;        /* absolute */
	const char *const *env; /* NULL-terminated NAME=value list */
	uid_t uid;              /* the launcher's, or the invoking user's */
};

#endif
