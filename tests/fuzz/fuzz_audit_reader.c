/* SPDX-License-Identifier: MIT */
/* Any bytes as a record: nothing crashes, and what would be printed is harmless and still a line.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "audit/escape.h"
#include "audit/filter.h"
#include "audit/line.h"
#include "audit/reader.h"
#include "base/json5.h"
#include "pinfold_review.h"
#include "review/judge.h"

#define KEYS_MAX 6

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_harmless(const char *text, size_t len)
{
	for (size_t i = 0; i < len;) {
		uint32_t c;
		size_t n = escape_decode(text + i, &c);

		if (escape_wants(c) || (n == 1 && c == 0xfffd))
			abort();
		i += n;
	}
}

static void check_line(const struct pinfold_log_line *l, const struct pinfold_log_filter *f)
{
	static const char *const KEYS[KEYS_MAX] = {
		"event", "name", "path", "dst", "rule", "addrs"
	};
	static struct judge_ask ask; /* too large for the stack, written before it is read */
	char text[PINFOLD_LOG_LINE_MAX + 1];
	struct pinfold_log_line again;
	size_t at = 0;
	size_t n;

	for (int i = 0; i < KEYS_MAX; i++) {
		pinfold_log_line_text(l, KEYS[i], text, 64);
		check_harmless(text, strlen(text));
	}
	if (line_find(l, "addrs") && line_find(l, "addrs")->type == LINE_ARRAY)
		while (line_list_next(line_find(l, "addrs"), &at, text, 64))
			continue;
	log_filter_passes(f, l);
	if (judge_take(l, &ask))
		judge_say(&ask, text, sizeof(text));
	n = pinfold_log_line_json(l, text, PINFOLD_LOG_LINE_MAX);
	text[n] = '\n';
	check_harmless(text, n);
	if (n > 0 && (line_scan(text, n, &again) != 0 || line_check(&again) != 0 || again.odd))
		abort();
}

static struct record_reader *open_bytes(const uint8_t *data, size_t size)
{
	struct record_reader *r = NULL;
	int fd = memfd_create("record", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET) != 0 ||
	    record_reader_take(fd, "record", &r, NULL) < 0)
		abort();
	return r;
}

static void read_lines(const uint8_t *data, size_t size, const struct pinfold_log_filter *f)
{
	struct record_reader *r = open_bytes(data, size);
	const struct record_counts *c = record_reader_counts(r);
	struct pinfold_log_line l;
	uint64_t good = 0;

	while (record_reader_next_line(r, &l) > 0) {
		good++;
		check_line(&l, f);
	}
	if (c->lines != good + c->broken + c->forged || c->bytes != size)
		abort();
	record_reader_free(r);
}

static void read_trees(const uint8_t *data, size_t size)
{
	struct record_reader *r = open_bytes(data, size);
	const struct json5 *tree;

	while (record_reader_next(r, &tree) > 0)
		record_member_text(tree, "event");
	record_reader_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pinfold_log_filter *f = NULL;

	/* What looks compressed would start a program each time. */
	if (size > 0 && (data[0] == 0x1f || data[0] == 0xfd || data[0] == 0x28))
		return 0;
	if (pinfold_log_filter_new(&f, NULL) < 0 ||
	    pinfold_log_filter_add(f, PINFOLD_LOG_DST, "198.51.100.0/24", NULL) < 0 ||
	    pinfold_log_filter_add(f, PINFOLD_LOG_NAME, "*a*.test", NULL) < 0 ||
	    pinfold_log_filter_add(f, PINFOLD_LOG_PATH, "/srv/*/x", NULL) < 0)
		abort();
	read_lines(data, size, f);
	read_trees(data, size);
	pinfold_log_filter_free(f);
	return 0;
}
