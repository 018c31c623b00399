/* SPDX-License-Identifier: MIT */
#ifndef PINFOLD_BASE_TTY_H
#define PINFOLD_BASE_TTY_H

#include <stdbool.h>

/* Whether this process has a controlling terminal; one that hung up is none any more. */
bool tty_is_controlling(void);

#endif
