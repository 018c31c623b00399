/* SPDX-License-Identifier: MIT */
/* Sockets that a cgroup had before its fence. */
#ifndef PINFOLD_SESSION_ATTACH_OLD_H
#define PINFOLD_SESSION_ATTACH_OLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "net/attached.h"
#include "net/socket.h"

struct attach_tree;
struct net_fence;
struct net_rule;

#define OLD_SOCKETS_MAX 65536

enum old_fate {
	OLD_REFUSED = 0, /* nothing passes through it any more */
	OLD_KEPT,        /* it goes on, and is judged from now on */
	OLD_OUTSIDE,     /* made in another cgroup: no program of the fence sees it */
};

struct old_socket {
	struct net_socket s;
	int netns; /* index */
	pid_t pid; /* that has a descriptor of it; 0: none inside */
	int fd;    /* there */
	enum old_fate fate;
	bool observed; /* kept, though the rules refuse it */
	bool cut;
	enum pf_reason reason;
	const struct net_rule *rule;
};

struct old_netns {
	uint64_t inode;
	int fd;
	pid_t pid; /* the first that lives in it */
	size_t n;  /* processes */
};

struct old_sockets {
	struct old_socket *socket;
	size_t n;
	struct old_netns *netns;
	size_t n_netns;
	size_t unseen; /* network namespaces whose sockets can't be listed */
};

/* The network namespaces of the processes.  -errno.  old_sockets_done(), whatever the result. */
int old_netns_read(const struct attach_tree *t, struct old_sockets *ret);

/* The sockets of the cgroups, and those that processes inside hold from elsewhere. */
int old_sockets_read(const struct attach_tree *t, struct old_sockets *o);

/* Decides about each, and takes those that the rules let through into the fence.  observe: those
 * that a rule could open, too. */
void old_sockets_adopt(struct old_sockets *o, struct net_fence *f, bool observe);

/* Ends the others.  -EOPNOTSUPP: the kernel can't. */
int old_sockets_cut(struct old_sockets *o);

/* Runs in another network namespace until old_leave_netns(); -1 is this one.  *ret_back is for
 * coming back.  -errno. */
int old_enter_netns(int netns_fd, int *ret_back);
void old_leave_netns(int back);

/* Any state. */
void old_sockets_done(struct old_sockets *o);

#endif
