/* SPDX-License-Identifier: MIT */
#include "seccomp/notify.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/seccomp.h>

#include "seccomp/program.h"

#define TEST_LENGTH 2 /* instructions */

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))

/* Where the low half of an argument lies. */
static uint32_t low_half(unsigned arg)
{
	uint32_t at = (uint32_t)(offsetof(struct seccomp_data, args) + arg * sizeof(uint64_t));

	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? at : at + 4;
}

static size_t count_tests(const struct notify_call *c)
{
	size_t n = 0;

	while (n < NOTIFY_TESTS_MAX && c->test[n].mask)
		n++;
	return n;
}

/* Loads the number anew, since a test of the call before may have taken its place. */
static void add_call(struct program *p, const struct notify_call *c)
{
	static const struct sock_filter load = LOAD(nr);
	static const struct sock_filter tell = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
	size_t n = count_tests(c);
	uint8_t skip = (uint8_t)(n * TEST_LENGTH + 1);

	program_append(p, &load, 1);
	program_append(
	    p, &(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)c->nr, 0, skip),
	    1);
	for (size_t i = 0; i < n; i++) {
		const struct notify_test *t = &c->test[i];
		uint8_t out = (uint8_t)((n - i - 1) * TEST_LENGTH + 1);
		bool any = t->when == NOTIFY_WHEN_ANY;
		const struct sock_filter test[TEST_LENGTH] = {
			BPF_STMT(BPF_LD | BPF_W | BPF_ABS, low_half(t->arg)),
			BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, t->mask, any ? 0 : out, any ? out : 0),
		};

		program_append(p, test, TEST_LENGTH);
	}
	program_append(p, &tell, 1);
}

int seccomp_notify_prepare(const struct notify_call *call, size_t n, struct seccomp_program *ret)
{
	static const struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct program p = { .n = 0 };
	size_t size;

	for (size_t i = 0; i < n; i++)
		if (call[i].nr >= 0)
			add_call(&p, &call[i]);
	program_append(&p, &allow, 1);
	if (p.full)
		return -E2BIG;
	size = p.n * sizeof(*p.code);
	ret->code = malloc(size);
	if (!ret->code)
		return -ENOMEM;
	memcpy(ret->code, p.code, size);
	ret->n = p.n;
	return 0;
}

int seccomp_notify_enter(const struct seccomp_program *p)
{
	struct sock_fprog prog = { .len = p->n, .filter = p->code };
	unsigned flags = SECCOMP_FILTER_FLAG_NEW_LISTENER;
	/* A caller that waits for us is ended by fatal signals only (since Linux 5.19): programs
	 * that send themselves signals all the time, as Go's run-time does, would never get on. */
	long fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			  flags | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &prog);

	return fd < 0 ? -errno : (int)fd;
}
