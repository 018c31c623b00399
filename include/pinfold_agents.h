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

/* ---- the file tools' own check ----------------------------------------------------------- */

/* A workspace that file tools work in.  Nothing below needs a session or privilege.  As root,
 * everything happens with the file rights of the workspace's owner. */
struct pinfold_fs;

/* Works in the policy's workspace (or lane), under its rules for files: the sensitive set, denies,
 * read-only trees, protectGit.  The policy is borrowed until pinfold_fs_close().  Since 0.1. */
int pinfold_fs_open(const struct pinfold_policy *policy, struct pinfold_fs **ret,
		    struct pinfold_error *e);

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

#ifdef __cplusplus
}
#endif

#endif
