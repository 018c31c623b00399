/* SPDX-License-Identifier: MIT */
// E161: open and change a SysV semaphore that an outside process made (OUTSIDE_SEMKEY).
#include "esc.h"
#include <sys/sem.h>
int main(void)
{
	int id = semget(strtol(need("OUTSIDE_SEMKEY"), 0, 0), 1, 0);
	if (id < 0) {
		if (errno == ENOENT)
			blocked_s("ENOENT at semget (other IPC namespace)");
		blocked("semget");
	}
	struct sembuf s = { 0, 1, IPC_NOWAIT };
	if (semop(id, &s, 1) < 0)
		blocked("semop");
	s.sem_op = -1;
	semop(id, &s, 1);
	escaped("changed an outside semaphore");
}
