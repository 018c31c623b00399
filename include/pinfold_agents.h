/* SPDX-License-Identifier: MIT */
/*
 * pinfold, the gateway's half: where a session of an agent gateway runs, with which tools, after
 * whose approval.  The conventions are those of pinfold.h.
 */
#ifndef PINFOLD_AGENTS_H
#define PINFOLD_AGENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pinfold.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- configuration and where a session runs ---------------------------------------------- */

/* A gateway's configuration file with what it includes, read and checked. */
struct pinfold_agents;

/* -EINVAL: the file is not valid; the text then names file, line, column and JSON path.  Other
 * errors: it could not be read.  Free with pinfold_agents_free().  Since 0.1. */
int pinfold_agents_load(const char *path, struct pinfold_agents **ret, struct pinfold_error *e);

/* Accepts NULL.  Since 0.1. */
void pinfold_agents_free(struct pinfold_agents *a);

/* The nth warning about the file (a variable without a value), from 0; NULL: there are no more.
 * Since 0.1. */
const char *pinfold_agents_warning(const struct pinfold_agents *a, size_t n);

/* What a gateway says about one call of a tool.  Zero-initialise; everything is borrowed for the
 * call and may be absent.  Since 0.1. */
struct pinfold_call {
	const char *agent;    /* its id; absent: the session's, or the only one */
	const char *session;  /* a key, or a short name; absent: the agent's main session */
	const char *origin;   /* "cli", "websocket" or "channel:NAME" */
	const char *sender;   /* who asks, as the channel's allow-lists write it */
	const char *lane;     /* by name; absent: the one that the sender resolves to */
	const char *provider; /* of the model: "provider" or "provider/model" */
	const char *parent;   /* the session that spawned this one */
	bool elevated;        /* on the host, if every gate is open */
};

/* Which members pinfold_agents_explain() writes.  Since 0.1. */
enum pinfold_explain {
	PINFOLD_EXPLAIN_OWN =
	    0, /* mode, scope, ..., isCurrentlySandboxed, elevatedGates, fixItKeys */
	PINFOLD_EXPLAIN_OPENCLAW, /* the gateway's own: sandbox{...}, elevated{...}, fixIt */
};

/* The effective sandbox of a call as one JSON object; free() it.  -EINVAL: the call contradicts
 * itself, or a place in the configuration does not fit; -ENOENT: there is no such agent or lane.
 * Since 0.1. */
int pinfold_agents_explain(const struct pinfold_agents *a, const struct pinfold_call *call,
			   enum pinfold_explain shape, char **ret, struct pinfold_error *e);

/* One command of a session.  Zero-initialise.  Since 0.1. */
struct pinfold_exec {
	const struct pinfold_agents *agents; /* borrowed */
	struct pinfold_call call;
	const char *tool;     /* NULL: "exec" */
	char *const *argv;    /* borrowed; NULL-terminated */
	const char *log_path; /* overrides audit.path; "-" is standard error */
	const char *log_to;   /* as in struct pinfold_run */
	/* Borrowed; as in struct pinfold_run. */
	const char *const *state_dirs;
	size_t n_state_dirs;
	/* A command that needs approval may be put to whoever sits at the terminal. */
	bool ask;
	/* As in struct pinfold_run: warnings, what ran elsewhere than promised, hints. */
	void (*notice)(void *data, const char *text);
	void *notice_data;
};

/* Decides as the configuration says and runs argv: in a pen, in a lesser one, or on the host.
 *
 * Returns 0 and stores the wait status of the command.  -EKEYREJECTED: refused, by a tool policy, a
 * closed gate, a rule for commands or the person who was asked; -EINVAL and -ENOENT: the
 * configuration or the call is at fault.  Anything else: it could not be confined; *ret_status is
 * 127 << 8 or 126 << 8 when argv[0] could not be executed.  Since 0.1. */
int pinfold_exec(const struct pinfold_exec *args, int *ret_status, struct pinfold_error *e);

/* ---- holes around the pen ---------------------------------------------------------------- */

/* Something that a gateway's configuration or files leave open.  Strings live for the call only.
 * Since 0.1. */
struct pinfold_hole {
	const char *check;  /* "env", "oauth", "state", "config", "exec-host", "code-mode" */
	const char *place;  /* a path, or "FILE:LINE (JSON path)" */
	const char *detail; /* what is wrong */
	const char *fix;    /* what closes it */
};

/* Looks at the gateway's state and at every workspace for secrets that others can read or that lie
 * where agents work, and at settings that send commands past the pen.  state_dirs come on top of
 * $OPENCLAW_STATE_DIR and ~/.openclaw.  Returns the number of holes.  -EINVAL: the configuration is
 * not valid.  Since 0.1. */
