/* SPDX-License-Identifier: MIT */
#include "seccomp/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/err.h"
#include "policy/policy.h"
#include "seccomp/program.h"
#include "seccomp/rules.h"

#define SOCK_TYPE_BITS 0xfu
#define FAMILIES_BASE 4

/* What seccomp.families can open.  Not here: families that carry frames or TCP past the network
 * fence (packet, xdp, smc, rds, tipc). */
static const struct {
	const char *name;
	uint32_t family;
} extra_families[] = {
	{ "alg", AF_ALG }, { "bluetooth", AF_BLUETOOTH }, { "can", AF_CAN },
	{ "nfc", AF_NFC }, { "tipc", AF_TIPC },           { "vsock", AF_VSOCK },
};

static void clean_context(const scmp_filter_ctx *c)
{
	if (*c)
		seccomp_release(*c);
}

#define auto_context __attribute__((cleanup(clean_context)))

static int add_rule(scmp_filter_ctx c, uint32_t action, const struct call_rule *r)
{
	struct scmp_arg_cmp cmp[RULE_MATCHES_MAX];
	unsigned n = 0;

	if (r->nr < 0)
		return 0;
	for (; n < RULE_MATCHES_MAX && r->match[n].mask; n++)
		cmp[n] = SCMP_CMP64(r->match[n].arg, SCMP_CMP_MASKED_EQ, r->match[n].mask,
				    r->match[n].value);
	return seccomp_rule_add_exact_array(c, action, r->nr, n, cmp);
}

/* libseccomp writes its program to a descriptor only, in one write.  A pipe that does not block: a
 * memfd is refused on hosts with vm.memfd_noexec=2. */
static int export_code(scmp_filter_ctx c, struct program *p)
{
	struct sock_filter code[PROGRAM_MAX];
	auto_close int from = -1;
	auto_close int to = -1;
	int ends[2];
	ssize_t n;
	int r;

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return -errno;
	from = ends[0];
	to = ends[1];
	r = seccomp_export_bpf(c, to);
	if (r < 0)
		return r;
	n = read(from, code, sizeof(code));
	if (n < 0)
		return -errno;
	if (n == 0 || (size_t)n % sizeof(*code) != 0)
		return -EIO;
	program_append(p, code, (size_t)n / sizeof(*code));
	/* Room left over is the proof that nothing stayed in the pipe. */
	return (size_t)n < sizeof(code) ? 0 : -E2BIG;
}

static int compile_denied(const struct call_rule *rules, size_t n, bool allow_nested,
			  struct program *p)
{
	auto_context scmp_filter_ctx c = seccomp_init(SCMP_ACT_ALLOW);
	int r;

