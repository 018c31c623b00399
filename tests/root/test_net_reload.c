/* wrap: net_grace_wait net_unfill */
/* SPDX-License-Identifier: MIT */
/* New rules for a session that runs: no moment is wider than both, what was taken back ends when it
 * is to end, and nothing else does. */
#include "net_reload.h"

#define OWN_PORT 3000
#define LOCAL_PORT 3002
#define RELOADS 120
#define BEAT_MS 100

struct net_grace;
struct net_kernel;
struct net_tables;

int __real_net_grace_wait(const struct net_grace *g);
int __wrap_net_grace_wait(const struct net_grace *g);
void __real_net_unfill(const struct net_kernel *k, uint32_t rules, const struct net_tables *t);
void __wrap_net_unfill(const struct net_kernel *k, uint32_t rules, const struct net_tables *t);

static int waits;
static int unfills_without;

int __wrap_net_grace_wait(const struct net_grace *g)
{
	const int rc = __real_net_grace_wait(g);

	waits += rc == 0;
	return rc;
}

void __wrap_net_unfill(const struct net_kernel *k, uint32_t rules, const struct net_tables *t)
{
	unfills_without += waits == 0;
	waits = 0;
	__real_net_unfill(k, rules, t);
}

/* One set denies it by a rule and allows everything else, the other never speaks of it: a mixture
 * of the two would let it through. */
static void what_both_refuse_never_passes_while_rules_change(void **state)
{
	struct shared *sh = share();
	struct lab lab;
	struct rules wide;
	struct rules narrow;
	pid_t child;

	(void)state;
	lab_prepare(&lab, "reload-load");
	lab_allow(&lab, ALLOWED, 443, PROTO_TCP | PROTO_UDP);
	lab_fence(&lab);
	begin(&wide, &lab, REVOKE_KEEP);
	add(&wide.policy.net.allow, "*", 443);
	add(&wide.policy.net.deny, OTHER, -1);
	begin(&narrow, &lab, REVOKE_CUT);
	add(&narrow.policy.net.allow, ALLOWED, 443);
	child = start_inside(&lab, lean, sh);
	await(&sh->ready);
	for (int i = 0; i < RELOADS; i++)
		reload(&lab, i % 2 ? &narrow : &wide);
	sh->go = 1;
	assert_int_equal(end_of(child), 0);
	assert_int_equal(sh->passed, 0);
	assert_int_equal(sh->refused, 0);
	assert_true(sh->tries > 10);
	lab_done(&lab);
}

static int try_other(void *data)
{
	(void)data;
	return try_once(OTHER, 443);
}

static int try_allowed(void *data)
{
	(void)data;
	return try_once(ALLOWED, 443);
}

static void new_rules_open_and_shut(void **state)
{
	struct net_counts counts;
	struct lab lab;
	struct rules r;

	(void)state;
	lab_prepare(&lab, "reload-rules");
	lab_allow(&lab, ALLOWED, 443, PROTO_TCP);
	lab_fence(&lab);
	assert_int_equal(lab_run(&lab, true, try_allowed, NULL), 0);
	assert_int_equal(lab_run(&lab, true, try_other, NULL), EPERM);
	begin(&r, &lab, REVOKE_KEEP);
	add(&r.policy.net.allow, OTHER, 443);
	r.policy.net.deny_errno = ECONNREFUSED;
	reload(&lab, &r);
	assert_int_equal(lab_run(&lab, true, try_allowed, NULL), ECONNREFUSED);
	assert_int_equal(lab_run(&lab, true, try_other, NULL), 0);
	net_fence_counts(lab.fence, &counts);
	assert_int_equal(counts.denied, 2);
	assert_int_equal(counts.allowed, 2);
	lab_done(&lab);
}

