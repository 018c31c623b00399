/* SPDX-License-Identifier: MIT */
/* From what was used to the entries that allow it: plain data in, plain data out. */
#ifndef PINFOLD_REVIEW_LEARN_H
#define PINFOLD_REVIEW_LEARN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/policy.h"

#define LEARN_WHO_MAX 80
#define LEARN_SIBLINGS 3 /* so many stand for all */

/* What a path was used for that the policy would have refused. */
struct learn_use {
	char *path;
	unsigned missing; /* PINFOLD_USE_ bits */
	bool is_dir;
	bool is_shut; /* stayed refused */
	bool is_git;  /* protectGit holds it */
	uint64_t count;
	char who[LEARN_WHO_MAX]; /* programs, "" when nobody knows */
};

struct learn_uses {
	struct learn_use *use;
	size_t n;
};

/* What is at a path now. */
enum learn_kind { LEARN_ABSENT = 0, LEARN_FILE, LEARN_DIR, LEARN_LINK };

struct learn_world {
	const char *home;      /* the launcher's; NULL: none */
	const char *workspace; /* granted anyway, by `access` */
	enum path_right access;
	enum learn_kind (*kind)(void *data, const char *path);
	char *(*follow)(void *data, const char *path); /* where a symlink leads; NULL: nowhere */
	void *data;
};

struct learn_grant {
	char *path;
	enum path_right right; /* PATH_DENY: left out, for the reason in `left` */
	const char *left;      /* static */
	unsigned uses;         /* PINFOLD_USE_ bits */
	uint64_t count;
	size_t paths; /* so many were folded into it */
	bool is_way;  /* goes through a symlink, for the symlink's sake */
	size_t up;    /* while folding */
	char who[LEARN_WHO_MAX];
};

struct learn_grants {
	struct learn_grant *grant;
	size_t n;
};

/* The fewest entries that grant the uses, sorted by path; those left out come last.  -ENOMEM. */
int learn_fold(const struct learn_uses *uses, const struct learn_world *w,
	       struct learn_grants *ret);

void learn_grants_done(struct learn_grants *g);

/* Appends a program's name, unless it is there. */
void learn_add_who(char who[static LEARN_WHO_MAX], const char *program);

/* Part of it: has the symlinks among the uses lead to what is granted, by entries that go through
 * them. */
int learn_links(const struct learn_uses *uses, const struct learn_world *w, struct learn_grants *g);

/* Whether a use is that of a symlink alone. */
bool learn_is_link(const struct learn_use *u, const struct learn_world *w);

/* ---- destinations ---- */

struct learn_dst {
	char *name;    /* that led there; NULL */
	char *address; /* NULL: the name was only looked up */
	char *proto;
	uint16_t port;
	bool is_literal; /* the address needs an entry of its own, whatever led there */
	bool is_shut;
	uint64_t count;
	char who[LEARN_WHO_MAX];
};

struct learn_dsts {
	struct learn_dst *dst;
	size_t n;
};

struct learn_host {
	char *text;       /* an entry of allowOutbound */
	const char *left; /* static; not NULL: left out, for that reason */
	uint64_t count;
	size_t names;      /* so many stand behind a wildcard */
	bool is_looked_up; /* nothing was sent there */
	char who[LEARN_WHO_MAX];
};

struct learn_hosts {
	struct learn_host *host;
	size_t n;
};

/* Entries for them, sorted; those left out come last.  -ENOMEM. */
int learn_hosts(const struct learn_dsts *dsts, struct learn_hosts *ret);

void learn_hosts_done(struct learn_hosts *h);

#endif