int pinfold_doctor_config(const char *config, const char *const *state_dirs, size_t n_state_dirs,
			  void (*report)(void *data, const struct pinfold_hole *h), void *data,
			  struct pinfold_error *e);

/* ---- tools ------------------------------------------------------------------------------- */

/* One call of a tool.  Zero-initialise; strings are borrowed for the call.  Since 0.1. */
struct pinfold_tool_query {
	struct pinfold_call call; /* parent: is remembered in the registry */
	const char *tool;
	const char *target;   /* the session that a session tool names; NULL: none */
	const char *registry; /* the directory of sessions and parents; NULL: the default one */
	bool subagent;        /* also by a key with ":subagent:" in it */
};

#define PINFOLD_TOOL_LEVELS 8

/* What one of the eight levels said, in their order.  Since 0.1. */
struct pinfold_tool_level {
	const char *level;   /* "profile", "providerProfile", "global", "provider", "agent",
				"agentProvider", "sandbox", "subagent"; static */
	const char *outcome; /* "denied", "not allowed", "passed", "absent", "skipped"; static */
	char rule[PINFOLD_WHY_TEXT_MAX];
	char origin[PINFOLD_WHY_TEXT_MAX];
};

struct pinfold_tool_answer {
	char tool[PINFOLD_WHY_TEXT_MAX]; /* after aliases */
	char agent[PINFOLD_WHY_TEXT_MAX];
	char session[PINFOLD_WHY_TEXT_MAX + 1];
	bool sandboxed;
	bool subagent;
	const char *level; /* the one that refused, or "visibility" for a target; NULL: none */
	struct pinfold_answer answer;
	struct pinfold_tool_level levels[PINFOLD_TOOL_LEVELS];
};

/* May this tool be called?  -EINVAL, -ENOENT: the call is at fault.  Since 0.1. */
int pinfold_tool_check(const struct pinfold_agents *a, const struct pinfold_tool_query *q,
		       struct pinfold_tool_answer *ret, struct pinfold_error *e);

/* A tool_policy line for a tool that was refused, in the record of the session's policy or, if
 * path is given, there; "-" is standard error.  Nothing is written where no record is kept.  An
 * error means that the line is missing.  Since 0.1. */
int pinfold_tool_log(const struct pinfold_agents *a, const struct pinfold_call *call,
		     const struct pinfold_tool_answer *refused, const char *path,
		     struct pinfold_error *e);

/* pinfold_tool_check() for every built-in tool, sorted as the groups are; q->tool is not looked at.
 * Since 0.1. */
int pinfold_tool_list(const struct pinfold_agents *a, const struct pinfold_tool_query *q,
		      void (*report)(void *data, const struct pinfold_tool_answer *a), void *data,
		      struct pinfold_error *e);

/* ---- the file tools' own check ----------------------------------------------------------- */

/* A workspace that file tools work in.  Nothing below needs a session or privilege.  As root,
 * everything happens with the file rights of the workspace's owner. */
struct pinfold_fs;

/* Works in the policy's workspace (or lane), under its rules for files: the sensitive set, denies,
 * read-only trees, protectGit.  The policy is borrowed until pinfold_fs_close().  Since 0.1. */
int pinfold_fs_open(const struct pinfold_policy *policy, struct pinfold_fs **ret,
		    struct pinfold_error *e);

/* The same where the file tools of a session work: in a pen the private directory (read-only, and
 * with the agent's workspace to read, where workspaceAccess is "ro") or the workspace or lane; on
 * the host the workspace, with the sensitive set refused all the same.  Since 0.1. */
int pinfold_fs_open_call(const struct pinfold_agents *a, const struct pinfold_call *call,
			 struct pinfold_fs **ret, struct pinfold_error *e);

/* Where lines of the record go for what is refused, instead of the policy's audit.path; "-" is
 * standard error.  A record that can't be written changes nothing.  -ENOMEM.  Since 0.1. */
int pinfold_fs_log(struct pinfold_fs *fs, const char *path, struct pinfold_error *e);

/* Accepts NULL.  Since 0.1. */
void pinfold_fs_close(struct pinfold_fs *fs);

/* Paths are relative to the workspace, or absolute and inside.  What all of these return:
 *  -EPERM    refused: by the policy, or because the path leads out of the workspace, or through a
 *            symlink where none may be
 *  -ENOENT   there is no such file or directory
 *  -EEXIST, -EISDIR, -ENOTDIR, -ENOTEMPTY, -EINVAL (not a regular file; no path), -EFBIG (more
 *            than max bytes), -EACCES (file modes), and whatever else the kernel says. */

/* Copies the file's bytes to a descriptor.  Since 0.1. */
int pinfold_fs_read(const struct pinfold_fs *fs, const char *path, uint64_t max, int out_fd,
		    struct pinfold_error *e);

