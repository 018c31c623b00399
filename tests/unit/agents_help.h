/* SPDX-License-Identifier: MIT */
/* What the tests of the gateway's half share: a directory for configurations that goes away. */
#ifndef PINFOLD_TESTS_AGENTS_HELP_H
#define PINFOLD_TESTS_AGENTS_HELP_H

#include <dirent.h>
#include <ftw.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agents/config.h"
#include "base/json5_tree.h"
#include "pinfold.h"

static char help_dir[64];

static inline int help_make_dir(void **state)
{
	(void)state;
	strcpy(help_dir, "/tmp/pinfold-agents-XXXXXX");
	return mkdtemp(help_dir) ? 0 : -1;
}

static inline int help_remove_one(const char *path, const struct stat *st, int type,
				  struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline int help_remove_dir(void **state)
{
	(void)state;
	return nftw(help_dir, help_remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* Writes a file below the directory and yields its path (one at a time). */
static inline const char *help_write(const char *name, const char *text)
{
	static char path[PATH_MAX];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", help_dir, name);
	f = fopen(path, "w");
	if (!f || fputs(text, f) < 0 || fclose(f) != 0)
		abort();
	return path;
}

static inline int help_load(const char *text, struct agents_config **ret, struct pinfold_error *e)
{
	e->text[0] = '\0';
	return agents_config_load(help_write("c.json", text), ret, e);
}

#endif
