/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "cli/opt.h"
#include "cli/verbs.h"
#include "pinfold.h"

const struct verb VERBS[] = {
	{ "run", "-- COMMAND [ARGUMENT]...", "Confine one command.", RUN_OPTIONS, verb_run },
	{ "why",
	  "connect HOST:PORT[/udp] | resolve NAME | read PATH | write PATH | exec PATH | unix PATH "
	  "| --last [SESSION]",
	  "Say what a policy decides, by which rule, and how to change it.", WHY_OPTIONS,
	  verb_why },
	{ "doctor", "", "Say what this kernel can enforce, found by trying.", DOCTOR_OPTIONS,
	  verb_doctor },
	{ "selftest", "", "Try every fence inside a real session.", SELFTEST_OPTIONS,
	  verb_selftest },
	{ "completion", "bash | zsh | fish", "Print a completion script for that shell.",
	  COMPLETION_OPTIONS, verb_completion },
	{ 0 },
};

static int print_usage(FILE *out, int status)
{
	fputs(
	    "usage: pinfold VERB [options] [-- COMMAND]\n\n"
	    "Starts what an AI agent runs inside a pen that the Linux kernel enforces.\n\nverbs:\n",
	    out);
	for (const struct verb *v = VERBS; v->name; v++)
		fprintf(out, "  %-10s %s\n", v->name, v->summary);
	fputs("\n'pinfold VERB --help' tells more; so does 'man pinfold'.\n", out);
	return status;
}

int main(int argc, char **argv)
{
	const struct verb *v;

	if (argc < 2)
		return print_usage(stderr, EXIT_USAGE);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return print_usage(stdout, 0);
	if (strcmp(argv[1], "--version") == 0) {
		printf("pinfold %s\n", pinfold_version());
		return 0;
	}
	v = find_verb(argv[1]);
	if (!v) {
		complain("no such verb '%s'; see 'pinfold --help'", argv[1]);
		return EXIT_USAGE;
	}
	return v->run(argc - 1, argv + 1);
}
