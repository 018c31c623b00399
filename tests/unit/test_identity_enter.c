/* wrap: syscall prctl */
/* SPDX-License-Identifier: MIT */
/* The way down before a kernel that refuses one step after the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "identity/identity.h"

#define UID 10001
#define GID 10002
#define NEVER (-1)
#define KERNEL_LAST_CAP 45 /* newer than the headers know */

long __wrap_syscall(long nr, ...);
int __wrap_prctl(int option, ...);

static struct {
	int calls;
	int fail_at; /* the number of the call that fails */
	int error;
	long error_of; /* the system call that fails instead, whatever its number */
	uid_t uid;     /* what the kernel says afterwards */
	uint32_t effective;
	uint64_t dropped;
	bool no_new_privs;
} kernel;

static void kernel_reset(int fail_at, int error)
{
	memset(&kernel, 0, sizeof(kernel));
	kernel.fail_at = fail_at;
	kernel.error = error;
	kernel.error_of = NEVER;
	kernel.uid = UID;
}

static bool refuses(long nr)
{
	if (kernel.calls++ != kernel.fail_at && nr != kernel.error_of)
		return false;
	errno = kernel.error;
	return true;
}

static void fill_three(va_list ap, uint32_t value)
{
	for (int i = 0; i < 3; i++)
		*va_arg(ap, uint32_t *) = value;
}

long __wrap_syscall(long nr, ...)
{
	va_list ap;

	if (refuses(nr))
		return -1;
	va_start(ap, nr);
	switch (nr) {
	case SYS_getresuid:
		fill_three(ap, kernel.uid);
		break;
	case SYS_getresgid:
		fill_three(ap, GID);
		break;
	case SYS_capget:
		(void)va_arg(ap, struct __user_cap_header_struct *);
		va_arg(ap, struct __user_cap_data_struct *)->effective = kernel.effective;
		break;
	default:
		break;
	}
	va_end(ap);
	return 0;
}

int __wrap_prctl(int option, ...)
{
	unsigned long arg;
	va_list ap;

	va_start(ap, option);
	arg = va_arg(ap, unsigned long);
	va_end(ap);
	if (option == PR_CAPBSET_DROP && arg > KERNEL_LAST_CAP) {
		errno = EINVAL;
		return -1;
	}
	if (refuses(NEVER - 1))
		return -1;
	if (option == PR_CAPBSET_DROP)
		kernel.dropped |= 1ull << arg;
	if (option == PR_SET_NO_NEW_PRIVS)
		kernel.no_new_privs = arg == 1;
	return 0;
}

static void drops_also_capabilities_newer_than_its_headers(void **state)
{
	(void)state;
	kernel_reset(NEVER, 0);
	assert_int_equal(identity_enter_helper(UID, GID), 0);
	assert_int_equal(kernel.dropped, (1ull << (KERNEL_LAST_CAP + 1)) - 1);
	assert_true(kernel.no_new_privs);
}

static void every_refused_step_is_an_error(void **state)
{
	static const int errors[] = { EPERM, EINVAL, EAGAIN, ENOMEM };
	int steps;

	(void)state;
	kernel_reset(NEVER, 0);
	assert_int_equal(identity_enter_helper(UID, GID), 0);
	steps = kernel.calls;
	assert_true(steps > 50);
	for (int at = 0; at < steps; at++)
		for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
			kernel_reset(at, errors[i]);
			/* EINVAL for a capability past those of the headers means: no such one. */
			if (errors[i] == EINVAL && identity_enter_helper(UID, GID) == 0 &&
			    kernel.dropped >> CAP_LAST_CAP & 1)
				continue;
			kernel_reset(at, errors[i]);
			assert_int_equal(identity_enter_helper(UID, GID), -errors[i]);
		}
}

static void only_a_kernel_without_keyrings_needs_none(void **state)
{
	(void)state;
	kernel_reset(NEVER, ENOSYS);
	kernel.error_of = SYS_keyctl;
	assert_int_equal(identity_enter_helper(UID, GID), 0);
	kernel_reset(NEVER, EDQUOT);
	kernel.error_of = SYS_keyctl;
	assert_int_equal(identity_enter_helper(UID, GID), -EDQUOT);
	kernel_reset(NEVER, ENOSYS);
	kernel.error_of = SYS_setresuid;
	assert_int_equal(identity_enter_helper(UID, GID), -ENOSYS);
}

static void a_kernel_that_says_yes_and_does_nothing_is_not_believed(void **state)
{
	(void)state;
	kernel_reset(NEVER, 0);
	kernel.uid = 0;
	assert_int_equal(identity_enter_helper(UID, GID), -EPERM);
	kernel_reset(NEVER, 0);
	kernel.effective = 1;
	assert_int_equal(identity_enter_helper(UID, GID), -EPERM);
}

static void root_is_refused_before_anything_is_done(void **state)
{
	(void)state;
	kernel_reset(NEVER, 0);
	assert_int_equal(identity_enter_helper(0, GID), -EINVAL);
	assert_int_equal(identity_enter_helper(UID, 0), -EINVAL);
	assert_int_equal(kernel.calls, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drops_also_capabilities_newer_than_its_headers),
		cmocka_unit_test(every_refused_step_is_an_error),
		cmocka_unit_test(only_a_kernel_without_keyrings_needs_none),
		cmocka_unit_test(a_kernel_that_says_yes_and_does_nothing_is_not_believed),
		cmocka_unit_test(root_is_refused_before_anything_is_done),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
