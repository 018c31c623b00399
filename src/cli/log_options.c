/* SPDX-License-Identifier: MIT */
#include "cli/log_options.h"

#include <errno.h>
#include <stdio.h>

#include "pinfold.h"

static int add(void *data, enum pinfold_log_field field, const char *option, const char *value)
{
	struct log_options *o = data;
	struct pinfold_error e = { 0 };
	int r = o->filter ? 0 : pinfold_log_filter_new(&o->filter, &e);

	if (r == 0)
		r = pinfold_log_filter_add(o->filter, field, value, &e);
	if (r < 0)
		complain("%s: %s", option, e.text);
	return r;
}

#define SETTER(name, field)                                                                        \
	int set_log_##name(void *data, const char *value)                                          \
	{                                                                                          \
		return add(data, field, "--" #name, value);                                        \
	}

SETTER(session, PINFOLD_LOG_SESSION)
SETTER(agent, PINFOLD_LOG_AGENT)
SETTER(lane, PINFOLD_LOG_LANE)
SETTER(event, PINFOLD_LOG_EVENT)
SETTER(verdict, PINFOLD_LOG_VERDICT)
SETTER(dst, PINFOLD_LOG_DST)
SETTER(name, PINFOLD_LOG_NAME)
SETTER(path, PINFOLD_LOG_PATH)
SETTER(since, PINFOLD_LOG_SINCE)
SETTER(until, PINFOLD_LOG_UNTIL)

int set_log_only(void *data, const char *value)
{
	struct log_options *o = data;

	(void)value;
	o->only = true;
	return 0;
}

int set_log_policy(void *data, const char *value)
{
	struct log_options *o = data;

	o->policy = value;
	return 0;
}

int log_options_query(const struct log_options *o, const char *file, struct pinfold_log_query *ret,
		      struct pinfold_policy **ret_policy)
{
	struct pinfold_error e = { 0 };
	struct pinfold_policy *policy = NULL;

	if (o->policy && pinfold_policy_load(o->policy, &policy, &e) < 0) {
		complain("%s", e.text);
		return EXIT_POLICY;
	}
	*ret_policy = policy;
	*ret = (struct pinfold_log_query){
		.path = file,
		.policy = policy,
		.filter = o->filter,
		.only = o->only,
		.follow = o->follow,
	};
	return 0;
}

static void tell(uint64_t n, const char *one, const char *many)
{
	if (n > 0)
		complain("%llu %s", (unsigned long long)n, n == 1 ? one : many);
}

void log_options_tell(const struct pinfold_log_counts *c)
{
	tell(c->broken, "line of the record is broken and was passed over",
	     "lines of the record are broken and were passed over");
	tell(c->forged, "line of the record was not written by pinfold and was passed over",
	     "lines of the record were not written by pinfold and were passed over");
	tell(c->damaged, "compressed file ends too early or is damaged",
	     "compressed files end too early or are damaged");
}
