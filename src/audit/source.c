/* SPDX-License-Identifier: MIT */
#include "audit/source.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

#include "base/child.h"
#include "base/clean.h"
#include "base/err.h"

#define MAGIC_MAX 6
#define PIPE_BYTES 1048576 /* fewer changes between the two processes; the kernel may refuse */

struct packer {
	const char *program;
	const char *package; /* of Debian, for words */
	size_t len;
	unsigned char magic[MAGIC_MAX];
};

static const struct packer PACKERS[] = {
	{ "gzip", "gzip", 2, { 0x1f, 0x8b } },
	{ "xz", "xz-utils", 6, { 0xfd, '7', 'z', 'X', 'Z', 0 } },
	{ "zstd", "zstd", 4, { 0x28, 0xb5, 0x2f, 0xfd } },
};

static const struct packer *packer_of(int fd)
{
	unsigned char head[MAGIC_MAX];
	ssize_t n = pread(fd, head, sizeof(head), 0); /* fails on a pipe, which is taken as it is */

	for (size_t i = 0; n > 0 && i < ARRAY_SIZE(PACKERS); i++)
		if ((size_t)n >= PACKERS[i].len &&
		    memcmp(head, PACKERS[i].magic, PACKERS[i].len) == 0)
			return &PACKERS[i];
	return NULL;
}

static int spawn_as(char *program, int from, int to, pid_t *ret)
{
	char to_stdout[] = "-dc";
	char language[] = "LC_ALL=C";
	char *argv[] = { program, to_stdout, NULL };
	char *env[] = { language, NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none;
	sigset_t pipes;
	int r;

	sigemptyset(&none);
	sigemptyset(&pipes);
	sigaddset(&pipes, SIGPIPE);
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &pipes);
	posix_spawn_file_actions_adddup2(&files, from, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&files, to, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	r = posix_spawn(ret, program, &files, &attr, argv, env);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	return -r;
}

/* By absolute path: whoever calls may have anything in PATH. */
static int spawn(const struct packer *p, int from, int to, pid_t *ret)
{
	static const char *const DIRS[] = { "/usr/bin", "/bin", "/usr/local/bin" };
	int r = -ENOENT;

	for (size_t i = 0; i < ARRAY_SIZE(DIRS) && r == -ENOENT; i++) {
		char path[64];

		if (snprintf(path, sizeof(path), "%s/%s", DIRS[i], p->program) > 0)
			r = spawn_as(path, from, to, ret);
	}
	return r;
}

int source_open(int fd, const char *path, struct source *ret, struct pinfold_error *e)
{
	const struct packer *p = packer_of(fd);
	auto_close int file = fd;
	auto_close int out = -1;
	int pipe_fds[2];
	pid_t child;
	int r;

	if (!p) {
		*ret = (struct source){ .fd = take_fd(file) };
		return 0;
	}
	if (pipe2(pipe_fds, O_CLOEXEC) < 0)
		return err_set(e, -errno, "cannot make a pipe: %s", strerror(errno));
	out = pipe_fds[1];
	(void)fcntl(out, F_SETPIPE_SZ, PIPE_BYTES);
	r = spawn(p, file, out, &child);
	if (r < 0) {
		close(pipe_fds[0]);
		return r == -ENOENT ? err_set(e, r, "'%.120s' needs %s to be read: install %s",
					      path, p->program, p->package)
				    : err_set(e, r, "cannot start %s for '%.120s': %s", p->program,
					      path, strerror(-r));
	}
	*ret = (struct source){ .fd = pipe_fds[0], .child = child };
	return 0;
}

static int reap(struct source *s)
{
	int status = -1;

	while (waitpid(s->child, &status, 0) < 0 && errno == EINTR)
		continue;
	s->child = 0;
	return status == 0 ? 0 : -EBADMSG;
}

ssize_t source_read(struct source *s, void *buf, size_t size)
{
	ssize_t n;

	do
		n = read(s->fd, buf, size);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return n == 0 && s->child ? reap(s) : n;
}

bool source_is_compressed(const struct source *s)
{
	return s->child != 0;
}

void source_done(struct source *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	if (!s->child)
		return;
	child_kill(s->child);
	(void)reap(s);
}
