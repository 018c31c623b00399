/* SPDX-License-Identifier: MIT */
/* What the kernel reports, put into words and names. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "base/err.h"
#include "net/inner.h"
#include "net/words.h"
#include "net/world.h"

/* "@name" for an abstract one. */
static void read_path(const void *record, size_t size, char ret[static PF_UNIX_PATH + 1])
{
	struct pf_unix_event ev;

	ret[0] = '\0';
	if (size < sizeof(ev))
		return;
	memcpy(&ev, record, sizeof(ev));
	memcpy(ret, ev.path, PF_UNIX_PATH);
	ret[PF_UNIX_PATH] = '\0';
	if (ret[0] == '\0' && ret[1] != '\0')
		ret[0] = '@';
}

static int read_event(void *data, void *record, size_t size)
{
	const struct net_reader *r = data;
	struct net_event out = { .count = 1 };
	char path[PF_UNIX_PATH + 1];
	struct pf_event ev;
	union pf_addr inner;

	if (size < sizeof(ev))
		return 0;
	memcpy(&ev, record, sizeof(ev));
	read_path(record, size, path);
	pf_inner(&ev.addr, &inner);
	out.reason = (enum pf_reason)ev.reason;
	out.observed = r->fence->observes && pf_is_observed(PF_OBSERVE, ev.reason);
	out.op = net_op_word(ev.op);
	out.pid = (pid_t)ev.pid;
	out.uid = ev.uid;
	memcpy(out.addr.b, ev.addr.b, sizeof(out.addr.b));
	out.port = ev.port;
	out.proto = net_proto_word(ev.proto);
	out.path = path;
	out.name = vouch_table_name(r->fence->vouched, &inner);
	/* What was refused just before a reload told its rule by a number of the rules then. */
	if (ev.rules == (__u8)r->fence->rules)
		out.rule = net_rule_of(r->fence->policy, ev.rule);
	r->fn(r->data, &out);
	return 0;
}

int net_fence_open_events(struct net_fence *f, struct pinfold_error *e)
{
	f->reader.fence = f;
	f->ring = ring_buffer__new(f->kernel.map[NET_MAP_EVENTS], read_event, &f->reader, NULL);
	if (!f->ring)
		return err_set(e, -errno, "network: cannot map the event ring: %s",
			       strerror(errno));
	return 0;
}

int net_fence_event_fd(const struct net_fence *f)
{
	return ring_buffer__epoll_fd(f->ring);
}

int net_fence_read_events(struct net_fence *f, void (*fn)(void *data, const struct net_event *ev),
			  void *data)
{
	f->reader.fn = fn;
	f->reader.data = data;
	return ring_buffer__consume(f->ring);
}

void net_fence_close_events(struct net_fence *f)
{
	ring_buffer__free(f->ring);
}
