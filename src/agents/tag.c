/* SPDX-License-Identifier: MIT */
#include "agents/tag.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/err.h"
#include "base/io.h"
#include "pinfold_agents.h"

#define REPLACEMENT 0xfffd
#define CHUNK 65536
#define ESCAPED_MAX 12 /* bytes that one character may become */

static const char *const SOURCES[] = {
	[TAG_EXEC] = "exec", [TAG_WEB] = "web",     [TAG_FILE] = "file",
	[TAG_MCP] = "mcp",   [TAG_SKILL] = "skill",
};

_Static_assert(ARRAY_SIZE(SOURCES) == TAG_SOURCES, "one word a source");

const char *tag_source_word(enum tag_source source)
{
	return SOURCES[source];
}

int tag_source_parse(const char *word, enum tag_source *ret)
{
	for (size_t i = 0; i < TAG_SOURCES; i++)
		if (strcmp(SOURCES[i], word) == 0) {
			*ret = (enum tag_source)i;
			return 0;
		}
	return -EINVAL;
}

/* ---- characters ------------------------------------------------------------------------------ */

struct range {
	uint32_t from;
	uint32_t to;
};

/* Written as numeric references.  In ascending order. */
static const struct range HARMFUL[] = {
	{ '\r', '\r' },       { 0x7f, 0x9f }, /* controls */
	{ 0xad, 0xad },                       /* soft hyphen */
	{ 0x34f, 0x34f },                     /* grapheme joiner */
	{ 0x61c, 0x61c },                     /* direction */
	{ 0x115f, 0x1160 },                   /* fillers */
	{ 0x17b4, 0x17b5 },                   /* invisible vowels */
	{ 0x180b, 0x180f },                   /* selectors, separator */
	{ 0x200b, 0x200f },                   /* no width, direction */
	{ 0x2028, 0x202e },                   /* separators, direction */
	{ 0x2039, 0x203a },                   /* like < and > */
	{ 0x2060, 0x206f },                   /* joiners, direction */
	{ 0x2264, 0x2265 },                   /* like < and > */
	{ 0x226a, 0x226b },                   /* like << and >> */
	{ 0x2329, 0x232a },                   /* angle brackets */
	{ 0x276c, 0x2771 },                   /* ornaments of them */
	{ 0x27e8, 0x27eb },                   /* mathematical ones */
	{ 0x29fc, 0x29fd },                   /* curved ones */
	{ 0x3008, 0x300b },                   /* ideographic ones */
	{ 0x3164, 0x3164 },                   /* filler */
	{ 0xfe00, 0xfe0f },                   /* selectors */
	{ 0xfe64, 0xfe65 },                   /* small < and > */
	{ 0xfeff, 0xfeff },                   /* byte order */
	{ 0xff1c, 0xff1c },                   /* wide < */
	{ 0xff1e, 0xff1e },                   /* wide > */
	{ 0xffa0, 0xffa0 },                   /* filler */
	{ 0xfff9, 0xfffb },                   /* annotations */
	{ 0xe0000, 0xe0fff },                 /* tags, selectors */
};

static bool is_harmful(uint32_t c)
{
	for (size_t i = 0; i < ARRAY_SIZE(HARMFUL) && c >= HARMFUL[i].from; i++)
		if (c <= HARMFUL[i].to)
			return true;
	return false;
}

static bool is_xml(uint32_t c)
{
	if (c < ' ')
		return c == '\t' || c == '\n' || c == '\r';
	return c != 0xfffe && c != 0xffff;
}

static int flush(struct tagger *t)
{
	int r = t->used ? t->put(t->data, t->room, t->used) : 0;

	t->used = 0;
	return r < 0 ? r : 0;
}

static int put_text(struct tagger *t, const char *text)
{
	size_t len = strlen(text);

	if (len > sizeof(t->room) - t->used) {
		int r = flush(t);

		if (r < 0)
			return r;
	}
	memcpy(t->room + t->used, text, len);
	t->used += len;
	return 0;
}

