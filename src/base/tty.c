/* SPDX-License-Identifier: MIT */
#include "base/tty.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/clean.h"

bool tty_is_controlling(void)
{
	auto_close int fd = open("/dev/tty", O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);

	return fd >= 0 || (errno != ENXIO && errno != EIO);
}
