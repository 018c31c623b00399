/* SPDX-License-Identifier: MIT */
/* docker.binds: "SOURCE:TARGET[:OPTIONS]", judged before anything is granted. */
#ifndef PINFOLD_AGENTS_BIND_H
#define PINFOLD_AGENTS_BIND_H

#include <stdbool.h>
#include <stddef.h>

struct json5;
struct pinfold_error;

struct bind {
	char *source; /* absolute and clean, symlinks not resolved */
	char *target;
	bool read_only;
	const struct json5 *from; /* borrowed */
};

/* Directories that count when binds are judged.  All absolute; NULL: there is none. */
struct bind_world {
	const char *workspace;    /* the agent's */
	const char *private_dir;  /* the scope's own; NULL with access rw */
	const char *const *homes; /* NULL-terminated */
	bool allow_reserved;      /* dangerouslyAllowReservedContainerTargets */
	bool allow_external;      /* dangerouslyAllowExternalBindSources */
};

/* bind_done() ret.  -EINVAL with words: not a bind, or blocked. */
int bind_read(const struct json5 *v, const struct bind_world *w, struct bind *ret,
	      struct pinfold_error *e);

/* The rules alone, for a source as written.  Yields 0, or -EPERM with the reason in words. */
int bind_judge_source(const char *source, const struct bind_world *w, struct pinfold_error *why);

void bind_done(struct bind *b);

#endif
