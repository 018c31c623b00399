/* SPDX-License-Identifier: MIT */
/* First bytes of a connection: what is found must not depend on how they come, and a name must
 * stand in them as it is told. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "relay/hello.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int holds)
{
	if (!holds)
		abort();
}

static void check_answer(const uint8_t *data, size_t size)
{
	struct relay_answer whole = { 0 };
	struct relay_answer parts = { 0 };
	enum relay_answer_kind want = relay_answer_feed(&whole, data, size);
	enum relay_answer_kind kind = RELAY_ANSWER_MORE;

	for (size_t i = 0; i < size && kind == RELAY_ANSWER_MORE; i++)
		kind = relay_answer_feed(&parts, data + i, 1);
	check(kind == want);
}

/* From a first part of n bytes on, going by `need`. */
static void read_in_parts(const uint8_t *data, size_t size, size_t n, struct relay_hello *ret)
{
	relay_hello_read(data, n, ret);
	while (ret->finding == RELAY_MORE && n < size) {
		check(ret->need > n && ret->need <= RELAY_HELLO_MAX);
		n = ret->need < size ? ret->need : size;
		relay_hello_read(data, n, ret);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct relay_hello whole;
	struct relay_hello parts;

	check_answer(data, size);
	relay_hello_read(data, size, &whole);
	check(whole.finding < RELAY_LATE);
	read_in_parts(data, size, size ? data[size - 1] % size : 0, &parts);
	check(parts.finding == whole.finding && strcmp(parts.name, whole.name) == 0 &&
	      parts.len == whole.len);
	if (whole.finding != RELAY_NAME) {
		check(whole.name[0] == '\0' && whole.len == 0);
		return 0;
	}
	check(whole.name[0] && whole.len <= size && whole.len <= RELAY_HELLO_MAX);
	for (const char *c = whole.name; *c; c++)
		check(*c > ' ' && *c <= '~');
	/* One byte less, and it is not complete; nothing behind it counts. */
	relay_hello_read(data, whole.len - 1, &parts);
	check(parts.finding == RELAY_MORE);
	relay_hello_read(data, whole.len, &parts);
	check(parts.finding == RELAY_NAME && strcmp(parts.name, whole.name) == 0);
	return 0;
}
