/* SPDX-License-Identifier: MIT */
#include "agents/tool_names.h"

#include <errno.h>
#include <string.h>

#include "base/clean.h"

#define LIST(...) ((const char *const[]){ __VA_ARGS__, NULL })

struct named_list {
	const char *name;
	const char *const *classic; /* NULL: as in the other column */
	const char *const *large;
};

/* "openclaw" and "plugins" have rules instead of members. */
static const struct named_list GROUPS[] = {
	{ "runtime", LIST("exec", "process"),
	  LIST("exec", "process", "code_execution", "secrets") },
	{ "fs", LIST("read", "write", "edit", "apply_patch"),
	  LIST("ls", "read", "write", "edit", "apply_patch") },
	{ "sessions",
	  LIST("sessions_list", "sessions_history", "sessions_send", "sessions_spawn",
	       "session_status"),
	  LIST("sessions", "sessions_list", "sessions_history", "sessions_search",
	       "conversations_list", "conversations_send", "conversations_turn", "sessions_send",
	       "sessions_spawn", "github_identity_status", "github_publish", "agents_wait",
	       "sessions_yield", "subagents", "session_status", "suggest_task", "dismiss_task") },
	{ "memory", LIST("memory_search", "memory_get"), NULL },
	{ "web", NULL, LIST("web_search", "web_fetch", "x_search") },
	{ "ui", LIST("browser", "canvas"),
	  LIST("browser", "screen", "theme", "dashboard", "terminal", "portal", "canvas",
	       "show_widget") },
	{ "automation", LIST("cron", "gateway"),
	  LIST("heartbeat_respond", "automations", "gateway", "plugins", "openclaw") },
	{ "messaging", LIST("message"), NULL },
	{ "nodes", LIST("nodes"), LIST("nodes", "computer", "mobile_ui") },
	{ "agents", NULL,
	  LIST("agents_list", "get_goal", "create_goal", "update_goal", "progress_card", "ask_user",
	       "skill_workshop") },
	{ "media", NULL,
	  LIST("view_image", "image_generate", "music_generate", "video_generate", "tts", "pdf") },
};

/* Entries may be groups.  "coding" names no tool that shows or drives a screen of the user's. */
static const struct named_list PROFILES[] = {
	{ "minimal", LIST("session_status", "gateway"), NULL },
	{ "coding",
	  LIST("group:fs", "group:runtime", "group:sessions", "group:memory", "group:web", "cron",
	       "gateway", "ls", "view_image", "image", "bundle-mcp"),
	  LIST("group:fs", "group:runtime", "group:web", "group:memory", "group:sessions",
	       "group:agents", "group:media", "screen", "theme", "dashboard", "canvas",
	       "show_widget", "automations", "gateway", "plugins", "bundle-mcp") },
	{ "messaging",
	  LIST("group:messaging", "sessions_list", "sessions_history", "sessions_send",
	       "session_status"),
	  LIST("group:messaging", "sessions", "sessions_list", "sessions_history",
	       "sessions_search", "conversations_list", "conversations_send", "conversations_turn",
	       "sessions_send", "session_status") },
	{ "full", LIST("*"), NULL },
};

const char *const TOOL_BUILT_IN[] = {
	"exec",
	"process",
	"code_execution",
	"secrets",
	"ls",
	"read",
	"write",
	"edit",
	"apply_patch",
	"grep",
	"glob",
	"sessions",
	"sessions_list",
	"sessions_history",
	"sessions_search",
	"conversations_list",
	"conversations_send",
	"conversations_turn",
	"sessions_send",
	"sessions_spawn",
	"github_identity_status",
	"github_publish",
	"agents_wait",
	"sessions_yield",
	"subagents",
	"session_status",
	"suggest_task",
	"dismiss_task",
	"memory_search",
	"memory_get",
	"web",
	"web_search",
	"web_fetch",
	"x_search",
	"browser",
	"screen",
	"theme",
	"dashboard",
	"terminal",
	"portal",
	"canvas",
	"show_widget",
	"heartbeat_respond",
	"cron",
	"automations",
	"gateway",
	"plugins",
	"openclaw",
	"message",
	"nodes",
	"computer",
	"mobile_ui",
	"agents_list",
	"get_goal",
	"create_goal",
	"update_goal",
	"progress_card",
	"ask_user",
	"skill_workshop",
	"image",
	"view_image",
	"image_generate",
	"music_generate",
	"video_generate",
	"tts",
	"pdf",
	NULL,
};

/* Of the larger table's group:openclaw. */
static const char *const NOT_CORE[] = { "ls",   "read",    "write",  "edit", "apply_patch",
					"exec", "process", "canvas", NULL };

const char *const TOOL_SANDBOX_ALLOW[] = {
	"exec",
	"process",
	"read",
	"ls",
	"write",
	"edit",
	"apply_patch",
	"view_image",
	"sessions_list",
	"sessions_history",
	"sessions_search",
	"sessions_send",
	"sessions_spawn",
	"sessions_yield",
	"subagents",
	"session_status",
	NULL,
};

/* The second half are channels: each offers itself as a tool. */
const char *const TOOL_SANDBOX_DENY[] = {
	"browser",       "canvas",  "computer",       "mobile_ui", "nodes",
	"automations",   "cron",    "gateway",        "telegram",  "whatsapp",
	"discord",       "irc",     "googlechat",     "slack",     "signal",
	"imessage",      "line",    "bluebubbles",    "feishu",    "matrix",
	"mattermost",    "msteams", "nextcloud-talk", "nostr",     "qqbot",
	"synology-chat", "tlon",    "twitch",         "wechat",    "webchat",
	"sms",           "email",   "zalo",           "zalouser",  NULL,
};

