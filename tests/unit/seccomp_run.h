/* SPDX-License-Identifier: MIT */
/* For test_seccomp.c: an interpreter of classic BPF, as the kernel runs it for seccomp(2). */
#ifndef PINFOLD_TESTS_SECCOMP_RUN_H
#define PINFOLD_TESTS_SECCOMP_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string.h>

#include "seccomp/filter.h"

static inline uint32_t step_alu(uint16_t code, uint32_t a, uint32_t k)
{
	switch (BPF_OP(code)) {
	case BPF_AND:
		return a & k;
	default:
		fail_msg("unexpected arithmetic %#x", code);
		return 0;
	}
}

static inline bool step_test(uint16_t code, uint32_t a, uint32_t k)
{
	switch (BPF_OP(code)) {
	case BPF_JEQ:
		return a == k;
	case BPF_JGT:
		return a > k;
	case BPF_JGE:
		return a >= k;
	case BPF_JSET:
		return a & k;
	default:
		fail_msg("unexpected jump %#x", code);
		return false;
	}
}

static inline uint32_t run_program(const struct seccomp_program *p, const struct seccomp_data *d)
{
	uint32_t a = 0;

	for (size_t pc = 0; pc < p->n; pc++) {
		const struct sock_filter *f = &p->code[pc];

		switch (BPF_CLASS(f->code)) {
		case BPF_LD:
			assert_int_equal(f->code, BPF_LD | BPF_W | BPF_ABS);
			assert_true(f->k + 4 <= sizeof(*d) && f->k % 4 == 0);
			memcpy(&a, (const char *)d + f->k, 4);
			break;
		case BPF_ALU:
			a = step_alu(f->code, a, f->k);
			break;
		case BPF_JMP:
			if (BPF_OP(f->code) == BPF_JA)
				pc += f->k;
			else
				pc += step_test(f->code, a, f->k) ? f->jt : f->jf;
			break;
		case BPF_RET:
			return f->k;
		default:
			fail_msg("unexpected instruction %#x", f->code);
		}
	}
	fail_msg("fell off the end");
	return 0;
}

#endif
