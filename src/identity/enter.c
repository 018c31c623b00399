/* SPDX-License-Identifier: MIT */
/*
 * DOC: the way down, and why in this order.
 *
 * The keyring first: the session keyring survives a change of uid.  Groups, bounding set and
 * securebits while the privilege for them is still there.  Then gid, then uid; leaving uid 0
 * empties the effective and permitted sets, capset empties the inheritable one.  no_new_privs
 * last, so that nothing before depends on it.  All calls are raw: those of glibc would signal
 * threads that exist in the parent only.
 */
#include "identity/identity.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <linux/securebits.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clean.h"

#define CAPS_END 64 /* the sets are 64 bits wide */

static int join_keyring(void)
{
	if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0 && errno != ENOSYS)
		return -errno;
	return 0;
}

/* Nobody can get them back: not by a file with capabilities, not by a setuid file, and uid 0, were
 * it reached, is nothing special. */
static int drop_bounding_set(void)
{
	const unsigned long bits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED |
				   SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
				   SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;

	for (unsigned long cap = 0; cap < CAPS_END; cap++)
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) < 0) {
			if (errno == EINVAL && cap > CAP_LAST_CAP) /* past the kernel's newest */
				break;
			return -errno;
		}
	return prctl(PR_SET_SECUREBITS, bits, 0, 0, 0) < 0 ? -errno : 0;
}

static int change_ids(uid_t uid, gid_t gid)
{
	if (syscall(SYS_setgroups, 0, NULL) < 0)
		return -errno;
	if (syscall(SYS_setresgid, gid, gid, gid) < 0)
		return -errno;
	return syscall(SYS_setresuid, uid, uid, uid) < 0 ? -errno : 0;
}

static int empty_capabilities(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
		return -errno;
	return syscall(SYS_capset, &head, none) < 0 ? -errno : 0;
}

/* Closed by default: a kernel that said yes and did nothing is not believed. */
static int verify(uid_t uid, gid_t gid)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct have[_LINUX_CAPABILITY_U32S_3] = { { 0 } };
	uid_t u[3];
	gid_t g[3];

	if (syscall(SYS_getresuid, &u[0], &u[1], &u[2]) < 0 ||
	    syscall(SYS_getresgid, &g[0], &g[1], &g[2]) < 0 || syscall(SYS_capget, &head, have) < 0)
		return -errno;
	for (int i = 0; i < 3; i++)
		if (u[i] != uid || g[i] != gid)
			return -EPERM;
	for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		if (have[i].effective | have[i].permitted | have[i].inheritable)
			return -EPERM;
	return 0;
}

int identity_enter_helper(uid_t uid, gid_t gid)
{
	const struct rlimit64 no_core = { 0, 0 };
	int r;

	/* Never believed to be prepared: root is no identity. */
	if (uid == 0 || gid == 0 || uid == (uid_t)-1 || gid == (gid_t)-1)
		return -EINVAL;
	if (prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0) < 0)
		return -errno;
	r = join_keyring();
	if (r == 0)
		r = drop_bounding_set();
	if (r == 0)
		r = change_ids(uid, gid);
	if (r == 0)
		r = empty_capabilities();
	if (r < 0)
		return r;
	if (syscall(SYS_prlimit64, 0, RLIMIT_CORE, &no_core, NULL) < 0)
		return -errno;
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	umask(S_IWGRP | S_IWOTH);
	return verify(uid, gid);
}

/* Whoever has no login uid may choose one, once: the kernel's audit trail would name whom the
 * session likes.  So it gets the session's uid, which it can't change any more. */
static int fix_login_uid(uid_t uid)
{
	static const char unset[] = "4294967295";
	char text[16] = "";
	auto_close int fd = open("/proc/self/loginuid", O_RDWR | O_CLOEXEC);

	/* A kernel without audit has no such file. */
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	if (read(fd, text, sizeof(text) - 1) < 0)
		return -errno;
	if (strncmp(text, unset, sizeof(unset) - 1) != 0)
		return 0;
	size_t at = sizeof(text);

	for (; uid > 0; uid /= 10)
		text[--at] = (char)('0' + uid % 10);
	return pwrite(fd, text + at, sizeof(text) - at, 0) < 0 ? -errno : 0;
}

/* Soft and hard, so that nobody inside raises it; never above what the launcher may. */
static int limit_files(unsigned files)
{
	struct rlimit now;

	if (getrlimit(RLIMIT_NOFILE, &now) < 0)
		return -errno;
	if (now.rlim_max > files)
		now.rlim_max = files;
	now.rlim_cur = now.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &now) < 0 ? -errno : 0;
}

int identity_enter(const struct identity *id)
{
	int r = fix_login_uid(id->uid);

	if (r == 0 && id->files)
		r = limit_files(id->files);
	return r < 0 ? r : identity_enter_helper(id->uid, id->gid);
}
