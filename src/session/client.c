/* SPDX-License-Identifier: MIT */
/* The public interface to sessions that run: the other end of their control sockets. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>

#include "base/clean.h"
#include "base/clock.h"
#include "base/err.h"
#include "pinfold.h"
#include "session/cgroup_tree.h"
#include "session/control.h"
#include "session/session.h"

#define ANSWER_MAX (64 << 20) /* bytes of JSON */
#define ASK_S 3               /* for an answer that needs no work */
#define RELOAD_S 60
#define END_US (15 * 1000000ULL) /* the grace, and what the kernel needs to end it all */
#define POLL_NS 20000000

struct answer {
	struct control_reply reply;
	int file; /* -1: none came */
};

static int open_dir(DIR **ret, struct pinfold_error *e)
{
	DIR *d = opendir(CONTROL_DIR);

	if (!d && errno == ENOENT) {
		*ret = NULL;
		return 0;
	}
	if (!d)
		return err_set(e, -errno, "cannot look for sessions: %s%s", strerror(errno),
			       errno == EACCES ? " (only root may)" : "");
	*ret = d;
	return 0;
}

/* The session whose socket that is. */
static bool read_id(const char *name, char ret[static SESSION_ID_LEN + 1])
{
	size_t len = strlen(name);

	if (len != SESSION_ID_LEN + sizeof(CONTROL_SUFFIX) - 1 ||
	    strcmp(name + SESSION_ID_LEN, CONTROL_SUFFIX) != 0)
		return false;
	memcpy(ret, name, SESSION_ID_LEN);
	ret[SESSION_ID_LEN] = '\0';
	return cgroup_id_is_sane(ret);
}

static int find_session(const char *prefix, char ret[static SESSION_ID_LEN + 1],
			struct pinfold_error *e)
{
	const struct dirent *entry;
	char id[SESSION_ID_LEN + 1];
	char found[SESSION_ID_LEN + 1];
	DIR *d = NULL;
	int n = 0;
	int r = open_dir(&d, e);

	if (r < 0)
		return r;
	while (d && (entry = readdir(d))) {
		if (!prefix[0] || !read_id(entry->d_name, id) ||
		    strncmp(id, prefix, strlen(prefix)) != 0)
			continue;
		memcpy(found, id, sizeof(found));
		n++;
	}
	if (d)
		closedir(d);
	if (n == 0)
		return err_set(e, -ESRCH, "no session '%s' runs; see 'pinfold ps'", prefix);
	if (n > 1)
		return err_set(e, -ENOTUNIQ, "%d sessions begin with '%s'; give more of the name",
			       n, prefix);
	memcpy(ret, found, sizeof(found));
	return 0;
}

static int dial(const char *id, int patience_s)
{
	auto_close int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	struct timeval patience = { .tv_sec = patience_s };
	struct sockaddr_un sa = { .sun_family = AF_UNIX };

	if (fd < 0)
		return -errno;
	snprintf(sa.sun_path, sizeof(sa.sun_path), CONTROL_DIR "/%s" CONTROL_SUFFIX, id);
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) < 0 ||
	    connect(fd, (const struct sockaddr *)&sa, sizeof(sa)) < 0)
		return -errno;
	return take_fd(fd);
}

static int receive(int fd, struct answer *ret)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct answer a = { .file = -1 };
	struct iovec io = { .iov_base = &a.reply, .iov_len = sizeof(a.reply) };
	struct msghdr m = { .msg_iov = &io,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof(control) };
	ssize_t n;

	do
		n = recvmsg(fd, &m, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN ? -ETIMEDOUT : -errno;
	if (m.msg_controllen >= sizeof(struct cmsghdr) && control.head.cmsg_type == SCM_RIGHTS &&
	    control.head.cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&a.file, CMSG_DATA(&control.head), sizeof(a.file));
	if (n != sizeof(a.reply) || a.reply.version != CONTROL_VERSION) {
		clean_close(&a.file);
		return n == 0 ? -ESRCH : -EPROTO;
	}
	a.reply.text[sizeof(a.reply.text) - 1] = '\0';
	*ret = a;
	return 0;
}

/* Asks one session.  The answer's file is the caller's to close. */
static int ask(const char *id, const struct control_request *request, int patience_s,
	       struct answer *ret, struct pinfold_error *e)
{
	auto_close int fd = dial(id, patience_s);
	int r = fd < 0 ? fd : 0;

	if (r == 0 && send(fd, request, sizeof(*request), MSG_NOSIGNAL) < 0)
		r = -errno;
	if (r == 0)
		r = receive(fd, ret);
	if (r == -ECONNREFUSED || r == -ENOENT || r == -EPIPE)
		r = -ESRCH;
	if (r == -ESRCH)
		return err_set(e, r, "session %s has ended", id);
	if (r < 0)
		return err_set(e, r, "session %s does not answer: %s", id, strerror(-r));
	if (ret->reply.error < 0) {
		clean_close(&ret->file);
		return err_set(e, ret->reply.error, "%s", ret->reply.text);
	}
	return 0;
}

