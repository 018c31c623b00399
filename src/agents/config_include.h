/* SPDX-License-Identifier: MIT */
/* From files to one tree; parts of config.c. */
#ifndef PINFOLD_AGENTS_CONFIG_INCLUDE_H
#define PINFOLD_AGENTS_CONFIG_INCLUDE_H

struct agents_config;
struct pinfold_error;

/* Reads c->path into c->root and puts in what "$include" names: files below c->dir, or below one
 * of the directories of OPENCLAW_INCLUDE_ROOTS, symlinks resolved. */
int config_read_files(struct agents_config *c, struct pinfold_error *e);

/* Puts the environment's values for ${NAME} into the strings of our parts; $${NAME} stays ${NAME}.
 * A name without a value stays as written, with a warning. */
int config_substitute(struct agents_config *c, struct pinfold_error *e);

#endif
