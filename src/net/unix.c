/* SPDX-License-Identifier: MIT */
/* The hooks for unix sockets: an object of their own, loaded only when asked for. */
#include "net/unix.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/clean.h"
#include "unix.skel.h"

#define SESSION_ID 1

/* Attach types by number: the headers of an older libc lack them (since Linux 6.7). */
#define UNIX_CONNECT 49
#define UNIX_SENDMSG 50

/* With the session's storage and the ring of the network object in place of its own. */
static int load(struct unix_bpf *k, int sessions_fd, int events_fd)
{
	int rc;

	bpf_program__set_expected_attach_type(k->progs.pf_unix_connect,
					      (enum bpf_attach_type)UNIX_CONNECT);
	bpf_program__set_expected_attach_type(k->progs.pf_unix_sendmsg,
					      (enum bpf_attach_type)UNIX_SENDMSG);
	rc = bpf_map__reuse_fd(k->maps.sessions, sessions_fd);
	if (rc == 0)
		rc = bpf_map__reuse_fd(k->maps.events, events_fd);
	return rc < 0 ? rc : unix_bpf__load(k);
}

int net_unix_load(int sessions_fd, int events_fd, struct unix_bpf **ret)
{
	libbpf_print_fn_t before = libbpf_set_print(NULL);
	struct unix_bpf *k = unix_bpf__open();
	int rc = k ? load(k, sessions_fd, events_fd) : -errno;

	libbpf_set_print(before);
	if (rc < 0) {
		unix_bpf__destroy(k);
		return rc;
	}
	*ret = k;
	return 0;
}

/* end is the byte that closes the entry: '/' for what is below, NUL for the path itself. */
static int add_path(const struct unix_bpf *k, const char *path, char end, __u32 is_own)
{
	struct pf_path_key key;
	size_t len = strlen(path);

	while (len > 0 && path[len - 1] == '/')
		len--;
	if (len >= sizeof(key.path))
		return 0; /* no socket address reaches that far */
	memset(&key, 0, sizeof(key));
	key.session = SESSION_ID;
	memcpy(key.path, path, len);
	key.path[len] = end;
	key.prefix_len = (__u32)(sizeof(key.session) + len + 1) * 8;
	return bpf_map_update_elem(bpf_map__fd(k->maps.paths), &key, &is_own, BPF_ANY);
}

int net_unix_add(const struct unix_bpf *k, const char *path, bool is_own)
{
	int rc = add_path(k, path, '/', is_own);

	return rc < 0 ? rc : add_path(k, path, '\0', is_own);
}

size_t net_unix_hooks(const struct unix_bpf *k, struct net_hook ret[NET_UNIX_HOOKS])
{
	ret[0] = (struct net_hook){ bpf_program__fd(k->progs.pf_unix_connect), UNIX_CONNECT,
				    "unix_connect" };
	ret[1] = (struct net_hook){ bpf_program__fd(k->progs.pf_unix_sendmsg), UNIX_SENDMSG,
				    "unix_sendmsg" };
	return NET_UNIX_HOOKS;
}

void net_unix_free(struct unix_bpf *k)
{
	unix_bpf__destroy(k);
}
