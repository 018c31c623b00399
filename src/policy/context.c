/* SPDX-License-Identifier: MIT */
#include "policy/context.h"

#include <errno.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/err.h"
#include "base/number.h"

/* Under sudo the person at the keyboard counts, not root. */
static uid_t launcher_uid(void)
{
	const char *sudo = getuid() == 0 ? getenv("SUDO_UID") : NULL;
	uint64_t uid;

	if (sudo && number_parse(sudo, UINT32_MAX - 1, &uid) == 0)
		return (uid_t)uid;
	return getuid();
}

static const char *home_of(uid_t uid)
{
	const char *home = uid == getuid() ? getenv("HOME") : NULL;
	const struct passwd *account;

	if (home && home[0] == '/')
		return home;
	account = getpwuid(uid);
	return account && account->pw_dir[0] == '/' ? account->pw_dir : "/";
}

int context_read(struct context *c, struct pinfold_error *e)
{
	memset(c, 0, sizeof(*c));
	c->cwd = getcwd(NULL, 0);
	if (!c->cwd)
		return err_set(e, -errno,
			       "cannot tell the current directory: %s; cd into one that "
			       "exists",
			       strerror(errno));
	c->policy.uid = launcher_uid();
	c->home = strdup(home_of(c->policy.uid));
	if (!c->home) {
		context_done(c);
		return err_set(e, -ENOMEM, "out of memory");
	}
	c->policy.home = c->home;
	c->policy.cwd = c->cwd;
	c->policy.env = (const char *const *)environ;
	return 0;
}

void context_done(struct context *c)
{
	free(c->home);
	free(c->cwd);
	memset(c, 0, sizeof(*c));
}
