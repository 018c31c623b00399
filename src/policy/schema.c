/* SPDX-License-Identifier: MIT */
#include "policy/schema.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/clean.h"
#include "policy/policy.h"
#include "policy/read.h"

static const struct word ACCESS_WORDS[] = {
	{ "none", WORKSPACE_NONE }, { "ro", WORKSPACE_RO }, { "rw", WORKSPACE_RW }, { 0 }
};
static const struct word TMP_WORDS[] = {
	{ "none", TMP_NONE }, { "private", TMP_PRIVATE }, { "shared", TMP_SHARED }, { 0 }
};
static const struct word ERRNO_WORDS[] = { { "EPERM", EPERM },
					   { "EACCES", EACCES },
					   { "ECONNREFUSED", ECONNREFUSED },
					   { "EHOSTUNREACH", EHOSTUNREACH },
					   { "ENETUNREACH", ENETUNREACH },
					   { 0 } };
static const struct word REVOKE_WORDS[] = { { "keep", REVOKE_KEEP }, { "cut", REVOKE_CUT }, { 0 } };
static const struct word ANSWER_WORDS[] = { { "nxdomain", ANSWER_NXDOMAIN },
					    { "refused", ANSWER_REFUSED },
					    { 0 } };

/* clang-format off */
#define AT(member) .offset = offsetof(struct policy, member)
#define OWN(x) .kind = KIND_OWN, .read = read_##x, .print = print_##x
#define BOOL(o, member) .kind = KIND_BOOL, .order = (o), AT(member)
#define WORD(o, w, member) .kind = KIND_WORD, .order = (o), .words = (w), AT(member)
#define NUMBER(o, l, h, member) .kind = KIND_NUMBER, .order = (o), .low = (l), .high = (h), AT(member)

/* Members are read in this order, whatever the order of the text: dangerouslyAllowMetadata stands
 * before what it decides, workspace before lane. */
