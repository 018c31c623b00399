// SPDX-License-Identifier: GPL-2.0-only
/*
 * Unix sockets outside the session: the look that explains.  It reads the path as the program gave
 * it, so a symlink, a relative path or ".." pass here; that the socket is out of reach is the work
 * of the mount view and of Landlock's scopes.  An object of its own, because the path can only be
 * read with the kernel's types at hand (kfuncs, since Linux 6.2; the hooks since 6.7), and that
 * costs more time to load than all the rest.
 */
#include <linux/types.h>

#include <linux/bpf.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "abi.h"

/* The few kernel types that are needed, found by name when the object is loaded. */
struct sockaddr_un {
	char sun_path[PF_UNIX_PATH];
} __attribute__((preserve_access_index));

struct bpf_sock_addr_kern {
	void *uaddr;
	__u32 uaddrlen;
} __attribute__((preserve_access_index));

extern void *bpf_cast_to_kern_ctx(void *ctx) __ksym;
extern void *bpf_rdonly_cast(const void *obj, __u32 btf_id) __ksym;

#define FAMILY_SIZE 2 /* in front of the path */

/* These two are the maps of the network object. */
struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_STORAGE);
	__type(key, __u64);
	__type(value, struct pf_session);
} sessions SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 256 * 1024);
} events SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 4096);
	__type(key, struct pf_path_key);
	__type(value, __u32);
} paths SEC(".maps");

/* Too large for the stack next to the rest, and written at a variable offset. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct pf_path_key);
} scratch SEC(".maps");

/* A path may come without its NUL: what follows is then not the program's. */
static __always_inline void read_path(struct bpf_sock_addr *ctx, struct pf_path_key *ret)
{
	struct bpf_sock_addr_kern *kern = bpf_cast_to_kern_ctx(ctx);
	struct sockaddr_un *un =
	    bpf_rdonly_cast(kern->uaddr, bpf_core_type_id_kernel(struct sockaddr_un));
	__u32 len = kern->uaddrlen - FAMILY_SIZE;

#pragma unroll
	for (__u32 i = 0; i < PF_UNIX_PATH; i++)
		ret->path[i] = un->sun_path[i];
	if (len < PF_UNIX_PATH)
		ret->path[len] = 0;
}

static __noinline int refuse(struct pf_session *s, const struct pf_path_key *key, __u32 op)
{
	struct pf_unix_event *ev = bpf_ringbuf_reserve(&events, sizeof(*ev), 0);

	__sync_fetch_and_add(&s->denied, 1);
	if (ev) {
		__builtin_memset(&ev->head, 0, sizeof(ev->head));
		ev->head.session = s->id;
		ev->head.pid = bpf_get_current_pid_tgid() >> 32;
		ev->head.uid = bpf_get_current_uid_gid();
		ev->head.rule = PF_RULE_NONE;
		ev->head.reason = PF_DENY_UNIX;
		ev->head.op = op;
		__builtin_memcpy(ev->path, key->path, sizeof(ev->path));
		ev->pad = 0;
		bpf_ringbuf_submit(ev, 0);
	} else {
		__sync_fetch_and_add(&s->lost, 1);
	}
	bpf_set_retval(-(int)s->deny_errno);
	return 0;
}

static __always_inline int look(struct bpf_sock_addr *ctx, __u32 op)
{
	struct pf_session *s = bpf_get_local_storage(&sessions, 0);
	struct pf_path_key *key;
	__u32 zero = 0;
	__u32 *is_own;

	key = bpf_map_lookup_elem(&scratch, &zero);
	if (!s->id || !key)
		return 0;
	key->prefix_len = (sizeof(*key) - sizeof(key->prefix_len)) * 8;
	key->session = s->id;
	read_path(ctx, key);
	if (key->path[0] != '/')
		return 1;
	is_own = bpf_map_lookup_elem(&paths, key);
	return is_own && *is_own ? 1 : refuse(s, key, op);
}

SEC("cgroup/connect4")
int pf_unix_connect(struct bpf_sock_addr *ctx)
{
	return look(ctx, PF_OP_UNIX_CONNECT);
}

SEC("cgroup/connect4")
int pf_unix_sendmsg(struct bpf_sock_addr *ctx)
{
	return look(ctx, PF_OP_UNIX_SENDMSG);
}

char _license[] SEC("license") = "GPL";
