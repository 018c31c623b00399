/* SPDX-License-Identifier: MIT */
/*
 * DOC: `why` and the network fence say the same, of unix sockets too.
 *
 * Random policies over the names, addresses and unix sockets of the lab.  For each, one session in
 * which this very program tries many destinations: addresses before anything was looked up, then
 * names, then addresses again and names with ports.  What was refused is compared with what
 * pinfold_why() and, for an address that a name leads to, net_judge() say.
 *
 * AGREE_NET is how many questions; AGREE_SEED repeats a run.
 */
#include "agree.h"

#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>

#include "agree_net.h"
#include "agree_net_make.h"
#include "base/name.h"
#include "net/judge.h"
#include "policy/names.h"
#include "session/api.h"

#include "net/world.h"

static void own_address(void)
{
	extern char **environ;
	static const char *const argv[] = {
		"ip", "addr", "add", HOST_OWN "/32", "dev", "lo", NULL
	};
	int status = -1;
	pid_t pid;

	assert_int_equal(
	    posix_spawnp(&pid, "ip", NULL, NULL, (char *const *)(uintptr_t)argv, environ), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* What the lab's server says, asked from outside a pen. */
struct known {
	struct addr addr[8];
	size_t n;
};

static struct known known[ARRAY_SIZE(NAME)];

static bool is_localhost(const char *name)
{
	return strcmp(name, "localhost") == 0 || strcmp(name, "foo.localhost") == 0;
}

static void know_names(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(NAME); i++) {
		struct name_answer a;

		if (is_localhost(NAME[i]))
			a = (struct name_answer){ .addr = { "127.0.0.1", "::1" }, .n = 2 };
		else
			ask_name(NAME[i], LAB_DNS, &a);
		for (size_t k = 0; k < a.n && known[i].n < ARRAY_SIZE(known[i].addr); k++)
			assert_int_equal(addr_parse(a.addr[k], &known[i].addr[known[i].n++]), 0);
	}
}

static const struct known *known_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(NAME); i++)
		if (strcmp(NAME[i], name) == 0)
			return &known[i];
	fail_msg("no such name: %s", name);
	return NULL;
}

static bool why(const struct pinfold_policy *p, enum pinfold_question q, const char *subject)
{
	struct pinfold_answer a;
	struct pinfold_error e;

	if (pinfold_why(p, q, subject, &a, &e) < 0)
		fail_msg("why can't answer '%s': %s", subject, e.text);
	return a.verdict == PINFOLD_ALLOW;
}

/* A chain of aliases that leads through a denied name is refused as a whole. */
static bool may_resolve(const struct pinfold_policy *p, const char *name)
{
	static const char *const ALIAS[][2] = {
		{ "www.test", "api.test" },    { "chain1.test", "chain8.test" },
		{ "chain8.test", "api.test" }, { "steered.test", "rebind-priv.test" },
		{ "chain1.test", "api.test" },
	};
	const struct net_rule *rule = NULL;

	if (!why(p, PINFOLD_WHY_RESOLVE, name))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(ALIAS); i++)
		if (strcmp(ALIAS[i][0], name) == 0 &&
		    !policy_may_resolve(&p->policy, ALIAS[i][1], &rule) && rule)
			return false;
	return true;
}

static union pf_addr inner_of(const struct addr *a)
{
	union pf_addr outer = net_addr(a);
	union pf_addr ret;

	pf_inner(&outer, &ret);
	return ret;
}

/* Whether name, once looked up, leads to a. */
static bool leads_to(const struct pinfold_policy *p, const char *name, const struct addr *a)
{
	const struct known *k = known_of(name);
	const union pf_addr want = inner_of(a);

	if (!may_resolve(p, name))
		return false;
	for (size_t i = 0; i < k->n; i++) {
		const union pf_addr have = inner_of(&k->addr[i]);

		if (pf_same(&want, &have))
			return true;
	}
	return false;
}

/* May the address be reached, when the first n questions have been tried? */
static bool may_reach(const struct pinfold_policy *p, const struct question *q, size_t n,
		      const struct addr *a, uint16_t port, unsigned proto)
{
	for (size_t i = 0; i < n; i++) {
		char name[NAME_BUF];

		if (!q[i].by_name || !leads_to(p, q[i].host, a) ||
		    name_canonical(q[i].host, name) < 0)
			continue;
		if (net_judge(&p->policy, a, port, proto, name).reason >= PF_ALLOW)
			return true;
	}
	return net_judge(&p->policy, a, port, proto, NULL).reason >= PF_ALLOW;
}

static bool opens(const struct policy *p, const struct addr *a, uint16_t port, const char *name)
{
	return port != NET_STEERED_PORT &&
	       (net_judge(p, a, port, PROTO_TCP, name).reason >= PF_ALLOW ||
		net_judge(p, a, port, PROTO_UDP, name).reason >= PF_ALLOW);
}

