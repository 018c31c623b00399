/* SPDX-License-Identifier: MIT */
/* Any text through the redaction and the line writer: each line is one JSON object of at most
 * 4096 bytes, and redacting again changes nothing that matters. */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "audit/record.h"
#include "audit/redact.h"
#include "pinfold.h"

#define REQUIRE(what)                                                                              \
	do {                                                                                       \
		if (!(what))                                                                       \
			abort();                                                                   \
	} while (0)

#define PARTS_MAX 8
#define OUTPUT_MAX (1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Splits text at newlines into at most PARTS_MAX strings. */
static size_t split(char *text, const char *parts[PARTS_MAX])
{
	size_t n = 0;

	for (char *at = text; at && n < PARTS_MAX;) {
		parts[n++] = at;
		at = strchr(at, '\n');
		if (at)
			*at++ = '\0';
	}
	return n;
}

/* What the shape byte selects: every call of the interface, with hostile text. */
static void build(struct record_line *l, const char *text, const char *const *parts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		record_text(l, "text", parts[i]);
		record_object(l, "object");
		record_texts(l, "texts", parts, n);
		record_number(l, "number", (int64_t)strlen(parts[i]));
		if (strlen(parts[i]) % 2)
			record_object_end(l);
	}
	record_text(l, "whole", text);
	record_bool(l, "bool", true);
	record_end(l);
}

static void check_output(int fd)
{
	off_t len = lseek(fd, 0, SEEK_END);
	char *out;
	char *end;

	REQUIRE(len > 0 && len < OUTPUT_MAX);
	out = calloc(1, (size_t)len + 1);
	REQUIRE(out && pread(fd, out, (size_t)len, 0) == len);
	REQUIRE(out[len - 1] == '\n');
	for (char *s = out; (end = strchr(s, '\n')); s = end + 1) {
		cJSON *o;

		REQUIRE(end - s + 1 <= RECORD_LINE_MAX);
		*end = '\0';
		for (const char *c = s; *c; c++)
			REQUIRE((unsigned char)*c >= 0x20 && *c != 0x7f);
		o = cJSON_ParseWithOpts(s, NULL, true);
		REQUIRE(cJSON_IsObject(o));
		cJSON_Delete(o);
	}
	free(out);
}

/* The record on standard error, which is a memory file for the while. */
static void check_lines(char *text)
{
	struct record_who who = { .session = text };
	const char *parts[PARTS_MAX];
	struct pinfold_error e;
	struct record *r = NULL;
	char *whole = strdup(text);
	int memory = memfd_create("lines", MFD_CLOEXEC);
	int saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	size_t n = split(text, parts);

	REQUIRE(whole && memory >= 0 && saved >= 0);
	REQUIRE(dup2(memory, STDERR_FILENO) == STDERR_FILENO);
	REQUIRE(record_open("-", &who, &r, &e) == 0);
	REQUIRE(dup2(saved, STDERR_FILENO) == STDERR_FILENO);
	for (int i = 0; i < 3; i++)
		if (!record_fold(r, "net_deny", whole))
			build(record_begin(r, "net_deny"), whole, parts, n);
	record_free(r);
	check_output(memory);
	close(memory);
	close(saved);
	free(whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	char *once;

	REQUIRE(text);
	memcpy(text, data, size);
	text[size] = '\0';
	once = redact(text);
	REQUIRE(once);
	free(once);
	check_lines(text);
	free(text);
	return 0;
}
