/* SPDX-License-Identifier: MIT */
/* Errors in words: set once where the failure is understood, wrapped with context on the way up. */
#ifndef PINFOLD_BASE_ERR_H
#define PINFOLD_BASE_ERR_H

#include "pinfold.h"

/* Stores the formatted sentence (cut to fit, control characters replaced) and yields code, a
 * negative errno.  errno is preserved.  e may be NULL.  A macro, so that whoever reads the caller
 * (compilers and analyzers too) sees that the result is code. */
#define err_set(e, code, ...)                                                                      \
	({                                                                                         \
		err_write((e), __VA_ARGS__);                                                       \
		(code);                                                                            \
	})

/* Puts "context: " in front of what e holds and yields code. */
#define err_wrap(e, code, ...)                                                                     \
	({                                                                                         \
		err_prefix((e), __VA_ARGS__);                                                      \
		(code);                                                                            \
	})

/* What the two are made of. */
void err_write(struct pinfold_error *e, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void err_prefix(struct pinfold_error *e, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
