/* SPDX-License-Identifier: MIT */
#include "seccomp/program.h"

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/syscall.h>

#define X32_BIT 0x40000000u

_Static_assert(sizeof(long) == 8, "system calls with 64-bit arguments only");

#if __BYTE_ORDER == __LITTLE_ENDIAN
#define LOW_HALF 0
#else
#define LOW_HALF 4
#endif

static void emit(struct program *p, struct sock_filter f)
{
	if (p->n >= PROGRAM_MAX) {
		p->full = true;
		return;
	}
	p->code[p->n++] = f;
}

static void emit_load(struct program *p, size_t offset)
{
	emit(p, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

/* The kernel reads `int` arguments from the low half and ignores the rest, so that is what is
 * judged: a 64-bit comparison would let 0x100000028 pass for something else than 40. */
static void emit_load_arg(struct program *p, unsigned arg)
{
	emit_load(p, offsetof(struct seccomp_data, args) + arg * sizeof(uint64_t) + LOW_HALF);
}

static void emit_jump(struct program *p, uint16_t test, uint32_t value, size_t yes, size_t no)
{
	assert(yes <= UINT8_MAX && no <= UINT8_MAX);
	emit(p, (struct sock_filter)BPF_JUMP(BPF_JMP | test | BPF_K, value, (uint8_t)yes,
					     (uint8_t)no));
}

static void emit_return(struct program *p, uint32_t action)
{
	emit(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

void program_bound_numbers(struct program *p, uint32_t arch, bool allow_clone3)
{
	emit_load(p, offsetof(struct seccomp_data, arch));
	emit_jump(p, BPF_JEQ, arch, 1, 0);
	emit_return(p, SECCOMP_RET_KILL_PROCESS);
	emit_load(p, offsetof(struct seccomp_data, nr));
	/* A tracer sets -1 to skip a call of its tracee; the kernel runs nothing then. */
	emit_jump(p, BPF_JEQ, UINT32_MAX, 0, 1);
	emit_return(p, SECCOMP_RET_ALLOW);
	if (arch == AUDIT_ARCH_X86_64) {
		emit_jump(p, BPF_JGE, X32_BIT, 0, 1);
		emit_return(p, SECCOMP_RET_KILL_PROCESS);
	}
	/* ENOSYS, not EPERM: glibc falls back to clone only then.  The flags of clone3 lie in
	 * memory, out of a filter's sight. */
	if (!allow_clone3) {
		emit_jump(p, BPF_JEQ, SYS_clone3, 0, 1);
		emit_return(p, SECCOMP_RET_ERRNO | ENOSYS);
	}
	emit_jump(p, BPF_JGT, SECCOMP_NEWEST_CALL, 0, 1);
	emit_return(p, SECCOMP_RET_ERRNO | ENOSYS);
}

void program_permit(struct program *p, const struct permit *permit)
{
	size_t n = permit->n_values;
	size_t check = 2 + n + 1 + permit->inverted; /* load, mask, comparisons, (skip,) return */
	size_t when = permit->when ? 2 : 0;

	emit_load(p, offsetof(struct seccomp_data, nr));
	emit_jump(p, BPF_JEQ, (uint32_t)permit->nr, 0, when + check);
	if (permit->when) {
		emit_load_arg(p, 0);
		emit_jump(p, BPF_JEQ, permit->when_value, 0, check);
	}
	emit_load_arg(p, permit->arg);
	emit(p, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, permit->mask));
	/* To the return, or past it. */
	for (size_t i = 0; i < n; i++)
		emit_jump(p, BPF_JEQ, permit->values[i], n - i, 0);
	if (permit->inverted)
		emit(p, (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, 1));
	emit_return(p, SECCOMP_RET_ERRNO | (uint32_t)permit->error);
}

void program_append(struct program *p, const struct sock_filter *code, size_t n)
{
	if (n > (size_t)PROGRAM_MAX - p->n) {
		p->full = true;
		return;
	}
	memcpy(p->code + p->n, code, n * sizeof(*code));
	p->n = (unsigned short)(p->n + n);
}
