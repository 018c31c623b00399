/* SPDX-License-Identifier: MIT */
/* Answers questions about a policy by the code that enforces it. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/addr.h"
#include "base/clean.h"
#include "base/err.h"
#include "base/name.h"
#include "base/number.h"
#include "net/judge.h"
#include "pinfold.h"
#include "policy/names.h"
#include "policy/paths.h"
#include "session/api.h"

struct destination {
	char host[NAME_BUF + 2];
	uint16_t port;
	unsigned proto;
};

static void fill(struct pinfold_answer *a, const char *rule, const char *origin)
{
	snprintf(a->rule, sizeof(a->rule), "%s", rule ? rule : "");
	snprintf(a->origin, sizeof(a->origin), "%s", origin ? origin : "");
}

__attribute__((format(printf, 2, 3))) static void say(char ret[static PINFOLD_WHY_TEXT_MAX],
						      const char *format, ...)
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
	fill(ret, j.rule ? j.rule->text : NULL, j.rule ? j.rule->origin : NULL);
	say(ret->reason, "%s", net_reason_text(j.reason));
	if (j.reason < PF_ALLOW)
		net_reason_advice(j.reason, subject, ret->fix, sizeof(ret->fix));
}

static const struct net_rule *rule_with_port(const struct policy *p, const char *name,
					     const struct destination *d)
{
	for (size_t i = 0; i < p->net.allow.n; i++) {
		const struct net_rule *r = &p->net.allow.rule[i];

		if (net_rule_matches_name(r, name) && (r->protos & d->proto) &&
		    d->port >= r->port_low && d->port <= r->port_high)
			return r;
	}
	return NULL;
}

static void refuse_name(const char *name, const struct net_rule *rule, const char *entry,
			struct pinfold_answer *ret)
{
	ret->verdict = PINFOLD_DENY;
	fill(ret, rule ? rule->text : NULL, rule ? rule->origin : NULL);
	if (rule) {
		say(ret->reason, "an entry of denyOutbound names it");
		say(ret->fix, "remove \"%s\" from network.denyOutbound", rule->text);
	} else if (name_is_metadata(name)) {
		say(ret->reason, "it is a name of a cloud's metadata service");
	} else {
		say(ret->reason, "no entry of allowOutbound matches that name");
		say(ret->fix, "add \"%s\" to network.allowOutbound", entry);
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
		say(ret->reason, "%s", net_reason_text(PF_ALLOW_DNS));
		return;
	}
	rule = rule_with_port(p, name, d);
	if (!rule) {
		ret->verdict = PINFOLD_DENY;
		say(ret->reason,
		    "the name may be resolved, but this port or protocol is not allowed");
		say(ret->fix, "add \"%s\" to network.allowOutbound", subject);
		return;
	}
	ret->verdict = PINFOLD_ALLOW;
	fill(ret, rule->text, rule->origin);
	say(ret->reason,
	    "once the name has been looked up in the session, its public addresses may "
	    "be reached there; so may any other name served at the same addresses");
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
		say(ret->reason, "the session's resolver answers with the loopback addresses");
		return 0;
	}
	if (!policy_may_resolve(&p->policy, name, &rule)) {
		refuse_name(name, rule, name, ret);
		return 0;
	}
	ret->verdict = PINFOLD_ALLOW;
	fill(ret, rule ? rule->text : NULL, rule ? rule->origin : NULL);
	say(ret->reason, "an entry of allowOutbound matches that name");
	return 0;
}

/* ---- paths ---------------------------------------------------------------------------------- */

/* Places that every session has for itself, and what it may do there. */
static const struct {
	const char *path;
	enum path_right right;
	bool is_tree;
	bool is_tmp; /* only with "tmp": "private" */
} PRIVATE[] = {
	{ "/tmp", PATH_RW, true, true },           { "/var/tmp", PATH_RW, true, true },
	{ "/dev/shm", PATH_RW, true, false },      { "/dev/null", PATH_RW, false, false },
	{ "/dev/zero", PATH_RW, false, false },    { "/dev/full", PATH_RW, false, false },
	{ "/dev/tty", PATH_RW, false, false },     { "/dev/random", PATH_RW, false, false },
	{ "/dev/urandom", PATH_RW, false, false }, { "/dev/pts", PATH_RW, true, false },
	{ "/proc/sys", PATH_RO, true, false },     { "/proc", PATH_RO, true, false },
};

