/* SPDX-License-Identifier: MIT */
#include "dns/msg.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "dns/proto.h"

#define LABEL_POINTER 0xc0u

struct dns_reader dns_reader_over(const uint8_t *msg, size_t len)
{
	return (struct dns_reader){ .msg = msg, .len = len };
}

const uint8_t *dns_get_bytes(struct dns_reader *r, size_t n)
{
	const uint8_t *bytes = r->msg + r->at;

	if (r->bad || n > r->len - r->at) {
		r->bad = true;
		return NULL;
	}
	r->at += n;
	return bytes;
}

uint8_t dns_get_u8(struct dns_reader *r)
{
	const uint8_t *b = dns_get_bytes(r, 1);

	return b ? b[0] : 0;
}

uint16_t dns_get_u16(struct dns_reader *r)
{
	const uint8_t *b = dns_get_bytes(r, 2);

	return b ? (uint16_t)(b[0] << 8 | b[1]) : 0;
}

uint32_t dns_get_u32(struct dns_reader *r)
{
	const uint8_t *b = dns_get_bytes(r, 4);

	return b ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3] : 0;
}

void dns_get_header(struct dns_reader *r, struct dns_header *ret)
{
	ret->id = dns_get_u16(r);
	ret->flags = dns_get_u16(r);
	ret->n_question = dns_get_u16(r);
	ret->n_answer = dns_get_u16(r);
	ret->n_authority = dns_get_u16(r);
	ret->n_additional = dns_get_u16(r);
}

/* Follows the pointer at `at`: -1 unless it leads before `limit` and behind the header. */
static int pointer_target(const struct dns_reader *r, size_t at, size_t limit)
{
	unsigned target;

	if (at + 1 >= r->len)
		return -1;
	target = (r->msg[at] & ~LABEL_POINTER) << 8 | r->msg[at + 1];
	return target < limit && target >= DNS_HEADER_LEN ? (int)target : -1;
}

/* Copies the label at `at` behind what ret holds; -1 when it does not fit the message or a name. */
static int take_label(const struct dns_reader *r, size_t at, struct dns_name *ret)
{
	size_t n = (size_t)r->msg[at] + 1;

	/* Every label but the root leaves room for the root. */
	if (n > NAME_LABEL_MAX + 1 || n > r->len - at || ret->len + n + (n > 1) > DNS_NAME_WIRE_MAX)
		return -1;
	memcpy(ret->wire + ret->len, r->msg + at, n);
	ret->len = (uint8_t)(ret->len + n);
	return (int)n;
}

static void name_is_bad(struct dns_reader *r, struct dns_name *ret)
{
	r->bad = true;
	ret->len = 1;
	ret->wire[0] = 0;
}

void dns_get_name(struct dns_reader *r, struct dns_name *ret)
{
	size_t at = r->at;
	size_t limit = at; /* pointers lead strictly before it, so it shrinks with each */
	size_t end = 0;

	ret->len = 0;
	while (!r->bad && at < r->len) {
		if ((r->msg[at] & LABEL_POINTER) == LABEL_POINTER) {
			int target = pointer_target(r, at, limit);

			if (target < 0)
				break;
			if (end == 0)
				end = at + 2;
			at = limit = (size_t)target;
			continue;
		}
		int taken = take_label(r, at, ret);

		if (taken < 0)
			break;
		at += (size_t)taken;
		if (taken == 1) {
			r->at = end ? end : at;
			return;
		}
	}
	name_is_bad(r, ret);
}

void dns_get_rr(struct dns_reader *r, struct dns_rr *ret)
{
	dns_get_name(r, &ret->owner);
	ret->type = dns_get_u16(r);
	ret->class = dns_get_u16(r);
	ret->ttl = dns_get_u32(r);
	ret->rdlen = dns_get_u16(r);
	ret->rdata = r->at;
	dns_get_bytes(r, ret->rdlen);
}

struct dns_reader dns_rdata_reader(const struct dns_reader *r, const struct dns_rr *rr)
{
	return (struct dns_reader){
		.msg = r->msg,
		.len = rr->rdata + rr->rdlen,
		.at = rr->rdata,
		.bad = r->bad,
	};
}

/* Length bytes are at most 63, below every letter: whole wire forms can be compared. */
static uint8_t lower(uint8_t b)
{
	return b >= 'A' && b <= 'Z' ? (uint8_t)(b - 'A' + 'a') : b;
}