	if (!c)
		return -ENOMEM;
	r = seccomp_attr_set(c, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
	if (r == 0)
		r = seccomp_attr_set(c, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	for (size_t i = 0; r == 0 && i < n; i++)
		if (!(rules[i].nested && allow_nested))
			r = add_rule(c, SCMP_ACT_ERRNO((uint32_t)rules[i].error), &rules[i]);
	return r < 0 ? r : export_code(c, p);
}

static int compile_allowed(const struct call_rule *rules, size_t n, struct program *p)
{
	auto_context scmp_filter_ctx c = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int r;

	if (!c)
		return -ENOMEM;
	r = seccomp_attr_set(c, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = add_rule(c, SCMP_ACT_ALLOW, &rules[i]);
	return r < 0 ? r : export_code(c, p);
}

static int extra_family(const char *name, uint32_t *ret, struct pinfold_error *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(extra_families); i++)
		if (strcmp(extra_families[i].name, name) == 0) {
			*ret = extra_families[i].family;
			return 0;
		}
	return err_set(e, -EINVAL,
		       "seccomp.families: '%s' can't be let in; known are alg, bluetooth, can, "
		       "nfc and vsock",
		       name);
}

static struct permit only(int nr, int error, unsigned arg, const uint32_t *values, size_t n)
{
	return (struct permit){ .nr = nr,
				.error = error,
				.arg = arg,
				.mask = UINT32_MAX,
				.values = values,
				.n_values = n };
}

/* The same, for calls whose first argument is value. */
static struct permit when(uint32_t value, struct permit p)
{
	p.when = true;
	p.when_value = value;
	return p;
}

/* The same, of a socket's type without its flags. */
static struct permit typed(struct permit p)
{
	p.mask = SOCK_TYPE_BITS;
	return p;
}

/* Arguments of which few values are harmless.  EAFNOSUPPORT and EPROTONOSUPPORT, so that programs
 * fall back as they do where the kernel lacks the family. */
static int permit_arguments(struct program *p, const struct policy *policy, struct pinfold_error *e)
{
	const struct string_list *names = &policy->seccomp.families;
	uint32_t families[FAMILIES_BASE + ARRAY_SIZE(extra_families)] = { AF_UNIX, AF_INET,
									  AF_INET6, AF_NETLINK };
	static const uint32_t unix_only[] = { AF_UNIX };
	static const uint32_t zero[] = { 0 };
	static const uint32_t netlinks[] = { NETLINK_ROUTE, NETLINK_KOBJECT_UEVENT };
	/* The last type is for icmp only: the network fence judges the rest of it. */
	static const uint32_t types[] = { SOCK_STREAM, SOCK_DGRAM, SOCK_RAW };
	/* Linux, 32 bit, UNAME26, no randomization (debuggers), and the query.  Not
	 * READ_IMPLIES_EXEC nor MMAP_PAGE_ZERO. */
	static const uint32_t personas[] = {
		0, 0x8, 0x20000, 0x20008, 0x40000, 0x40008, UINT32_MAX
	};
	size_t n_families = FAMILIES_BASE;
	size_t n_types = policy->net.icmp ? 3 : 2;

	for (size_t i = 0; i < names->n; i++) {
		if (n_families == ARRAY_SIZE(families))
			return err_set(e, -EINVAL, "seccomp.families: an entry stands twice");
		int r = extra_family(names->s[i], &families[n_families], e);

		if (r < 0)
			return r;
		n_families++;
	}

	const struct permit permits[] = {
		only(SYS_socket, EAFNOSUPPORT, 0, families, n_families),
		when(AF_NETLINK, only(SYS_socket, EPROTONOSUPPORT, 2, netlinks, 2)),
		when(AF_INET, typed(only(SYS_socket, EPERM, 1, types, n_types))),
		when(AF_INET6, typed(only(SYS_socket, EPERM, 1, types, n_types))),
		only(SYS_socketpair, EAFNOSUPPORT, 0, unix_only, 1),
		only(SYS_personality, EPERM, 0, personas, ARRAY_SIZE(personas)),
		only(SYS_prlimit64, EPERM, 0, zero, 1),
	};

	for (size_t i = 0; i < ARRAY_SIZE(permits); i++)
		program_permit(p, &permits[i]);
	return 0;
}

/* News of devices: browsers and whatever links libudev ask at every start, and do without. */
static void refuse_quietly(struct program *p)
{
	static const uint32_t uevent[] = { NETLINK_KOBJECT_UEVENT };
	const struct permit none = {
		.nr = SYS_socket,
		.error = EPROTONOSUPPORT,
		.arg = 2,
		.when = true,
		.when_value = AF_NETLINK,
		.mask = UINT32_MAX,
		.values = uevent,
		.n_values = 1,
		.inverted = true,
	};

	program_permit(p, &none);
}

static int keep(const struct program *p, struct seccomp_program *ret)
{
	size_t size = p->n * sizeof(*p->code);

	if (p->full || p->n == 0)
		return -E2BIG;
	ret->code = malloc(size);
	if (!ret->code)
		return -ENOMEM;
	memcpy(ret->code, p->code, size);
	ret->n = p->n;
	return 0;
}

static int finish(struct seccomp_filter *f, struct program *quiet, const struct program *told,
		  struct pinfold_error *e)
{
	static const struct sock_filter allow[] = { BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	struct seccomp_filter out = { 0 };
	int r;

	program_append(quiet, allow, ARRAY_SIZE(allow));
	r = keep(quiet, &out.quiet);
	if (r == 0)
		r = keep(told, &out.told);
	if (r < 0) {
		seccomp_filter_done(&out);
		return err_set(e, r, "cannot build the system call filter: %s", strerror(-r));
	}
	*f = out;
	return 0;
}

int seccomp_filter_prepare(struct seccomp_filter *f, const struct policy *p,
			   struct pinfold_error *e)
{
	struct program quiet = { .n = 0 };
	struct program told = { .n = 0 };
	int r = permit_arguments(&told, p, e);

	if (r < 0)
		return r;
	r = compile_denied(seccomp_session_rules, seccomp_n_session_rules, p->seccomp.allow_nested,
			   &told);
	if (r < 0)
		return err_set(e, r, "cannot compile the system call filter: %s", strerror(-r));
	program_bound_numbers(&quiet, seccomp_arch_native(), p->seccomp.allow_nested);
	refuse_quietly(&quiet);
	return finish(f, &quiet, &told, e);
}

static int prepare_helper(struct seccomp_filter *f, const struct call_rule *rules, size_t n,
			  struct pinfold_error *e)
{
	struct program quiet = { .n = 0 };
	struct program told = { .n = 0 };
	int r = compile_allowed(rules, n, &told);

	if (r < 0)
		return err_set(e, r, "cannot compile a helper's system call filter: %s",
			       strerror(-r));
	program_bound_numbers(&quiet, seccomp_arch_native(), false);
	return finish(f, &quiet, &told, e);
}

int seccomp_filter_prepare_worker(struct seccomp_filter *f, struct pinfold_error *e)
{
	return prepare_helper(f, seccomp_worker_rules, seccomp_n_worker_rules, e);
}

int seccomp_filter_prepare_relay(struct seccomp_filter *f, struct pinfold_error *e)
{
	return prepare_helper(f, seccomp_relay_rules, seccomp_n_relay_rules, e);
}

int seccomp_filter_prepare_supervisor(struct seccomp_filter *f, struct pinfold_error *e)
{
	struct program quiet = { .n = 0 };
	struct program told = { .n = 0 };
	int r = compile_denied(seccomp_supervisor_rules, seccomp_n_supervisor_rules, false, &told);

	if (r < 0)
		return err_set(e, r, "cannot compile the supervisor's system call filter: %s",
			       strerror(-r));
	program_bound_numbers(&quiet, seccomp_arch_native(), false);
	return finish(f, &quiet, &told, e);
}

static int enter(const struct seccomp_program *p, unsigned flags)
{
	struct sock_fprog prog = { .len = p->n, .filter = p->code };

	if (!p->code)
		return -EINVAL;
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &prog) < 0 ? -errno : 0;
}

int seccomp_filter_enter(const struct seccomp_filter *f)
{
	int r = enter(&f->quiet, 0);

	return r < 0 ? r : enter(&f->told, SECCOMP_FILTER_FLAG_LOG);
}

void seccomp_filter_done(struct seccomp_filter *f)
{
	free(f->quiet.code);
	free(f->told.code);
	*f = (struct seccomp_filter){ 0 };
}
