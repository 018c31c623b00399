/* SPDX-License-Identifier: MIT */
// E224: change the audit log: append, truncate, unlink, rename, chmod, and through its directory
// (AUDIT_LOG).
#include "esc.h"
int main(void)
{
	const char *p = need("AUDIT_LOG");
	int e = 0;
	char got[128] = "";
	if (open(p, O_WRONLY | O_APPEND) >= 0)
		strcat(got, " append");
	else
		e = errno;
	if (open(p, O_RDWR) >= 0)
		strcat(got, " rdwr");
	if (open(p, O_RDONLY) >= 0)
		strcat(got, " read");
	char d[4200];
	snprintf(d, sizeof d, "%s.e224", p);
	if (rename(p, d) == 0) {
		rename(d, p);
		strcat(got, " rename");
	}
	if (chmod(p, 0600) == 0)
		strcat(got, " chmod");
	if (link(p, d) == 0) {
		unlink(d);
		strcat(got, " link");
	}
	if (*got)
		escaped("audit log open to:%s", got);
	errno = e;
	blocked("open");
}
