/* SPDX-License-Identifier: MIT */
/* The supervisor's half of the channel.  The worker parses hostile packets: what it sends is
 * taken for hostile too. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clean.h"
#include "dns/proto.h"
#include "dns/worker.h"

static bool name_is_terminated(const struct dns_note *note)
{
	return memchr(note->name, '\0', sizeof(note->name)) != NULL;
}

static bool name_is_canonical(const struct dns_note *note)
{
	char canonical[NAME_BUF];

	return name_canonical(note->name, canonical) == 0 && strcmp(canonical, note->name) == 0;
}

static bool name_is_printable(const struct dns_note *note)
{
	for (const char *c = note->name; *c; c++)
		if (*c <= ' ' || *c > '~')
			return false;
	return note->name[0] != '\0';
}

static bool addrs_are_sound(const struct dns_note *note)
{
	for (unsigned i = 0; i < note->n_addrs; i++)
		if (note->type == DNS_TYPE_A && !addr_is_v4(&note->addrs[i]))
			return false;
	return true;
}

static bool vouch_is_sound(const struct dns_note *note)
{
	return (note->type == DNS_TYPE_A || note->type == DNS_TYPE_AAAA) && note->n_addrs > 0 &&
	       note->n_addrs <= DNS_ADDRS_MAX && note->ttl_s <= DNS_TTL_MAX_S &&
	       note->folded == 0 && note->refusal == DNS_REFUSAL_NONE && name_is_canonical(note) &&
	       addrs_are_sound(note);
}

static bool refused_is_sound(const struct dns_note *note)
{
	return note->n_addrs == 0 && note->ttl_s == 0 && note->id == 0 && note->folded > 0 &&
	       note->refusal > DNS_REFUSAL_NONE && note->refusal < DNS_REFUSAL_MAX &&
	       name_is_printable(note);
}

static bool count_is_sound(const struct dns_note *note)
{
	return note->n_addrs == 0 && note->ttl_s == 0 && note->id == 0 && note->type == 0 &&
	       note->refusal == DNS_REFUSAL_NONE && note->name[0] == '\0';
}

static bool (*const CHECKS[])(const struct dns_note *) = {
	[DNS_NOTE_NONE] = NULL,
	[DNS_NOTE_VOUCH] = vouch_is_sound,
	[DNS_NOTE_REFUSED] = refused_is_sound,
	[DNS_NOTE_COUNT] = count_is_sound,
};
_Static_assert(ARRAY_SIZE(CHECKS) == DNS_NOTE_MAX, "a check for each kind");

int dns_note_receive(const struct dns_worker *w, struct dns_note *ret)
{
	struct dns_note note;
	ssize_t n;

	do
		n = recv(w->supervisor, &note, sizeof(note), MSG_DONTWAIT | MSG_TRUNC);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN ? -EAGAIN : -EPIPE;
	/* An empty message and the end of the channel look the same, and mean the same. */
	if (n == 0)
		return -EPIPE;
	/* With MSG_TRUNC the real length is told, also of what did not fit. */
	if ((size_t)n != sizeof(note) || note.kind >= DNS_NOTE_MAX || !CHECKS[note.kind] ||
	    !name_is_terminated(&note) || !CHECKS[note.kind](&note))
		return -EBADMSG;
	memset(note.addrs + note.n_addrs, 0, (DNS_ADDRS_MAX - note.n_addrs) * sizeof(struct addr));
	*ret = note;
	return 0;
}

int dns_ruling_send(const struct dns_worker *w, uint32_t id, uint64_t keep)
{
	struct dns_ruling ruling = { .id = id, .keep = keep };
	ssize_t n;

	do
		n = send(w->supervisor, &ruling, sizeof(ruling), MSG_DONTWAIT | MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n == (ssize_t)sizeof(ruling))
		return 0;
	return n < 0 && errno == EAGAIN ? -EAGAIN : -EPIPE;
}
