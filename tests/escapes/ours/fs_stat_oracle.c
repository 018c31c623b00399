/* SPDX-License-Identifier: MIT */
// stat(2) tells whether a file outside exists, how large it is and when it changed.
#include "esc.h"
int main(void)
{
	struct stat st;
	if (stat(SECRET_FILE, &st) < 0)
		blocked("stat");
	escaped("%s has %lld bytes", SECRET_FILE, (long long)st.st_size);
}
