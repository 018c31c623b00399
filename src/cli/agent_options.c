/* SPDX-License-Identifier: MIT */
#include "cli/agent_options.h"

#define SETTER(name, member)                                                                       \
	int name(void *data, const char *value)                                                    \
	{                                                                                          \
		struct agent_options *o = data;                                                    \
                                                                                                   \
		o->member = value;                                                                 \
		return 0;                                                                          \
	}

SETTER(set_config, config)
SETTER(set_call_agent, call.agent)
SETTER(set_session, call.session)
SETTER(set_origin, call.origin)
SETTER(set_sender, call.sender)
SETTER(set_lane, call.lane)
SETTER(set_parent, call.parent)
SETTER(set_provider, call.provider)

int set_elevated(void *data, const char *value)
{
	struct agent_options *o = data;

	(void)value;
	o->call.elevated = true;
	return 0;
}

int agent_options_load(const struct agent_options *o, bool warn, struct pinfold_agents **ret)
{
	struct pinfold_error e = { 0 };
	const char *text;

	if (!o->config) {
		complain("--config is missing: name the gateway's configuration");
		return EXIT_USAGE;
	}
	if (pinfold_agents_load(o->config, ret, &e) < 0) {
		complain("%s", e.text);
		return EXIT_POLICY;
	}
	for (size_t i = 0; warn && (text = pinfold_agents_warning(*ret, i)); i++)
		complain("warning: %s", text);
	return 0;
}
