/* SPDX-License-Identifier: MIT */
/* Sockets, identity, environment, system calls, limits. */
#include <grp.h>
#include <stdio.h>
#include <string.h>

#include "base/clean.h"
#include "policy/env.h"
#include "policy/policy.h"
#include "review/lint.h"

#define TEXT_MAX 512
#define FIRST_USER 1000 /* below it are accounts of the system (login.defs, UID_MIN) */

static const struct {
	const char *name; /* of the socket's file, or the end of its path */
	const char *what;
} ROOT_SOCKETS[] = {
	{ "/docker.sock", "Docker" },
	{ "/podman.sock", "Podman" },
	{ "/containerd.sock", "containerd" },
	{ "/buildkitd.sock", "BuildKit" },
	{ "/crio.sock", "CRI-O" },
	{ "/lxd/unix.socket", "LXD" },
	{ "/incus/unix.socket", "Incus" },
	{ "/libvirt-sock", "libvirt" },
	{ "/snapd.socket", "snapd" },
	{ "/dbus/system_bus_socket", "the system bus" },
	{ "/systemd/private", "systemd" },
	{ "/io.systemd.Resolve", "systemd-resolved, which asks for any name," },
};

static const char *const AGENT_SOCKETS[] = { "SSH_AUTH_SOCK", "/ssh-agent", "S.gpg-agent",
					     "/agent.",       "/keyring/",  "/gcr/ssh" };

/* Groups whose members are root by one step or read what root alone should. */
static const char *const ROOT_GROUPS[] = { "root", "sudo",   "wheel",   "adm",
					   "disk", "shadow", "docker",  "lxd",
					   "kvm",  "kmem",   "libvirt", "systemd-journal" };

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text);
	size_t k = strlen(end);

	return n >= k && strcmp(text + n - k, end) == 0;
}

static void check_socket(struct lint *l, const struct unix_rule *r)
{
	const struct lint_entry at = { r->text, r->origin };
	char reason[TEXT_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(ROOT_SOCKETS); i++) {
		if (!ends_with(r->path, ROOT_SOCKETS[i].name))
			continue;
		snprintf(reason, sizeof(reason),
			 "behind the socket is %s: it does as root what it is asked to, outside of "
			 "every fence",
			 ROOT_SOCKETS[i].what);
		lint_tell(l, LINT_ROOT_SOCKET, &at, LINT_BY_HAND, reason,
			  "remove it, or put a proxy before it that lets through only what is "
			  "needed");
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(AGENT_SOCKETS); i++) {
		if (!strstr(r->text, AGENT_SOCKETS[i]) && !strstr(r->path, AGENT_SOCKETS[i]))
			continue;
		lint_tell(l, LINT_AGENT_SOCKET, &at, LINT_BY_HAND,
			  "behind the socket is an agent: it signs with every key that it holds",
			  "give the session an agent of its own that holds the one key it needs");
		return;
	}
}

static void check_sockets(struct lint *l)
{
	const struct policy *p = l->policy;

	for (size_t i = 0; i < p->n_unix_allow; i++) {
		const struct unix_rule *r = &p->unix_allow[i];
		const struct lint_entry at = { r->text, r->origin };
		size_t k = 0;

		if (!lint_is_own(l, r->origin))
			continue;
		while (k < i && strcmp(p->unix_allow[k].path, r->path) != 0)
			k++;
		if (k < i)
			lint_tell(l, LINT_REDUNDANT, &at, LINT_REMOVE,
				  "the same socket stands further up", "remove the entry");
		else
			check_socket(l, r);
	}
}

static const char *root_group(gid_t gid)
{
	for (size_t i = 0; i < ARRAY_SIZE(ROOT_GROUPS); i++) {
		const struct group *g = getgrnam(ROOT_GROUPS[i]);

		if (g && g->gr_gid == gid)
			return ROOT_GROUPS[i];
	}
	return NULL;
}

static void check_identity(struct lint *l)
{
	const struct identity_policy *id = &l->policy->identity;
	const char *group;
	char reason[TEXT_MAX];

	if (id->choice != UID_FIXED)
		return;
	group = root_group(id->gid);
	if (group) {
		snprintf(reason, sizeof(reason),
			 "members of the group %s are root by one step, or read what root keeps",
			 group);
		lint_tell_member(l, LINT_ROOT_IDENTITY, M_ID_GID, LINT_BY_HAND, reason,
				 "give the session a group that owns nothing else");
	}
	if (id->uid < FIRST_USER)
		lint_tell_member(l, LINT_ROOT_IDENTITY, M_ID_UID, LINT_BY_HAND,
				 "accounts below 1000 run the system's services: the session may "
				 "touch their files and processes",
				 "use a uid that owns nothing else, or \"auto\"");
}

