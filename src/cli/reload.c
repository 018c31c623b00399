/* SPDX-License-Identifier: MIT */
#include "cli/live.h"
#include "cli/verbs.h"
#include "pinfold.h"

const struct option_row RELOAD_OPTIONS[] = {
	{ 0 },
};

int verb_reload(int argc, char **argv)
{
	struct pinfold_error e = { 0 };
	const char *words[2] = { NULL };
	int n = opt_parse_words(find_verb("reload"), argc, argv, NULL, words, 2);
	int r;

	if (n < 0)
		return n == -2 ? 0 : EXIT_USAGE;
	if (n != 2) {
		complain("reload: a session and a policy file are wanted; see 'pinfold ps'");
		return EXIT_USAGE;
	}
	r = pinfold_session_reload(words[0], words[1], &e);
	return r < 0 ? live_complain(r, &e) : 0;
}
