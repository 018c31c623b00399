/* SPDX-License-Identifier: MIT */
/*
 * A program that runs a child in a pen.  Build it with
 *
 *   gcc -Iinclude -o example docs/example.c build/libpinfold.a \
 *       $(pkg-config --libs libbpf libseccomp libcjson libidn2 libcap libmd libpsl)
 *
 * and try `sudo ./example curl -sS https://example.org/`.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "pinfold.h"

/* A denial's hint or a degraded promise, one sentence each. */
static void tell(void *data, const char *text)
{
	(void)data;
	fprintf(stderr, "example: %s\n", text);
}

int main(int argc, char **argv)
{
	const char *allow = getenv("PINFOLD_EXAMPLE_ALLOW");
	struct pinfold_error e = { 0 };
	struct pinfold_policy *policy = NULL;
	int status = 0;
	int r;

	if (argc < 2) {
		fprintf(stderr, "usage: example COMMAND [ARGUMENT...]\n");
		return 64;
	}
	/* The current directory read-write, the system read-only, the network shut; then one rule.
	 */
	r = pinfold_policy_default(NULL, &policy, &e);
	if (r == 0 && allow)
		r = pinfold_policy_add(policy, PINFOLD_RULE_ALLOW, allow, &e);
	if (r == 0) {
		struct pinfold_run run = { .policy = policy, .argv = argv + 1, .notice = tell };

		r = pinfold_run(&run, &status, &e);
	}
	pinfold_policy_free(policy);
	if (r < 0) {
		fprintf(stderr, "example: %s\n", e.text);
		return 125;
	}
	/* Only the child was confined. */
	fprintf(stderr, "example: still free\n");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
