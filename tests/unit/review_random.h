/* SPDX-License-Identifier: MIT */
/* Random policies, and what one decides about a sample of everything: by the judges of the fences,
 * not by the code under test. */
#ifndef PINFOLD_TESTS_REVIEW_RANDOM_H
#define PINFOLD_TESTS_REVIEW_RANDOM_H

#include <stdint.h>
#include <stdio.h>

#include "base/addr.h"
#include "base/clean.h"
#include "net/judge.h"
#include "policy/names.h"
#include "policy/paths.h"
#include "policy_helper.h"

struct dice {
	uint64_t state;
};

static inline unsigned roll(struct dice *d, unsigned sides)
{
	d->state = d->state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned)(d->state >> 33) % sides;
}

static const char *const RANDOM_HOSTS[] = {
	"a.test",         "b.a.test",  "*.a.test",        "**.a.test",
	"*.b.a.test",     "*",         "x.com",           "*.com",
	"10.0.0.0/8",     "10.1.2.3",  "203.0.113.9",     "203.0.113.0/24",
	"203.0.113.0/25", "8.0.0.0/5", "[2001:db8::/32]", "[2001:db8::7]",
	"localhost",      "127.0.0.1",
};
static const char *const RANDOM_PORTS[] = { "", ":443", ":80-90", ":85", ":53", ":1-65535" };
static const char *const RANDOM_PROTOS[] = { "", "", "/udp", "/tcp" };
static const char *const RANDOM_PATHS[] = {
	"/srv/a",  "/srv/a/b",  "/srv/a/b/c",   "/usr/share/x", "/usr/share/x/.env", "/opt",
	"/home/u", "/home/u/w", "/home/u/.ssh", "/data/ws",     "/data/ws/in",       "/etc/x",
};
static const char *const RANDOM_PATTERNS[] = { "**/.env", "**/key*" };

static inline void random_entries(struct dice *d, FILE *out, bool verify)
{
	for (unsigned n = roll(d, 5); n > 0; n--) {
		const char *host = RANDOM_HOSTS[roll(d, ARRAY_SIZE(RANDOM_HOSTS))];
		const char *port = RANDOM_PORTS[roll(d, ARRAY_SIZE(RANDOM_PORTS))];
		const char *proto = RANDOM_PROTOS[roll(d, ARRAY_SIZE(RANDOM_PROTOS))];

		if (verify && strstr(host, ".test") && strcmp(proto, "/udp") != 0 &&
		    roll(d, 4) == 0)
			fprintf(out, "{host: '%s%s', verify: 'sni'},", host, port);
		else
			fprintf(out, "'%s%s%s', ", host, port, proto);
	}
}

/* A path has one right at most. */
static inline void random_files(struct dice *d, FILE *out)
{
	static const char *const LISTS[] = { "rw", "ro", "rox", "deny" };
	unsigned right[ARRAY_SIZE(RANDOM_PATHS)];

	for (size_t i = 0; i < ARRAY_SIZE(RANDOM_PATHS); i++)
		right[i] = roll(d, 7);
	for (unsigned l = 0; l < ARRAY_SIZE(LISTS); l++) {
		fprintf(out, "%s: [", LISTS[l]);
		for (size_t i = 0; i < ARRAY_SIZE(RANDOM_PATHS); i++)
			if (right[i] == l)
				fprintf(out, "'%s',", RANDOM_PATHS[i]);
		if (l == 3 && roll(d, 2))
			fprintf(out, "'%s',", RANDOM_PATTERNS[roll(d, 2)]);
		if (l == 3 && roll(d, 2))
			fprintf(out, "\n'%s', // again\n", RANDOM_PATTERNS[roll(d, 2)]);
		fprintf(out, "], ");
	}
	fprintf(out, "system: %s, sensitive: %s, tmp: '%s', protectGit: %s",
		roll(d, 4) ? "true" : "false", roll(d, 2) ? "true" : "false",
		roll(d, 2) ? "shared" : "private", roll(d, 2) ? "true" : "false");
}

