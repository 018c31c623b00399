/* SPDX-License-Identifier: MIT */
/* The shape of our parts of a gateway's configuration; part of config.c. */
#ifndef PINFOLD_AGENTS_CONFIG_CHECK_H
#define PINFOLD_AGENTS_CONFIG_CHECK_H

struct agents_config;
struct pinfold_error;

/* Every value of ours, of every agent, whether it is asked for or not.  -EINVAL with file, line,
 * column and JSON path. */
int config_check(const struct agents_config *c, struct pinfold_error *e);

#endif
