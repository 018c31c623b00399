/* SPDX-License-Identifier: MIT */
/* What log and report share: which lines of which record. */
#ifndef PINFOLD_CLI_LOG_OPTIONS_H
#define PINFOLD_CLI_LOG_OPTIONS_H

#include <stdbool.h>

#include "cli/opt.h"
#include "pinfold_review.h"

struct log_options {
	struct pinfold_log_filter *filter; /* made by the first option that needs it */
	const char *policy;
	bool json;
	bool only;
	bool follow;
};

/* The rows of the filters; the verb's data starts with a struct log_options. */
#define LOG_OPTION_ROWS                                                                            \
	{ "session", 0, "NAME",                                                                    \
	  "only of the session whose name begins so (repeatable, as all "                          \
	  "filters)",                                                                              \
	  set_log_session },                                                                       \
	    { "agent", 0, "NAME", "only of that agent; * stands for any text", set_log_agent },    \
	    { "lane", 0, "NAME", "only of that lane; * likewise", set_log_lane },                  \
	    { "event", 0, "EVENT", "only such lines: net_deny, *_deny", set_log_event },           \
	    { "verdict", 0, "WORD", "only deny, would_deny or allow", set_log_verdict },           \
	    { "dst", 0, "HOST[:PORT]", "only of that address, CIDR or name", set_log_dst },        \
	    { "name", 0, "NAME", "only of that domain name; * as above", set_log_name },           \
	    { "path", 0, "PATH", "only of what lies at or below PATH", set_log_path },             \
	    { "since", 0, "WHEN", "2h, 1d12h, now, a date, or RFC 3339", set_log_since },          \
	    { "until", 0, "WHEN", "the same", set_log_until },                                     \
	    { "only", 0, NULL, "read FILE alone, not the rotated ones", set_log_only },            \
	{                                                                                          \
		"policy", 'p', "FILE", "a policy, which also names the record", set_log_policy     \
	}

int set_log_session(void *data, const char *value);
int set_log_agent(void *data, const char *value);
int set_log_lane(void *data, const char *value);
int set_log_event(void *data, const char *value);
int set_log_verdict(void *data, const char *value);
int set_log_dst(void *data, const char *value);
int set_log_name(void *data, const char *value);
int set_log_path(void *data, const char *value);
int set_log_since(void *data, const char *value);
int set_log_until(void *data, const char *value);
int set_log_only(void *data, const char *value);
int set_log_policy(void *data, const char *value);

/* Loads the policy if one is named and fills the query, whose path is `file`.  The caller frees
 * *ret_policy (NULL: none) and o->filter.  Failure is printed; the result is then the exit status
 * to end with, else 0. */
int log_options_query(const struct log_options *o, const char *file, struct pinfold_log_query *ret,
		      struct pinfold_policy **ret_policy);

/* Tells on standard error what of the record could not be read. */
void log_options_tell(const struct pinfold_log_counts *c);

#endif
