/* SPDX-License-Identifier: MIT */
/* RFC 8446 (TLS 1.3), RFC 6066 (server names), RFC 9849 (encrypted ClientHello). */
#include "relay/hello.h"

#include <stdbool.h>
#include <string.h>

#define RECORD_HEADER 5
#define RECORD_MAX 16384
#define RECORD_ALERT 21
#define RECORD_HANDSHAKE 22
#define VERSION_MAJOR 3 /* of SSL 3.0 and every TLS */

#define MESSAGE_HEADER 4
#define MESSAGE_CLIENT_HELLO 1
#define MESSAGE_SERVER_HELLO 2

#define RANDOM_LEN 32
#define SESSION_ID_MAX 32
#define NAME_TYPE_HOST 0

#define EXTENSION_SERVER_NAME 0
#define EXTENSION_ENCRYPTED_HELLO 0xfe0d
#define EXTENSION_ENCRYPTED_NAME 0xffce /* what came before it */

/* ---- a reader that never leaves its bytes ---------------------------------------------------- */

/* Once anything was missing, `bad` stays and all reads give zero. */
struct span {
	const uint8_t *at;
	size_t n;
	bool bad;
};

static struct span take(struct span *s, size_t n)
{
	struct span part = { s->at, n, s->bad };

	if (s->bad || n > s->n) {
		s->bad = true;
		return (struct span){ s->at, 0, true };
	}
	s->at += n;
	s->n -= n;
	return part;
}

static size_t take_number(struct span *s, size_t bytes)
{
	struct span part = take(s, bytes);
	size_t value = 0;

	for (size_t i = 0; i < part.n; i++)
		value = value << 8 | part.at[i];
	return value;
}

/* A vector behind its length. */
static struct span take_vector(struct span *s, size_t length_bytes)
{
	return take(s, take_number(s, length_bytes));
}

/* ---- the message ---------------------------------------------------------------------------- */

static bool is_printable(const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (bytes[i] <= ' ' || bytes[i] > '~')
			return false;
	return true;
}

/* One host name, and nothing else: of two, servers would choose differently. */
static enum relay_finding read_server_name(struct span extension, char ret[static RELAY_NAME_BUF])
{
	struct span list = take_vector(&extension, 2);
	size_t type = take_number(&list, 1);
	struct span name = take_vector(&list, 2);

	if (extension.bad || list.bad || extension.n > 0 || list.n > 0 || type != NAME_TYPE_HOST ||
	    name.n == 0 || name.n >= RELAY_NAME_BUF || !is_printable(name.at, name.n))
		return RELAY_MALFORMED;
	memcpy(ret, name.at, name.n);
	ret[name.n] = '\0';
	return RELAY_NAME;
}

static enum relay_finding read_extensions(struct span all, char ret[static RELAY_NAME_BUF])
{
	enum relay_finding found = RELAY_NO_NAME;
	bool encrypted = false;

	while (all.n > 0) {
		size_t type = take_number(&all, 2);
		struct span body = take_vector(&all, 2);

		if (all.bad)
			return RELAY_MALFORMED;
		encrypted |= type == EXTENSION_ENCRYPTED_HELLO || type == EXTENSION_ENCRYPTED_NAME;
		if (type != EXTENSION_SERVER_NAME)
			continue;
		if (found != RELAY_NO_NAME)
			return RELAY_MALFORMED;
		found = read_server_name(body, ret);
		if (found != RELAY_NAME)
			return found;
	}
	/* A decoy can't be told from a name that only the server can read: that is their purpose.
	 */
	return encrypted ? RELAY_ENCRYPTED : found;
}

static enum relay_finding read_message(struct span m, char ret[static RELAY_NAME_BUF])
{
	size_t major = take_number(&m, 1);
	size_t session_id;
	struct span suites;
	struct span compressions;
	struct span extensions;

	take(&m, 1 + RANDOM_LEN);
	session_id = take_vector(&m, 1).n;
	suites = take_vector(&m, 2);
	compressions = take_vector(&m, 1);
	if (m.bad || major != VERSION_MAJOR || session_id > SESSION_ID_MAX || suites.n == 0 ||
	    suites.n % 2 != 0 || compressions.n == 0)
		return RELAY_MALFORMED;
	if (m.n == 0)
		return RELAY_NO_NAME;
	extensions = take_vector(&m, 2);
	if (m.bad || m.n > 0)
		return RELAY_MALFORMED;
	return read_extensions(extensions, ret);
}

/* ---- its records ---------------------------------------------------------------------------- */

/* The message, put together from its records. */
struct parts {
	uint8_t body[RELAY_HELLO_MAX];
	size_t n;
	size_t wire;
};

/* The first bytes tell what it is before all of them are there. */
static enum relay_finding judge_header(const uint8_t *bytes, size_t n, bool first)
{
	if (n > 0 && bytes[0] != RECORD_HANDSHAKE)
		return first ? RELAY_NOT_TLS : RELAY_MALFORMED;
	if (n > 1 && bytes[1] != VERSION_MAJOR)
		return first ? RELAY_NOT_TLS : RELAY_MALFORMED;
	return RELAY_MORE;
}