const char *const TOOL_SUBAGENT_DENY[] = {
	"gateway",       "agents_list",     "openclaw", "session_status",
	"progress_card", "automations",     "cron",     "message",
	"sessions_send", "conversations_*", NULL,
};

static const struct {
	const char *from;
	const char *to[2]; /* by enum tool_groups; NULL: none */
} ALIASES[] = {
	{ "bash", { "exec", "exec" } },
	{ "apply-patch", { "apply_patch", "apply_patch" } },
	{ "cron", { NULL, "automations" } },
	{ "automations", { "cron", NULL } },
};

/* ---- text ----------------------------------------------------------------------------------- */

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

int tool_pattern_read(const char *text, char ret[static TOOL_NAME_BUF])
{
	static const char small[] = "abcdefghijklmnopqrstuvwxyz";
	size_t len;

	while (is_space(*text))
		text++;
	len = strlen(text);
	while (len > 0 && is_space(text[len - 1]))
		len--;
	if (len > TOOL_NAME_MAX)
		return -EINVAL;
	for (size_t i = 0; i < len; i++) {
		if ((unsigned char)text[i] < ' ' || text[i] == '\x7f')
			return -EINVAL;
		ret[i] = text[i];
		if (text[i] >= 'A' && text[i] <= 'Z')
			ret[i] = small[text[i] - 'A'];
	}
	ret[len] = '\0';
	return (int)len;
}

static const char *after_alias(const char *name, enum tool_groups groups)
{
	for (size_t i = 0; i < ARRAY_SIZE(ALIASES); i++)
		if (strcmp(ALIASES[i].from, name) == 0 && ALIASES[i].to[groups])
			return ALIASES[i].to[groups];
	return name;
}

int tool_name_read(const char *text, enum tool_groups groups, struct tool_name *ret)
{
	struct tool_name t;
	const char *name;
	int n = tool_pattern_read(text, t.asked);

	if (n <= 0 || strpbrk(t.asked, " *"))
		return -EINVAL;
	name = after_alias(t.asked, groups);
	memcpy(t.name, name, strlen(name) + 1);
	*ret = t;
	return 0;
}

/* Only the last star is ever tried again: an earlier one could not match better. */
static bool star_matches(const char *pattern, const char *text)
{
	const char *star = NULL;
	const char *again = NULL;

	while (*text) {
		if (*pattern == '*') {
			star = pattern++;
			again = text;
		} else if (*pattern == *text) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star + 1;
			text = ++again;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return *pattern == '\0';
}

static bool is_listed(const char *const *list, const char *name)
{
	for (; *list; list++)
		if (strcmp(*list, name) == 0)
			return true;
	return false;
}

/* ---- groups --------------------------------------------------------------------------------- */

static const struct named_list *find_list(const struct named_list *table, size_t n,
					  const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(table[i].name, name) == 0)
			return &table[i];
	return NULL;
}

static const char *const *pick(const struct named_list *l, enum tool_groups groups)
{
	if (groups == TOOL_GROUPS_2026_9)
		return l->large ? l->large : l->classic;
	return l->classic ? l->classic : l->large;
}

static bool in_group(const char *group, const struct tool_name *t, enum tool_groups groups)
{
	const struct named_list *l = find_list(GROUPS, ARRAY_SIZE(GROUPS), group);

	if (l)
		return is_listed(pick(l, groups), t->name);
	if (strcmp(group, "openclaw") == 0)
		return is_listed(TOOL_BUILT_IN, t->name) &&
		       !(groups == TOOL_GROUPS_2026_9 && is_listed(NOT_CORE, t->name));
	if (strcmp(group, "plugins") == 0)
		return !is_listed(TOOL_BUILT_IN, t->name);
	return false;
}

bool tool_pattern_is_unknown_group(const char *entry)
{
	const char *group = entry + strlen(TOOL_GROUP_PREFIX);

	if (strncmp(entry, TOOL_GROUP_PREFIX, strlen(TOOL_GROUP_PREFIX)) != 0)
		return false;
	return !find_list(GROUPS, ARRAY_SIZE(GROUPS), group) && strcmp(group, "openclaw") != 0 &&
	       strcmp(group, "plugins") != 0;
}

bool tool_pattern_matches(const char *entry, const struct tool_name *tool, enum tool_groups groups,
			  enum tool_compare how)
{
	if (strncmp(entry, TOOL_GROUP_PREFIX, strlen(TOOL_GROUP_PREFIX)) == 0)
		return in_group(entry + strlen(TOOL_GROUP_PREFIX), tool, groups);
	if (!strchr(entry, '*'))
		return strcmp(after_alias(entry, groups), tool->name) == 0;
	return star_matches(entry, tool->name) ||
	       (how == TOOL_COMPARE_DENY && star_matches(entry, tool->asked));
}

const char *const *tool_profile(const char *name, enum tool_groups groups)
{
	const struct named_list *l = find_list(PROFILES, ARRAY_SIZE(PROFILES), name);

	return l ? pick(l, groups) : NULL;
}

bool tool_targets_sessions(const struct tool_name *tool)
{
	return in_group("sessions", tool, TOOL_GROUPS_2026_9);
}
