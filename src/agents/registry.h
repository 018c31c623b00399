/* SPDX-License-Identifier: MIT */
/*
 * Which session spawned which.  One small file a session in a directory of the gateway's own: it
 * outlives every process, and a crash leaves either the old file or the new one.  What is not known
 * is no descendant: losing an entry only closes.
 */
#ifndef PINFOLD_AGENTS_REGISTRY_H
#define PINFOLD_AGENTS_REGISTRY_H

#include <limits.h>
#include <stdbool.h>

struct pinfold_error;

#define REGISTRY_DIR "/run/pinfold/agents"
#define REGISTRY_KEY_MAX 512
#define REGISTRY_DEPTH_MAX 256      /* generations */
#define REGISTRY_SESSIONS_MAX 32768 /* beyond, those that were seen longest ago are forgotten */

struct registry {
	int dir;
};

/* Where it is when nobody says: REGISTRY_DIR for root, else below XDG_RUNTIME_DIR.  -ENOENT: there
 * is no such variable. */
int registry_default_dir(char ret[static PATH_MAX]);

enum registry_open { REGISTRY_LOOK = 0, REGISTRY_MAKE };

/* dir NULL: the default.  With REGISTRY_MAKE it (and the directory above) is made, mode 700.
 * -ENOENT: it does not exist; -EPERM: it is not the caller's, or others may write it. */
int registry_open(const char *dir, enum registry_open how, struct registry *ret,
		  struct pinfold_error *e);
void registry_done(struct registry *r);

/* Whether a key may stand for a session: 1 to REGISTRY_KEY_MAX bytes, no control characters. */
bool registry_key_is_sound(const char *key);

/* Remembers that key runs, and who spawned it (NULL: nobody says).  Who spawned a session never
 * changes: -EEXIST when another is named later.  -ELOOP: it would be its own ancestor, or lie too
 * deep. */
int registry_note(const struct registry *r, const char *key, const char *parent,
		  struct pinfold_error *e);

/* Its descendants are nobody's then.  Not knowing it is no error. */
int registry_forget(const struct registry *r, const char *key, struct pinfold_error *e);

/* 1: key was spawned by ancestor, directly or not; 0: not, or not known. */
int registry_descends(const struct registry *r, const char *key, const char *ancestor,
		      struct pinfold_error *e);

#endif
