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

/* ---- tools ------------------------------------------------------------------------------- */

/* ---- the file tools' own check ----------------------------------------------------------- */

/* ---- commands and approvals -------------------------------------------------------------- */

#ifdef __cplusplus
}
#endif

#endif