/* A program that began before the switch may still ask for them. */
static void old_rules_go_when_no_program_is_left_that_uses_them(void **state)
{
	struct lab lab;
	struct rules r;

	(void)state;
	lab_prepare(&lab, "reload-old");
	lab_allow(&lab, ALLOWED, 443, PROTO_TCP);
	lab_fence(&lab);
	begin(&r, &lab, REVOKE_KEEP);
	waits = 0;
	unfills_without = 0;
	for (int i = 0; i < 3; i++)
		reload(&lab, &r);
	assert_int_equal(unfills_without, 0);
	assert_int_equal(waits, 0); /* each was used */
	lab_done(&lab);
}

/* ---- open connections ----------------------------------------------------------------------- */

struct flow {
	struct shared *sh;
	const char *host;
	uint16_t port;
	int type;
};

/* 0: answered; NO_ANSWER; else an errno. */
static int beat(int fd)
{
	if (send(fd, "x", 1, MSG_NOSIGNAL) != 1)
		return errno;
	return lab_ask(fd);
}

/* Opens it, and after a reload speaks every 100 ms for a second. */
static int hold(void *data)
{
	const struct flow *f = data;
	int fd = connect_to(f->host, f->port, f->type);
	int rc = fd < 0 ? -fd : beat(fd);

	if (rc != 0)
		return rc;
	f->sh->ready = 1;
	while (!f->sh->go)
		pause_ms(5);
	for (int i = 0; i < 10 && rc == 0; i++) {
		rc = beat(fd);
		pause_ms(BEAT_MS);
	}
	return rc;
}

static void count_revoked(void *data, const struct net_event *ev)
{
	int *n = data;

	assert_int_equal(ev->reason, PF_DENY_REVOKED);
	assert_int_equal(ev->port, 443);
	(*n)++;
}

enum ends { ENDS_BY_PACKETS = 0, ENDS_BY_KERNEL };

/* What becomes of a flow to ALLOWED:443 when r comes. */
static int after_reload(const struct lab *lab, const struct rules *r, int type, enum ends how,
			int *ret_cut)
{
	struct shared *sh = share();
	const struct flow f = { sh, ALLOWED, 443, type };
	pid_t child = start_inside(lab, hold, (void *)(uintptr_t)&f);
	int n = 0;

	await(&sh->ready);
	reload(lab, r);
	if (how == ENDS_BY_KERNEL)
		*ret_cut = net_fence_cut(lab->fence, count_revoked, &n);
	assert_true(how == ENDS_BY_PACKETS || *ret_cut == n);
	sh->go = 1;
	return end_of(child);
}

static void prepare_flows(struct lab *lab, const char *tag, struct rules *open)
{
	lab_prepare(lab, tag);
	lab_allow(lab, ALLOWED, 443, PROTO_TCP | PROTO_UDP);
	lab_fence(lab);
	begin(open, lab, REVOKE_KEEP);
	add(&open->policy.net.allow, ALLOWED, 443);
}

static void keep_leaves_a_connection_and_cut_ends_it(void **state)
{
	struct lab lab;
	struct rules open;
	struct rules keep;
	struct rules cut;
	int n = 0;

	(void)state;
	prepare_flows(&lab, "reload-cut", &open);
	begin(&keep, &lab, REVOKE_KEEP);
	begin(&cut, &lab, REVOKE_CUT);
	assert_int_equal(after_reload(&lab, &keep, SOCK_STREAM, ENDS_BY_KERNEL, &n), 0);
	assert_int_equal(n, 0);
	reload(&lab, &open);
	assert_int_equal(after_reload(&lab, &cut, SOCK_STREAM, ENDS_BY_KERNEL, &n), ECONNABORTED);
	assert_int_equal(n, 1);
	reload(&lab, &open);
	assert_int_equal(after_reload(&lab, &cut, SOCK_STREAM, ENDS_BY_PACKETS, &n), NO_ANSWER);
	add(&cut.policy.net.allow, ALLOWED, 443);
	reload(&lab, &open);
	assert_int_equal(after_reload(&lab, &cut, SOCK_STREAM, ENDS_BY_KERNEL, &n), 0);
	assert_int_equal(n, 0);
	lab_done(&lab);
}

