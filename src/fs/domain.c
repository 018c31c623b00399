/* SPDX-License-Identifier: MIT */
#include "fs/domain.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/err.h"
#include "fs/fence.h"
#include "fs/landlock_abi.h"

/* What each ABI added to its predecessor, and how its absence reads. */
static const struct {
	uint64_t fs;
	uint64_t scoped;
	const char *missing; /* NULL: nothing of the file fence */
} abi_table[] = {
	[1] = { .fs = LL_FS_REFER - 1 },
	[2] = { .fs = LL_FS_REFER, .missing = "(renames between directories always fail)" },
	[3] = { .fs = LL_FS_TRUNCATE, .missing = "truncating readable files" },
	[4] = { .fs = 0 },
	[5] = { .fs = LL_FS_IOCTL_DEV, .missing = "ioctl on devices" },
	[6] = { .scoped = LL_SCOPE_ABSTRACT_UNIX_SOCKET | LL_SCOPE_SIGNAL,
		.missing = "signals to and abstract sockets of processes outside" },
	[7] = { .fs = 0 },
	[8] = { .fs = 0 },
	[9] = { .fs = LL_FS_RESOLVE_UNIX },
	[10] = { .fs = 0 },
};

_Static_assert(ARRAY_SIZE(abi_table) == 11, "one row for each ABI, and none for 0");

#define ABI_NEWEST ((int)ARRAY_SIZE(abi_table) - 1)

/* Rights that a rule on something other than a directory may carry; others are EINVAL. */
#define FILE_RIGHTS                                                                                \
	(LL_FS_EXECUTE | LL_FS_WRITE_FILE | LL_FS_READ_FILE | LL_FS_TRUNCATE | LL_FS_IOCTL_DEV |   \
	 LL_FS_RESOLVE_UNIX)

static const uint64_t grant_rights[] = {
	[DOMAIN_READ] = LL_FS_READ_FILE | LL_FS_READ_DIR,
	[DOMAIN_READ_EXEC] = LL_FS_READ_FILE | LL_FS_READ_DIR | LL_FS_EXECUTE,
	/* Sockets that others made in a shared directory are a matter of unixSockets.allow. */
	[DOMAIN_WRITE] = (LL_FS_TRUNCATE * 2 - 1) & ~(LL_FS_MAKE_CHAR | LL_FS_MAKE_BLOCK),
	[DOMAIN_DEVICE] = LL_FS_READ_FILE | LL_FS_WRITE_FILE | LL_FS_READ_DIR | LL_FS_IOCTL_DEV,
	[DOMAIN_PROC] = LL_FS_READ_FILE | LL_FS_READ_DIR | LL_FS_WRITE_FILE | LL_FS_TRUNCATE,
	[DOMAIN_SOCKET] = LL_FS_RESOLVE_UNIX,
};

_Static_assert(ARRAY_SIZE(grant_rights) == DOMAIN_SOCKET + 1, "one row for each grant");

int fs_landlock_abi(void)
{
	int abi = ll_create_ruleset(NULL, 0, LL_CREATE_RULESET_VERSION);

	return abi < 0 ? -errno : abi;
}

static int known_abi(int abi)
{
	return abi < ABI_NEWEST ? abi : ABI_NEWEST;
}

uint64_t domain_handled(int abi)
{
	uint64_t fs = 0;

	for (int i = 1; i <= known_abi(abi); i++)
		fs |= abi_table[i].fs;
	return fs;
}

uint64_t domain_rights(int abi, bool is_dir, enum domain_grant grant)
{
	return grant_rights[grant] & domain_handled(abi) & (is_dir ? ~0ull : FILE_RIGHTS);
}

static uint64_t scoped(int abi)
{
	uint64_t scopes = 0;

	for (int i = 1; i <= known_abi(abi); i++)
		scopes |= abi_table[i].scoped;
	return scopes;
}

/* The kernel refuses a longer structure than it knows when the rest is not zero; an older one is
 * told the size that it knows. */
static int create(int abi)
{
	struct ll_ruleset_attr attr = { .handled_access_fs = domain_handled(abi),
					.scoped = scoped(abi) };
	size_t size = sizeof(attr);

	if (abi < 6)
		size = offsetof(struct ll_ruleset_attr, scoped);
	if (abi < 4)
		size = offsetof(struct ll_ruleset_attr, handled_access_net);
	int fd = ll_create_ruleset(&attr, size, 0);

	return fd < 0 ? -errno : fd;
}

