/* SPDX-License-Identifier: MIT */
/* What libseccomp cannot say: allow-lists on an argument, and bounds on the call's number. */
#ifndef PINFOLD_SECCOMP_PROGRAM_H
#define PINFOLD_SECCOMP_PROGRAM_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The newest system call whose meaning was judged for the tables: file_setattr, Linux 6.17.  From
 * 424 on the numbers are the same on every architecture. */
#define SECCOMP_NEWEST_CALL 469

#define PROGRAM_MAX 512

/* Classic BPF under construction.  Zero-initialise. */
struct program {
	struct sock_filter code[PROGRAM_MAX];
	unsigned short n;
	bool full; /* something did not fit: the program is no use */
};

/* One allow-list: when the call is nr (and, if `when` is set, its argument 0 is when_value), the
 * low 32 bits of argument arg, masked, are one of values; else the call fails with error. */
struct permit {
	int nr;
	int error;
	unsigned arg;
	uint32_t when_value;
	uint32_t mask;
	bool when;
	bool inverted;          /* a deny-list: the values fail, all others pass */
	const uint32_t *values; /* borrowed */
	size_t n_values;
};

/* Kills on a foreign architecture (i386 and x32 calls among them), answers ENOSYS to every number
 * that is newer than SECCOMP_NEWEST_CALL, and to clone3 unless it is allowed. */
void program_bound_numbers(struct program *p, uint32_t arch, bool allow_clone3);

/* Falls through when the permit does not apply or holds. */
void program_permit(struct program *p, const struct permit *permit);

/* Appends finished code. */
void program_append(struct program *p, const struct sock_filter *code, size_t n);

#endif
