/* SPDX-License-Identifier: MIT */
#include <stdio.h>

int main(void)
{
	puts("pinfold " VERSION);
	return 0;
}
