/* SPDX-License-Identifier: MIT */
/* Scope-bound ownership: auto_* variables release what they hold when they go out of scope. */
#ifndef PINFOLD_BASE_CLEAN_H
#define PINFOLD_BASE_CLEAN_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void clean_free(void *p)
{
	free(*(void **)p);
}

static inline void clean_close(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void clean_file(FILE **f)
{
	if (*f)
		(void)fclose(*f);
}

#define auto_free __attribute__((cleanup(clean_free)))
#define auto_close __attribute__((cleanup(clean_close)))
#define auto_file __attribute__((cleanup(clean_file)))

/* Hand over what an auto_* variable holds; the variable is empty afterwards. */
#define take_ptr(p)                                                                                \
	({                                                                                         \
		typeof(p) taken_ = (p);                                                            \
		(p) = NULL;                                                                        \
		taken_;                                                                            \
	})
#define take_fd(fd)                                                                                \
	({                                                                                         \
		int taken_ = (fd);                                                                 \
		(fd) = -1;                                                                         \
		taken_;                                                                            \
	})

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif
