/* wrap: malloc calloc realloc reallocarray strdup strndup __asprintf_chk __vasprintf_chk free bpf_object__destroy_skeleton */
/* SPDX-License-Identifier: MIT */
/* Every allocation of ours fails once: the N-th of reading a policy, and of a whole
 * session.  Then no command ran or it was fenced, nobody crashed, nothing is left.  Of a session's
 * only every seventh is tried, unless FAULTS=all; FAULTS_FROM=N begins with the N-th. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "fs/fence.h"
#include "pinfold.h"

#define LIVE_MAX (1u << 16)
#define STEPS_MAX 20000

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__real_reallocarray(void *p, size_t n, size_t size);
char *__real_strdup(const char *s);
char *__real_strndup(const char *s, size_t n);
int __real___vasprintf_chk(char **ret, int flag, const char *format, va_list args);
void __real_free(void *p);

void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_reallocarray(void *p, size_t n, size_t size);
char *__wrap_strdup(const char *s);
char *__wrap_strndup(const char *s, size_t n);
int __wrap___asprintf_chk(char **ret, int flag, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int __wrap___vasprintf_chk(char **ret, int flag, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));
void __wrap_free(void *p);

static unsigned long count;   /* allocations since the step began */
static unsigned long fail_at; /* 0: none */
static void *live[LIVE_MAX];  /* ours, not freed yet; open addressing */
static long n_live;

static size_t slot_of(const void *p)
{
	size_t i = ((uintptr_t)p >> 4) * 2654435761u % LIVE_MAX;

	while (live[i] && live[i] != p)
		i = (i + 1) % LIVE_MAX;
	return i;
}

static void *born(void *p)
{
	if (p) {
		size_t i = slot_of(p);

		n_live += !live[i];
		live[i] = p;
	}
	return p;
}

/* What libraries gave us is not known here, and does not count. */
static void buried(const void *p)
{
	size_t hole = slot_of(p);

	if (!p || !live[hole])
		return;
	n_live--;
	live[hole] = NULL;
	for (size_t i = (hole + 1) % LIVE_MAX; live[i]; i = (i + 1) % LIVE_MAX) {
		void *moved = live[i];

		live[i] = NULL;
		live[slot_of(moved)] = moved;
	}
}

static bool fails(void)
{
	if (++count != fail_at)
		return false;
	errno = ENOMEM;
	return true;
}

void *__wrap_malloc(size_t n)
{
	return fails() ? NULL : born(__real_malloc(n));
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : born(__real_calloc(n, size));
}

static void *moved_to(void *p, void *now)
{
	if (!now)
		return NULL;
	buried(p);
	return born(now);
}

void *__wrap_realloc(void *p, size_t n)
{
	return fails() ? NULL : moved_to(p, __real_realloc(p, n));
}

void *__wrap_reallocarray(void *p, size_t n, size_t size)
{
	return fails() ? NULL : moved_to(p, __real_reallocarray(p, n, size));
}

char *__wrap_strdup(const char *s)
{
	return fails() ? NULL : born(__real_strdup(s));
}

char *__wrap_strndup(const char *s, size_t n)
{
	return fails() ? NULL : born(__real_strndup(s, n));
}

static int print_to(char **ret, const char *format, va_list args)
{
	int n;

	if (fails())
		return -1;
	n = __real___vasprintf_chk(ret, 1, format, args);
	if (n >= 0)
		born(*ret);
	return n;
}

int __wrap___vasprintf_chk(char **ret, int flag, const char *format, va_list args)
{
	(void)flag;
	return print_to(ret, format, args);
}

int __wrap___asprintf_chk(char **ret, int flag, const char *format, ...)
{
	va_list args;
	int n;

	(void)flag;
	va_start(args, format);
	n = print_to(ret, format, args);
	va_end(args);
	return n;
}

void __wrap_free(void *p)
{
	buried(p);
	__real_free(p);
}

/* Allocated by code that bpftool wrote into ours, freed by libbpf. */
void __real_bpf_object__destroy_skeleton(struct bpf_object_skeleton *s);
void __wrap_bpf_object__destroy_skeleton(struct bpf_object_skeleton *s);

void __wrap_bpf_object__destroy_skeleton(struct bpf_object_skeleton *s)
{
	if (s) {
		buried(s->maps);
		buried(s->progs);
		buried(s);
	}
	__real_bpf_object__destroy_skeleton(s);
}

/* ---- what is tried -------------------------------------------------------------------------- */

struct world {
	char dir[64];
	char policy[96];
	char secret[96];
	char result[96];
	char log[96];
};

