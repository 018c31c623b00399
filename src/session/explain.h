/* SPDX-License-Identifier: MIT */
/* Why a command did not start, or ended at once: looked at from the host, after the fact, and put
 * into words.  Decides nothing. */
#ifndef PINFOLD_SESSION_EXPLAIN_H
#define PINFOLD_SESSION_EXPLAIN_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "policy/paths.h"

struct pinfold_error;
struct session;

/* Who would be inside, and where: what a session knows. */
struct explain_pen {
	const struct path_set *paths;
	const char *path;       /* PATH inside */
	const char *their_path; /* the launcher's PATH, or NULL */
	const char *dir;        /* absolute: where the command starts */
	const char *cwd;        /* where the launcher is */
	uid_t uid;
	gid_t gid;
};

/* Puts into words why execve(2) of name gave error (negative), and yields error. */
int explain_exec(const struct explain_pen *pen, const char *name, int error,
		 struct pinfold_error *e);

/* A hint for a command that ended with exit status 127 at once, or that can't do its work in a
 * pen: a library or an interpreter out of reach, set-uid, sandboxes inside, a directory of another
 * owner.  False: none. */
struct explain_hint {
	char what[256];
	char advice[256];
};

bool explain_end(const struct explain_pen *pen, const char *name, int exit_status, bool may_nest,
		 struct explain_hint *ret);

/* The same for git, which ended with its exit status of fatal errors: its repository is out of
 * reach. */
bool explain_git(const struct session *s, const struct explain_pen *pen, int exit_status,
		 struct explain_hint *ret);

/* For a session whose command has ended, or (exec_error, negative) was not started: yields
 * exec_error with words, else 0; gives the session's hint, if there is one to give. */
int explain_result(struct session *s, int exec_error, struct pinfold_error *e);

/* ---- for the files of this module ----------------------------------------------------------- */

enum explain_obstacle {
	OBSTACLE_NONE = 0,
	OBSTACLE_MISSING,   /* not on the host either */
	OBSTACLE_UNGRANTED, /* no rule: inside, it does not exist */
	OBSTACLE_DENIED,    /* by a rule */
	OBSTACLE_READ_ONLY, /* granted, but not for execution */
	OBSTACLE_KIND,      /* a directory or something else that is no file */
	OBSTACLE_MODE,
	OBSTACLE_CLOSED_DIR, /* `dir` does not let the session's uid through */
	OBSTACLE_NOEXEC,     /* its file system is mounted so */
	OBSTACLE_MAX,
};

/* A file as the host has it, and what the pen thinks of it. */
struct explain_sight {
	enum explain_obstacle obstacle;
	bool leads_elsewhere; /* a symlink is on the way */
	char real[PATH_MAX];  /* without symlinks, as far as it exists */
	char dir[PATH_MAX];   /* OBSTACLE_CLOSED_DIR */
	unsigned mode;        /* permission bits of what is in the way */
	struct path_judgement judged;
};

/* path is absolute. */
void explain_look(const struct explain_pen *pen, const char *path, struct explain_sight *ret);

/* Where the pen finds name (its PATH, its directory).  When it finds none, the first of that name
 * that the host has there, and false. */
bool explain_find(const struct explain_pen *pen, const char *name, char ret[static PATH_MAX]);

/* A regular file, for reading; -1: none, or not one.  Nothing else is ever opened. */
int explain_open(const char *path);

#endif
