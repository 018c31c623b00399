/* SPDX-License-Identifier: MIT */
/* Names of tools: spelling, groups, profiles, patterns.  Pure functions on text. */
#ifndef PINFOLD_AGENTS_TOOL_NAMES_H
#define PINFOLD_AGENTS_TOOL_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#define TOOL_NAME_MAX 128 /* bytes of a name or pattern */
#define TOOL_NAME_BUF (TOOL_NAME_MAX + 1)
#define TOOL_GROUP_PREFIX "group:"

/* Which table gives groups their members ("toolGroups"). */
enum tool_groups { TOOL_GROUPS_CLASSIC = 0, TOOL_GROUPS_2026_9 };

/* A tool as asked for: trimmed and lower-case, and the same after aliases. */
struct tool_name {
	char asked[TOOL_NAME_BUF];
	char name[TOOL_NAME_BUF];
};

/* -EINVAL: blank, too long, or with white space, control characters or stars inside. */
int tool_name_read(const char *text, enum tool_groups groups, struct tool_name *ret);

/* Trims and lower-cases an entry of a list.  0: blank, and ret is empty; else its length.  -EINVAL:
 * too long, or a control character. */
int tool_pattern_read(const char *text, char ret[static TOOL_NAME_BUF]);

/* How an entry is compared.  An allow is for the name after aliases only; a deny is also for the
 * name as asked, so that no spelling escapes it. */
enum tool_compare { TOOL_COMPARE_ALLOW, TOOL_COMPARE_DENY };

/* entry comes from tool_pattern_read(): a name, a pattern (a star is any run of bytes, also none)
 * or group:NAME. */
bool tool_pattern_matches(const char *entry, const struct tool_name *tool, enum tool_groups groups,
			  enum tool_compare how);

/* "group:NAME" with a NAME that neither table knows. */
bool tool_pattern_is_unknown_group(const char *entry);

/* NULL-terminated lists of names; a list with "*" holds every tool.  NULL: no such profile. */
const char *const *tool_profile(const char *name, enum tool_groups groups);

/* What a pen allows and denies, and what a subagent loses, when the configuration is silent. */
extern const char *const TOOL_SANDBOX_ALLOW[];
extern const char *const TOOL_SANDBOX_DENY[];
extern const char *const TOOL_SUBAGENT_DENY[];

/* Every built-in tool of both tables once, NULL-terminated, for listings. */
extern const char *const TOOL_BUILT_IN[];

/* Tools that name another session as their target. */
bool tool_targets_sessions(const struct tool_name *tool);

#endif
