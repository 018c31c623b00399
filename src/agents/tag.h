/* SPDX-License-Identifier: MIT */
/*
 * Text from outside, wrapped for a model:
 *
 *	<tool-output source="exec" trust="untrusted" session="KEY">...</tool-output>
 *
 * Inside, nothing can close the tag or pose as markup: & < > are entities; characters that look
 * like brackets, can't be seen or turn the direction of writing are numeric references; what is not
 * UTF-8, and controls that XML does not know, become U+FFFD.  Memory does not grow with the text.
 */
#ifndef PINFOLD_AGENTS_TAG_H
#define PINFOLD_AGENTS_TAG_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct pinfold_error;

#define TAG_SESSION_MAX 512
#define TAG_ROOM 4096

enum tag_source { TAG_EXEC = 0, TAG_WEB, TAG_FILE, TAG_MCP, TAG_SKILL, TAG_SOURCES };

/* "exec", "web", "file", "mcp", "skill". */
const char *tag_source_word(enum tag_source source);

/* -EINVAL: no such source. */
int tag_source_parse(const char *word, enum tag_source *ret);

/* Takes len bytes of finished text; negative errno: nobody takes it. */
typedef int (*tag_put)(void *data, const char *text, size_t len);

struct tagger {
	tag_put put;
	void *data;
	uint32_t code; /* of the sequence that is being read */
	uint32_t low;  /* the smallest code that may take so many bytes */
	unsigned left; /* bytes that it still wants */
	size_t used;
	char room[TAG_ROOM];
};

/* session NULL: no such attribute.  Each returns 0 or what put returned; -EINVAL: the session is
 * longer than TAG_SESSION_MAX. */
int tag_begin(struct tagger *t, enum tag_source source, const char *session, tag_put put,
	      void *data);
int tag_write(struct tagger *t, const void *bytes, size_t len);
/* Closes the tag, ends the line, hands on what is left. */
int tag_end(struct tagger *t);

/* Everything from in until its end, wrapped, to out. */
int tag_pump(int in, int out, enum tag_source source, const char *session, struct pinfold_error *e);

/* A process that pumps. */
struct tag_pipe {
	int fd; /* write here */
	pid_t pid;
};

/* Starts one; out stays the caller's.  On failure ret is untouched. */
int tag_pipe_open(int out, enum tag_source source, const char *session, struct tag_pipe *ret,
		  struct pinfold_error *e);

/* Closes the pipe and waits until everything is written and the tag is closed, which needs all
 * copies of fd closed.  -EIO: the process failed. */
int tag_pipe_close(struct tag_pipe *p, struct pinfold_error *e);

#endif