static bool lies_in(const char *path, const char *tree)
{
	size_t n = strlen(tree);

	return strncmp(path, tree, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

/* PATH_DENY: no such place. */
static enum path_right right_in_private(const struct policy *p, const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(PRIVATE); i++) {
		if (PRIVATE[i].is_tmp && p->fs.tmp != TMP_PRIVATE)
			continue;
		if (PRIVATE[i].is_tree ? lies_in(path, PRIVATE[i].path)
				       : strcmp(path, PRIVATE[i].path) == 0)
			return PRIVATE[i].right;
	}
	return PATH_DENY;
}

static bool right_allows(enum path_right right, enum pinfold_question q)
{
	switch (right) {
	case PATH_RW:
		return true;
	case PATH_ROX:
		return q == PINFOLD_WHY_READ || q == PINFOLD_WHY_EXEC;
	case PATH_RO:
		return q == PINFOLD_WHY_READ;
	case PATH_DENY:
		break;
	}
	return false;
}

/* The path as the kernel would see it: symlinks resolved as far as it exists. */
static int real_path(const struct context *c, const char *subject, char ret[static PATH_MAX],
		     struct pinfold_error *e)
{
	char full[PATH_MAX];
	char rest[PATH_MAX] = "";
	int n = subject[0] == '/' ? snprintf(full, sizeof(full), "%s", subject)
				  : snprintf(full, sizeof(full), "%s/%s", c->cwd, subject);

	if (n < 0 || (size_t)n >= sizeof(full))
		return err_set(e, -EINVAL, "the path is too long");
	while (!realpath(full, ret)) {
		char joined[PATH_MAX];
		char *slash = strrchr(full, '/');

		if (!slash || (errno != ENOENT && errno != ENOTDIR && errno != EACCES))
			return err_set(e, -errno, "cannot resolve '%s': %s", subject,
				       strerror(errno));
		if (strcmp(slash, "/..") == 0 ||
		    snprintf(joined, sizeof(joined), "%s%s", slash, rest) >= (int)sizeof(joined))
			return err_set(e, -EINVAL, "cannot resolve '%s'", subject);
		memcpy(rest, joined, sizeof(rest));
		*slash = '\0';
		if (slash == full)
			memcpy(full, "/", 2);
	}
	if (strcmp(ret, "/") == 0)
		ret[0] = '\0';
	if (strlen(ret) + strlen(rest) >= PATH_MAX)
		return err_set(e, -EINVAL, "the path is too long");
	memcpy(ret + strlen(ret), rest, strlen(rest) + 1);
	if (!ret[0])
		memcpy(ret, "/", 2);
	return 0;
}

static void answer_path(const struct path_judgement *j, enum pinfold_question q, const char *path,
			struct pinfold_answer *ret)
{
	static const char *const LIST[] = {
		[PINFOLD_WHY_READ] = "ro",
		[PINFOLD_WHY_WRITE] = "rw",
		[PINFOLD_WHY_EXEC] = "rox",
	};

	fill(ret, j->rule ? j->rule->text : NULL, j->rule ? j->rule->origin : NULL);
	if (right_allows(j->right, q)) {
		ret->verdict = PINFOLD_ALLOW;
		say(ret->reason, "the longest matching entry grants it");
		return;
	}
	ret->verdict = PINFOLD_DENY;
	if (j->rule && j->right == PATH_DENY) {
		say(ret->reason, "a deny covers it, and denies always win");
		say(ret->fix, "remove the entry \"%.300s\" (%.100s)", j->rule->text,
		    j->rule->origin);
		return;
	}
	say(ret->reason, j->rule ? "the longest matching entry does not grant that"
				 : "nothing grants that path; inside, it does not exist");
	say(ret->fix, "add \"%.400s\" to filesystem.%s", path, LIST[q]);
}

/* A private place hides what the host has there: its files are not in it.  False: no such place. */
static bool answer_private(const struct policy *p, enum pinfold_question q, const char *path,
			   struct pinfold_answer *ret)
{
	enum path_right right = right_in_private(p, path);
	bool is_hosts =
	    right == PATH_RW && strncmp(path, "/dev/", 5) != 0 && access(path, F_OK) == 0;

	if (right == PATH_DENY)
		return false;
	if (is_hosts && q != PINFOLD_WHY_WRITE && strcmp(path, "/tmp") != 0 &&
	    strcmp(path, "/var/tmp") != 0) {
		say(ret->reason, "the session has a private place there, without the host's files");
		say(ret->fix, "add \"%.400s\" to filesystem.ro", path);
		return true;
	}
	if (!right_allows(right, q)) {
		say(ret->reason, "the session has one of its own there, which does not allow that");
		return true;
	}
	ret->verdict = PINFOLD_ALLOW;
	say(ret->reason, "the session has a private one of its own");
	return true;
}

static int why_path(const struct pinfold_policy *p, enum pinfold_question q, const char *subject,
		    struct pinfold_answer *ret, struct pinfold_error *e)
{
	struct path_set set = { 0 };
	struct path_judgement j;
	char path[PATH_MAX];
	int r = real_path(&p->context, subject, path, e);

	if (r < 0)
		return r;
	r = path_set_build(&p->policy, &p->context.policy, p->policy.identity.home, &set, e);
	if (r < 0)
		return r;
	j = path_set_judge(&set, path);
	if (j.rule || !answer_private(&p->policy, q, path, ret))
		answer_path(&j, q, path, ret);
	path_set_done(&set);
	return 0;
}

/* ---- unix sockets --------------------------------------------------------------------------- */

static int why_unix(const struct pinfold_policy *p, const char *subject, struct pinfold_answer *ret,
		    struct pinfold_error *e)
{
	char path[PATH_MAX];
	int r;

	if (subject[0] == '@') {
		ret->verdict = PINFOLD_DENY;
		say(ret->reason, "abstract sockets made outside the session are out of reach");
		return 0;
	}
	r = real_path(&p->context, subject, path, e);
	if (r < 0)
		return r;
	for (size_t i = 0; i < p->policy.n_unix_allow; i++) {
		const struct unix_rule *rule = &p->policy.unix_allow[i];

		if (strcmp(rule->path, path) == 0 || strcmp(rule->path, subject) == 0) {
			ret->verdict = PINFOLD_ALLOW;
			fill(ret, rule->text, rule->origin);
			say(ret->reason, "unixSockets.allow names it");
			return 0;
		}
	}
	r = why_path(p, PINFOLD_WHY_WRITE, path, ret, e);
	/* Only a tree that is granted shows the host's sockets; a private place shows none. */
	if (r < 0 || (ret->verdict == PINFOLD_ALLOW && ret->rule[0]))
		return r;
	ret->verdict = PINFOLD_DENY;
	say(ret->reason, "only sockets in the session's own writable trees are within reach");
	say(ret->fix, "add \"%.400s\" to unixSockets.allow", path);
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
