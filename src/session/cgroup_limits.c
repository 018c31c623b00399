/* SPDX-License-Identifier: MIT */
#include "session/cgroup_limits.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clean.h"
#include "base/err.h"
#include "base/io.h"
#include "policy/policy.h"
#include "session/cgroup.h"
#include "session/cgroup_tree.h"

#define CONTROLLERS_TEXT_MAX 4096
#define CPU_PERIOD_US 100000
#define LIMIT_FILES_MAX 2

/* What is written where: the fixed text, or the limit in the file's unit and a suffix. */
struct limit_file {
	const char *name; /* NULL: no file */
	const char *fixed;
	const char *suffix;
	bool optional; /* not there when the kernel counts no swap, which then needs no bound */
};

static const struct controller {
	const char *name;
	struct limit_file v2[LIMIT_FILES_MAX];
	struct limit_file v1[LIMIT_FILES_MAX];
} controllers[] = {
	[CGROUP_PIDS] = { "pids", { { .name = "pids.max" } }, { { .name = "pids.max" } } },
	[CGROUP_MEMORY] = { "memory",
			    { { .name = "memory.max" },
			      { .name = "memory.swap.max", .fixed = "0", .optional = true } },
			    { { .name = "memory.limit_in_bytes" },
			      { .name = "memory.memsw.limit_in_bytes", .optional = true } } },
	[CGROUP_CPU] = { "cpu",
			 { { .name = "cpu.max", .suffix = " 100000" } },
			 { { .name = "cpu.cfs_period_us", .fixed = "100000" },
			   { .name = "cpu.cfs_quota_us" } } },
};
_Static_assert(ARRAY_SIZE(controllers) == CGROUP_N_CONTROLLERS, "one for each controller");

const char *cgroup_controller_name(enum cgroup_controller which)
{
	return controllers[which].name;
}

/* The limit in the controller's unit; POLICY_NO_LIMIT: none. */
static uint64_t amount(enum cgroup_controller which, const struct limits_policy *limits)
{
	switch (which) {
	case CGROUP_PIDS:
		return limits->pids;
	case CGROUP_MEMORY:
		return limits->memory;
	case CGROUP_CPU:
		return (uint64_t)limits->cpu_percent * (CPU_PERIOD_US / 100);
	default:
		return POLICY_NO_LIMIT;
	}
}

static int write_limit(int dir_fd, const struct limit_file *files, uint64_t value)
{
	char text[64];

	for (size_t i = 0; i < LIMIT_FILES_MAX && files[i].name; i++) {
		const struct limit_file *f = &files[i];
		int r;

		if (f->fixed)
			(void)snprintf(text, sizeof(text), "%s", f->fixed);
		else
			(void)snprintf(text, sizeof(text), "%" PRIu64 "%s", value,
				       f->suffix ? f->suffix : "");
		r = io_write_file(dir_fd, f->name, text);
		if (r < 0 && !(r == -ENOENT && f->optional))
			return r;
	}
	return 0;
}

/* -ENOENT: cgroup2 has no such controller here. */
static int enable(int dir_fd, const char *name)
{
	auto_free char *text = NULL;
	char word[16];
	size_t len;
	int r = io_read_file(dir_fd, "cgroup.controllers", CONTROLLERS_TEXT_MAX, &text, &len);

	if (r < 0)
		return r;
	if (!cgroup_has_word(text, name))
		return -ENOENT;
	(void)snprintf(word, sizeof(word), "+%s", name);
	return io_write_file(dir_fd, "cgroup.subtree_control", word);
}

/* Nobody disables a controller again: other sessions may have come to need it. */
static int limit_v2(const struct cgroup *c, const struct controller *k, uint64_t value)
{
	/* The session's directory keeps the slice alive. */
	auto_close int slice_fd = openat(c->root_fd, CGROUP_SLICE, O_DIRECTORY | O_CLOEXEC);
	int r;

	if (slice_fd < 0)
		return -errno;
	r = enable(c->root_fd, k->name);
	if (r == 0)
		r = enable(slice_fd, k->name);
	return r < 0 ? r : write_limit(c->dir_fd, k->v2, value);
}

/* The directory that another controller of the same hierarchy has made for this session. */
static int open_v1(const struct cgroup *c, enum cgroup_controller which)
{
	char path[sizeof(CGROUP_V1_SLICE) + 1 + CGROUP_ID_MAX];
	struct stat mine;
	struct stat other;
	int fd;

	if (fstat(c->v1_fd[which], &mine) < 0)
		return -errno;
	for (enum cgroup_controller i = 0; i < which; i++) {
		if (c->v1_dir_fd[i] < 0 || fstat(c->v1_fd[i], &other) < 0 ||
		    mine.st_dev != other.st_dev)
			continue;
		(void)snprintf(path, sizeof(path), "%s/%s", CGROUP_V1_SLICE, c->id);
		fd = openat(c->v1_fd[which], path, O_DIRECTORY | O_CLOEXEC);
		return fd < 0 ? -errno : fd;
	}
	return -EEXIST;
}

static int limit_v1(struct cgroup *c, enum cgroup_controller which, const char *mountinfo,
		    uint64_t value)
{
	const struct controller *k = &controllers[which];
	int fd = cgroup_find_root(mountinfo, k->name);

	if (fd < 0)
		return fd;
	c->v1_fd[which] = fd;
	fd = cgroup_make(c->v1_fd[which], CGROUP_V1_SLICE, c->id);
	/* Two controllers may share one hierarchy, and so one directory. */
	if (fd == -EEXIST)
		fd = open_v1(c, which);
	if (fd < 0)
		return fd;
	c->v1_dir_fd[which] = fd;
	return write_limit(fd, k->v1, value);
}

int cgroup_limit(struct cgroup *c, const char *mountinfo, const struct limits_policy *limits,
		 bool degrade, struct pinfold_error *e)
{
	for (enum cgroup_controller i = 0; i < CGROUP_N_CONTROLLERS; i++) {
		uint64_t value = amount(i, limits);
		const char *name = controllers[i].name;
		int r;

		if (value == POLICY_NO_LIMIT)
			continue;
		r = limit_v2(c, &controllers[i], value);
		if (r == -ENOENT)
			r = limit_v1(c, i, mountinfo, value);
		if (r == 0)
			continue;
		if (degrade) {
			c->missing |= 1u << i;
			continue;
		}
		if (r == -ENOENT)
			return err_set(
			    e, -EOPNOTSUPP,
			    "limits.%s can't be held: no cgroup hierarchy here has the "
			    "controller '%s'; take the limit out, or say \"onUnavailable\": "
			    "\"degrade\"",
			    name, name);
		return err_set(e, -EOPNOTSUPP, "limits.%s can't be held: controller '%s': %s", name,
			       name, strerror(-r));
	}
	return 0;
}
