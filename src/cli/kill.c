/* SPDX-License-Identifier: MIT */
#include "cli/live.h"
#include "cli/verbs.h"
#include "pinfold.h"

const struct option_row KILL_OPTIONS[] = {
	{ 0 },
};

int verb_kill(int argc, char **argv)
{
	struct pinfold_error e = { 0 };
	const char *session = NULL;
	int n = opt_parse_words(find_verb("kill"), argc, argv, NULL, &session, 1);
	int r;

	if (n < 0)
		return n == -2 ? 0 : EXIT_USAGE;
	if (n != 1) {
		complain("kill: one session is wanted; see 'pinfold ps'");
		return EXIT_USAGE;
	}
	r = pinfold_session_kill(session, &e);
	return r < 0 ? live_complain(r, &e) : 0;
}