/* The text of the file that came with an answer. */
static int read_answer(int file, char **ret)
{
	auto_free char *text = NULL;
	struct stat st;
	size_t have = 0;

	if (file < 0 || fstat(file, &st) < 0 || st.st_size < 0 || st.st_size > ANSWER_MAX)
		return -EPROTO;
	text = malloc((size_t)st.st_size + 1);
	if (!text)
		return -ENOMEM;
	while (have < (size_t)st.st_size) {
		ssize_t n = pread(file, text + have, (size_t)st.st_size - have, (off_t)have);

		if (n <= 0)
			return n < 0 ? -errno : -EPROTO;
		have += (size_t)n;
	}
	text[have] = '\0';
	*ret = take_ptr(text);
	return 0;
}

static int ask_text(const char *id, enum control_verb verb, char **ret, struct pinfold_error *e)
{
	const struct control_request request = { .version = CONTROL_VERSION, .verb = verb };
	struct answer a = { .file = -1 };
	int r = ask(id, &request, ASK_S, &a, e);

	if (r < 0)
		return r;
	r = read_answer(a.file, ret);
	clean_close(&a.file);
	return r < 0 ? err_set(e, r, "session %s: no answer: %s", id, strerror(-r)) : 0;
}

/* A session that ends meanwhile is none; one that hangs is told with its name alone. */
static void list_one(FILE *out, const char *id, size_t *n)
{
	auto_free char *text = NULL;
	struct pinfold_error e = { 0 };
	int r = ask_text(id, CONTROL_INFO, &text, &e);

	if (r == -ESRCH)
		return;
	if ((*n)++)
		fputc(',', out);
	if (r == 0)
		fputs(text, out);
	else
		fprintf(out, "{\"session\":\"%s\"}", id);
}

int pinfold_sessions(char **ret, struct pinfold_error *e)
{
	auto_free char *text = NULL;
	const struct dirent *entry;
	char id[SESSION_ID_LEN + 1];
	size_t len;
	size_t n = 0;
	DIR *d = NULL;
	FILE *out;
	int r = open_dir(&d, e);

	if (r < 0)
		return r;
	out = open_memstream(&text, &len);
	if (out)
		fputc('[', out);
	while (out && d && (entry = readdir(d)))
		if (read_id(entry->d_name, id))
			list_one(out, id, &n);
	if (d)
		closedir(d);
	if (!out || fputc(']', out) == EOF || fclose(out) != 0)
		return err_set(e, -ENOMEM, "out of memory");
	*ret = take_ptr(text);
	return 0;
}

int pinfold_session_show(const char *session, char **ret, struct pinfold_error *e)
{
	char id[SESSION_ID_LEN + 1];
	int r = find_session(session, id, e);

	return r < 0 ? r : ask_text(id, CONTROL_SHOW, ret, e);
}

int pinfold_session_reload(const char *session, const char *path, struct pinfold_error *e)
{
	struct control_request request = { .version = CONTROL_VERSION, .verb = CONTROL_RELOAD };
	auto_free char *real = realpath(path, NULL);
	struct answer a = { .file = -1 };
	char id[SESSION_ID_LEN + 1];
	int r;

	if (!real)
		return err_set(e, -EINVAL, "cannot read the policy '%s': %s", path,
			       strerror(errno));
	if (strlen(real) >= sizeof(request.path))
		return err_set(e, -ENAMETOOLONG, "the policy's path is too long");
	memcpy(request.path, real, strlen(real));
	r = find_session(session, id, e);
	if (r == 0)
		r = ask(id, &request, RELOAD_S, &a, e);
	clean_close(&a.file);
	return r;
}

static bool is_there(const char *id)
{
	char path[sizeof(CONTROL_DIR) + SESSION_ID_LEN + sizeof(CONTROL_SUFFIX) + 1];

	snprintf(path, sizeof(path), CONTROL_DIR "/%s" CONTROL_SUFFIX, id);
	return access(path, F_OK) == 0;
}

int pinfold_session_kill(const char *session, struct pinfold_error *e)
{
	const struct control_request request = { .version = CONTROL_VERSION, .verb = CONTROL_KILL };
	const struct timespec moment = { .tv_nsec = POLL_NS };
	const uint64_t deadline = clock_us() + END_US;
	struct answer a = { .file = -1 };
	char id[SESSION_ID_LEN + 1];
	int r = find_session(session, id, e);

	if (r == 0)
		r = ask(id, &request, ASK_S, &a, e);
	clean_close(&a.file);
	if (r < 0)
		return r;
	while (is_there(id)) {
		if (clock_us() > deadline)
			return err_set(e, -ETIMEDOUT, "session %s does not end", id);
		nanosleep(&moment, NULL);
	}
	return 0;
}
