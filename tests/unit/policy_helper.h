/* SPDX-License-Identifier: MIT */
/* What the tests of policies share: one launcher, and parsing without ceremony. */
#ifndef PINFOLD_TESTS_POLICY_HELPER_H
#define PINFOLD_TESTS_POLICY_HELPER_H

#include <string.h>

#include "pinfold.h"
#include "policy/parse.h"
#include "policy/policy.h"

static const char *const HELPER_ENV[] = {
	"HOME=/wrong",
	"XDG_RUNTIME_DIR=/run/user/1000",
	"SSH_AUTH_SOCK=/tmp/ssh/agent.1",
	"TMPDIR=relative/tmp",
	"PWD=/wrong",
	NULL,
};

static const struct policy_context HELPER_CTX = {
	.home = "/home/u",
	.cwd = "/data/ws",
	.env = HELPER_ENV,
	.uid = 4242,
};

static inline int helper_parse(const char *text, struct policy *ret, struct pinfold_error *e)
{
	e->text[0] = '\0';
	return policy_parse(text, strlen(text), "/etc/p/t.json", &HELPER_CTX, ret, e);
}

#endif
