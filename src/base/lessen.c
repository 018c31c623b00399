/* SPDX-License-Identifier: MIT */
#include "base/lessen.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CAPS_END 64 /* the sets are 64 bits wide */

static bool is_kept(const struct lessen_cap *keep, size_t n, unsigned cap)
{
	for (size_t i = 0; i < n; i++)
		if (keep[i].cap == cap)
			return true;
	return false;
}

static int lessen_bounding_set(const struct lessen_cap *keep, size_t n)
{
	for (unsigned cap = 0; cap < CAPS_END; cap++) {
		if (is_kept(keep, n, cap) ||
		    prctl(PR_CAPBSET_DROP, (unsigned long)cap, 0, 0, 0) == 0)
			continue;
		if (errno == EINVAL && cap > CAP_LAST_CAP) /* past the kernel's newest */
			return 0;
		return -errno;
	}
	return 0;
}

int lessen_to(const struct lessen_cap *keep, size_t n)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct have[_LINUX_CAPABILITY_U32S_3] = { { 0 } };
	uint32_t kept[_LINUX_CAPABILITY_U32S_3] = { 0 };
	/* While the capability for it is still there. */
	int r = lessen_bounding_set(keep, n);

	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++)
		kept[keep[i].cap / 32] |= 1U << keep[i].cap % 32;
	if (syscall(SYS_capget, &head, have) < 0)
		return -errno;
	for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		have[i].permitted &= kept[i];
		have[i].effective &= kept[i];
		have[i].inheritable = 0;
	}
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0 ||
	    syscall(SYS_capset, &head, have) < 0)
		return -errno;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? -errno : 0;
}
