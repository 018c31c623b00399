/* SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/near.h"
#include "cli/opt.h"
#include "cli/verbs.h"
#include "pinfold.h"

const struct verb VERBS[] = {
	{ "run", "-- COMMAND [ARGUMENT]...", "Confine one command.", RUN_OPTIONS, verb_run },
	{ "exec", "-- COMMAND [ARGUMENT]...",
	  "Run a command of a gateway's session, as its configuration decides.", EXEC_OPTIONS,
	  verb_exec },
	{ "approve", "list | show ID | allow ID | deny ID",
	  "Decide about the commands that wait for a person.", APPROVE_OPTIONS, verb_approve },
	{ "explain", "", "Say where a gateway's session runs, with which tools, and why.",
	  EXPLAIN_OPTIONS, verb_explain },
	{ "why",
	  "connect HOST:PORT[/udp] | resolve NAME | read PATH | write PATH | exec PATH | unix PATH "
	  "| tool NAME | cmd 'SHELL LINE' | --last [SESSION]",
	  "Say what a policy decides, by which rule, and how to change it.", WHY_OPTIONS,
	  verb_why },
	{ "doctor", "", "Say what this kernel can enforce, found by trying.", DOCTOR_OPTIONS,
	  verb_doctor },
	{ "selftest", "", "Try every fence inside a real session.", SELFTEST_OPTIONS,
	  verb_selftest },
	{ "completion", "bash | zsh | fish", "Print a completion script for that shell.",
	  COMPLETION_OPTIONS, verb_completion },
	{ "ps", "", "List the sessions that run.", PS_OPTIONS, verb_ps },
	{ "show", "SESSION", "Say what holds for a session now, and what it did.", SHOW_OPTIONS,
	  verb_show },
	{ "top", "", "Watch the sessions and what is refused in them.", TOP_OPTIONS, verb_top },
	{ "reload", "SESSION POLICY", "Put a policy's network part in place of a session's.",
	  RELOAD_OPTIONS, verb_reload },
	{ "kill", "SESSION", "End a session: SIGTERM, and SIGKILL within five seconds.",
	  KILL_OPTIONS, verb_kill },
	{ "log", "[FILE] | stats [FILE] | replay POLICY [FILE]",
	  "Search the record; count; say what another policy would have decided.", LOG_OPTIONS,
	  verb_log },
	{ "fs", "read | write | create | mkdir | rm | mv | stat | ls PATH [TO]",
	  "Work on files below a workspace, as the policy allows.", FS_OPTIONS, verb_fs },
	{ "tag", "", "Wrap text from outside, so that a model can tell it from orders.",
	  TAG_OPTIONS, verb_tag },
	{ "tool", "check TOOL | explain [TOOL]",
	  "Say whether an agent may use a tool, and which level decides.", TOOL_OPTIONS,
	  verb_tool },
	{ "attach", "", "Fence the network of a cgroup that others made.", ATTACH_OPTIONS,
	  verb_attach },
	{ "detach", "", "Take such a fence off.", DETACH_OPTIONS, verb_detach },
	{ "learn", "-- COMMAND [ARGUMENT]...",
	  "Run a command unpenned but watched, and write the policy that it needs.", LEARN_OPTIONS,
	  verb_learn },
	{ "lint", "POLICY", "Say what is wrong with a policy, why, and how to mend it.",
	  LINT_OPTIONS, verb_lint },
	{ "diff", "OLD NEW", "Say what a change of policy opens and closes.", DIFF_OPTIONS,
	  verb_diff },
	{ "report", "", "Make one page of a record: what happened, and what to tighten.",
	  REPORT_OPTIONS, verb_report },
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

static int unknown_verb(const char *word)
{
	if (word[0] == '-') {
		complain("no such option '%s'; a verb comes first, its options behind it; see "
			 "'pinfold --help'",
			 word);
		return EXIT_USAGE;
	}
	for (const struct verb *v = VERBS; v->name; v++)
		if (near_is(word, v->name)) {
			complain("no such verb '%s'; did you mean '%s'?", word, v->name);
			return EXIT_USAGE;
		}
	complain("no such verb '%s'; see 'pinfold --help'; to run a command: pinfold run -- %s",
		 word, word);
	return EXIT_USAGE;
}

static bool is_word(const char *word, const char *option)
{
	return strcmp(word, option) == 0 || strcmp(word, option + 2) == 0;
}

int main(int argc, char **argv)
{
	const struct verb *v;

	if (argc < 2)
		return print_usage(stderr, EXIT_USAGE);
	if (is_word(argv[1], "--help") || strcmp(argv[1], "-h") == 0)
		return print_usage(stdout, 0);
	if (is_word(argv[1], "--version")) {
		printf("pinfold %s\n", pinfold_version());
		return 0;
	}
	v = find_verb(argv[1]);
	if (!v)
		return unknown_verb(argv[1]);
	return v->run(argc - 1, argv + 1);
}
