/* SPDX-License-Identifier: MIT */
#include "dns/notes.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "dns/answer.h"
#include "dns/gate.h"
#include "dns/question.h"

static int send_note(const struct dns_notes *n, const struct dns_note *note)
{
	if (send(n->channel, note, sizeof(*note), MSG_DONTWAIT | MSG_NOSIGNAL) ==
	    (ssize_t)sizeof(*note))
		return 0;
	return errno == EAGAIN || errno == EINTR || errno == ENOBUFS ? -EAGAIN : -EPIPE;
}

static void count_lost(struct dns_notes *n, uint32_t more)
{
	if (__builtin_add_overflow(n->lost, more, &n->lost))
		n->lost = UINT32_MAX;
}

static void begin_second(struct dns_notes *n, uint64_t now_ms)
{
	if (now_ms - n->window_ms < DNS_FOLD_MS)
		return;
	n->window_ms = now_ms;
	n->told = 0;
}

/* Sends what a fold holds, or counts it as lost: a full channel never holds up an answer. */
static void tell_fold(struct dns_notes *n, struct dns_fold *f, uint64_t now_ms)
{
	struct dns_note note = {
		.kind = DNS_NOTE_REFUSED,
		.type = f->type,
		.folded = f->untold,
		.refusal = f->refusal,
	};

	if (f->untold == 0)
		return;
	_Static_assert(sizeof(note.name) == sizeof(f->name), "a printed name fits a note");
	memcpy(note.name, f->name, sizeof(note.name));
	if (n->told >= DNS_REFUSED_RATE || send_note(n, &note) < 0)
		count_lost(n, f->untold);
	else
		n->told++;
	f->untold = 0;
	n->waiting--;
	f->told_ms = now_ms;
}

void dns_notes_refused(struct dns_notes *n, const char *name, uint16_t type,
		       enum dns_refusal refusal, uint64_t now_ms)
{
	uint64_t hash = dns_hash(n->seed, name, strlen(name)) + refusal;
	struct dns_fold *f = &n->fold[hash & (DNS_FOLDS_MAX - 1)];

	begin_second(n, now_ms);
	if (f->hash != hash || f->refusal != refusal || strcmp(f->name, name) != 0) {
		tell_fold(n, f, now_ms);
		memset(f, 0, sizeof(*f));
		f->hash = hash;
		f->refusal = (uint16_t)refusal;
		memcpy(f->name, name, strnlen(name, sizeof(f->name) - 1));
	}
	f->type = type;
	if (f->untold == 0)
		n->waiting++;
	if (f->untold < UINT32_MAX)
		f->untold++;
	if (f->told_ms == 0 || now_ms - f->told_ms >= DNS_FOLD_MS)
		tell_fold(n, f, now_ms);
}

bool dns_notes_tick(struct dns_notes *n, uint64_t now_ms)
{
	struct dns_note note = { .kind = DNS_NOTE_COUNT };
	bool new_second = now_ms - n->window_ms >= DNS_FOLD_MS;

	begin_second(n, now_ms);
	for (size_t i = 0; i < DNS_FOLDS_MAX && n->waiting > 0; i++)
		if (n->fold[i].untold > 0 && now_ms - n->fold[i].told_ms >= DNS_FOLD_MS)
			tell_fold(n, &n->fold[i], now_ms);
	note.folded = n->lost;
	if (n->lost > 0 && new_second && send_note(n, &note) == 0)
		n->lost = 0;
	return n->waiting > 0 || n->lost > 0;
}

int dns_notes_vouch(const struct dns_notes *n, uint32_t id, const struct dns_question *q,
		    const struct dns_answer *a)
{
	struct dns_note note = {
		.kind = DNS_NOTE_VOUCH,
		.id = id,
		.type = q->type,
		.n_addrs = a->n_addrs,
		.ttl_s = a->ttl_s,
	};

	memcpy(note.name, q->text, sizeof(q->text));
	memcpy(note.addrs, a->addrs, a->n_addrs * sizeof(note.addrs[0]));
	return send_note(n, &note);
}
