/* SPDX-License-Identifier: MIT */
/* A pen with a guard: something runs inside while the test does something outside. */
#ifndef PINFOLD_TESTS_GUARD_PEN_H
#define PINFOLD_TESTS_GUARD_PEN_H

#include "fs_pen.h"

#include <poll.h>
#include <time.h>

#include "fs/guard.h"

#define MESSAGES_MAX 64

/* Shared by the test and what runs inside. */
struct stage {
	volatile int inside_says;
	volatile int outside_says;
	volatile long count[8];
};

struct guarded {
	struct pen pen;
	char quarantine[96];
	struct stage *stage;
	struct fs_fence *fence;
	struct guard *guard;
	pid_t init;
	int pidfd;
	int status;
	bool reaped;
	bool held;
	int failed; /* of the enters */
	double ready_ms;
	struct guard_message message[MESSAGES_MAX];
	size_t n_messages;
	int (*inside)(struct guarded *g);
};

static inline double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static inline void wait_for(volatile int *word, int value)
{
	double end = now_ms() + 10000;

	while (*word < value && now_ms() < end)
		usleep(200);
}

static inline void guarded_init(struct guarded *g, const char *parent)
{
	memset(g, 0, sizeof(*g));
	pen_init(&g->pen, parent);
	make_dir(in(&g->pen, "ws"), TENANT);
	allow(&g->pen, PATH_RW, in(&g->pen, "ws"), by_policy);
	allow(&g->pen, PATH_DENY, "**/.env", by_policy);
	allow(&g->pen, PATH_DENY, "**/.env.*", by_policy);
	static const char *const except[] = { ".env.example", NULL };

	g->pen.rule[g->pen.set.n - 1].except = except;
	snprintf(g->quarantine, sizeof(g->quarantine), "%s/q/s", g->pen.base);
	g->stage = mmap(NULL, sizeof(*g->stage), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	assert_true(g->stage != MAP_FAILED);
	g->pidfd = -1;
}

static inline void guarded_child(void *data)
{
	struct guarded *g = data;
	bool hold = false;
	int step = 0;
	int r = fs_fence_enter_view(g->fence, &step);

	if (r == 0)
		r = guard_meet(g->guard, &hold);
	if (r == 0)
		r = become_tenant();
	if (r == 0)
		r = fs_fence_enter_domain(g->fence, &step);
	if (r == 0 && hold)
		r = guard_hold(g->guard);
	g->stage->count[7] = hold;
	if (r < 0) {
		g->stage->count[6] = r;
		_exit(99);
	}
	close_range(3, ~0u, 0);
	g->stage->inside_says = 1;
	_exit(g->inside(g));
}

static inline void guarded_start(struct guarded *g, int (*inside)(struct guarded *g))
{
	struct clone_args args = { .flags = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_PIDFD,
				   .pidfd = (uintptr_t)&g->pidfd };
	double start = now_ms();

	g->inside = inside;
	if (fs_fence_new(&g->pen.policy, &g->pen.set, &g->pen.tenant, &g->fence, &g->pen.e) < 0 ||
	    guard_new(&g->pen.set, g->fence, g->quarantine, GUARD_REFUSES, &g->guard, &g->pen.e) <
		0)
		fail_msg("%s", g->pen.e.text);
	g->init = guard_clone(g->guard, &args, guarded_child, g);
	assert_true(g->init > 1);
	while (!g->stage->inside_says && !g->reaped) {
		g->reaped = waitpid(g->init, &g->status, WNOHANG | __WALL) != 0;
		usleep(50);
	}
	guard_go(g->guard);
	g->ready_ms = now_ms() - start;
	g->held = g->stage->count[7];
	g->failed = (int)g->stage->count[6];
}

static inline void guarded_read(struct guarded *g)
{
	while (g->n_messages < MESSAGES_MAX &&
	       guard_receive(g->guard, &g->message[g->n_messages]) == 0)
		g->n_messages++;
}

static inline const struct guard_message *guarded_find(const struct guarded *g,
						       enum guard_word word, const char *path)
{
	for (size_t i = 0; i < g->n_messages; i++)
		if (g->message[i].word == word && strcmp(g->message[i].path, path) == 0)
			return &g->message[i];
	return NULL;
}

/* Waits for the end inside; returns what ran there. */
static inline int guarded_end(struct guarded *g)
{
	if (!g->reaped)
		assert_int_equal(waitpid(g->init, &g->status, __WALL), g->init);
	if (g->failed)
		print_error("entering failed: %s\n", strerror(-g->failed));
	guard_finish(g->guard);
	guarded_read(g);
	for (size_t i = 0; i < g->n_messages; i++)
		if (g->message[i].word == GUARD_FAILED)
			print_error("the guard failed at '%s': %s\n", g->message[i].path,
				    strerror(-g->message[i].error));
	guard_free(g->guard);
	fs_fence_free(g->fence);
	close(g->pidfd);
	g->guard = NULL;
	return WIFEXITED(g->status) ? WEXITSTATUS(g->status) : 128 + WTERMSIG(g->status);
}

static inline void guarded_done(struct guarded *g)
{
	munmap(g->stage, sizeof(*g->stage));
	pen_done(&g->pen);
}

/* n files in directories of 20, three levels deep. */
static inline void make_tree(const char *root, int n)
{
	char path[512];

	for (int i = 0; i < n; i++) {
		int d = i / 20;

		if (i % 20 == 0) {
			snprintf(path, sizeof(path), "%s/d%d", root, d % 10);
			mkdir(path, 0755);
			snprintf(path, sizeof(path), "%s/d%d/e%d", root, d % 10, d / 10 % 100);
			mkdir(path, 0755);
			snprintf(path, sizeof(path), "%s/d%d/e%d/f%d", root, d % 10, d / 10 % 100,
				 d / 1000);
			assert_int_equal(mkdir(path, 0755), 0);
			assert_int_equal(chown(path, TENANT, TENANT), 0);
		}
		char file[600];

		snprintf(file, sizeof(file), "%s/file%d.js", path, i % 20);
		assert_int_equal(mknod(file, S_IFREG | 0644, 0), 0);
	}
}

#endif
