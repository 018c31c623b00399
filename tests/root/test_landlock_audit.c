/* SPDX-License-Identifier: MIT */
/* Denials of real Landlock domains, read back from the kernel.  Auditing is turned on for the test
 * when it is off, and put back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/audit.h>
#include <linux/netlink.h>

#include "audit/landlock.h"
#include "base/clean.h"
#include "pinfold.h"

/* By number: the header of an older system has neither the flag nor the members. */
#define LL_READ_FILE (1ULL << 2)
#define LL_SCOPE_SIGNAL (1ULL << 1)
#define LL_RULE_PATH_BENEATH 1
#define LL_LOG_NEW_EXEC_ON (1U << 1)
#define WAIT_MS 5000

struct ll_ruleset {
	uint64_t fs, net, scoped;
};

struct ll_path {
	uint64_t access;
	int32_t fd;
} __attribute__((packed));

struct fixture {
	char dir[32];
	char path[64]; /* with a blank and a quote: the kernel writes it in hexadecimal */
};

struct seen {
	pid_t ours;
	int n;
	struct landlock_denial of_path;
	struct landlock_denial of_signal;
	const char *path;
};

static int is_ours(void *data, pid_t pid)
{
	return pid == ((struct seen *)data)->ours;
}

static void remember(void *data, const struct landlock_denial *d)
{
	struct seen *s = data;

	s->n++;
	if (strcmp(d->path, s->path) == 0)
		s->of_path = *d;
	if (strcmp(d->blockers, "scope.signal") == 0)
		s->of_signal = *d;
}

/* Asks for, or sets, whether auditing is on; negative errno. */
static int audit_state(unsigned type, unsigned enabled)
{
	auto_close int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_AUDIT);
	struct {
		struct nlmsghdr head;
		union {
			struct audit_status status;
			struct nlmsgerr error;
		};
	} m = { .head = { .nlmsg_len = sizeof(m),
			  .nlmsg_type = (uint16_t)type,
			  .nlmsg_flags = NLM_F_REQUEST | (type == AUDIT_SET ? NLM_F_ACK : 0) },
		.status = { .mask = AUDIT_STATUS_ENABLED, .enabled = enabled } };

	if (fd < 0 || send(fd, &m, sizeof(m), 0) < 0 || recv(fd, &m, sizeof(m), 0) < 0)
		return -errno;
	return m.head.nlmsg_type == NLMSG_ERROR ? m.error.error : (int)m.status.enabled;
}

/* Runs in the child: a domain in which only what lies below /usr may be read, then cat. */
static void run_confined(const char *path)
{
	struct ll_ruleset rules = { LL_READ_FILE, 0, LL_SCOPE_SIGNAL };
	struct ll_path usr = { LL_READ_FILE, open("/usr", O_PATH | O_CLOEXEC) };
	struct ll_path etc = { LL_READ_FILE, open("/etc", O_PATH | O_CLOEXEC) };
	long fd = syscall(SYS_landlock_create_ruleset, &rules, sizeof(rules), 0);
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || syscall(SYS_landlock_add_rule, fd, LL_RULE_PATH_BENEATH, &usr, 0) != 0 ||
	    syscall(SYS_landlock_add_rule, fd, LL_RULE_PATH_BENEATH, &etc, 0) != 0 ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    syscall(SYS_landlock_restrict_self, fd, LL_LOG_NEW_EXEC_ON) != 0 ||
	    dup2(null, STDERR_FILENO) < 0)
		_exit(99);
	execl("/bin/sh", "sh", "-c", "cat \"$1\"; kill -0 \"$PPID\"; exit 7", "sh", path,
	      (char *)NULL);
	_exit(98);
}

/* Starts the confined child, waits for its end, and reads until both denials came, or, when the
 * child is not ours, until its records must have come.  Returns what went wrong, or NULL. */
static const char *provoke(struct landlock_audit *a, struct seen *s, bool ours)
{
	pid_t child = fork();
	int waited = 0;
	int status;

	if (child < 0)
		return "fork";
	if (child == 0)
		run_confined(s->path);
	s->ours = ours ? child : -1;
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 7)
		return "the child could not be confined";
	while (waited < (ours ? WAIT_MS : 300)) {
		struct pollfd p = { .fd = landlock_audit_fd(a), .events = POLLIN };
		int r;

		waited += poll(&p, 1, 50) == 0 ? 50 : 1;
		r = landlock_audit_read(a, is_ours, remember, s);
		if (r < 0)
			return strerror(-r);
		if (s->of_path.domain && s->of_signal.domain)
			break;
	}
	return NULL;
}

static const char *check_denials(const struct seen *s, pid_t target)
{
	const struct landlock_denial *d = &s->of_path;

	if (!d->domain)
		return "no denial with the path";
	if (d->domain_pid != s->ours || strcmp(d->blockers, "fs.read_file") != 0)
		return "the denial is not the expected one";
	/* System calls are told only where the audit rules allow it. */
	if (d->pid != s->ours && strcmp(d->comm, "cat") != 0)
		return "the process is not cat";
	if (!d->exe[0] || !d->comm[0])
		return "the process is not named";
	if (s->of_signal.domain != d->domain || s->of_signal.target_pid != target)
		return "no denial of the signal";
	return NULL;
}

