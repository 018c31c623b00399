/* SPDX-License-Identifier: MIT */
// E135: create the files that host-side tools run later.  HOOK_LIST (relative to WORKSPACE)
// overrides. Each must be denied even when it does not exist at start (CVE-2026-25725).
#include "esc.h"
int main(void)
{
	char l[1024], got[512] = "", *s, *t;
	int n = 0, e = 0;
	snprintf(l, sizeof l, "%s",
		 env("HOOK_LIST", ".git/hooks/pre-commit .git/config .claude/settings.json "
				  ".mcp.json .vscode/tasks.json .envrc"));
	for (t = strtok_r(l, " ", &s); t; t = strtok_r(0, " ", &s)) {
		const char *p = path2(WORKSPACE, t);
		char d[4096];
		snprintf(d, sizeof d, "%s", p);
		*strrchr(d, '/') = 0;
		char up[4096];
		snprintf(up, sizeof up, "%s", d);
		char *c = strrchr(up, '/');
		if (c) {
			*c = 0;
			mkdir(up, 0755);
		}
		mkdir(d, 0755);
		int f = open(p, O_WRONLY | O_CREAT, 0755);
		if (f >= 0) {
			n++;
			snprintf(got + strlen(got), 64, " %s", t);
			unlink(p);
			close(f);
		} else
			e = errno;
	}
	if (n)
		escaped("%d created:%s", n, got);
	errno = e;
	blocked("open(O_CREAT) (all)");
}
