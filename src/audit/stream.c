/* SPDX-License-Identifier: MIT */
/*
 * DOC: one refused access makes several records of one serial number, in this order:
 *
 *   1423 domain=ID blockers=fs.read_file path="/etc/shadow" dev="vda" ino=7
 *   1424 domain=ID status=allocated pid=812 uid=0 exe="..." comm="..."   for a domain's first
 * denial 1300 ... ppid=812 pid=815 ... comm="cat" exe="/usr/bin/cat"          of the refused system
 * call 1320                                                                 the end
 *
 * Where the audit rules keep system calls out ("never,task"), 1300 and 1320 are missing and each
 * record has a serial of its own.  So a denial waits until its end, or until a flush.
 */
#include "audit/stream.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"

struct field {
	const char *key;
	size_t key_len;
	const char *value;
	size_t len;
	bool quoted;
};

/* ---- fields -------------------------------------------------------------------------------- */

/* The next key=value; words without '=' are passed over.  False at the end. */
static bool next_field(const char **at, struct field *ret)
{
	const char *s = *at;

	for (;;) {
		s += strspn(s, " ");
		if (!*s)
			return false;
		ret->key = s;
		ret->key_len = strcspn(s, " =");
		s += ret->key_len;
		if (*s == '=')
			break;
	}
	s++;
	ret->quoted = *s == '"';
	if (ret->quoted)
		s++;
	ret->value = s;
	ret->len = strcspn(s, ret->quoted ? "\"" : " ");
	s += ret->len;
	*at = *s ? s + 1 : s;
	return true;
}

