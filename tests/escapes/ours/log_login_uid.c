/* SPDX-License-Identifier: MIT */
// A process without a login uid may choose one, once; the audit trail then blames that user.
#include "esc.h"
int main(void)
{
	char b[16] = "";
	int f = open("/proc/self/loginuid", O_RDWR);
	if (f < 0) {
		if (errno == ENOENT)
			skip("no audit in this kernel");
		blocked("open");
	}
	if (read(f, b, 15) < 1 || (strcmp(b, "4294967295") && atol(b) != (long)getuid()))
		skip("a login uid is set already: %s", b);
	if (pwrite(f, "4242", 4, 0) != 4)
		blocked("write");
	escaped("the audit trail says uid 4242");
}
