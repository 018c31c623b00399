/* SPDX-License-Identifier: MIT */
// E107: read a file outside the fence.
#include "esc.h"
int main(void)
{
	int f = open(SECRET_FILE, O_RDONLY);
	if (f < 0) {
		if (errno == ENOENT && !getenv("FIXTURE"))
			skip("no secret");
		blocked("open");
	}
	char b[64];
	ssize_t n = read(f, b, 64);
	if (n <= 0)
		blocked("read");
	escaped("read %zd bytes of %s", n, SECRET_FILE);
}
