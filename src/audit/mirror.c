/* SPDX-License-Identifier: MIT */
#include "audit/mirror.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "audit/record.h"
#include "base/clean.h"
#include "base/err.h"

#define HEAD_MAX 512
#define EVENT_MAX 64
#define NAME_MAX_LEN 128

static const struct {
	const char *word;
	const char *socket;
} KINDS[] = {
	[MIRROR_JOURNAL] = { "journal", "/run/systemd/journal/socket" },
	[MIRROR_SYSLOG] = { "syslog", "/dev/log" },
};
_Static_assert(ARRAY_SIZE(KINDS) == MIRROR_KINDS, "a word for every kind");

/* A datagram socket that is connected can be told from one whose receiver went. */
static int dial(const struct mirror *m)
{
	auto_close int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0 || connect(fd, (const struct sockaddr *)&m->to, sizeof(m->to)) < 0)
		return -errno;
	return take_fd(fd);
}

int mirror_open(struct mirror *m, const char *to, struct pinfold_error *e)
{
	const char *colon = strchr(to, ':');
	size_t len = colon ? (size_t)(colon - to) : strlen(to);
	struct mirror made = { .fd = -1, .to = { .sun_family = AF_UNIX } };
	const char *path = NULL;

	for (int k = MIRROR_JOURNAL; k < MIRROR_KINDS; k++)
		if (strlen(KINDS[k].word) == len && strncmp(KINDS[k].word, to, len) == 0) {
			made.kind = (enum mirror_kind)k;
			path = colon ? colon + 1 : KINDS[k].socket;
		}
	if (!path || path[0] != '/' || strlen(path) >= sizeof(made.to.sun_path))
		return err_set(
		    e, -EINVAL,
		    "the record goes to 'journal' or 'syslog' (with :/SOCKET behind, if it "
		    "is not the usual one), not to '%.60s'",
		    to);
	memcpy(made.to.sun_path, path, strlen(path) + 1);
	made.fd = dial(&made);
	if (made.fd < 0)
		return err_set(e, made.fd, "nobody receives for the %s at %s: %s",
			       KINDS[made.kind].word, path, strerror(-made.fd));
	*m = made;
	return 0;
}

static bool is_refusal(const char *event)
{
	size_t n = strlen(event);

	return n > 5 && strcmp(event + n - 5, "_deny") == 0;
}

/* Fields of the journal's own protocol end with a newline, so a value must have none. */
static int journal_head(const char *event, const char *session, int level, char *ret)
{
	bool named = session && !strchr(session, '\n');

	return snprintf(ret, HEAD_MAX,
			"PRIORITY=%d\nSYSLOG_IDENTIFIER=pinfold\nPINFOLD_EVENT=%.*s\n%s%.*s%s"
			"MESSAGE=",
			level, EVENT_MAX, event, named ? "PINFOLD_SESSION=" : "", NAME_MAX_LEN,
			named ? session : "", named ? "\n" : "");
}

static int syslog_head(int level, char *ret)
{
	char stamp[32] = "";
	time_t now = time(NULL);
	struct tm local;

	if (localtime_r(&now, &local))
		(void)strftime(stamp, sizeof(stamp), "%b %e %H:%M:%S ", &local);
	return snprintf(ret, HEAD_MAX, "<%d>%spinfold[%d]: ", LOG_AUTHPRIV | level, stamp,
			(int)getpid());
}

static bool try_send(const struct mirror *m, const struct msghdr *message)
{
	ssize_t n;

	do
		n = sendmsg(m->fd, message, MSG_DONTWAIT | MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n >= 0;
}

/* A receiver that was started anew has another socket at the same place. */
static bool dial_again(struct mirror *m)
{
	int fd = dial(m);

	if (fd < 0)
		return false;
	close(m->fd);
	m->fd = fd;
	return true;
}

bool mirror_send(struct mirror *m, const char *event, const char *session, const char *line,
		 size_t len)
{
	char head[HEAD_MAX];
	char text[RECORD_LINE_MAX];
	char end[] = "\n";
	int level = is_refusal(event) ? LOG_WARNING : LOG_INFO;
	struct iovec part[3] = { { head, 0 }, { text, len }, { end, m->kind == MIRROR_JOURNAL } };
	struct msghdr message = { .msg_iov = part, .msg_iovlen = 3 };
	int n;

	if (m->kind == MIRROR_NONE)
		return true;
	n = m->kind == MIRROR_JOURNAL ? journal_head(event, session, level, head)
				      : syslog_head(level, head);
	if (n > 0 && n < HEAD_MAX && len <= sizeof(text)) {
		part[0].iov_len = (size_t)n;
		memcpy(text, line, len);
		if (try_send(m, &message) ||
		    (errno != EAGAIN && dial_again(m) && try_send(m, &message)))
			return true;
	}
	m->untold++;
	return false;
}

const char *mirror_word(const struct mirror *m)
{
	return KINDS[m->kind].word;
}

void mirror_done(struct mirror *m)
{
	if (m->fd >= 0)
		close(m->fd);
	*m = (struct mirror)MIRROR_EMPTY;
}