static void encode(uint32_t c, char ret[static 5])
{
	static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	unsigned n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	unsigned char bytes[5] = { 0 };

	for (unsigned i = n - 1; i > 0; i--) {
		bytes[i] = (unsigned char)(0x80 | (c & 0x3f));
		c >>= 6;
	}
	bytes[0] = (unsigned char)(n == 1 ? c : lead[n] | c);
	memcpy(ret, bytes, sizeof(bytes));
}

static int put_character(struct tagger *t, uint32_t c)
{
	char text[ESCAPED_MAX + 1];

	if (!is_xml(c))
		c = REPLACEMENT;
	switch (c) {
	case '&':
		return put_text(t, "&amp;");
	case '<':
		return put_text(t, "&lt;");
	case '>':
		return put_text(t, "&gt;");
	case '"':
		return put_text(t, "&quot;");
	default:
		break;
	}
	if (is_harmful(c))
		snprintf(text, sizeof(text), "&#x%X;", c);
	else
		encode(c, text);
	return put_text(t, text);
}

/* ---- UTF-8 ----------------------------------------------------------------------------------- */

static bool is_scalar(const struct tagger *t)
{
	return t->code >= t->low && t->code <= 0x10ffff && !(t->code >= 0xd800 && t->code < 0xe000);
}

/* A byte that starts a character, or none. */
static int start(struct tagger *t, unsigned char byte)
{
	if (byte < 0x80)
		return put_character(t, byte);
	t->left = byte >= 0xc2 && byte < 0xe0 ? 1 : byte >= 0xe0 && byte < 0xf0 ? 2 : 3;
	if (byte < 0xc2 || byte > 0xf4) {
		t->left = 0;
		return put_character(t, REPLACEMENT);
	}
	t->low = t->left == 1 ? 0x80 : t->left == 2 ? 0x800 : 0x10000;
	t->code = byte & (0x3fU >> t->left);
	return 0;
}

static int take(struct tagger *t, unsigned char byte)
{
	int r;

	if (t->left == 0)
		return start(t, byte);
	if ((byte & 0xc0) != 0x80) {
		t->left = 0;
		r = put_character(t, REPLACEMENT);
		return r < 0 ? r : start(t, byte);
	}
	t->code = t->code << 6 | (byte & 0x3f);
	if (--t->left > 0)
		return 0;
	return put_character(t, is_scalar(t) ? t->code : REPLACEMENT);
}

int tag_write(struct tagger *t, const void *bytes, size_t len)
{
	const unsigned char *b = bytes;
	int r = 0;

	for (size_t i = 0; i < len && r == 0; i++)
		r = take(t, b[i]);
	return r;
}

/* What a broken sequence leaves is told before anything else is written. */
static int settle(struct tagger *t)
{
	if (t->left == 0)
		return 0;
	t->left = 0;
	return put_character(t, REPLACEMENT);
}

/* ---- the tag --------------------------------------------------------------------------------- */

static int put_attribute(struct tagger *t, const char *name, const char *value)
{
	int r = put_text(t, name);

	for (; *value && r == 0; value++)
		r = *value == '\n'   ? put_text(t, "&#xA;")
		    : *value == '\t' ? put_text(t, "&#x9;")
				     : tag_write(t, value, 1);
	if (r == 0)
		r = settle(t);
	return r == 0 ? put_text(t, "\"") : r;
}

int tag_begin(struct tagger *t, enum tag_source source, const char *session, tag_put put,
	      void *data)
{
	int r;

	t->put = put;
	t->data = data;
	t->left = 0;
	t->used = 0;
	if (session && strlen(session) > TAG_SESSION_MAX)
		return -EINVAL;
	r = put_attribute(t, "<tool-output source=\"", SOURCES[source]);
	if (r == 0)
		r = put_text(t, " trust=\"untrusted\"");
	if (r == 0 && session)
		r = put_attribute(t, " session=\"", session);
	if (r == 0)
		r = put_text(t, ">");
	return r == 0 ? flush(t) : r;
}

int tag_end(struct tagger *t)
{
	int r = settle(t);

	if (r == 0)
		r = put_text(t, "</tool-output>\n");
	return r == 0 ? flush(t) : r;
}

/* ---- descriptors ----------------------------------------------------------------------------- */

