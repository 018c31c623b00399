/* SPDX-License-Identifier: MIT */
/* Answers questions about a policy by the code that enforces it. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/addr.h"
#include "base/clean.h"
#include "base/err.h"
#include "base/name.h"
#include "base/number.h"
#include "net/judge.h"
#include "pinfold.h"
#include "policy/names.h"
#include "session/api.h"
#include "session/why.h"

struct destination {
	char host[NAME_BUF + 2];
	uint16_t port;
	unsigned proto;
};

void why_fill(struct pinfold_answer *a, const char *rule, const char *origin)
{
	snprintf(a->rule, sizeof(a->rule), "%s", rule ? rule : "");
	snprintf(a->origin, sizeof(a->origin), "%s", origin ? origin : "");
}

void why_say(char ret[static PINFOLD_WHY_TEXT_MAX], const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(ret, PINFOLD_WHY_TEXT_MAX, format, ap);
	va_end(ap);
}

/* ---- connect -------------------------------------------------------------------------------- */

static int parse_destination(const char *text, struct destination *ret, struct pinfold_error *e)
{
	char copy[NAME_BUF + 32];
	uint64_t port;
	char *slash;
	char *colon;
	size_t len;

	if (strlen(text) >= sizeof(copy))
		return err_set(e, -EINVAL, "'%.60s...' is too long for a destination", text);
	memcpy(copy, text, strlen(text) + 1);
	slash = strchr(copy, '/');
	ret->proto = PROTO_TCP;
	if (slash) {
		if (strcmp(slash, "/udp") != 0 && strcmp(slash, "/tcp") != 0)
			return err_set(e, -EINVAL, "'%s': only /tcp or /udp may follow the port",
				       text);
		ret->proto = slash[1] == 'u' ? PROTO_UDP : PROTO_TCP;
		*slash = '\0';
	}
	colon = strrchr(copy, ':');
	if (!colon || number_parse(colon + 1, UINT16_MAX, &port) < 0 || port == 0)
		return err_set(e, -EINVAL, "'%s' is not HOST:PORT[/udp]", text);
	ret->port = (uint16_t)port;
	*colon = '\0';
	len = strlen(copy);
	if (copy[0] == '[' && len > 2 && copy[len - 1] == ']') {
		copy[len - 1] = '\0';
		memmove(copy, copy + 1, len - 1);
	} else if (strchr(copy, ':')) {
		return err_set(e, -EINVAL, "'%s': an IPv6 address stands in brackets", text);
	}
	snprintf(ret->host, sizeof(ret->host), "%s", copy);
	return 0;
}

static void judge_address(const struct policy *p, const struct addr *a, const struct destination *d,
			  const char *subject, struct pinfold_answer *ret)
{
	struct net_judgement j = net_judge(p, a, d->port, d->proto, NULL);

	ret->verdict = j.reason >= PF_ALLOW ? PINFOLD_ALLOW : PINFOLD_DENY;
	why_fill(ret, j.rule ? j.rule->text : NULL, j.rule ? j.rule->origin : NULL);
	why_say(ret->reason, "%s", net_reason_text(j.reason));
	if (j.reason < PF_ALLOW)
		net_reason_advice(j.reason, subject, ret->fix, sizeof(ret->fix));
}

static const struct net_rule *rule_with_port(const struct policy *p, const char *name,
					     const struct destination *d)
{
	const struct net_rule *found = NULL;

	for (size_t i = 0; i < p->net.allow.n; i++) {
		const struct net_rule *r = &p->net.allow.rule[i];

		if (net_rule_matches_name(r, name) && (r->protos & d->proto) &&
		    d->port >= r->port_low && d->port <= r->port_high && (!found || r->verify_sni))
			found = r;
	}
	return found;
}

static void refuse_name(const char *name, const struct net_rule *rule, const char *entry,
			struct pinfold_answer *ret)
{
	ret->verdict = PINFOLD_DENY;
	why_fill(ret, rule ? rule->text : NULL, rule ? rule->origin : NULL);
	if (rule) {
		why_say(ret->reason, "an entry of denyOutbound names it");
		why_say(ret->fix, "remove \"%s\" from network.denyOutbound", rule->text);
	} else if (name_is_metadata(name)) {
		why_say(ret->reason, "it is a name of a cloud's metadata service");
	} else {
		why_say(ret->reason, "no entry of allowOutbound matches that name");
		why_say(ret->fix, "add \"%s\" to network.allowOutbound", entry);
	}
}