/* free() it. */
static inline char *random_policy(uint64_t seed)
{
	struct dice d = { seed * 2 + 1 };
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	roll(&d, 2);
	fprintf(out, "{\n  workspace: '%s', /* why */\n  network: { allowOutbound: [",
		roll(&d, 2) ? "/data/ws" : "/home/u/w");
	random_entries(&d, out, true);
	fprintf(out, "], denyOutbound: [");
	random_entries(&d, out, false);
	fprintf(out, "], dangerouslyAllowMetadata: %s },\n  filesystem: { ",
		roll(&d, 2) ? "true" : "false");
	random_files(&d, out);
	fprintf(out, " },\n  limits: { pids: %s }, onUnavailable: '%s'\n}\n",
		roll(&d, 2) ? "'none'" : "64", roll(&d, 2) ? "degrade" : "refuse");
	fclose(out);
	return text;
}

#define SAMPLES_MAX 2048

/* What a policy decides, as numbers: greater is wider. */
struct sample {
	int n;
	int value[SAMPLES_MAX];
	char what[SAMPLES_MAX][64];
};

static inline int sample_level(struct net_judgement j)
{
	if (j.reason == PF_DENY_LOOPBACK)
		return 1; /* the session's own listeners */
	if (j.reason == PF_ALLOW_VERIFY)
		return 2;
	return j.reason >= PF_ALLOW ? 3 : 0;
}

static inline void sample_add(struct sample *s, int value, const char *what, unsigned port,
			      unsigned proto)
{
	s->value[s->n] = value;
	snprintf(s->what[s->n], sizeof(s->what[0]), "%.48s:%u/%u", what, port, proto);
	s->n++;
}

static inline void sample_network(const struct policy *p, struct sample *s)
{
	static const char *const NAMES[] = { "a.test", "b.a.test", "c.b.a.test", "q.a.test",
					     "x.com",  "y.com",    "z.org",      "metadata" };
	static const char *const ADDRS[] = { "10.1.2.3",      "10.9.9.9",        "203.0.113.9",
					     "203.0.113.200", "8.8.8.8",         "9.9.9.9",
					     "127.0.0.1",     "2001:db8::7",     "2001:db8::8",
					     "2600::1",       "169.254.169.254", "::1" };
	static const uint16_t PORTS[] = { 22, 53, 80, 85, 443, 8000 };
	static const unsigned PROTOS[] = { PROTO_TCP, PROTO_UDP };
	struct addr public;

	addr_parse("198.51.100.77", &public);
	for (size_t k = 0; k < 2 * ARRAY_SIZE(PORTS); k++) {
		uint16_t port = PORTS[k / 2];
		unsigned proto = PROTOS[k % 2];

		for (size_t i = 0; i < ARRAY_SIZE(NAMES); i++) {
			const struct net_rule *rule;
			int level = 0;

			if (policy_may_resolve(p, NAMES[i], &rule))
				level =
				    1 + sample_level(net_judge(p, &public, port, proto, NAMES[i]));
			sample_add(s, level, NAMES[i], port, proto);
		}
		for (size_t i = 0; i < ARRAY_SIZE(ADDRS); i++) {
			struct addr a;

			addr_parse(ADDRS[i], &a);
			sample_add(s, sample_level(net_judge(p, &a, port, proto, NULL)), ADDRS[i],
				   port, proto);
		}
	}
}

static inline void sample_files(const struct policy *p, struct sample *s)
{
	static const char *const BELOW[] = { "", "/q", "/.env", "/key1", "/b/c/d", "/.ssh/id" };
	struct path_set set;

	if (path_set_build(p, &HELPER_CTX, p->identity.home, &set, NULL) < 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(RANDOM_PATHS) * ARRAY_SIZE(BELOW); i++) {
		char path[128];

		snprintf(path, sizeof(path), "%s%s", RANDOM_PATHS[i / ARRAY_SIZE(BELOW)],
			 BELOW[i % ARRAY_SIZE(BELOW)]);
		sample_add(s, (int)path_set_judge(&set, path).right, path, 0, 0);
	}
	sample_add(s, (int)path_set_judge(&set, "/tmp/x").right, "/tmp/x", 0, 0);
	path_set_done(&set);
}

static inline void sample_take(const struct policy *p, struct sample *s)
{
	s->n = 0;
	sample_network(p, s);
	sample_files(p, s);
	sample_add(s, p->limits.pids == POLICY_NO_LIMIT ? 1000000 : (int)p->limits.pids, "pids", 0,
		   0);
	sample_add(s, p->degrade, "degrade", 0, 0);
	sample_add(s, !p->fs.sensitive, "sensitive", 0, 0);
	sample_add(s, !p->fs.protect_git, "protectGit", 0, 0);
	sample_add(s, p->net.allow_metadata, "metadata switch", 0, 0);
}

#endif
