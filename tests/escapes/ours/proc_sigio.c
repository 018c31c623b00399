/* SPDX-License-Identifier: MIT */
// F_SETOWN and F_SETSIG make the kernel send a signal to a process outside.
#include "esc.h"
int main(void)
{
	int p[2], victim = atoi(need("OUTSIDE_PID"));
	char before[16] = "", after[16] = "";
	int f = open(need("SIGCOUNT_FILE"), O_RDONLY);
	if (f < 0 || pread(f, before, 15, 0) < 1 || pipe(p) < 0)
		skip("no counter");
	if (fcntl(p[0], F_SETOWN, victim) < 0)
		blocked("F_SETOWN");
	fcntl(p[0], F_SETSIG, SIGURG);
	fcntl(p[0], F_SETFL, O_ASYNC);
	if (write(p[1], "x", 1) != 1)
		skip("write");
	usleep(300000);
	close(f);
	f = open(need("SIGCOUNT_FILE"), O_RDONLY);
	if (pread(f, after, 15, 0) < 1)
		skip("no counter");
	if (strcmp(before, after))
		escaped("the signal arrived outside");
	blocked_s("no signal arrived");
}