bool dns_name_equal(const struct dns_name *a, const struct dns_name *b)
{
	if (a->len != b->len)
		return false;
	for (size_t i = 0; i < a->len; i++)
		if (lower(a->wire[i]) != lower(b->wire[i]))
			return false;
	return true;
}

void dns_name_lower(struct dns_name *name)
{
	for (size_t i = 0; i < name->len; i++)
		name->wire[i] = lower(name->wire[i]);
}

int dns_name_canonical(const struct dns_name *name, char ret[static NAME_BUF])
{
	char text[DNS_NAME_WIRE_MAX + 1];
	size_t n = 0;

	for (size_t at = 0; name->wire[at] != 0; at += (size_t)name->wire[at] + 1) {
		const uint8_t *label = name->wire + at + 1;
		size_t len = name->wire[at];

		/* A dot inside a label would move the label's boundary, a NUL would end it. */
		if (memchr(label, '.', len) || memchr(label, '\0', len))
			return -EINVAL;
		memcpy(text + n, label, len);
		n += len;
		text[n++] = '.';
	}
	text[n] = '\0';
	return name_canonical(text, ret);
}

int dns_name_from_text(const char *text, struct dns_name *ret)
{
	char canonical[NAME_BUF];
	struct dns_name name = { .len = 0 };
	const char *at = canonical;

	if (name_canonical(text, canonical) < 0)
		return -EINVAL;
	while (*at) {
		size_t n = strcspn(at, ".");

		name.wire[name.len++] = (uint8_t)n;
		memcpy(name.wire + name.len, at, n);
		name.len = (uint8_t)(name.len + n);
		at += n + (at[n] == '.');
	}
	name.wire[name.len++] = 0;
	*ret = name;
	return 0;
}

static bool prints_as_itself(uint8_t b)
{
	return b > 0x20 && b < 0x7f && b != '.' && b != '\\' && b != '"';
}

void dns_name_print(const struct dns_name *name, char ret[static DNS_NAME_PRINT_MAX])
{
	size_t label_end = 0;
	size_t n = 0;

	ret[0] = '\0';
	if (name->len == 1)
		ret[n++] = '.';
	for (size_t at = 0; at + 1 < name->len && n + 5 < DNS_NAME_PRINT_MAX; at++) {
		if (at == label_end) {
			label_end = at + name->wire[at] + 1;
			if (at > 0)
				ret[n++] = '.';
			continue;
		}
		if (prints_as_itself(name->wire[at]))
			ret[n++] = (char)lower(name->wire[at]);
		else
			n += (size_t)snprintf(ret + n, DNS_NAME_PRINT_MAX - n, "\\%03u",
					      name->wire[at]);
	}
	ret[n] = '\0';
}

struct dns_writer dns_writer_over(uint8_t *buf, size_t cap)
{
	return (struct dns_writer){ .buf = buf, .cap = cap };
}

void dns_put_bytes(struct dns_writer *w, const void *bytes, size_t n)
{
	if (w->full || n > w->cap - w->len) {
		w->full = true;
		return;
	}
	memcpy(w->buf + w->len, bytes, n);
	w->len += n;
}

void dns_put_u8(struct dns_writer *w, uint8_t v)
{
	dns_put_bytes(w, &v, 1);
}

void dns_put_u16(struct dns_writer *w, uint16_t v)
{
	const uint8_t b[2] = { (uint8_t)(v >> 8), (uint8_t)v };

	dns_put_bytes(w, b, sizeof(b));
}

void dns_put_u32(struct dns_writer *w, uint32_t v)
{
	dns_put_u16(w, (uint16_t)(v >> 16));
	dns_put_u16(w, (uint16_t)v);
}

void dns_put_name(struct dns_writer *w, const struct dns_name *name)
{
	dns_put_bytes(w, name->wire, name->len);
}

void dns_put_header(struct dns_writer *w, const struct dns_header *h)
{
	dns_put_u16(w, h->id);
	dns_put_u16(w, h->flags);
	dns_put_u16(w, h->n_question);
	dns_put_u16(w, h->n_answer);
	dns_put_u16(w, h->n_authority);
	dns_put_u16(w, h->n_additional);
}

void dns_set_u16(struct dns_writer *w, size_t at, uint16_t v)
{
	if (w->full || at + 2 > w->len)
		return;
	w->buf[at] = (uint8_t)(v >> 8);
	w->buf[at + 1] = (uint8_t)v;
}
