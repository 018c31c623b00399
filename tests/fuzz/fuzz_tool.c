/* SPDX-License-Identifier: MIT */
/* Any `tools` object: it is refused with words, or every level of every judgement is sound, and the
 * verdict is no wider than any of them. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agents/tool.h"
#include "base/json5.h"
#include "pinfold.h"

static void judge(const struct tool_rules *global, const struct tool_rules *agent, unsigned bits)
{
	static const char *const tools[] = { "exec", "bash", "apply_patch",  "view_image",
					     "cron", "x",    "sessions_send" };
	static const char *const providers[] = { NULL, "p", "p/m", "P/m/n" };

	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
		struct tool_name name;
		struct tool_verdict v;
		struct tool_query q = {
			.global = global,
			.agent = agent,
			.groups = bits & 1 ? TOOL_GROUPS_2026_9 : TOOL_GROUPS_CLASSIC,
			.tool = &name,
			.provider = providers[bits >> 3 & 3],
			.sandboxed = bits & 2,
			.subagent = bits & 4,
		};
		bool all = true;

		assert(tool_name_read(tools[i], q.groups, &name) == 0);
		tool_judge(&q, &v);
		for (int k = 0; k < TOOL_LEVELS; k++) {
			bool blocks = v.step[k].outcome == TOOL_DENIED ||
				      v.step[k].outcome == TOOL_NOT_ALLOWED;

			assert(tool_outcome_word(v.step[k].outcome));
			assert(!blocks || (v.step[k].rule && v.step[k].origin));
			all = all && !blocks;
		}
		assert(v.allowed == all && (v.level == TOOL_LEVELS) == all);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pinfold_error e = { 0 };
	struct tool_rules rules = { 0 };
	struct tool_rules none = { 0 };
	struct json5 *v = NULL;

	if (size < 1 || json5_parse((const char *)data + 1, size - 1, "f", &v, &e) < 0)
		return 0;
	e.text[0] = '\0';
	if (tool_rules_parse(v, "f", &rules, &e) == 0) {
		judge(&rules, &none, data[0]);
		judge(&none, &rules, data[0]);
		judge(&rules, &rules, data[0]);
		tool_rules_done(&rules);
	} else {
		assert(e.text[0]);
	}
	json5_free(v);
	return 0;
}
