/* SPDX-License-Identifier: MIT */
/* The network fence: BPF programs on the session's cgroup, and the maps they decide by. */
#ifndef PINFOLD_NET_FENCE_H
#define PINFOLD_NET_FENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "abi.h"
#include "base/addr.h"

struct net_rule;
struct pinfold_error;
struct policy;

#define NET_ADDRS_MAX 64 /* addresses of one DNS answer */

struct net_fence; /* heap object: owns the loaded programs and maps */

/* A process that loads the programs while its parent does other things.  To be started early: it
 * is a fork.  Free with net_loader_free(), also after it has served. */
struct net_loader;

int net_loader_start(struct net_loader **ret, struct pinfold_error *e);
void net_loader_free(struct net_loader *l); /* accepts NULL */

/* Takes the programs from the loader, or loads them itself when that is NULL, and fills the rule
 * maps from p (borrowed until the fence is freed).
 */
int net_fence_new(const struct policy *p, struct net_loader *loader, struct net_fence **ret,
		  struct pinfold_error *e);

/* A tree of the session's view, absolute and lexically clean. */
struct net_unix_tree {
	const char *path;
	bool is_own; /* its sockets may be reached */
};

/* Before net_fence_attach: also refuses, with an event that names the path, to connect or send to
 * unix sockets at absolute paths whose innermost tree here is not the session's own, or that lie
 * in none.  A first look that explains; what holds is that other paths do not exist in the pen.  It
 * reads the kernel's types, which costs tens of milliseconds.  An error (-EINVAL, -ESRCH, ...)
 * means that this kernel can't (the hooks came with Linux 6.7) and leaves the fence as it was. */
int net_fence_unix_trees(struct net_fence *f, const struct net_unix_tree *trees, size_t n);

/* Before net_fence_attach: what some rule could open is let through, and told as if it were denied.
 * Metadata (whatever the policy says of it), the never-list, odd sockets and packets, unix sockets
 * and everything from outside stay shut. */
void net_fence_observe(struct net_fence *f);

#define NET_RESOLVER_PORTS 4

/* Where the session's helpers listen, on 127.0.0.1 and ::1.  Host order. */
struct net_resolver {
	uint16_t port[NET_RESOLVER_PORTS]; /* UDP, the first TCP as well; 0 for all: there is no
					      resolver, port 53 is refused */
	uint16_t relay_port; /* TCP; 0: there is none, what wants a verified name is refused */
};

/* Attaches to the cgroup (an empty one that only we attach to), checks the effective list, then
 * fills the session's storage: from that moment what joins the cgroup is fenced.  Before it,
 * everything is denied. */
int net_fence_attach(struct net_fence *f, int cgroup_fd, const struct net_resolver *resolver,
		     struct pinfold_error *e);

/* Whether, after attach, the kernel still holds every program, the session's storage and every
 * rule; -errno with words that name what is missing.  For the self-test. */
int net_fence_check(const struct net_fence *f, int cgroup_fd, struct pinfold_error *e);

/* Empties the session's storage: from then on everything is denied.  For the end of a session that
 * is to lose its network before its processes. */
int net_fence_forget(struct net_fence *f);

/*
 * Puts the network rules of p (borrowed from then on; the policy before may go) in place of those
 * that hold.  The new ones are complete before one update of the kernel's map lets all programs
 * judge by them: no moment is wider than both.  Vouched addresses stay where a name that p allows
 * leads to them.  With onRevoke "cut" in p, connections that p refuses are dead when this returns
 * (see net_fence_cut).  On failure the rules before hold on.  A verdict or two at that moment may
 * be missing in net_fence_counts().
 */
int net_fence_reload(struct net_fence *f, const struct policy *p, struct pinfold_error *e);

struct net_event;

/* After a reload with onRevoke "cut": ends the connections that the rules refuse, so that programs
 * notice at once, and hands each to fn as an event.  Returns how many, or -errno where the kernel
 * can't (CONFIG_INET_DIAG_DESTROY): their packets are dropped all the same. */
