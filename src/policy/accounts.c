/* SPDX-License-Identifier: MIT */
#include "policy/accounts.h"

#include <errno.h>
#include <pwd.h>
#include <stdbool.h>
#include <string.h>

#include "base/clean.h"
#include "policy/path_text.h"
#include "policy/read.h"

#define LINE_MAX_BYTES 65536 /* of one account, strings together */

/* Any other shell counts, listed in shells(5) or not: a home too many is safer than one too few. */
static bool may_log_in(const char *shell)
{
	static const char *const never[] = { "nologin", "false", "sync", "shutdown", "halt" };
	const char *slash = strrchr(shell, '/');
	const char *base = slash ? slash + 1 : shell;

	for (size_t i = 0; i < ARRAY_SIZE(never); i++)
		if (strcmp(base, never[i]) == 0)
			return false;
	return true;
}

/* NULL: not a home to speak of. */
static char *clean_home(const char *dir)
{
	char *home = NULL;

	if (!dir || dir[0] != '/' || path_clean("/", dir, &home) < 0)
		return NULL;
	if (strcmp(home, "/") != 0)
		return home;
	free(home);
	return NULL;
}

static int add_home(struct accounts *a, const struct passwd *pw)
{
	char *home = clean_home(pw->pw_dir);
	char **slot;

	if (!home)
		return 0;
	slot = a->n < ACCOUNTS_MAX ? grow(&a->home, a->n, sizeof(*a->home)) : NULL;
	if (!slot) {
		free(home);
		return a->n < ACCOUNTS_MAX ? -ENOMEM : -E2BIG;
	}
	*slot = home;
	a->n++;
	return 0;
}

static int read_all(FILE *f, struct accounts *a)
{
	auto_free char *buf = malloc(LINE_MAX_BYTES);
	struct passwd pw;
	struct passwd *hit;
	int rc = buf ? 0 : -ENOMEM;

	while (rc == 0) {
		rc = -fgetpwent_r(f, &pw, buf, LINE_MAX_BYTES, &hit);
		if (rc == 0 && may_log_in(pw.pw_shell))
			rc = add_home(a, &pw);
	}
	return rc == -ENOENT ? 0 : rc;
}

int accounts_read(const char *path, struct accounts *ret)
{
	auto_file FILE *f = fopen(path, "re");
	struct accounts a = { 0 };
	int rc = f ? read_all(f, &a) : -errno;

	if (rc < 0 && rc != -ENOENT) {
		accounts_done(&a);
		return rc;
	}
	*ret = a;
	return 0;
}

void accounts_done(struct accounts *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->home[i]);
	free(a->home);
	*a = (struct accounts){ 0 };
}

static int home_from(int rc, const struct passwd *hit, char **ret)
{
	char *home;

	if (rc != 0 && rc != ENOENT && rc != ESRCH)
		return -rc;
	home = hit ? clean_home(hit->pw_dir) : NULL;
	if (!home)
		return -ENOENT;
	*ret = home;
	return 0;
}

int account_home(const char *name, char **ret)
{
	auto_free char *buf = malloc(LINE_MAX_BYTES);
	struct passwd pw;
	struct passwd *hit = NULL;
	int rc;

	if (!buf)
		return -ENOMEM;
	rc = getpwnam_r(name, &pw, buf, LINE_MAX_BYTES, &hit);
	return home_from(rc, hit, ret);
}

int account_home_of(uid_t uid, char **ret)
{
	auto_free char *buf = malloc(LINE_MAX_BYTES);
	struct passwd pw;
	struct passwd *hit = NULL;
	int rc;

	if (!buf)
		return -ENOMEM;
	rc = getpwuid_r(uid, &pw, buf, LINE_MAX_BYTES, &hit);
	return home_from(rc, hit, ret);
}
