/* SPDX-License-Identifier: MIT */
/* Any text: it is refused with a place and words, or it prints to a text that prints the same, and
 * its own rules judge without surprise. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "pinfold.h"
#include "policy/names.h"
#include "policy/parse.h"
#include "policy/paths.h"
#include "policy/policy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const ENV[] = { "XDG_RUNTIME_DIR=/run/user/1000", "SSH_AUTH_SOCK=/tmp/s/agent",
				   NULL };
static const struct policy_context CTX = { .home = "/home/u", .cwd = "/data/ws", .env = ENV };

static char *print(const char *text, size_t len)
{
	struct pinfold_error e = { "" };
	struct policy p = { 0 };
	char *out = NULL;

	if (policy_parse(text, len, "/etc/p/f", &CTX, &p, &e) < 0) {
		assert(!p.source && strncmp(e.text, "/etc/p/f:", 9) == 0);
		return NULL;
	}
	assert(policy_print(&p, &out) == 0);
	policy_done(&p);
	return out;
}

/* A policy is never wider than itself. */
static void check_narrow(const char *text, size_t len)
{
	struct pinfold_error e = { "" };
	struct policy site = { 0 };
	struct policy p = { 0 };
	const struct net_rule *rule;

	assert(policy_parse(text, len, "/etc/p/f", &CTX, &site, &e) == 0);
	assert(policy_parse(text, len, "/etc/p/f", &CTX, &p, &e) == 0);
	policy_narrow(&p, &site, &e);
	policy_may_resolve(&p, "a.test", &rule);
	policy_done(&p);
	policy_done(&site);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *once = print((const char *)data, size);
	char *twice = once ? print(once, strlen(once)) : NULL;

	if (once) {
		assert(twice && strcmp(once, twice) == 0);
		check_narrow(once, strlen(once));
	}
	free(once);
	free(twice);
	return 0;
}