bool domain_gaps(int abi, char *ret, size_t size)
{
	size_t len = 0;

	ret[0] = '\0';
	for (int i = abi + 1; i <= DOMAIN_ABI_MIN; i++) {
		int n = 0;

		if (abi_table[i].missing)
			n = snprintf(ret + len, size - len, "%s%s", len ? ", " : "",
				     abi_table[i].missing);
		if (n < 0 || (size_t)n >= size - len)
			break;
		len += (size_t)n;
	}
	return len > 0;
}

static int refuse_old(int abi, struct pinfold_error *e)
{
	char gaps[DOMAIN_GAPS_MAX];

	domain_gaps(abi, gaps, sizeof(gaps));
	return err_set(e, -EOPNOTSUPP,
		       "this kernel's Landlock is ABI %d, %d (Linux 6.12) is needed to hold: %s; "
		       "\"onUnavailable\": \"degrade\" accepts that",
		       abi, DOMAIN_ABI_MIN, gaps);
}

int domain_new(bool old_is_accepted, struct domain *ret, struct pinfold_error *e)
{
	int abi = fs_landlock_abi();

	if (abi == -EOPNOTSUPP)
		return err_set(e, -EOPNOTSUPP,
			       "Landlock is switched off; boot with landlock in 'lsm='");
	if (abi < 1)
		return err_set(e, -EOPNOTSUPP, "this kernel has no Landlock: %s",
			       strerror(abi < 0 ? -abi : ENOSYS));
	if (abi < DOMAIN_ABI_MIN && !old_is_accepted)
		return refuse_old(abi, e);

	int fd = create(abi);

	if (fd < 0)
		return err_set(e, fd, "cannot create a Landlock ruleset: %s", strerror(-fd));
	*ret = (struct domain){ .ruleset = fd, .abi = abi };
	return 0;
}

static int add(const struct domain *d, int fd, uint64_t rights)
{
	struct ll_path_beneath_attr rule = { .allowed_access = rights, .parent_fd = fd };

	/* A rule without rights is an error to the kernel, and nothing to us. */
	if (rights == 0)
		return 0;
	return ll_add_rule(d->ruleset, LL_RULE_PATH_BENEATH, &rule, 0) < 0 ? -errno : 0;
}

int domain_allow(const struct domain *d, int fd, bool is_dir, enum domain_grant grant)
{
	return add(d, fd, domain_rights(d->abi, is_dir, grant));
}

int domain_allow_inherited(const struct domain *d, int fd)
{
	static const uint64_t by_mode[] = {
		[O_RDONLY] = LL_FS_READ_FILE,
		[O_WRONLY] = LL_FS_WRITE_FILE | LL_FS_TRUNCATE,
		[O_RDWR] = LL_FS_READ_FILE | LL_FS_WRITE_FILE | LL_FS_TRUNCATE,
	};
	struct stat st;
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || (flags & O_PATH) || (flags & O_ACCMODE) > O_RDWR || fstat(fd, &st) < 0)
		return 0;
	uint64_t rights = by_mode[flags & O_ACCMODE];

	if (S_ISCHR(st.st_mode))
		rights |= LL_FS_IOCTL_DEV;
	else if (!S_ISREG(st.st_mode))
		return 0;
	int r = add(d, fd, rights & domain_handled(d->abi));

	/* A file of no mountable file system (memfd): Landlock does not mediate it. */
	return r == -EBADFD ? 0 : r;
}

int domain_enter(const struct domain *d)
{
	unsigned flags = d->abi >= 7 ? LL_RESTRICT_SELF_LOG_NEW_EXEC_ON : 0;

	return ll_restrict_self(d->ruleset, flags) < 0 ? -errno : 0;
}

void domain_done(struct domain *d)
{
	if (d->ruleset >= 0)
		close(d->ruleset);
	d->ruleset = -1;
}

int fs_enter_nothing(void)
{
	int abi = fs_landlock_abi();

	if (abi < 1)
		return abi < 0 ? abi : -EOPNOTSUPP;

	struct domain d = { .ruleset = create(abi), .abi = abi };

	if (d.ruleset < 0)
		return d.ruleset;
	int r = domain_enter(&d);

	domain_done(&d);
	return r;
}

bool fs_fence_gaps(char *ret, size_t size)
{
	return domain_gaps(fs_landlock_abi(), ret, size);
}
