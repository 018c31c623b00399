/* SPDX-License-Identifier: MIT */
/* Hints for a command that did start and ended in failure. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "base/clean.h"
#include "session/explain.h"
#include "session/explain_file.h"

#define EXIT_NOT_FOUND 127
#define LIBRARIES_MAX 128 /* looked at, over all */

#if defined(__x86_64__)
#define MULTIARCH "x86_64-linux-gnu"
#elif defined(__aarch64__)
#define MULTIARCH "aarch64-linux-gnu"
#else
#define MULTIARCH "."
#endif

__attribute__((format(printf, 3, 4))) static void say(char *ret, size_t size, const char *format,
						      ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(ret, size, format, ap);
	va_end(ap);
}

/* ---- libraries ------------------------------------------------------------------------------ */

/* Files to look at: the command, then the libraries that were found.  Each name once. */
struct libraries {
	size_t n;
	char *path[LIBRARIES_MAX];
	char *name[LIBRARIES_MAX];
	struct explain_needs needs; /* of the file in work */
};

static void libraries_done(struct libraries *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->path[i]);
		free(l->name[i]);
	}
}

static bool is_known(const struct libraries *l, const char *name)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->name[i], name) == 0)
			return true;
	return false;
}

static void add_library(struct libraries *l, const char *path, const char *name)
{
	auto_free char *p = strdup(path);
	auto_free char *n = strdup(name);

	if (l->n == LIBRARIES_MAX || !p || !n)
		return;
	l->path[l->n] = take_ptr(p);
	l->name[l->n] = take_ptr(n);
	l->n++;
}

/* One entry of a run path (len bytes), with $ORIGIN put in; false: it does not fit. */
static bool expand_origin(const char *entry, size_t len, const char *file, const char *name,
			  char ret[static PATH_MAX])
{
	static const char *const ORIGINS[] = { "$ORIGIN", "${ORIGIN}" };
	int dir = (int)(strrchr(file, '/') - file);
	int n = -1;

	for (size_t i = 0; i < ARRAY_SIZE(ORIGINS) && n < 0; i++) {
		size_t skip = strlen(ORIGINS[i]);

		if (len >= skip && strncmp(entry, ORIGINS[i], skip) == 0)
			n = snprintf(ret, PATH_MAX, "%.*s%.*s/%s", dir, file, (int)(len - skip),
				     entry + skip, name);
	}
	if (n < 0)
		n = snprintf(ret, PATH_MAX, "%.*s/%s", (int)len, entry, name);
	return n > 0 && n < PATH_MAX && ret[0] == '/';
}

/* Tries one place.  True: the pen finds it there.  blocked is the first that it can't use. */
static bool try_place(const struct explain_pen *pen, const char *path, char *blocked)
{
	struct explain_sight sight;

	explain_look(pen, path, &sight);
	if (sight.obstacle == OBSTACLE_NONE || sight.obstacle == OBSTACLE_MODE)
		return true; /* a library needs no x bit */
	if (sight.obstacle != OBSTACLE_MISSING && !blocked[0])
		memcpy(blocked, sight.real, sizeof(sight.real));
	return false;
}

/* Where the loader would look; true when the pen finds the library, at ret.  When not, and the host
 * has one, ret is that. */
static bool find_library(const struct explain_pen *pen, const struct libraries *l, const char *file,
			 const char *name, char ret[static PATH_MAX])
{
	static const char *const USUAL[] = {
		"/lib/" MULTIARCH,
		"/usr/lib/" MULTIARCH,
		"/lib64",
		"/usr/lib64",
		"/lib",
		"/usr/lib",
		"/usr/local/lib",
		"/usr/local/lib/" MULTIARCH,
	};
	char blocked[PATH_MAX] = "";

	for (const char *at = l->needs.run_path; *at;) {
		const char *end = strchrnul(at, ':');

		if (expand_origin(at, (size_t)(end - at), file, name, ret) &&
		    try_place(pen, ret, blocked))
			return true;
		at = *end ? end + 1 : end;
	}
	for (size_t i = 0; i < ARRAY_SIZE(USUAL); i++) {
		snprintf(ret, PATH_MAX, "%s/%s", USUAL[i], name);
		if (try_place(pen, ret, blocked))
			return true;
	}
	memcpy(ret, blocked, sizeof(blocked));
	return false;
}

/* The first library that file or what it needs would not get, though the host has it. */
static bool find_blocked(const struct explain_pen *pen, struct libraries *l,
			 char ret[static PATH_MAX])
{
	for (size_t i = 0; i < l->n; i++) {
		auto_close int fd = explain_open(l->path[i]);

		if (fd < 0)
			continue;
		explain_read_needs(fd, &l->needs);
		for (size_t k = 0; k < l->needs.n; k++) {
			const char *name = l->needs.library[k];

			if (strchr(name, '/') || is_known(l, name))
				continue;
			if (find_library(pen, l, l->path[i], name, ret))
				add_library(l, ret, name);
			else if (ret[0])
				return true;
		}
	}
	return false;
}

static bool hint_library(const struct explain_pen *pen, const char *name, const char *file,
			 struct explain_hint *ret)
{
	auto_free struct libraries *l = calloc(1, sizeof(*l));
	char blocked[PATH_MAX] = "";
	bool found;

	if (!l)
		return false;
	add_library(l, file, file);
	found = find_blocked(pen, l, blocked);
	libraries_done(l);
	if (!found)
		return false;
	say(ret->what, sizeof(ret->what), "'%.60s': its library '%.120s' is out of reach", name,
	    blocked);
	say(ret->advice, sizeof(ret->advice), "add \"%.150s\" to filesystem.rox", blocked);
	return true;
}

