/* SPDX-License-Identifier: MIT */
// E208: what is left: no_new_privs, capabilities (all five sets), groups, dumpable, seccomp mode,
// core limit.
#include "esc.h"
#include <grp.h>
#include <sys/resource.h>
int main(void)
{
	char b[4096], bad[512] = "";
	int f = open("/proc/self/status", O_RDONLY);
	if (f < 0)
		blocked("open(/proc/self/status)");
	ssize_t n = read(f, b, 4095);
	b[n > 0 ? n : 0] = 0;
	unsigned long long v;
	const char *k[] = { "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb" };
	for (int i = 0; i < 5; i++) {
		char *p = strstr(b, k[i]);
		if (p && sscanf(p + 7, "%llx", &v) == 1 && v) {
			snprintf(bad + strlen(bad), 64, " %s=%llx", k[i], v);
		}
	}
	if (!strstr(b, "NoNewPrivs:\t1"))
		strcat(bad, " NoNewPrivs=0");
	if (!strstr(b, "Seccomp:\t2"))
		strcat(bad, " no-seccomp");
	gid_t g[64];
	int c = getgroups(64, g);
	for (int i = 0; i < c; i++)
		if (g[i] != getgid())
			snprintf(bad + strlen(bad), 32, " group=%d", g[i]);
	if (getuid() == 0 || geteuid() == 0)
		strcat(bad, " uid=0");
	if (getgid() == 0)
		strcat(bad, " gid=0");
	struct rlimit r;
	getrlimit(RLIMIT_CORE, &r);
	if (r.rlim_max)
		strcat(bad, " core-limit");
	if (*bad)
		escaped("left over:%s", bad);
	blocked_s("clean posture");
}
