/* SPDX-License-Identifier: MIT */
// E181: environment and command line of an outside process (tokens live there).
#include "esc.h"
int main(void)
{
	char n[64], b[256];
	const char *w[] = { "environ", "cmdline" };
	for (int i = 0; i < 2; i++) {
		snprintf(n, 64, "/proc/%s/%s", need("OUTSIDE_PID"), w[i]);
		int f = open(n, O_RDONLY);
		if (f >= 0) {
			ssize_t k = read(f, b, 255);
			if (k > 0)
				escaped("read %zd bytes of %s", k, n);
		}
	}
	blocked("open/read");
}