static void judge_name(const struct policy *p, const char *name, const struct destination *d,
		       const char *subject, struct pinfold_answer *ret)
{
	const struct net_rule *rule = NULL;

	if (!policy_may_resolve(p, name, &rule)) {
		refuse_name(name, rule, subject, ret);
		return;
	}
	if (d->port == NET_STEERED_PORT) {
		ret->verdict = PINFOLD_ALLOW;
		why_say(ret->reason, "%s", net_reason_text(PF_ALLOW_DNS));
		return;
	}
	rule = rule_with_port(p, name, d);
	if (!rule) {
		ret->verdict = PINFOLD_DENY;
		why_say(ret->reason,
			"the name may be resolved, but this port or protocol is not allowed");
		why_say(ret->fix, "add \"%s\" to network.allowOutbound", subject);
		return;
	}
	ret->verdict = PINFOLD_ALLOW;
	why_fill(ret, rule->text, rule->origin);
	if (rule->verify_sni)
		why_say(ret->reason,
			"once the name has been looked up in the session, its public "
			"addresses may be reached there, by TLS connections that carry a "
			"server name which is allowed and led there");
	else
		why_say(ret->reason,
			"once the name has been looked up in the session, its public "
			"addresses may be reached there; so may any other name served at "
			"the same addresses (\"verify\": \"sni\" would prevent that)");
}

static bool is_localhost(const char *name)
{
	return strcmp(name, "localhost") == 0 || name_is_below(name, "localhost");
}

/* It means two addresses; programs try both. */
static void judge_localhost(const struct policy *p, const struct destination *d,
			    const char *subject, struct pinfold_answer *ret)
{
	const struct addr v4 = addr_from_v4(__builtin_bswap32(0x7f000001));
	const struct addr v6 = { .b[15] = 1 };
	struct pinfold_answer other = { 0 };

	judge_address(p, &v4, d, subject, ret);
	judge_address(p, &v6, d, subject, &other);
	if (ret->verdict == PINFOLD_DENY && other.verdict == PINFOLD_ALLOW)
		*ret = other;
}

static int why_connect(const struct pinfold_policy *p, const char *subject,
		       struct pinfold_answer *ret, struct pinfold_error *e)
{
	struct destination d;
	struct addr a;
	char name[NAME_BUF];
	int r = parse_destination(subject, &d, e);

	if (r < 0)
		return r;
	if (addr_parse(d.host, &a) == 0) {
		judge_address(&p->policy, &a, &d, subject, ret);
		return 0;
	}
	if (name_canonical(d.host, name) < 0)
		return err_set(e, -EINVAL, "'%s' is neither an address nor a name", d.host);
	if (is_localhost(name))
		judge_localhost(&p->policy, &d, subject, ret);
	else
		judge_name(&p->policy, name, &d, subject, ret);
	return 0;
}

static int why_resolve(const struct pinfold_policy *p, const char *subject,
		       struct pinfold_answer *ret, struct pinfold_error *e)
{
	const struct net_rule *rule = NULL;
	char name[NAME_BUF];

	if (name_canonical(subject, name) < 0)
		return err_set(e, -EINVAL, "'%s' is not a name", subject);
	if (is_localhost(name)) {
		ret->verdict = PINFOLD_ALLOW;
		why_say(ret->reason, "the session's resolver answers with the loopback addresses");
		return 0;
	}
	if (!policy_may_resolve(&p->policy, name, &rule)) {
		refuse_name(name, rule, name, ret);
		return 0;
	}
	ret->verdict = PINFOLD_ALLOW;
	why_fill(ret, rule ? rule->text : NULL, rule ? rule->origin : NULL);
	why_say(ret->reason, "an entry of allowOutbound matches that name");
	return 0;
}

int pinfold_why(const struct pinfold_policy *p, enum pinfold_question q, const char *subject,
		struct pinfold_answer *ret, struct pinfold_error *e)
{
	struct pinfold_answer a = { 0 };
	int r = -EINVAL;

	switch (q) {
	case PINFOLD_WHY_CONNECT:
		r = why_connect(p, subject, &a, e);
		break;
	case PINFOLD_WHY_RESOLVE:
		r = why_resolve(p, subject, &a, e);
		break;
	case PINFOLD_WHY_READ:
	case PINFOLD_WHY_WRITE:
	case PINFOLD_WHY_EXEC:
		r = why_path(p, q, subject, &a, e);
		break;
	case PINFOLD_WHY_UNIX:
		r = why_unix(p, subject, &a, e);
		break;
	default:
		return err_set(e, -EINVAL, "no such kind of question");
	}
	if (r == 0)
		*ret = a;
	return r;
}