int net_fence_cut(struct net_fence *f, void (*fn)(void *data, const struct net_event *ev),
		  void *data);

/* Hands out the names that vouch for addresses now, and for how many seconds more. */
void net_fence_list_vouched(const struct net_fence *f,
			    void (*fn)(void *data, const struct addr *a, const char *name,
				       uint64_t seconds),
			    void *data);

/* One address of an answer and what became of it. */
struct net_vouch {
	struct addr addr;
	enum pf_reason reason; /* out: PF_ALLOW_VOUCHED, PF_ALLOW_LITERAL, or why it was stripped */
};

/* Judges each address of an answer for name (canonical; must be allowed by the policy, which is
 * checked again) and puts those that pass into the map for ttl_s seconds (floored by the policy),
 * with the ports and protocols of the entries that match the name.  When this returns, the kernel
 * knows them.  Returns the number that passed. */
int net_fence_vouch(struct net_fence *f, const char *name, struct net_vouch *v, size_t n,
		    uint32_t ttl_s);

/* A connection that the relay holds, by the session's end of it: where was it to go, and may it,
 * now that the client has sent the server name?  name as it was sent, in whatever form; NULL: it
 * sent none.  Each connection can be asked for once. */
struct net_verified {
	enum pf_reason reason; /* out: PF_ALLOW_VERIFY, PF_DENY_SNI; PF_DENY_UNFILLED: nothing is
				  known of it, and the rest stays empty */
	bool observed;         /* PF_DENY_SNI, and still to be let through */
	struct addr addr;
	uint16_t port;
	pid_t pid;
	uid_t uid;
	const struct net_rule *rule; /* or NULL */
};

void net_fence_verify(struct net_fence *f, const struct addr *client, uint16_t client_port,
		      const char *name, struct net_verified *ret);

/* There is no relay any more: what wants a verified name is refused from now on. */
int net_fence_no_relay(struct net_fence *f);

/* The relay lost its client before anything was sent. */
void net_fence_forget_relayed(struct net_fence *f, const struct addr *client, uint16_t client_port);

/* What the kernel reported: a denial (or, with audit.allowed, an allow). */
struct net_event {
	enum pf_reason reason;
	bool observed;  /* reason denies, and it was let through */
	const char *op; /* "connect", "sendmsg", "bind", "socket", "inbound", "packet", ... */
	pid_t pid;      /* 0: not known */
	uid_t uid;
	struct addr addr;
	uint16_t port;
	const char *proto; /* "tcp", "udp", "icmp", "raw", ... */
	const char *path;  /* unix sockets: as the program gave it, "@name" for abstract; else "" */
	const char *name;  /* the name that led there, newest first, or NULL */
	const char *detail;          /* more about the reason, or NULL */
	const struct net_rule *rule; /* the entry that decided, or NULL */
	uint64_t count;              /* how many like it this event stands for, from 1 */
};

/* An fd that polls readable when events wait.  Owned by the fence. */
int net_fence_event_fd(const struct net_fence *f);

/* Hands each waiting event to fn.  Returns how many; the strings live for the call. */
int net_fence_read_events(struct net_fence *f, void (*fn)(void *data, const struct net_event *ev),
			  void *data);

/* An fd that polls readable when the host's addresses change; -1: none.  Owned by the fence. */
int net_fence_host_fd(const struct net_fence *f);

/* Reads the changes that wait there and updates the map. */
int net_fence_read_host(struct net_fence *f);

/* Drops what has expired.  Call about once a second; cheap when nothing has. */
void net_fence_tick(struct net_fence *f);

struct net_counts {
	uint64_t allowed;
	uint64_t denied;
	uint64_t lost;    /* events that did not fit the ring */
	uint64_t evicted; /* vouched addresses dropped for space */
};

void net_fence_counts(const struct net_fence *f, struct net_counts *ret);

/* Detaches nothing: the programs stay on the cgroup until that is removed, so that no moment of
 * the end is unfenced. */
void net_fence_free(struct net_fence *f);

#endif
