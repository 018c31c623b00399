/* SPDX-License-Identifier: MIT */
/* Any lines as records of the kernel's audit stream: "TYPE-LETTER text", one a line. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "audit/stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int is_ours(void *data, pid_t pid)
{
	(void)data;
	if (pid <= 0)
		abort();
	return pid % 2;
}

static void check(void *data, const struct landlock_denial *d)
{
	(void)data;
	if (!d->domain || memchr(d->path, '\0', sizeof(d->path)) == NULL ||
	    memchr(d->exe, '\0', sizeof(d->exe)) == NULL ||
	    memchr(d->comm, '\0', sizeof(d->comm)) == NULL ||
	    memchr(d->blockers, '\0', sizeof(d->blockers)) == NULL)
		abort();
}

static void check_call(void *data, const struct call_denial *d)
{
	(void)data;
	if (d->pid <= 0 || d->nr < 0 || memchr(d->exe, '\0', sizeof(d->exe)) == NULL ||
	    memchr(d->comm, '\0', sizeof(d->comm)) == NULL)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const unsigned types[] = { STREAM_LANDLOCK_ACCESS, STREAM_LANDLOCK_DOMAIN,
					  STREAM_SYSCALL, STREAM_END_OF_EVENT, STREAM_SECCOMP };
	const struct stream_to to = { .is_ours = is_ours, .fn = check, .on_call = check_call };
	struct stream *s = calloc(1, sizeof(*s));
	char *text = malloc(size + 1);
	char *next;

	if (!s || !text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	for (char *line = text; line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		stream_feed(s, types[(unsigned char)*line % 5], *line ? line + 1 : line, &to);
	}
	stream_flush(s, &to);
	free(text);
	free(s);
	return 0;
}