/* An address stays in an answer for name when some port of it may then be reached.  Between the
 * limits of the entries nothing changes. */
static bool may_stay(const struct policy *p, const struct addr *a, const char *name)
{
	const struct net_rules *const lists[] = { &p->net.allow, &p->net.deny };

	for (size_t l = 0; l < ARRAY_SIZE(lists); l++) {
		for (size_t i = 0; i < lists[l]->n; i++) {
			const struct net_rule *r = &lists[l]->rule[i];
			const int ports[] = { r->port_low, r->port_high, r->port_high + 1 };

			for (size_t k = 0; k < ARRAY_SIZE(ports); k++)
				if (ports[k] <= UINT16_MAX &&
				    opens(p, a, (uint16_t)(ports[k] ? ports[k] : 1), name))
					return true;
		}
	}
	return false;
}

static bool is_listened(uint16_t port)
{
	for (size_t i = 0; i < ARRAY_SIZE(LISTENED); i++)
		if (LISTENED[i] == port)
			return true;
	return false;
}

static void subject_of(const struct question *q, char *ret, size_t size)
{
	const char *proto = q->how == ASK_TCP ? "" : "/udp";

	snprintf(ret, size,
		 q->mapped              ? "[::ffff:%s]:%u%s"
		 : strchr(q->host, ':') ? "[%s]:%u%s"
					: "%s:%u%s",
		 q->host, q->port, proto);
}

/* ---- comparing ------------------------------------------------------------------------------ */

struct round {
	struct agree *g;
	const char *text;
	const struct pinfold_policy *p;
	const struct question *q;
};

/* Refused before the fence was asked; or nobody listens there, which the fence itself says at once
 * of loopback, whatever the rules are. */
static bool says_nothing(const struct question *q, const struct addr *a, char got)
{
	const union pf_addr inner = inner_of(a);

	if (got == GOT_NOBODY)
		return !pf_is_loopback(&inner) || q->how != ASK_TCP || !is_listened(q->port);
	return got == GOT_ODD;
}

static void compare_address(const struct round *r, size_t i, char got)
{
	const struct question *q = &r->q[i];
	const unsigned proto = q->how == ASK_TCP ? PROTO_TCP : PROTO_UDP;
	char subject[128];
	struct addr a;
	bool want;

	subject_of(q, subject, sizeof(subject));
	assert_int_equal(addr_parse(q->host, &a), 0);
	want =
	    why(r->p, PINFOLD_WHY_CONNECT, subject) || may_reach(r->p, r->q, i, &a, q->port, proto);
	r->g->n_allowed += want;
	if (!says_nothing(q, &a, got) && want == (got == GOT_REFUSED || got == GOT_NOBODY))
		disagree(r->g, r->text, "%s: why says %s, the fence '%c' (question %zu, how %d)",
			 subject, want ? "allow" : "deny", got, i, q->how);
}

static bool is_among(const struct addr *a, const char *list)
{
	char text[INET6_ADDRSTRLEN];
	struct addr have;
	int used;

	for (; sscanf(list, " %45s%n", text, &used) == 1; list += used)
		if (addr_parse(text, &have) == 0 && addr_equal(a, &have))
			return true;
	return false;
}

static void compare_name(const struct round *r, size_t i, const char *got)
{
	const struct question *q = &r->q[i];
	const bool want = may_resolve(r->p, q->host);
	const struct known *k = known_of(q->host);

	r->g->n_allowed += want;
	if (want == (got[0] == GOT_REFUSED)) {
		disagree(r->g, r->text, "resolve %s: why says %s, the resolver '%s'", q->host,
			 want ? "allow" : "deny", got);
		return;
	}
	for (size_t n = 0; n < k->n && want; n++) {
		char text[ADDR_TEXT_MAX];
		char name[NAME_BUF];
		bool stays;

		addr_format(&k->addr[n], text);
		assert_true(name_canonical(q->host, name) >= 0);
		stays = is_localhost(name) || may_stay(&r->p->policy, &k->addr[n], name);
		if (stays != is_among(&k->addr[n], got + 1))
			disagree(r->g, r->text, "resolve %s: %s should %s: '%s'", q->host, text,
				 stays ? "stay" : "go", got);
	}
}

/* A name is looked up and its first address that was left is tried. */
static void compare_connect_name(const struct round *r, size_t i, const char *got)
{
	const struct question *q = &r->q[i];
	const unsigned proto = q->how == ASK_TCP ? PROTO_TCP : PROTO_UDP;
	char subject[128];
	char text[INET6_ADDRSTRLEN] = "";
	struct addr a;
	bool want;

	subject_of(q, subject, sizeof(subject));
	if (sscanf(got + 1, " %45s", text) != 1) {
		compare_name(r, i, got);
		return;
	}
	assert_int_equal(addr_parse(text, &a), 0);
	want = may_reach(r->p, r->q, i + 1, &a, q->port, proto);
	r->g->n_allowed += want;
	if (says_nothing(q, &a, got[0]))
		return;
	if (want == (got[0] == GOT_REFUSED || got[0] == GOT_NOBODY))
		disagree(r->g, r->text, "%s at %s: should be %s, the fence '%s'", subject, text,
			 want ? "allowed" : "refused", got);
	/* Where nothing but the name speaks for the address, why knows from the name alone. */
	want = why(r->p, PINFOLD_WHY_CONNECT, subject);
	if (want && got[0] == GOT_REFUSED &&
	    net_judge(&r->p->policy, &a, q->port, proto, NULL).reason == PF_DENY_UNMATCHED)
		disagree(r->g, r->text, "%s: why says allow, the fence '%s'", subject, got);
}