static void connected_datagrams_end_with_their_permission(void **state)
{
	struct lab lab;
	struct rules open;
	struct rules keep;
	struct rules cut;
	int n = 0;

	(void)state;
	prepare_flows(&lab, "reload-udp", &open);
	begin(&keep, &lab, REVOKE_KEEP);
	begin(&cut, &lab, REVOKE_CUT);
	assert_int_equal(after_reload(&lab, &cut, SOCK_DGRAM, ENDS_BY_KERNEL, &n), EPERM);
	assert_int_equal(n, 0);
	reload(&lab, &open);
	assert_int_equal(after_reload(&lab, &keep, SOCK_DGRAM, ENDS_BY_KERNEL, &n), EPERM);
	reload(&lab, &open);
	assert_int_equal(after_reload(&lab, &open, SOCK_DGRAM, ENDS_BY_KERNEL, &n), 0);
	lab_done(&lab);
}

static void an_idle_connection_is_cut_once_by_the_kernel(void **state)
{
	struct shared *sh = share();
	struct lab lab;
	struct rules open;
	struct rules cut;
	struct flow f = { sh, ALLOWED6, 443, SOCK_STREAM };
	pid_t child;
	int n = 0;

	(void)state;
	prepare_flows(&lab, "reload-idle", &open);
	add(&open.policy.net.allow, ALLOWED6, 443);
	reload(&lab, &open);
	begin(&cut, &lab, REVOKE_CUT);
	child = start_inside(&lab, hold, &f);
	await(&sh->ready);
	reload(&lab, &cut);
	assert_int_equal(net_fence_cut(lab.fence, count_revoked, &n), 1);
	assert_int_equal(net_fence_cut(lab.fence, count_revoked, &n), 0);
	assert_int_equal(n, 1);
	sh->go = 1;
	assert_int_equal(end_of(child), ECONNABORTED);
	lab_done(&lab);
}

/* Both ends are inside; and a second connection comes from outside. */
static int serve_self(void *data)
{
	struct shared *sh = data;
	int own = lab_bound("127.0.0.1", OWN_PORT, SOCK_STREAM);
	int local = lab_bound("127.0.0.1", LOCAL_PORT, SOCK_STREAM);
	int near = connect_to("127.0.0.1", OWN_PORT, SOCK_STREAM);
	int far = accept(own, NULL, NULL);
	int guest;

	sh->ready = 1;
	guest = accept(local, NULL, NULL);
	if (near < 0 || far < 0 || guest < 0)
		return 1;
	while (!sh->go)
		pause_ms(5);
	if (send(near, "x", 1, 0) != 1 || lab_ask(far) != 0 || send(far, "y", 1, 0) != 1 ||
	    lab_ask(near) != 0)
		return 2;
	return lab_ask(guest) != 0 || send(guest, "z", 1, 0) != 1 ? 3 : 0;
}

static void own_and_inbound_connections_outlive_a_cut(void **state)
{
	struct inbound_rule inbound = { .port = LOCAL_PORT,
					.protos = PROTO_TCP,
					.loopback_only = true };
	struct shared *sh = share();
	struct lab lab;
	struct rules cut;
	pid_t child;
	int n = 0;
	int fd;

	(void)state;
	lab_prepare(&lab, "reload-own");
	lab.policy.net.inbound = &inbound;
	lab.policy.net.n_inbound = 1;
	lab_fence(&lab);
	child = start_inside(&lab, serve_self, sh);
	await(&sh->ready);
	fd = connect_to("127.0.0.1", LOCAL_PORT, SOCK_STREAM);
	assert_true(fd >= 0);
	begin(&cut, &lab, REVOKE_CUT);
	reload(&lab, &cut);
	assert_int_equal(net_fence_cut(lab.fence, count_revoked, &n), 0);
	sh->go = 1;
	assert_int_equal(beat(fd), 0);
	assert_int_equal(end_of(child), 0);
	close(fd);
	lab_done(&lab);
}

/* ---- names ---------------------------------------------------------------------------------- */

