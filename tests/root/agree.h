/* SPDX-License-Identifier: MIT */
/* What the tests of agreement share: a seeded source of chance, and a session for many questions.
 */
#ifndef PINFOLD_TESTS_AGREE_H
#define PINFOLD_TESTS_AGREE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clean.h"
#include "pinfold.h"

#define TENANT 10001 /* who runs inside when root starts a pen without sudo */
#define TOLD_MAX 20  /* disagreements that are printed */

struct agree {
	uint64_t state;
	char base[64];      /* a directory of the test's own */
	size_t n_questions; /* that were tried */
	size_t n_allowed;
	size_t n_names;   /* of the questions: to be resolved */
	size_t n_sockets; /* of unix sockets */
	size_t n_policies;
	size_t n_refused; /* policies that no session starts with */
	size_t n_wrong;
};

/* splitmix64 */
static inline uint64_t chance(struct agree *g)
{
	uint64_t z = (g->state += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static inline size_t below(struct agree *g, size_t n)
{
	return (size_t)(chance(g) % n);
}

#define PICK(g, table) ((table)[below((g), ARRAY_SIZE(table))])

/* A number from the environment, so that a run can be longer, or be repeated. */
static inline uint64_t setting(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

static inline void agree_begin(struct agree *g, const char *what, const char *template)
{
	const uint64_t seed = setting("AGREE_SEED", (uint64_t)time(NULL));

	*g = (struct agree){ .state = seed };
	snprintf(g->base, sizeof(g->base), "%s", template);
	printf("# %s: AGREE_SEED=%llu\n", what, (unsigned long long)seed);
	assert_non_null(mkdtemp(g->base));
	assert_int_equal(chmod(g->base, 0755), 0);
}

static inline int remove_entry(const char *path, const struct stat *st, int flag, struct FTW *at)
{
	(void)st;
	(void)flag;
	(void)at;
	if (remove(path) == 0)
		return 0;
	/* A test that failed may have left something mounted there. */
	return errno == EBUSY && umount2(path, MNT_DETACH) == 0 ? remove(path) : -1;
}

/* Also after a failure: nothing is left. */
static inline int agree_end(void **state)
{
	struct agree *g = *state;

	if (g->base[0])
		nftw(g->base, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	printf("# %zu questions (%zu allowed), %zu policies, %zu refused, %zu disagreements\n",
	       g->n_questions, g->n_allowed, g->n_policies, g->n_refused, g->n_wrong);
	return 0;
}

static inline char *under(const struct agree *g, const char *name)
{
	char *s = NULL;

	assert_true(asprintf(&s, "%s/%s", g->base, name) > 0);
	return s;
}

static inline void write_text(const char *path, const char *text, size_t len)
{
	auto_close int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
}

static inline void copy_self(const char *path)
{
	auto_close int in = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	auto_close int out = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0755);
	char buf[65536];
	ssize_t n;

	assert_true(in >= 0 && out >= 0);
	while ((n = read(in, buf, sizeof(buf))) > 0)
		assert_int_equal(write(out, buf, (size_t)n), n);
	assert_int_equal(fchmod(out, 0755), 0);
}

/* Runs argv in a pen; false, with words in e: no session starts with that policy. */
static inline bool run_in_pen(const struct pinfold_policy *p, char *const *argv,
			      struct pinfold_error *e)
{
	const struct pinfold_run args = { .policy = p, .argv = argv };
	int status = -1;
	int r = pinfold_run(&args, &status, e);

	if (r < 0)
		return false;
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		fail_msg("the questions were not tried: wait status %#x", status);
	return true;
}

/* Says what disagreed; the first ones, with the policy. */
__attribute__((format(printf, 3, 4))) static inline void disagree(struct agree *g,
								  const char *policy,
								  const char *format, ...)
{
	va_list ap;

	if (g->n_wrong++ >= TOLD_MAX)
		return;
	printf("# policy: %s\n#   ", policy);
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	printf("\n");
}

#endif
