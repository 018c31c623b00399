/* SPDX-License-Identifier: MIT */
// splice moves a leaked file's bytes into a pipe.
#include "esc.h"
int main(void)
{
	int p[2];
	loff_t at = 0;
	if (pipe(p) < 0)
		skip("pipe");
	if (splice(envi("LEAK_SECRET_FD", 51), &at, p[1], NULL, 4, 0) <= 0)
		blocked("splice");
	escaped("bytes of the secret came through");
}