static void vouch(const struct lab *lab, const char *name, uint32_t ttl)
{
	struct net_vouch v = { .reason = PF_DENY_UNFILLED };

	assert_int_equal(addr_parse(NAMED, &v.addr), 0);
	assert_int_equal(net_fence_vouch(lab->fence, name, &v, 1, ttl), 1);
}

static int try_port(void *data)
{
	return try_once(NAMED, *(const uint16_t *)data);
}

static void vouched_addresses_follow_the_names_that_stay(void **state)
{
	uint16_t port[] = { 443, 8443, 5432 };
	struct lab lab;
	struct rules r;

	(void)state;
	lab_prepare(&lab, "reload-names");
	lab_allow(&lab, "a.test", 443, PROTO_TCP);
	lab_allow(&lab, "b.test", 8443, PROTO_TCP);
	lab_fence(&lab);
	vouch(&lab, "a.test", 60);
	vouch(&lab, "b.test", 60);
	assert_int_equal(lab_run(&lab, true, try_port, &port[0]), 0);
	assert_int_equal(lab_run(&lab, true, try_port, &port[1]), 0);
	assert_int_equal(lab_run(&lab, true, try_port, &port[2]), EPERM);
	begin(&r, &lab, REVOKE_KEEP);
	add(&r.policy.net.allow, "b.test", 5432);
	reload(&lab, &r);
	assert_int_equal(lab_run(&lab, true, try_port, &port[0]), EPERM);
	assert_int_equal(lab_run(&lab, true, try_port, &port[1]), EPERM);
	assert_int_equal(lab_run(&lab, true, try_port, &port[2]), 0);
	begin(&r, &lab, REVOKE_KEEP);
	add(&r.policy.net.allow, "a.test", 443);
	reload(&lab, &r); /* a.test was forgotten with its permission */
	assert_int_equal(lab_run(&lab, true, try_port, &port[0]), EPERM);
	lab_done(&lab);
}

static void a_lifetime_that_ended_is_no_reason_to_cut(void **state)
{
	struct shared *sh = share();
	struct lab lab;
	struct rules stays;
	struct rules goes;
	struct flow f = { sh, NAMED, 443, SOCK_STREAM };
	pid_t child;
	int n = 0;

	(void)state;
	lab_prepare(&lab, "reload-ttl");
	lab_allow(&lab, "a.test", 443, PROTO_TCP);
	lab_fence(&lab);
	vouch(&lab, "a.test", 1);
	begin(&stays, &lab, REVOKE_CUT);
	add(&stays.policy.net.allow, "a.test", 443);
	begin(&goes, &lab, REVOKE_CUT);
	add(&goes.policy.net.allow, "b.test", 443);
	child = start_inside(&lab, hold, &f);
	await(&sh->ready);
	pause_ms(1200);
	net_fence_tick(lab.fence);
	reload(&lab, &stays);
	assert_int_equal(net_fence_cut(lab.fence, count_revoked, &n), 0);
	sh->go = 1;
	assert_int_equal(end_of(child), 0);
	sh->ready = 0;
	sh->go = 0;
	vouch(&lab, "a.test", 60);
	child = start_inside(&lab, hold, &f);
	await(&sh->ready);
	reload(&lab, &goes);
	assert_int_equal(net_fence_cut(lab.fence, count_revoked, &n), 1);
	sh->go = 1;
	assert_int_equal(end_of(child), ECONNABORTED);
	lab_done(&lab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_both_refuse_never_passes_while_rules_change),
		cmocka_unit_test(old_rules_go_when_no_program_is_left_that_uses_them),
		cmocka_unit_test(new_rules_open_and_shut),
		cmocka_unit_test(keep_leaves_a_connection_and_cut_ends_it),
		cmocka_unit_test(connected_datagrams_end_with_their_permission),
		cmocka_unit_test(an_idle_connection_is_cut_once_by_the_kernel),
		cmocka_unit_test(own_and_inbound_connections_outlive_a_cut),
		cmocka_unit_test(vouched_addresses_follow_the_names_that_stay),
		cmocka_unit_test(a_lifetime_that_ended_is_no_reason_to_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