#define PINFOLD_FS_EXCLUSIVE 1u /* write: -EEXIST when there is anything of that name */
#define PINFOLD_FS_PARENTS 2u   /* write, mkdir: make the directories above */
#define PINFOLD_FS_RECURSIVE 4u /* remove: directories, with all that is in them */
#define PINFOLD_FS_FORCE 8u     /* remove: nothing there is no error */

/* Puts everything that in_fd yields in place of the file, or makes it; as a whole or not at all.
 * Since 0.1. */
int pinfold_fs_write(const struct pinfold_fs *fs, const char *path, uint64_t max, int in_fd,
		     unsigned flags, struct pinfold_error *e);
int pinfold_fs_mkdir(const struct pinfold_fs *fs, const char *path, unsigned flags,
		     struct pinfold_error *e);
int pinfold_fs_remove(const struct pinfold_fs *fs, const char *path, unsigned flags,
		      struct pinfold_error *e);
/* As rename(2): what is at `to` is replaced.  Since 0.1. */
int pinfold_fs_move(const struct pinfold_fs *fs, const char *from, const char *to,
		    struct pinfold_error *e);

enum pinfold_fs_type { PINFOLD_FS_OTHER = 0, PINFOLD_FS_FILE, PINFOLD_FS_DIRECTORY };

struct pinfold_fs_info {
	enum pinfold_fs_type type;
	uint64_t size;    /* bytes */
	int64_t mtime_ms; /* since 1970 */
};

/* Of what a symlink leads to.  Since 0.1. */
int pinfold_fs_stat(const struct pinfold_fs *fs, const char *path, struct pinfold_fs_info *ret,
		    struct pinfold_error *e);

/* Calls entry for each name of a directory, sorted; a negative result ends it and is returned.
 * is_directory: also for a symlink to one inside the workspace.  Since 0.1. */
int pinfold_fs_list(const struct pinfold_fs *fs, const char *path,
		    int (*entry)(void *data, const char *name, bool is_directory), void *data,
		    struct pinfold_error *e);

/* ---- text for models --------------------------------------------------------------------- */

/* Where text came from.  Since 0.1. */
enum pinfold_source {
	PINFOLD_SOURCE_EXEC = 0,
	PINFOLD_SOURCE_WEB,
	PINFOLD_SOURCE_FILE,
	PINFOLD_SOURCE_MCP,
	PINFOLD_SOURCE_SKILL,
};

/* Copies in_fd to out_fd until its end, as
 * <tool-output source="exec" trust="untrusted" session="KEY">...</tool-output> and a newline;
 * nothing inside can close the tag.  session NULL: no such attribute.  Since 0.1. */
int pinfold_tag_copy(int in_fd, int out_fd, enum pinfold_source source, const char *session,
		     struct pinfold_error *e);

/* The same by a process of its own, for a command's output.  Write to `fd`.  Since 0.1. */
struct pinfold_tag {
	int fd;
	int pid;
};
int pinfold_tag_open(int out_fd, enum pinfold_source source, const char *session,
		     struct pinfold_tag *ret, struct pinfold_error *e);
/* Closes fd and waits until all is written, which needs every copy of fd closed.  -EIO: it could
 * not be written whole.  Since 0.1. */
int pinfold_tag_close(struct pinfold_tag *t, struct pinfold_error *e);

/* ---- commands and approvals -------------------------------------------------------------- */

/* What exec-approvals say about a line for a shell, as pinfold_exec() judges it: by the same code,
 * where this call would run.  PINFOLD_ALLOW, PINFOLD_DENY or PINFOLD_ASK.  -EINVAL and -ENOENT: the
 * configuration or the call is at fault.  Since 0.1. */
int pinfold_why_command(const struct pinfold_agents *a, const struct pinfold_call *call,
			const char *line, struct pinfold_answer *ret, struct pinfold_error *e);

/* The commands that wait for a person, the oldest first, as a JSON array of objects with id, agent,
 * session, location, cwd, command, rule, origin, reason, pid, requestedAt, timeoutMs, ageMs and
 * leftMs; free() it.  Needs root.  Since 0.1. */
int pinfold_approvals(char **ret, struct pinfold_error *e);

/* One of them, as one JSON object; free() it.  -ENOENT: nothing of that id waits.  Since 0.1. */
int pinfold_approval_show(const char *id, char **ret, struct pinfold_error *e);

enum pinfold_approval {
	PINFOLD_APPROVAL_DENY = 0,
	PINFOLD_APPROVAL_ALLOW,
	PINFOLD_APPROVAL_ALWAYS, /* and from now on, for exactly this command, directory, agent */
};

/* Decides about one of them, once.  -ENOENT: nothing of that id waits; -EALREADY: somebody was
 * quicker.  Since 0.1. */
int pinfold_approval_decide(const char *id, enum pinfold_approval decision,
			    struct pinfold_error *e);

#ifdef __cplusplus
}
#endif

#endif