static enum relay_finding judge_parts(const struct parts *p, size_t *ret_len)
{
	if (p->n > 0 && p->body[0] != MESSAGE_CLIENT_HELLO)
		return RELAY_MALFORMED;
	if (p->n < MESSAGE_HEADER)
		return RELAY_MORE;
	*ret_len = MESSAGE_HEADER +
		   ((size_t)p->body[1] << 16 | (size_t)p->body[2] << 8 | (size_t)p->body[3]);
	if (*ret_len > sizeof(p->body))
		return RELAY_TOO_LONG;
	/* What else stood in its last record would go unseen. */
	return p->n > *ret_len ? RELAY_MALFORMED : RELAY_MORE;
}

/* Takes one record.  RELAY_MORE with *ret_need 0: go on. */
static enum relay_finding take_record(struct parts *p, const uint8_t *bytes, size_t n,
				      size_t *ret_need)
{
	enum relay_finding f = judge_header(bytes, n, p->wire == 0);
	size_t len;

	*ret_need = p->wire + RECORD_HEADER;
	if (f != RELAY_MORE || n < RECORD_HEADER)
		return f;
	len = (size_t)bytes[3] << 8 | bytes[4];
	if (len == 0 || len > RECORD_MAX)
		return p->wire == 0 ? RELAY_NOT_TLS : RELAY_MALFORMED;
	*ret_need = p->wire + RECORD_HEADER + len;
	if (*ret_need > RELAY_HELLO_MAX)
		return RELAY_TOO_LONG;
	if (n - RECORD_HEADER < len)
		return RELAY_MORE;
	memcpy(p->body + p->n, bytes + RECORD_HEADER, len);
	p->n += len;
	p->wire = *ret_need;
	*ret_need = 0;
	return RELAY_MORE;
}

void relay_hello_read(const uint8_t *bytes, size_t n, struct relay_hello *ret)
{
	struct parts p;
	size_t len = 0;
	size_t need = 0;
	enum relay_finding f = RELAY_MORE;

	p.n = 0;
	p.wire = 0;
	memset(ret, 0, sizeof(*ret));
	while (f == RELAY_MORE && need == 0 && (len == 0 || p.n < len)) {
		f = take_record(&p, bytes + p.wire, n - p.wire, &need);
		if (f == RELAY_MORE && need == 0)
			f = judge_parts(&p, &len);
	}
	if (f == RELAY_MORE && need == 0)
		f = read_message(
		    (struct span){ p.body + MESSAGE_HEADER, len - MESSAGE_HEADER, false },
		    ret->name);
	ret->finding = f;
	ret->need = f == RELAY_MORE ? need : 0;
	ret->len = f == RELAY_NAME ? p.wire : 0;
	if (f != RELAY_NAME)
		ret->name[0] = '\0';
}

/* ---- the server's answer -------------------------------------------------------------------- */

/* The random of a ServerHello that is none (RFC 8446, 4.1.3). */
static const uint8_t RETRY[RANDOM_LEN] = {
	0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c,
	0x02, 0x1e, 0x65, 0xb8, 0x91, 0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb,
	0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c,
};

#define BEFORE_RANDOM (RECORD_HEADER + MESSAGE_HEADER + 2)
_Static_assert(BEFORE_RANDOM + RANDOM_LEN == RELAY_ANSWER_HEAD, "the random ends the head");

/* With the header of a record, or all of the head, in hand. */
static enum relay_answer_kind judge_answer(struct relay_answer *a)
{
	size_t len = (size_t)a->head[3] << 8 | a->head[4];

	if (a->head[1] != VERSION_MAJOR || len == 0 || len > RECORD_MAX)
		return RELAY_ANSWER_WRONG;
	if (a->head[0] == RECORD_ALERT) { /* a warning may come before the rest */
		a->skip = len;
		a->n = 0;
		return RELAY_ANSWER_MORE;
	}
	if (a->head[0] != RECORD_HANDSHAKE || len < RELAY_ANSWER_HEAD - RECORD_HEADER)
		return RELAY_ANSWER_WRONG;
	if (a->n < RELAY_ANSWER_HEAD)
		return RELAY_ANSWER_MORE;
	if (a->head[RECORD_HEADER] != MESSAGE_SERVER_HELLO)
		return RELAY_ANSWER_WRONG;
	return memcmp(a->head + BEFORE_RANDOM, RETRY, RANDOM_LEN) == 0 ? RELAY_ANSWER_RETRY
								       : RELAY_ANSWER_HELLO;
}

enum relay_answer_kind relay_answer_feed(struct relay_answer *a, const uint8_t *bytes, size_t n)
{
	enum relay_answer_kind kind = RELAY_ANSWER_MORE;

	for (size_t i = 0; i < n && kind == RELAY_ANSWER_MORE; i++) {
		if (a->skip > 0) {
			a->skip--;
			continue;
		}
		a->head[a->n++] = bytes[i];
		if (a->n == RECORD_HEADER || a->n == RELAY_ANSWER_HEAD)
			kind = judge_answer(a);
	}
	return kind;
}
