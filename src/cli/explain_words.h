/* SPDX-License-Identifier: MIT */
/* `pinfold explain` for people. */
#ifndef PINFOLD_CLI_EXPLAIN_WORDS_H
#define PINFOLD_CLI_EXPLAIN_WORDS_H

struct cJSON;

/* The object of pinfold_agents_explain() in our own shape, with "fences" added. */
void explain_print(const struct cJSON *o);

#endif
