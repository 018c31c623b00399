/* SPDX-License-Identifier: MIT */
// io_uring opens a file without the call that a filter sees.
#include "esc.h"
#include <linux/io_uring.h>
int main(void)
{
	struct io_uring_params p;
	memset(&p, 0, sizeof p);
	int r = syscall(SYS_io_uring_setup, 4, &p);
	if (r < 0) {
		if (errno == ENOSYS)
			skip("no io_uring");
		blocked("io_uring_setup");
	}
	size_t n = p.sq_off.array + p.sq_entries * 4, m = p.cq_off.cqes + p.cq_entries * 16;
	char *sq = mmap(NULL, n > m ? n : m, PROT_READ | PROT_WRITE, MAP_SHARED, r, IORING_OFF_SQ_RING);
	char *cq = p.features & IORING_FEAT_SINGLE_MMAP ?
			   sq :
			   mmap(NULL, m, PROT_READ | PROT_WRITE, MAP_SHARED, r, IORING_OFF_CQ_RING);
	struct io_uring_sqe *e =
		mmap(NULL, p.sq_entries * sizeof *e, PROT_READ | PROT_WRITE, MAP_SHARED, r, IORING_OFF_SQES);
	if (sq == MAP_FAILED || cq == MAP_FAILED || e == MAP_FAILED)
		skip("mmap");
	memset(e, 0, sizeof *e);
	e->opcode = IORING_OP_OPENAT;
	e->fd = AT_FDCWD;
	e->addr = (uintptr_t)SECRET_FILE;
	*(unsigned *)(sq + p.sq_off.array) = 0;
	__atomic_store_n((unsigned *)(sq + p.sq_off.tail), 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, r, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
		blocked("io_uring_enter");
	int res = ((struct io_uring_cqe *)(cq + p.cq_off.cqes))->res;
	errno = -res;
	if (res < 0)
		blocked("IORING_OP_OPENAT");
	escaped("opened the secret");
}
