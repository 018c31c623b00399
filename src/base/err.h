/* SPDX-License-Identifier: MIT */
/* Errors in words: set once where the failure is understood, wrapped with context on the way up. */
#ifndef PINFOLD_BASE_ERR_H
#define PINFOLD_BASE_ERR_H

#include "pinfold.h"

/* Stores the formatted sentence (cut to fit, control characters replaced) and returns code, which
 * is a negative errno.  errno is preserved.  e may be NULL. */
int err_set(struct pinfold_error *e, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "context: " in front of what e holds and returns code. */
int err_wrap(struct pinfold_error *e, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
