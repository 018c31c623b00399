/* SPDX-License-Identifier: MIT */
/*
 * Fences on cgroups that others made.
 *
 * The programs of a fence stay on their cgroup when the process that attached them ends, however it
 * ends: what they find in their maps goes on deciding.  So a fence is found and taken away by what
 * the kernel says, not by what a process remembers.
 */
#ifndef PINFOLD_NET_ATTACHED_H
#define PINFOLD_NET_ATTACHED_H

#include <stdbool.h>
#include <sys/types.h>

#include "abi.h"

struct net_fence;
struct net_rule;
struct net_socket;
struct pinfold_error;

/* How many programs of pinfold are attached to the cgroup itself; with NET_EFFECTIVE, also those of
 * the cgroups above that run for it.  -errno. */
enum net_reach { NET_DIRECT, NET_EFFECTIVE };

int net_attached(int cgroup_fd, enum net_reach reach);

/* Takes them off the cgroup.  From then on nothing there is fenced.  Returns how many. */
int net_attached_remove(int cgroup_fd, struct pinfold_error *e);

/* Pins the programs and maps of a fence in dir, a directory of a BPF file system. */
int net_fence_pin(const struct net_fence *f, const char *dir, struct pinfold_error *e);

/* The helpers are about to end: port 53 and what wants a verified name are refused from now on. */
int net_fence_no_helpers(struct net_fence *f);

/* What the rules say of a connection to the socket's peer that is there already.  Answers for names
 * are not known: of literals alone. */
enum pf_reason net_fence_judge_socket(const struct net_fence *f, const struct net_socket *s,
				      const struct net_rule **ret_rule);

/* Whether allowInbound lets the peer reach the socket's local port. */
bool net_fence_lets_in(const struct net_fence *f, const struct net_socket *s);

enum net_flow { NET_FLOW_NONE = 0, NET_FLOW_OUTBOUND };

/* Makes a TCP or UDP socket that was there before the fence one that it lets through, as far as the
 * rules do: each datagram and each new connection is judged.  A TCP connection goes on unjudged;
 * NET_FLOW_OUTBOUND: it was opened from inside, and a reload that cuts judges it.  fd is a
 * descriptor of that socket.  -errno: it stays as good as dead. */
int net_fence_adopt(struct net_fence *f, int fd, const struct net_socket *s, enum net_flow flow,
		    pid_t pid);

#endif