static int put_fd(void *data, const char *text, size_t len)
{
	const int *fd = data;

	return io_write_full(*fd, text, len);
}

/* What is there is handed on at once: whoever reads along sees lines as they come. */
static int pump(struct tagger *t, int in)
{
	char chunk[CHUNK];

	for (;;) {
		ssize_t n = read(in, chunk, sizeof(chunk));
		int r;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 0;
		r = tag_write(t, chunk, (size_t)n);
		if (r == 0)
			r = flush(t);
		if (r < 0)
			return r;
	}
}

int tag_pump(int in, int out, enum tag_source source, const char *session, struct pinfold_error *e)
{
	struct tagger t;
	int r = tag_begin(&t, source, session, put_fd, &out);

	if (r == 0)
		r = pump(&t, in);
	if (r == 0)
		r = tag_end(&t);
	return r < 0 ? err_set(e, r, "cannot pass on what was written: %s", strerror(-r)) : 0;
}

/* Signals that are meant for the command must not leave the tag open. */
static void __attribute__((noreturn))
be_pump(int in, int out, enum tag_source source, const char *session)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2 };
	sigset_t none;

	for (size_t i = 0; i < ARRAY_SIZE(ignored); i++)
		sigaction(ignored[i], &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
	sigaction(SIGPIPE, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
	    close_range(STDERR_FILENO + 1, ~0U, 0) < 0)
		_exit(1);
	_exit(tag_pump(STDIN_FILENO, STDOUT_FILENO, source, session, NULL) < 0);
}

int tag_pipe_open(int out, enum tag_source source, const char *session, struct tag_pipe *ret,
		  struct pinfold_error *e)
{
	auto_close int in = -1;
	auto_close int fd = -1;
	int ends[2];
	pid_t pid;

	if (session && strlen(session) > TAG_SESSION_MAX)
		return err_set(e, -EINVAL, "the session's key is longer than %d bytes",
			       TAG_SESSION_MAX);
	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_set(e, -errno, "cannot make a pipe: %s", strerror(errno));
	in = ends[0];
	fd = ends[1];
	pid = fork();
	if (pid < 0)
		return err_set(e, -errno, "cannot start a process: %s", strerror(errno));
	if (pid == 0)
		be_pump(in, out, source, session);
	ret->fd = take_fd(fd);
	ret->pid = pid;
	return 0;
}

int tag_pipe_close(struct tag_pipe *p, struct pinfold_error *e)
{
	int status;
	pid_t r;

	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
	do
		r = waitpid(p->pid, &status, 0);
	while (r < 0 && errno == EINTR);
	if (r < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return err_set(e, -EIO, "what the command wrote was not passed on whole");
	return 0;
}

/* ---- the public interface -------------------------------------------------------------------- */

static const enum tag_source PUBLIC_SOURCES[] = {
	[PINFOLD_SOURCE_EXEC] = TAG_EXEC,   [PINFOLD_SOURCE_WEB] = TAG_WEB,
	[PINFOLD_SOURCE_FILE] = TAG_FILE,   [PINFOLD_SOURCE_MCP] = TAG_MCP,
	[PINFOLD_SOURCE_SKILL] = TAG_SKILL,
};

_Static_assert(ARRAY_SIZE(PUBLIC_SOURCES) == TAG_SOURCES, "every source is public");

int pinfold_tag_copy(int in_fd, int out_fd, enum pinfold_source source, const char *session,
		     struct pinfold_error *e)
{
	return tag_pump(in_fd, out_fd, PUBLIC_SOURCES[source], session, e);
}

int pinfold_tag_open(int out_fd, enum pinfold_source source, const char *session,
		     struct pinfold_tag *ret, struct pinfold_error *e)
{
	struct tag_pipe p;
	int r = tag_pipe_open(out_fd, PUBLIC_SOURCES[source], session, &p, e);

	if (r < 0)
		return r;
	*ret = (struct pinfold_tag){ p.fd, p.pid };
	return 0;
}

int pinfold_tag_close(struct pinfold_tag *t, struct pinfold_error *e)
{
	struct tag_pipe p = { t->fd, t->pid };

	t->fd = -1;
	return tag_pipe_close(&p, e);
}