static void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void begin(struct world *w)
{
	char text[1024];
	char ws[96];

	snprintf(w->dir, sizeof(w->dir), "/tmp/pinfold-alloc-XXXXXX");
	assert_non_null(mkdtemp(w->dir));
	assert_int_equal(chmod(w->dir, 0755), 0);
	snprintf(ws, sizeof(ws), "%s/ws", w->dir);
	assert_int_equal(mkdir(ws, 0755), 0);
	assert_int_equal(chown(ws, 10001, 10001), 0);
	snprintf(w->policy, sizeof(w->policy), "%s/policy.json", w->dir);
	snprintf(w->secret, sizeof(w->secret), "%s/secret", w->dir);
	snprintf(w->result, sizeof(w->result), "%s/ws/result", w->dir);
	snprintf(w->log, sizeof(w->log), "%s/log", w->dir);
	snprintf(
	    text, sizeof(text),
	    "{ \"version\": 1, \"workspace\": \"%s\", %s \"filesystem\": { \"deny\": [\"%s/x\", "
	    "\"**/.env\"] }, \"network\": { \"allowOutbound\": [\"*.example.com:443\", "
	    "\"198.51.100.0/24:80-90\", { \"host\": \"b.example.org:443\", \"verify\": "
	    "\"sni\" }], \"denyOutbound\": [\"203.0.113.9\"] }, \"identity\": { \"uid\": "
	    "10001, \"gid\": 10001 }, \"limits\": { \"pids\": 64 } }",
	    ws, fs_landlock_abi() < 6 ? "\"onUnavailable\": \"degrade\"," : "", ws);
	write_text(w->policy, text);
	write_text(w->secret, "secret\n");
}

static void end(const struct world *w)
{
	char ws[96];

	unlink(w->policy);
	unlink(w->secret);
	unlink(w->result);
	unlink(w->log);
	snprintf(ws, sizeof(ws), "%s/ws", w->dir);
	rmdir(ws);
	assert_int_equal(rmdir(w->dir), 0);
}

static int count_fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

/* What has ended but was not waited for in time does no harm. */
static bool nobody_is_left(void)
{
	const struct timespec pause = { .tv_nsec = 20000000 };

	for (int i = 0; i < 1000; i++) {
		pid_t pid = waitpid(-1, NULL, WNOHANG | __WALL);

		if (pid < 0)
			return errno == ECHILD;
		if (pid == 0)
			nanosleep(&pause, NULL);
	}
	return false;
}

/* One way through the code; its result, and what must hold whatever it is. */
typedef int (*way)(const struct world *w);

static unsigned long number_in(const char *name, unsigned long otherwise)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 10) : otherwise;
}

/* The N-th allocation fails, for each N until there is no N-th. */
static void each_fails_once(way fn, unsigned long step)
{
	struct world w;
	long before;
	int fds;

	begin(&w);
	fail_at = 0;
	assert_int_equal(fn(&w), 0); /* and whatever is allocated once */
	before = n_live;
	fds = count_fds();
	for (unsigned long n = number_in("FAULTS_FROM", 1); n < STEPS_MAX; n += step) {
		int r;

		count = 0;
		fail_at = n;
		r = fn(&w);
		fail_at = 0;
		if (n_live != before)
			fail_msg("allocation %lu failed, and %ld others are left", n,
				 n_live - before);
		if (count_fds() != fds)
			fail_msg("allocation %lu failed, and descriptors are left", n);
		if (!nobody_is_left())
			fail_msg("allocation %lu failed, and a process is left", n);
		if (count < n) {
			assert_int_equal(r, 0);
			print_message("# %lu allocations\n", count);
			end(&w);
			return;
		}
	}
	fail_msg("there is no end");
}

static int load(const struct world *w, struct pinfold_policy **ret)
{
	struct pinfold_error e = { "" };
	int r = pinfold_policy_load(w->policy, ret, &e);

	if (r < 0 && !e.text[0])
		fail_msg("no word for error %d", r);
	return r;
}

static int reading(const struct world *w)
{
	struct pinfold_policy *policy = NULL;
	int r = load(w, &policy);

	pinfold_policy_free(policy);
	return r;
}

static char *slurp(const char *path, char *buffer, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, buffer, size - 1);

	if (fd >= 0)
		close(fd);
	buffer[n > 0 ? n : 0] = '\0';
	return buffer;
}

static int running(const struct world *w)
{
	char script[512];
	char said[32];
	const char *const argv[] = { "/bin/sh", "-c", script, NULL };
	struct pinfold_policy *policy = NULL;
	struct pinfold_error e = { "" };
	int status = -1;
	int r;

	snprintf(script, sizeof(script),
		 "if read x <%s; then echo open >%s; else echo fenced >%s; fi 2>/dev/null",
		 w->secret, w->result, w->result);
	unlink(w->result);
	r = load(w, &policy);
	if (r < 0)
		return r;

	const struct pinfold_run args = { .policy = policy,
					  .argv = (char *const *)(uintptr_t)argv,
					  .log_path = w->log };

	r = pinfold_run(&args, &status, &e);
	pinfold_policy_free(policy);
	slurp(w->result, said, sizeof(said));
	if (said[0] && strcmp(said, "fenced\n") != 0)
		fail_msg("allocation %lu failed, and the command ran without a fence", fail_at);
	if (r == 0 && status == 0 && !said[0])
		fail_msg("allocation %lu failed: success, and nothing ran", fail_at);
	if (r < 0 && !e.text[0])
		fail_msg("allocation %lu failed, and nobody said so", fail_at);
	if (status > 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV)
		fail_msg("allocation %lu failed, and the command's process crashed", fail_at);
	return r < 0 ? r : status;
}

static void reading_a_policy_survives_each(void **state)
{
	(void)state;
	each_fails_once(reading, 1);
}

static void a_session_is_fenced_or_does_not_start(void **state)
{
	const char *faults = getenv("FAULTS");

	(void)state;
	each_fails_once(running, faults && strcmp(faults, "all") == 0 ? 1 : 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reading_a_policy_survives_each),
		cmocka_unit_test(a_session_is_fenced_or_does_not_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