static bool key_is(const struct field *f, const char *key)
{
	return strlen(key) == f->key_len && strncmp(f->key, key, f->key_len) == 0;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

static char hex_byte(const char *two)
{
	return (char)(uint8_t)(16 * hex_digit(two[0]) + hex_digit(two[1]));
}

static bool is_hex(const struct field *f)
{
	for (size_t i = 0; i < f->len; i++)
		if (hex_digit(f->value[i]) < 0)
			return false;
	return f->len > 0 && f->len % 2 == 0;
}

/* Strings with odd bytes come as hexadecimal without quotes.  The NUL that begins an abstract
 * socket's name becomes '@', as everywhere; so do others.  Too long ones are cut. */
static void take_string(const struct field *f, char *dst, size_t size)
{
	bool hex = !f->quoted && is_hex(f);
	size_t len = hex ? f->len / 2 : f->len;

	if (len > size - 1)
		len = size - 1;
	for (size_t i = 0; i < len; i++) {
		dst[i] = f->value[i];
		if (hex)
			dst[i] = hex_byte(f->value + 2 * i);
		if (dst[i] == '\0')
			dst[i] = '@';
	}
	dst[len] = '\0';
}

static uint64_t take_number(const struct field *f, int base)
{
	char *end;
	unsigned long long n;

	if (f->len == 0 || hex_digit(f->value[0]) < 0)
		return 0;
	errno = 0;
	n = strtoull(f->value, &end, base);
	return errno == 0 && end == f->value + f->len ? n : 0;
}

static pid_t take_pid(const struct field *f)
{
	uint64_t n = take_number(f, 10);

	return n <= INT_MAX ? (pid_t)n : 0;
}

/* The serial of "audit(SECONDS.MS:SERIAL): "; the rest of the text is in *ret_fields. */
static bool parse_head(const char *text, uint64_t *ret_serial, const char **ret_fields)
{
	const char *colon;
	char *end;

	if (strncmp(text, "audit(", 6) != 0)
		return false;
	colon = text + 6 + strspn(text + 6, "0123456789.");
	if (*colon != ':' || hex_digit(colon[1]) < 0)
		return false;
	*ret_serial = strtoull(colon + 1, &end, 10);
	if (end[0] != ')' || end[1] != ':')
		return false;
	*ret_fields = end + 2;
	return true;
}

/* ---- domains --------------------------------------------------------------------------------- */

static struct stream_domain *domain_find(struct stream *s, uint64_t id)
{
	for (size_t i = 0; i < STREAM_DOMAINS_MAX; i++)
		if (s->domains[i].id == id)
			return &s->domains[i];
	return NULL;
}

static struct stream_domain *domain_place(struct stream *s, uint64_t id)
{
	struct stream_domain *best = domain_find(s, id);

	if (best)
		return best;
	best = &s->domains[0];
	for (size_t i = 0; i < STREAM_DOMAINS_MAX; i++) {
		struct stream_domain *d = &s->domains[i];

		if (d->id == 0)
			return d;
		if (d->used < best->used)
			best = d;
	}
	return best;
}

static void feed_domain(struct stream *s, const char *fields, const struct stream_to *to)
{
	struct stream_domain made = { 0 };
	struct stream_domain *known;
	struct field f;
	bool allocated = false;

	while (next_field(&fields, &f)) {
		if (key_is(&f, "domain"))
			made.id = take_number(&f, 16);
		else if (key_is(&f, "status"))
			allocated = f.len == 9 && strncmp(f.value, "allocated", 9) == 0;
		else if (key_is(&f, "pid"))
			made.pid = take_pid(&f);
		else if (key_is(&f, "comm"))
			take_string(&f, made.comm, sizeof(made.comm));
		else if (key_is(&f, "exe"))
			take_string(&f, made.exe, sizeof(made.exe));
	}
	if (made.id == 0)
		return;
	if (!allocated) {
		known = domain_find(s, made.id);
		if (known)
			*known = (struct stream_domain){ 0 };
		return;
	}
	if (made.pid <= 0 || !to->is_ours(to->data, made.pid))
		return;
	made.used = ++s->clock;
	*domain_place(s, made.id) = made;
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Fills in who it was; 1 when the denial is ours and was handed on. */
static int hand_on(struct stream *s, struct landlock_denial *d, const struct stream_to *to)
{
	struct stream_domain *domain = domain_find(s, d->domain);

	if (!domain) {
		if (d->pid <= 0 || !to->is_ours(to->data, d->pid))
			return 0;
		to->fn(to->data, d);
		return 1;
	}
	domain->used = ++s->clock;
	d->domain_pid = domain->pid;
	if (d->pid <= 0) {
		d->pid = domain->pid;
		memcpy(d->comm, domain->comm, sizeof(d->comm));
		memcpy(d->exe, domain->exe, sizeof(d->exe));
	}
	to->fn(to->data, d);
	return 1;
}

static struct stream_event *event_find(struct stream *s, uint64_t serial)
{
	for (size_t i = 0; i < STREAM_EVENTS_MAX; i++)
		if (s->events[i].pending && s->events[i].serial == serial)
			return &s->events[i];
	return NULL;
}

static int event_finish(struct stream *s, struct stream_event *n, const struct stream_to *to)
{
	struct stream_event *end = s->events + STREAM_EVENTS_MAX;
	int handed;

	if (!n)
		return 0;
	handed = hand_on(s, &n->denial, to);
	memmove(n, n + 1, (size_t)(end - n - 1) * sizeof(*n));
	end[-1].pending = false;
	return handed;
}

static void take_denial_field(struct landlock_denial *d, const struct field *f)
{
	static const char *const ports[] = { "dest", "src" };

	if (key_is(f, "domain"))
		d->domain = take_number(f, 16);
	else if (key_is(f, "blockers"))
		take_string(&(struct field){ .value = f->value, .len = f->len, .quoted = true },
			    d->blockers, sizeof(d->blockers));
	else if (key_is(f, "path"))
		take_string(f, d->path, sizeof(d->path));
	else if (key_is(f, "opid"))
		d->target_pid = take_pid(f);
	else if (key_is(f, "ocomm"))
		take_string(f, d->target_comm, sizeof(d->target_comm));
	for (size_t i = 0; i < ARRAY_SIZE(ports); i++)
		if (key_is(f, ports[i]) && take_number(f, 10) <= UINT16_MAX)
			d->port = (uint16_t)take_number(f, 10);
}

static int feed_access(struct stream *s, uint64_t serial, const char *fields,
		       const struct stream_to *to)
{
	struct stream_event *n = s->events;
	struct field f;
	int handed = 0;

	if (s->events[STREAM_EVENTS_MAX - 1].pending)
		handed = event_finish(s, &s->events[0], to);
	while (n->pending)
		n++;
	memset(n, 0, sizeof(*n));
	n->serial = serial;
	while (next_field(&fields, &f))
		take_denial_field(&n->denial, &f);
	n->pending = n->denial.domain != 0;
	return handed;
}

/* A system call may be refused two accesses (a rename): all of its denials have its serial. */
static void feed_syscall(struct stream *s, uint64_t serial, const char *fields)
{
	struct landlock_denial who = { 0 };
	struct field f;

	if (!event_find(s, serial))
		return;
	while (next_field(&fields, &f)) {
		if (key_is(&f, "pid"))
			who.pid = take_pid(&f);
		else if (key_is(&f, "comm"))
			take_string(&f, who.comm, sizeof(who.comm));
		else if (key_is(&f, "exe"))
			take_string(&f, who.exe, sizeof(who.exe));
	}
	for (size_t i = 0; i < STREAM_EVENTS_MAX; i++) {
		struct landlock_denial *d = &s->events[i].denial;

		if (!s->events[i].pending || s->events[i].serial != serial)
			continue;
		d->pid = who.pid;
		memcpy(d->comm, who.comm, sizeof(d->comm));
		memcpy(d->exe, who.exe, sizeof(d->exe));
	}
}

/* One record says all: "uid=.. ses=.. pid=.. comm=.. exe=.. sig=0 arch=c000003e syscall=272 ...".
 */
static int feed_seccomp(const char *fields, const struct stream_to *to)
{
	struct call_denial d = { .nr = -1, .uid = (uid_t)-1, .audit_session = UINT32_MAX };
	struct field f;

	while (next_field(&fields, &f)) {
		if (key_is(&f, "pid"))
			d.pid = take_pid(&f);
		else if (key_is(&f, "uid"))
			d.uid = (uid_t)take_number(&f, 10);
		else if (key_is(&f, "ses"))
			d.audit_session = (uint32_t)take_number(&f, 10);
		else if (key_is(&f, "arch"))
			d.arch = (uint32_t)take_number(&f, 16);
		else if (key_is(&f, "syscall"))
			d.nr = (int)take_number(&f, 10);
		else if (key_is(&f, "sig"))
			d.signal = (int)take_number(&f, 10);
		else if (key_is(&f, "comm"))
			take_string(&f, d.comm, sizeof(d.comm));
		else if (key_is(&f, "exe"))
			take_string(&f, d.exe, sizeof(d.exe));
	}
	if (!to->on_call || d.pid <= 0 || d.nr < 0)
		return 0;
	to->on_call(to->call_data, &d);
	return 1;
}

int stream_feed(struct stream *s, unsigned type, const char *text, const struct stream_to *to)
{
	struct stream_event *n;
	const char *fields;
	uint64_t serial;
	int handed = 0;

	if (!parse_head(text, &serial, &fields))
		return 0;
	switch (type) {
	case STREAM_LANDLOCK_ACCESS:
		return feed_access(s, serial, fields, to);
	case STREAM_LANDLOCK_DOMAIN:
		feed_domain(s, fields, to);
		return 0;
	case STREAM_SECCOMP:
		return feed_seccomp(fields, to);
	case STREAM_SYSCALL:
		feed_syscall(s, serial, fields);
		return 0;
	case STREAM_END_OF_EVENT:
		while ((n = event_find(s, serial)))
			handed += event_finish(s, n, to);
		return handed;
	default:
		return 0;
	}
}

int stream_flush(struct stream *s, const struct stream_to *to)
{
	int handed = 0;

	while (s->events[0].pending)
		handed += event_finish(s, &s->events[0], to);
	return handed;
}
