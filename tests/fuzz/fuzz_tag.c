/* SPDX-License-Identifier: MIT */
/* Whatever is wrapped: the tag closes once, at the end, and cutting the input changes nothing. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agents/tag.h"

struct sink {
	char *text;
	size_t len;
};

static int put(void *data, const char *text, size_t len)
{
	struct sink *s = data;
	char *more = realloc(s->text, s->len + len + 1);

	assert(more);
	memcpy(more + s->len, text, len);
	s->text = more;
	s->len += len;
	more[s->len] = '\0';
	return 0;
}

static struct sink wrap(const uint8_t *data, size_t size, size_t step)
{
	struct sink s = { 0 };
	struct tagger t;

	assert(tag_begin(&t, TAG_WEB, "s", put, &s) == 0);
	for (size_t at = 0; at < size; at += step)
		assert(tag_write(&t, data + at, size - at < step ? size - at : step) == 0);
	assert(tag_end(&t) == 0);
	return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char close[] = "</tool-output>\n";
	struct sink whole = wrap(data, size, size ? size : 1);
	struct sink pieces = wrap(data, size, 1);

	assert(strlen(whole.text) == whole.len);
	assert(strchr(whole.text + 1, '<') == whole.text + whole.len - strlen(close));
	assert(strcmp(whole.text + whole.len - strlen(close), close) == 0);
	assert(whole.len == pieces.len && memcmp(whole.text, pieces.text, whole.len) == 0);
	free(whole.text);
	free(pieces.text);
	return 0;
}