static void compare_unix(const struct round *r, size_t i, char got)
{
	const struct question *q = &r->q[i];
	const bool want = why(r->p, PINFOLD_WHY_UNIX, q->host);

	r->g->n_allowed += want;
	if (want == (got == GOT_REFUSED))
		disagree(r->g, r->text, "unix %s: why says %s, the fence '%c' (type %u)", q->host,
			 want ? "allow" : "deny", got, q->port);
}

static void compare(const struct round *r, size_t i, const char *got)
{
	r->g->n_questions++;
	r->g->n_names += r->q[i].how == ASK_NAME;
	r->g->n_sockets += r->q[i].how == ASK_UNIX;
	if (r->q[i].how == ASK_UNIX)
		compare_unix(r, i, got[0]);
	else if (r->q[i].how == ASK_NAME)
		compare_name(r, i, got);
	else if (r->q[i].by_name)
		compare_connect_name(r, i, got);
	else
		compare_address(r, i, got[0]);
}

static void ask_all(struct agree *g, const char *text, const struct pinfold_policy *p)
{
	auto_free char *self = under(g, "ws/agree");
	auto_free char *asked = under(g, "ws/questions");
	auto_free char *told = under(g, "ws/answers");
	char *const argv[] = { self, (char *)(uintptr_t) "--try", asked, told, NULL };
	struct question q[QUESTIONS];
	const struct round r = { g, text, p, q };
	struct pinfold_error e = { 0 };
	char line[512];

	make_questions(g, &p->policy.net, q);
	write_text(asked, (const char *)q, sizeof(q));
	write_text(told, "", 0);
	assert_int_equal(chown(told, TENANT, TENANT), 0);
	if (!run_in_pen(p, argv, &e)) {
		printf("# %s: %s\n", text, e.text);
		g->n_refused++;
		return;
	}
	g->n_policies++;
	FILE *f = fopen(told, "re");

	assert_non_null(f);
	for (size_t i = 0; i < QUESTIONS; i++) {
		assert_non_null(fgets(line, sizeof(line), f));
		line[strcspn(line, "\n")] = '\0';
		compare(&r, i, line);
	}
	fclose(f);
}

static void the_answers_of_why_and_of_the_fence_agree(void **state)
{
	const size_t wanted = setting("AGREE_NET", 10000);
	auto_free char *file = NULL;
	auto_free char *ws = NULL;
	auto_free char *self = NULL;
	auto_free char *text = malloc(TEXT_MAX);
	struct pinfold_policy *p = NULL;
	struct pinfold_error e;
	struct unix_world sockets = { .n = 0 };
	struct agree *g = *state;

	assert_non_null(text);
	agree_begin(g, "net", "/tmp/pinfold-agree.XXXXXX");
	file = under(g, "policy.json");
	ws = under(g, "ws");
	self = under(g, "ws/agree");
	assert_int_equal(mkdir(ws, 0755), 0);
	assert_int_equal(chown(ws, TENANT, TENANT), 0);
	copy_self(self);
	know_names();
	make_sockets(g, &sockets);
	while (g->n_questions < wanted && g->n_refused < 100) {
		make_policy(g, text);
		write_text(file, text, strlen(text));
		if (pinfold_policy_load(file, &p, &e) < 0)
			fail_msg("%s: %s", text, e.text);
		ask_all(g, text, p);
		drain_sockets(&sockets);
		pinfold_policy_free(p);
	}
	for (size_t i = 0; i < sockets.n; i++)
		close(sockets.fd[i]);
	printf("# of them %zu names and %zu unix sockets\n", g->n_names, g->n_sockets);
	assert_true(g->n_names >= wanted / 8 && g->n_sockets >= wanted / 8);
	assert_int_equal(g->n_refused, 0);
	assert_int_equal(g->n_wrong, 0);
}

int main(int argc, char **argv)
{
	struct agree g = { 0 };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate_setup_teardown(the_answers_of_why_and_of_the_fence_agree,
							 NULL, agree_end, &g),
	};

	if (argc == 4 && strcmp(argv[1], "--try") == 0)
		return try_all(argv[2], argv[3]);
	if (!getenv("LAB_DIR"))
		return execlp("bash", "bash", "tests/lab/lab.sh", argv[0], NULL);
	own_address();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