static const char *read_denials(const char *path)
{
	struct landlock_audit *a = NULL;
	struct seen s = { .path = path };
	struct pinfold_error e;
	static char words[PINFOLD_ERROR_MAX];
	const char *wrong;

	if (landlock_audit_new(&a, &e) != 0) {
		memcpy(words, e.text, sizeof(words));
		return words;
	}
	wrong = provoke(a, &s, true);
	landlock_audit_free(a);
	return wrong ? wrong : check_denials(&s, getpid());
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	snprintf(f->dir, sizeof(f->dir), "/tmp/pinfold-test-XXXXXX");
	if (!mkdtemp(f->dir))
		return -1;
	snprintf(f->path, sizeof(f->path), "%s/a \"secret\"", f->dir);
	close(open(f->path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	unlink(f->path);
	rmdir(f->dir);
	free(f);
	return 0;
}

static void reads_the_denials_of_our_domain_with_path_and_process(void **state)
{
	struct fixture *f = *state;
	const char *wrong = read_denials(f->path);

	if (wrong)
		fail_msg("%s", wrong);
}

static void hands_on_nothing_of_a_domain_that_is_not_ours(void **state)
{
	struct fixture *f = *state;
	struct seen s = { .path = f->path };
	struct landlock_audit *a = NULL;
	struct pinfold_error e;
	const char *wrong;

	assert_int_equal(landlock_audit_new(&a, &e), 0);
	wrong = provoke(a, &s, false);
	landlock_audit_free(a);
	assert_null(wrong);
	assert_int_equal(s.n, 0);
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Runs in a child, in a network namespace of its own; what went wrong is written to fd. */
static void read_in_another_netns(const char *path, int fd)
{
	struct stat before;
	struct stat after;
	const char *wrong = NULL;

	if (unshare(CLONE_NEWNET) != 0 || stat("/proc/self/ns/net", &before) != 0)
		wrong = "unshare";
	if (!wrong)
		wrong = read_denials(path);
	if (!wrong && (stat("/proc/self/ns/net", &after) != 0 || !same_file(&before, &after)))
		wrong = "the network namespace was changed";
	if (wrong && write(fd, wrong, strlen(wrong)) < 0)
		_exit(2);
	_exit(wrong ? 1 : 0);
}

static void reads_them_also_in_another_network_namespace_and_stays_in_it(void **state)
{
	struct fixture *f = *state;
	char wrong[PINFOLD_ERROR_MAX] = "";
	int status = -1;
	pid_t child;
	int fds[2];

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		read_in_another_netns(f->path, fds[1]);
	close(fds[1]);
	assert_int_equal(waitpid(child, &status, 0), child);
	if (read(fds[0], wrong, sizeof(wrong) - 1) > 0)
		fail_msg("%s", wrong);
	close(fds[0]);
	assert_int_equal(status, 0);
}

static void says_how_to_turn_auditing_on(void **state)
{
	struct landlock_audit *a = NULL;
	struct pinfold_error e = { "" };
	int r;

	(void)state;
	assert_int_equal(audit_state(AUDIT_SET, 0), 0);
	r = landlock_audit_new(&a, &e);
	assert_int_equal(audit_state(AUDIT_SET, 1), 0);
	assert_int_equal(r, -EOPNOTSUPP);
	assert_null(a);
	assert_non_null(strstr(e.text, "auditctl -e 1"));
	assert_non_null(strstr(e.text, "audit=1"));
}

/* Runs in a child. */
static void read_without_privilege(void)
{
	struct landlock_audit *a = NULL;
	struct pinfold_error e = { "" };
	int r;

	if (setresuid(65534, 65534, 65534) != 0)
		_exit(2);
	r = landlock_audit_new(&a, &e);
	_exit(r == -EPERM && strstr(e.text, "CAP_AUDIT_CONTROL") ? 0 : 1);
}

static void refuses_without_the_capability(void **state)
{
	int status = -1;
	pid_t child = fork();

	(void)state;
	assert_true(child >= 0);
	if (child == 0)
		read_without_privilege();
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
		    reads_the_denials_of_our_domain_with_path_and_process, setup, teardown),
		cmocka_unit_test_setup_teardown(hands_on_nothing_of_a_domain_that_is_not_ours,
						setup, teardown),
		cmocka_unit_test_setup_teardown(
		    reads_them_also_in_another_network_namespace_and_stays_in_it, setup, teardown),
		cmocka_unit_test(says_how_to_turn_auditing_on),
		cmocka_unit_test(refuses_without_the_capability),
	};
	int was_on = audit_state(AUDIT_GET, 0);
	int failed;

	if (was_on == 0)
		audit_state(AUDIT_SET, 1);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	if (was_on == 0)
		audit_state(AUDIT_SET, 0);
	return failed;
}
