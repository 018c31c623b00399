/* SPDX-License-Identifier: MIT */
#include "session/privilege.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/capability.h>

#include "base/clean.h"
#include "base/err.h"

static const struct {
	unsigned cap;
	const char *name;
} NEEDED[] = {
	{ CAP_SYS_ADMIN, "CAP_SYS_ADMIN" },
	{ CAP_SETUID, "CAP_SETUID" },
	{ CAP_SETGID, "CAP_SETGID" },
};

int privilege_check(const char *what, struct pinfold_error *e)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct have[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	if (syscall(SYS_capget, &head, have) < 0)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(NEEDED); i++) {
		unsigned cap = NEEDED[i].cap;

		if (!(have[cap / 32].effective >> cap % 32 & 1))
			return err_set(e, -EPERM, "%s takes root to start, %s is missing: %s", what,
				       NEEDED[i].name,
				       geteuid() == 0 ? "this root has been stripped of it"
						      : "try sudo");
	}
	return 0;
}