static const struct member MEMBERS[] = {
	[M_VERSION] = { "version", OWN(version) },
	[M_WORKSPACE] = { "workspace", OWN(workspace) },
	[M_WORKSPACE_ACCESS] = { "workspaceAccess", WORD(ORDER_LOW, ACCESS_WORDS, workspace_access) },
	[M_LANE] = { "lane", OWN(lane) },
	[M_FENCE_TO_LANE] = { "fenceToLane", BOOL(ORDER_HIGH, fence_to_lane) },
	[M_FS] = { "filesystem", KIND_OBJECT },
	[M_FS_RW] = { "filesystem.rw", OWN(rw) },
	[M_FS_RO] = { "filesystem.ro", OWN(ro) },
	[M_FS_ROX] = { "filesystem.rox", OWN(rox) },
	[M_FS_DENY] = { "filesystem.deny", OWN(deny) },
	[M_FS_SYSTEM] = { "filesystem.system", BOOL(ORDER_LOW, fs.system) },
	[M_FS_TMP] = { "filesystem.tmp", WORD(ORDER_LOW, TMP_WORDS, fs.tmp) },
	[M_FS_SENSITIVE] = { "filesystem.sensitive", BOOL(ORDER_HIGH, fs.sensitive) },
	[M_FS_STRICT_DENY] = { "filesystem.strictDeny", BOOL(ORDER_HIGH, fs.strict_deny) },
	[M_FS_PROTECT_GIT] = { "filesystem.protectGit", BOOL(ORDER_HIGH, fs.protect_git) },
	[M_NET] = { "network", KIND_OBJECT },
	[M_NET_METADATA] = { "network.dangerouslyAllowMetadata",
			     BOOL(ORDER_LOW, net.allow_metadata) },
	[M_NET_ALLOW] = { "network.allowOutbound", OWN(allow_outbound) },
	[M_NET_DENY] = { "network.denyOutbound", OWN(deny_outbound) },
	[M_NET_INBOUND] = { "network.allowInbound", OWN(inbound) },
	[M_NET_ICMP] = { "network.icmp", BOOL(ORDER_LOW, net.icmp) },
	[M_NET_ERRNO] = { "network.denyErrno", WORD(ORDER_NONE, ERRNO_WORDS, net.deny_errno) },
	[M_NET_REVOKE] = { "network.onRevoke", WORD(ORDER_HIGH, REVOKE_WORDS, net.on_revoke) },
	[M_DNS] = { "network.dns", KIND_OBJECT },
	[M_DNS_UPSTREAM] = { "network.dns.upstream", OWN(upstream) },
	[M_DNS_MIN_TTL] = { "network.dns.minTtl", NUMBER(ORDER_LOW, 0, 86400, net.dns.min_ttl_s) },
	[M_DNS_ANSWER] = { "network.dns.deniedAnswer",
			   WORD(ORDER_NONE, ANSWER_WORDS, net.dns.denied_answer) },
	[M_DNS_MAX] = { "network.dns.maxAddresses",
			NUMBER(ORDER_LOW, 1, 1000000, net.dns.max_addresses) },
	[M_DNS_NEW] = { "network.dns.newNamesPerMinute",
			NUMBER(ORDER_LIMIT, 0, 1000000, net.dns.new_names_per_minute) },
	[M_UNIX] = { "unixSockets", KIND_OBJECT },
	[M_UNIX_ALLOW] = { "unixSockets.allow", OWN(unix_allow) },
	[M_ID] = { "identity", KIND_OBJECT },
	[M_ID_UID] = { "identity.uid", OWN(uid) },
	[M_ID_GID] = { "identity.gid", OWN(gid) },
	[M_ID_HOME] = { "identity.home", OWN(home) },
	[M_ID_PATH] = { "identity.path", OWN(path) },
	[M_ID_KEEP] = { "identity.keepEnv", OWN(keep_env) },
	[M_ID_SET] = { "identity.setEnv", OWN(set_env) },
	[M_ID_HANDOVER] = { "identity.handover", BOOL(ORDER_LOW, identity.handover) },
	[M_SECCOMP] = { "seccomp", KIND_OBJECT },
	[M_SECCOMP_NESTED] = { "seccomp.allowNested", BOOL(ORDER_LOW, seccomp.allow_nested) },
	[M_SECCOMP_FAMILIES] = { "seccomp.families", OWN(families) },
	[M_LIMITS] = { "limits", KIND_OBJECT },
	[M_LIMITS_PIDS] = { "limits.pids", OWN(pids) },
	[M_LIMITS_MEMORY] = { "limits.memory", OWN(memory) },
	[M_LIMITS_CPU] = { "limits.cpu", OWN(cpu) },
	[M_LIMITS_TIMEOUT] = { "limits.timeout", OWN(timeout) },
	[M_LIMITS_FILES] = { "limits.files", NUMBER(ORDER_LIMIT, 0, 1048576, limits.files) },
	[M_UNAVAILABLE] = { "onUnavailable", OWN(unavailable) },
	[M_AUDIT] = { "audit", KIND_OBJECT },
	[M_AUDIT_PATH] = { "audit.path", OWN(audit_path) },
	[M_AUDIT_ALLOWED] = { "audit.allowed", BOOL(ORDER_HIGH, audit.allowed) },
	[M_AUDIT_QUIET] = { "audit.quiet", OWN(quiet) },
};
/* clang-format on */
_Static_assert(ARRAY_SIZE(MEMBERS) == M_MAX, "every member has its row");
_Static_assert(M_MAX <= 64, "struct policy.given has a bit for each");
_Static_assert(sizeof(enum tmp_mode) == sizeof(unsigned) && sizeof(int) == sizeof(unsigned),
	       "plain members are read as unsigned numbers");

const struct member *schema_member(enum member_id id)
{
	assert(id < M_MAX);
	return &MEMBERS[id];
}

const char *member_key(const struct member *m)
{
	const char *dot = strrchr(m->name, '.');

	return dot ? dot + 1 : m->name;
}

unsigned member_value(const struct member *m, const struct policy *p)
{
	const char *at = (const char *)p + m->offset;
	unsigned value;
	bool flag;

	if (m->kind == KIND_BOOL) {
		memcpy(&flag, at, sizeof(flag));
		return flag;
	}
	memcpy(&value, at, sizeof(value));
	return value;
}

void member_set_value(const struct member *m, struct policy *p, unsigned value)
{
	char *at = (char *)p + m->offset;
	bool flag = value != 0;

	if (m->kind == KIND_BOOL)
		memcpy(at, &flag, sizeof(flag));
	else
		memcpy(at, &value, sizeof(value));
}
