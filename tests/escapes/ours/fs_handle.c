/* SPDX-License-Identifier: MIT */
// name_to_handle_at and open_by_handle_at reach inodes past every path (shocker).
// RUN: root
#include "esc.h"
int main(void)
{
	union {
		struct file_handle h;
		char room[sizeof(struct file_handle) + MAX_HANDLE_SZ];
	} u;
	int id, m, f;
	memset(&u, 0, sizeof u);
	u.h.handle_bytes = MAX_HANDLE_SZ;
	if (name_to_handle_at(AT_FDCWD, SECRET_FILE, &u.h, &id, 0) < 0)
		blocked("name_to_handle_at");
	m = open(WORKSPACE, O_RDONLY | O_DIRECTORY);
	f = open_by_handle_at(m, &u.h, O_RDONLY);
	if (f < 0)
		blocked("open_by_handle_at");
	escaped("opened the secret by its handle");
}
