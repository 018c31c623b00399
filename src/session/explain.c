/* SPDX-License-Identifier: MIT */
#include "session/explain.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clean.h"
#include "base/err.h"
#include "session/explain_file.h"

#define CHAIN_MAX 5 /* interpreters of interpreters, as the kernel */

/* The part that a file has in starting the command. */
enum role { ROLE_COMMAND = 0, ROLE_INTERPRETER, ROLE_LOADER, ROLE_MAX };

/* What stands in front of the file's name. */
static const char *const ROLES[] = {
	[ROLE_COMMAND] = "",
	[ROLE_INTERPRETER] = "its interpreter ",
	[ROLE_LOADER] = "its loader ",
};
_Static_assert(ARRAY_SIZE(ROLES) == ROLE_MAX, "words for every role");

/* What stands behind it, and the remedy (with the file's real path). */
static const struct {
	const char *what;
	const char *remedy;
} OBSTACLES[] = {
	[OBSTACLE_NONE] = { "", "" },
	[OBSTACLE_MISSING] = { "does not exist", "" },
	[OBSTACLE_UNGRANTED] = { "is not granted", "; add it to filesystem.rox (--rox)" },
	[OBSTACLE_DENIED] = { "is denied", "" },
	[OBSTACLE_READ_ONLY] = { "is granted for reading only",
				 "; add it to filesystem.rox (--rox)" },
	[OBSTACLE_KIND] = { "is not a regular file", "" },
	[OBSTACLE_MODE] = { "is not executable", "" },
	[OBSTACLE_CLOSED_DIR] = { "is out of reach", "" },
	[OBSTACLE_NOEXEC] = { "is on a file system that is mounted noexec", "" },
};
_Static_assert(ARRAY_SIZE(OBSTACLES) == OBSTACLE_MAX, "words for every obstacle");

/* The rest of the sentence where it depends on more than the kind of obstacle. */
static void say_more(const struct explain_pen *pen, const struct explain_sight *s, char *ret,
		     size_t size)
{
	const struct path_rule *rule = s->judged.rule;

	if (s->obstacle == OBSTACLE_DENIED && rule)
		snprintf(ret, size, " by '%.40s', %.40s", rule->text, rule->origin);
	else if (s->obstacle == OBSTACLE_READ_ONLY && rule)
		snprintf(ret, size, " ('%.40s', %.40s)", rule->text, rule->origin);
	else if (s->obstacle == OBSTACLE_MODE)
		snprintf(ret, size, " for uid %u (mode %04o); try chmod a+x", pen->uid, s->mode);
	else if (s->obstacle == OBSTACLE_CLOSED_DIR)
		snprintf(ret, size, ": '%.50s' (mode %04o) lets uid %u not in", s->dir, s->mode,
			 pen->uid);
	else
		ret[0] = '\0';
}

static void say_obstacle(const struct explain_pen *pen, const char *name, enum role role,
			 const char *path, const struct explain_sight *s, struct pinfold_error *e)
{
	const char *what = OBSTACLES[s->obstacle].what;
	const char *remedy = OBSTACLES[s->obstacle].remedy;
	char more[128];

	say_more(pen, s, more, sizeof(more));
	if (s->leads_elsewhere && s->obstacle != OBSTACLE_MISSING)
		err_write(e, "cannot execute '%.30s': %s'%.40s' leads to '%.60s', which %s%s%s",
			  name, ROLES[role], path, s->real, what, more, remedy);
	else if (role == ROLE_COMMAND && strcmp(name, path) == 0)
		err_write(e, "cannot execute '%.100s': it %s%s%s", name, what, more, remedy);
	else
		err_write(e, "cannot execute '%.40s': %s'%.80s' %s%s%s", name, ROLES[role], path,
			  what, more, remedy);
}

static void read_head(const char *path, struct explain_head *ret)
{
	auto_close int fd = explain_open(path);

	*ret = (struct explain_head){ 0 };
	if (fd >= 0)
		explain_read_head(fd, ret);
}

/* What a file asks for: true when there is a next one, its path in ret. */
static bool next_file(const struct explain_pen *pen, const struct explain_head *head,
		      char ret[static PATH_MAX])
{
	if (!head->interpreter[0])
		return false;
	snprintf(ret, PATH_MAX, "%s%s%s", head->interpreter[0] == '/' ? "" : pen->dir,
		 head->interpreter[0] == '/' ? "" : "/", head->interpreter);
	return true;
}

