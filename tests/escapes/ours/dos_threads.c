/* SPDX-License-Identifier: MIT */
// Threads count as processes do.
#include "esc.h"
#include <pthread.h>
static void *wait_forever(void *p)
{
	pause();
	return p;
}
int main(void)
{
	pthread_attr_t a;
	pthread_t t;
	int n = 0, r = 0, want = envi("FORKS", 600);
	pthread_attr_init(&a);
	pthread_attr_setstacksize(&a, 65536);
	while (n < want && (r = pthread_create(&t, &a, wait_forever, NULL)) == 0)
		n++;
	errno = r;
	if (n < want)
		blocked("pthread_create");
	escaped("%d threads", n);
}