/* ---- #!/usr/bin/env NAME -------------------------------------------------------------------- */

/* The first word of env's arguments that is no option and no assignment. */
static bool name_for_env(const struct explain_head *head, char ret[static EXPLAIN_TEXT_MAX])
{
	const char *base = strrchr(head->interpreter, '/');
	const char *at = head->argument;

	if (head->kind != EXPLAIN_SCRIPT || !base || strcmp(base, "/env") != 0)
		return false;
	while (*at) {
		size_t len;

		at += strspn(at, " \t");
		len = strcspn(at, " \t");
		memcpy(ret, at, len);
		ret[len] = '\0';
		if (ret[0] != '-' && !strchr(ret, '='))
			return ret[0] != '\0';
		at += len;
	}
	return false;
}

static bool hint_env(const struct explain_pen *pen, const char *name, const char *wanted,
		     struct explain_hint *ret)
{
	char path[PATH_MAX];

	if (strchr(wanted, '/') || explain_find(pen, wanted, path))
		return false;
	say(ret->what, sizeof(ret->what),
	    "'%.60s' wants '%.60s', which the pen's PATH does not have", name, wanted);
	if (path[0])
		say(ret->advice, sizeof(ret->advice),
		    "add \"%.120s\" to filesystem.rox and its directory to identity.path", path);
	else
		say(ret->advice, sizeof(ret->advice), "install it, or set identity.path");
	return true;
}

static bool hint_not_found(const struct explain_pen *pen, const char *name, const char *file,
			   struct explain_hint *ret)
{
	auto_close int fd = explain_open(file);
	char wanted[EXPLAIN_TEXT_MAX];
	struct explain_head head;

	if (fd < 0)
		return false;
	explain_read_head(fd, &head);
	if (name_for_env(&head, wanted))
		return hint_env(pen, name, wanted, ret);
	return head.kind == EXPLAIN_PROGRAM && hint_library(pen, name, file, ret);
}

/* ---- what can't do its work in a pen -------------------------------------------------------- */

static bool hint_raised(const char *name, const char *file, struct explain_hint *ret)
{
	struct stat st;
	bool raised = stat(file, &st) == 0 && (st.st_mode & (S_ISUID | S_ISGID));
	bool able = getxattr(file, "security.capability", NULL, 0) > 0;

	if (!raised && !able)
		return false;
	say(ret->what, sizeof(ret->what),
	    "'%.60s' is %s, which gives it nothing in a pen (no_new_privs)", name,
	    raised ? "set-uid or set-gid" : "a file with capabilities");
	ret->advice[0] = '\0';
	return true;
}

static bool hint_nested(const char *name, const char *file, struct explain_hint *ret)
{
	static const char *const SANDBOXES[] = {
		"bwrap",     "unshare", "firejail",    "nsjail", "systemd-nspawn",
		"minijail0", "flatpak", "rootlesskit", "podman", "buildah",
		"newuidmap", "runc",    "crun",
	};
	const char *base = strrchr(file, '/');

	base = base ? base + 1 : file;
	for (size_t i = 0; i < ARRAY_SIZE(SANDBOXES); i++) {
		if (strcmp(SANDBOXES[i], base) != 0)
			continue;
		say(ret->what, sizeof(ret->what), "'%.60s' makes namespaces, which a pen refuses",
		    name);
		say(ret->advice, sizeof(ret->advice), "to allow them set seccomp.allowNested");
		return true;
	}
	return false;
}

static bool hint_docker(const char *name, const char *file, struct explain_hint *ret)
{
	const char *base = strrchr(file, '/');

	if (!base || strcmp(base, "/docker") != 0)
		return false;
	say(ret->what, sizeof(ret->what),
	    "'%.60s' talks to a daemon outside, over a socket that the pen does not have", name);
	say(ret->advice, sizeof(ret->advice),
	    "unixSockets.allow would open it, and with it everything on this host");
	return true;
}

/* The policy lets it write where it starts, and the owner and mode of that directory don't. */
static bool hint_start_dir(const struct explain_pen *pen, struct explain_hint *ret)
{
	struct stat st;
	unsigned may;

	if (path_set_judge(pen->paths, pen->dir).right != PATH_RW || stat(pen->dir, &st) < 0)
		return false;
	may = st.st_uid == pen->uid ? S_IWUSR : st.st_gid == pen->gid ? S_IWGRP : S_IWOTH;
	if (st.st_mode & may)
		return false;
	say(ret->what, sizeof(ret->what),
	    "'%.100s' belongs to uid %u, and uid %u, as which the command ran, can't write there",
	    pen->dir, (unsigned)st.st_uid, (unsigned)pen->uid);
	say(ret->advice, sizeof(ret->advice),
	    "if it has to write: 'chown %u %.100s', or set identity.handover", (unsigned)pen->uid,
	    pen->dir);
	return true;
}

bool explain_end(const struct explain_pen *pen, const char *name, int exit_status, bool may_nest,
		 struct explain_hint *ret)
{
	char file[PATH_MAX];

	if (exit_status == 0 || !explain_find(pen, name, file))
		return false;
	if (exit_status == EXIT_NOT_FOUND)
		return hint_not_found(pen, name, file, ret);
	if (!may_nest && hint_nested(name, file, ret))
		return true;
	return hint_docker(name, file, ret) || hint_raised(name, file, ret) ||
	       hint_start_dir(pen, ret);
}