static void check_environment(struct lint *l)
{
	const struct identity_policy *id = &l->policy->identity;
	char reason[TEXT_MAX];

	for (size_t i = 0; i < id->keep_env.n; i++) {
		const char *name = id->keep_env.s[i];

		/* A star passes no name that looks secret. */
		if (strchr(name, '*') || !env_name_looks_secret(name))
			continue;
		snprintf(reason, sizeof(reason),
			 "%.200s looks like a secret, and everything inside can read it", name);
		lint_tell_member(l, LINT_SECRET_ENV, M_ID_KEEP, LINT_BY_HAND, reason,
				 "give the session a credential of its own that can do little, and "
				 "be taken back");
	}
	for (size_t i = 0; i < id->n_set_env; i++) {
		if (!env_name_looks_secret(id->set_env[i].name))
			continue;
		snprintf(reason, sizeof(reason),
			 "%.200s looks like a secret, and whoever reads the policy has it",
			 id->set_env[i].name);
		lint_tell_member(
		    l, LINT_SECRET_ENV, M_ID_SET, LINT_BY_HAND, reason,
		    "keep secrets out of the policy: pass it with keepEnv, by its full "
		    "name");
	}
}

static void check_calls(struct lint *l)
{
	const struct seccomp_policy *s = &l->policy->seccomp;
	char reason[TEXT_MAX];

	if (s->allow_nested)
		lint_tell_member(l, LINT_NESTED, M_SECCOMP_NESTED, LINT_BY_HAND,
				 "namespaces inside open the part of the kernel where most of its "
				 "holes were",
				 "remove it unless something inside makes sandboxes of its own");
	for (size_t i = 0; i < s->families.n; i++) {
		snprintf(reason, sizeof(reason),
			 "%.60s sockets pass the network fence: nothing there is judged or written",
			 s->families.s[i]);
		lint_tell_member(l, LINT_ODD_FAMILY, M_SECCOMP_FAMILIES, LINT_BY_HAND, reason,
				 "remove the family unless the program can't do without");
	}
}

/* Only what the text says: that a limit is absent is no finding. */
static void check_limits(struct lint *l)
{
	const struct limits_policy *lim = &l->policy->limits;
	const struct {
		enum member_id id;
		bool unlimited;
		enum lint_cure cure;
		const char *reason;
		const char *fix;
	} ROWS[] = {
		{ M_LIMITS_PIDS, lim->pids == POLICY_NO_LIMIT, LINT_REMOVE,
		  "a loop that forks stops the whole host", "remove it: the default is 512" },
		{ M_LIMITS_MEMORY, lim->memory == POLICY_NO_LIMIT, LINT_BY_HAND,
		  "the session may take all memory, and others are killed for it",
		  "write what the work needs: \"2G\"" },
		{ M_LIMITS_CPU, lim->cpu_percent == POLICY_NO_LIMIT, LINT_BY_HAND,
		  "the session may take every processor",
		  "write what the work needs: \"200%\" is two processors" },
		{ M_LIMITS_TIMEOUT, lim->timeout_ms == POLICY_NO_LIMIT, LINT_BY_HAND,
		  "a session that hangs stays for ever", "write how long is enough: \"30m\"" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(ROWS); i++)
		if (ROWS[i].unlimited && (l->policy->given >> ROWS[i].id & 1))
			lint_tell_member(l, LINT_UNLIMITED, ROWS[i].id, ROWS[i].cure,
					 ROWS[i].reason, ROWS[i].fix);
}

void lint_session(struct lint *l)
{
	check_sockets(l);
	check_identity(l);
	check_environment(l);
	check_calls(l);
	check_limits(l);
	if (l->policy->degrade)
		lint_tell_member(
		    l, LINT_DEGRADE, M_UNAVAILABLE, LINT_REMOVE,
		    "where the kernel lacks a fence, the command runs without it",
		    "remove it: refusing is the default; 'pinfold doctor' says what is "
		    "missing here");
}
