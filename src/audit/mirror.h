/* SPDX-License-Identifier: MIT */
/* Lines of the record on their way to the journal or syslog, one datagram each.  Nothing here ever
 * waits: what the receiver does not take at once is lost, and counted. */
#ifndef PINFOLD_AUDIT_MIRROR_H
#define PINFOLD_AUDIT_MIRROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/un.h>

struct pinfold_error;

enum mirror_kind { MIRROR_NONE = 0, MIRROR_JOURNAL, MIRROR_SYSLOG, MIRROR_KINDS };

struct mirror {
	enum mirror_kind kind;
	int fd;
	struct sockaddr_un to;
	uint64_t untold; /* lost, and not yet told in a line */
};

#define MIRROR_EMPTY                                                                               \
	{                                                                                          \
		.fd = -1                                                                           \
	}

/* to: "journal" or "syslog", or one of these with ":SOCKET" behind.  -EINVAL: another word; another
 * errno: nobody receives there. */
int mirror_open(struct mirror *m, const char *to, struct pinfold_error *e);

/* line[0, len) without its newline.  The session may be NULL.  True when it was taken (or there is
 * nobody to take it). */
bool mirror_send(struct mirror *m, const char *event, const char *session, const char *line,
		 size_t len);

/* "journal" or "syslog". */
const char *mirror_word(const struct mirror *m);

void mirror_done(struct mirror *m);

#endif