/* Follows the command to its interpreters and loader; true when what is in the way was said. */
static bool say_chain(const struct explain_pen *pen, const char *name, const char *first,
		      struct pinfold_error *e)
{
	enum role role = ROLE_COMMAND;
	char path[PATH_MAX];
	struct explain_sight sight;
	struct explain_head head;

	snprintf(path, sizeof(path), "%s", first);
	for (int i = 0; i < CHAIN_MAX; i++) {
		explain_look(pen, path, &sight);
		if (sight.obstacle != OBSTACLE_NONE) {
			say_obstacle(pen, name, role, path, &sight, e);
			return true;
		}
		read_head(sight.real, &head);
		if (head.kind == EXPLAIN_SCRIPT && head.ends_in_cr) {
			err_write(
			    e,
			    "cannot execute '%.60s': the first line of '%.60s' ends in CR LF; "
			    "convert it with dos2unix",
			    name, path);
			return true;
		}
		if (head.kind == EXPLAIN_FOREIGN) {
			err_write(e,
				  "cannot execute '%.60s': %s'%.80s' is made for another "
				  "kind of processor",
				  name, ROLES[role], path);
			return true;
		}
		role = head.kind == EXPLAIN_SCRIPT ? ROLE_INTERPRETER : ROLE_LOADER;
		if (!next_file(pen, &head, path))
			return false;
	}
	return false;
}

/* Errors that the files do not explain. */
static const char *word_of(int error)
{
	static const struct {
		int error;
		const char *word;
	} WORDS[] = {
		{ ENOEXEC, "it is neither a program nor a script that begins with #!" },
		{ E2BIG, "its arguments and environment are longer than the kernel takes" },
		{ ETXTBSY, "it is open for writing" },
		{ EAGAIN, "too many processes; is limits.pids too low?" },
		{ ENOMEM, "out of memory; is limits.memory too low?" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(WORDS); i++)
		if (WORDS[i].error == error)
			return WORDS[i].word;
	return strerror(error);
}

/* No such name inside.  near is what the host has under that name, or empty. */
static void say_not_found(const struct explain_pen *pen, const char *name, const char *near,
			  struct pinfold_error *e)
{
	struct explain_sight sight;

	if (!near[0]) {
		err_write(e, "cannot execute '%.60s': not found in the pen's PATH (%.120s)", name,
			  pen->path);
		return;
	}
	explain_look(pen, near, &sight);
	if (sight.obstacle != OBSTACLE_NONE)
		say_obstacle(pen, name, ROLE_COMMAND, near, &sight, e);
	else
		err_write(e,
			  "cannot execute '%.40s': '%.80s' is granted, but its directory is not in "
			  "identity.path; name it by its path",
			  name, near);
}

/* The launcher means a file of where it is; the command starts elsewhere. */
static bool say_other_dir(const struct explain_pen *pen, const char *name, struct pinfold_error *e)
{
	struct explain_pen there = *pen;
	struct explain_sight sight;
	char path[PATH_MAX];

	if (name[0] == '/' || strcmp(pen->dir, pen->cwd) == 0)
		return false;
	there.dir = pen->cwd;
	explain_find(&there, name, path);
	explain_look(pen, path, &sight);
	if (sight.obstacle == OBSTACLE_MISSING)
		return false;
	err_write(e,
		  "cannot execute '%.40s': the command starts in '%.60s', since the current "
		  "directory '%.60s' is not granted",
		  name, pen->dir, pen->cwd);
	return true;
}

int explain_exec(const struct explain_pen *pen, const char *name, int error,
		 struct pinfold_error *e)
{
	char path[PATH_MAX];
	bool found = explain_find(pen, name, path);

	if (!name[0]) {
		err_write(e, "cannot execute '': the name is empty");
		return error;
	}
	if (!found && !strchr(name, '/')) {
		say_not_found(pen, name, path, e);
		return error;
	}
	if (error == -ENOENT && !found && say_other_dir(pen, name, e))
		return error;
	if ((error == -ENOENT || error == -EACCES || error == -ENOEXEC || error == -EPERM) &&
	    say_chain(pen, name, path, e))
		return error;
	err_write(e, "cannot execute '%.80s': %s", name, word_of(-error));
	return error;
}
