/* SPDX-License-Identifier: MIT */
/* The records of the kernel's audit stream, as Linux 6.18 wrote them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/stream.h"

#define OURS 812

struct seen {
	struct landlock_denial last;
	int n;
	int asked;
};

struct fixture {
	struct stream stream;
	struct seen seen;
	struct stream_to to;
};

static int is_ours(void *data, pid_t pid)
{
	((struct seen *)data)->asked++;
	return pid == OURS || pid == OURS + 1;
}

static void remember(void *data, const struct landlock_denial *d)
{
	struct seen *s = data;

	s->last = *d;
	s->n++;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	f->to = (struct stream_to){ .is_ours = is_ours, .fn = remember, .data = &f->seen };
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

static int feed(struct fixture *f, unsigned type, const char *text)
{
	return stream_feed(&f->stream, type, text, &f->to);
}

static void announce(struct fixture *f, unsigned serial, const char *domain, int pid)
{
	char text[256];

	snprintf(text, sizeof(text),
		 "audit(1796060497.390:%u): domain=%s status=allocated mode=enforcing pid=%d uid=0 "
		 "exe=\"/usr/bin/pen\" comm=\"pen\"",
		 serial, domain, pid);
	assert_int_equal(feed(f, STREAM_LANDLOCK_DOMAIN, text), 0);
}

static void puts_one_denial_together_from_its_records(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(feed(f, STREAM_LANDLOCK_ACCESS,
			      "audit(1796060497.390:3): domain=1890458f2 blockers=fs.read_file "
			      "path=\"/etc/passwd\" dev=\"vda\" ino=810"),
			 0);
	announce(f, 3, "1890458f2", OURS);
	feed(f, STREAM_SYSCALL,
	     "audit(1796060497.390:3): arch=c000003e syscall=257 success=no exit=-13 a0=ffffff9c "
	     "a1=7ffc8f6906f0 a2=80000 a3=0 items=0 ppid=812 pid=815 auid=4294967295 uid=0 "
	     "tty=(none) ses=4294967295 comm=\"cat\" exe=\"/usr/bin/cat\" key=(null)");
	feed(f, 1327, "audit(1796060497.390:3): proctitle=636174002F6574632F706173737764");
	assert_int_equal(f->seen.n, 0);
	assert_int_equal(feed(f, STREAM_END_OF_EVENT, "audit(1796060497.390:3): "), 1);
	assert_int_equal(f->seen.n, 1);
	assert_true(f->seen.last.domain == 0x1890458f2);
	assert_int_equal(f->seen.last.domain_pid, OURS);
	assert_int_equal(f->seen.last.pid, 815);
	assert_string_equal(f->seen.last.blockers, "fs.read_file");
	assert_string_equal(f->seen.last.path, "/etc/passwd");
	assert_string_equal(f->seen.last.comm, "cat");
	assert_string_equal(f->seen.last.exe, "/usr/bin/cat");
}

static void hands_on_no_denial_of_a_domain_that_is_not_ours(void **state)
{
	struct fixture *f = *state;

	feed(f, STREAM_LANDLOCK_ACCESS, "audit(1.0:3): domain=9 blockers=fs.read_file path=\"/x\"");
	announce(f, 3, "9", 99);
	feed(f, STREAM_SYSCALL, "audit(1.0:3): ppid=812 pid=815 comm=\"cat\" exe=\"/usr/bin/cat\"");
	assert_int_equal(feed(f, STREAM_END_OF_EVENT, "audit(1.0:3): "), 0);
	assert_int_equal(f->seen.n, 0);
}

static void asks_for_the_refused_process_when_the_domain_was_missed(void **state)
{
	struct fixture *f = *state;

	feed(f, STREAM_LANDLOCK_ACCESS, "audit(1.0:3): domain=9 blockers=fs.read_file path=\"/x\"");
	feed(f, STREAM_SYSCALL, "audit(1.0:3): ppid=1 pid=813 comm=\"cat\" exe=\"/usr/bin/cat\"");
	assert_int_equal(feed(f, STREAM_END_OF_EVENT, "audit(1.0:3): "), 1);
	assert_int_equal(f->seen.last.pid, 813);
	assert_int_equal(f->seen.last.domain_pid, 0);
}

static void needs_no_system_call_records(void **state)
{
	struct fixture *f = *state;

	feed(f, STREAM_LANDLOCK_ACCESS, "audit(1.0:3): domain=9 blockers=fs.read_file path=\"/x\"");
	announce(f, 4, "9", OURS);
	feed(f, STREAM_LANDLOCK_ACCESS,
	     "audit(1.0:5): domain=9 blockers=fs.write_file path=\"/y\"");
	assert_int_equal(f->seen.n, 0);
	assert_int_equal(stream_flush(&f->stream, &f->to), 2);
	assert_string_equal(f->seen.last.path, "/y");
	assert_int_equal(f->seen.last.pid, OURS);
	assert_string_equal(f->seen.last.comm, "pen");
	assert_string_equal(f->seen.last.exe, "/usr/bin/pen");
	assert_int_equal(stream_flush(&f->stream, &f->to), 0);
}

static void decodes_hexadecimal_strings_and_names_of_abstract_sockets(void **state)
{
	static const struct {
		const char *field, *path;
	} cases[] = {
		{ "path=2F746D702F6120625C22C3BC", "/tmp/a b\\\"\xc3\xbc" },
		{ "path=\"/x=y,z\"", "/x=y,z" },
		{ "path=0061626300", "@abc@" },
		{ "path=(null)", "(null)" },
		{ "path=\"/unfinished", "/unfinished" },
		{ "path=", "" },
		{ "path", "" },
		{ "xpath=\"/y\"", "" },
	};
	struct fixture *f = *state;

	announce(f, 1, "9", OURS);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[256];

		snprintf(text, sizeof(text), "audit(1.0:3): domain=9 blockers=fs.read_file %s",
			 cases[i].field);
		feed(f, STREAM_LANDLOCK_ACCESS, text);
		assert_int_equal(stream_flush(&f->stream, &f->to), 1);
		assert_string_equal(f->seen.last.path, cases[i].path);
	}
}

static void tells_the_target_of_a_signal_and_the_port_of_a_connection(void **state)
{
	struct fixture *f = *state;

	announce(f, 1, "9", OURS);
	feed(f, STREAM_LANDLOCK_ACCESS,
	     "audit(1.0:3): domain=9 blockers=scope.signal opid=1 ocomm=\"init\"");
	stream_flush(&f->stream, &f->to);
	assert_string_equal(f->seen.last.blockers, "scope.signal");
	assert_int_equal(f->seen.last.target_pid, 1);
	assert_string_equal(f->seen.last.target_comm, "init");
	feed(f, STREAM_LANDLOCK_ACCESS,
	     "audit(1.0:4): domain=9 blockers=net.connect_tcp daddr=127.0.0.1 dest=8080");
	stream_flush(&f->stream, &f->to);
	assert_int_equal(f->seen.last.port, 8080);
	feed(f, STREAM_LANDLOCK_ACCESS,
	     "audit(1.0:4): domain=9 blockers=x dest=65536 opid=99999999999");
	stream_flush(&f->stream, &f->to);
	assert_int_equal(f->seen.last.port, 0);
	assert_int_equal(f->seen.last.target_pid, 0);
}

static void keeps_interleaved_events_apart(void **state)
{
	struct fixture *f = *state;
	char text[256];

	announce(f, 1, "9", OURS);
	for (int i = 0; i < STREAM_EVENTS_MAX; i++) {
		snprintf(text, sizeof(text), "audit(1.0:%d): domain=9 blockers=b path=\"/%d\"",
			 10 + i, i);
		assert_int_equal(feed(f, STREAM_LANDLOCK_ACCESS, text), 0);
	}
	feed(f, STREAM_SYSCALL, "audit(1.0:12): pid=900 comm=\"c\" exe=\"e\"");
	assert_int_equal(feed(f, STREAM_END_OF_EVENT, "audit(1.0:12): "), 1);
	assert_string_equal(f->seen.last.path, "/2");
	assert_int_equal(f->seen.last.pid, 900);
	assert_int_equal(feed(f, STREAM_END_OF_EVENT, "audit(1.0:12): "), 0);
	for (int i = 0; i < 100; i++) {
		snprintf(text, sizeof(text), "audit(1.0:%d): domain=9 blockers=b path=\"/\"",
			 100 + i);
		feed(f, STREAM_LANDLOCK_ACCESS, text);
	}
	stream_flush(&f->stream, &f->to);
	assert_int_equal(f->seen.n, STREAM_EVENTS_MAX + 100);
}

static void keeps_the_domains_that_are_in_use_when_there_are_too_many(void **state)
{
	struct fixture *f = *state;
	char id[16];

	announce(f, 1, "abc", OURS);
	for (int i = 0; i < 4 * STREAM_DOMAINS_MAX; i++) {
		snprintf(id, sizeof(id), "%x", 0x10000 + i);
		announce(f, 2, id, OURS + 1);
		feed(f, STREAM_LANDLOCK_ACCESS, "audit(1.0:3): domain=abc blockers=b path=\"/\"");
		assert_int_equal(stream_flush(&f->stream, &f->to), 1);
		assert_int_equal(f->seen.last.domain_pid, OURS);
	}
}

static void forgets_a_domain_that_is_gone(void **state)
{
	struct fixture *f = *state;

	announce(f, 1, "9", OURS);
	feed(f, STREAM_LANDLOCK_DOMAIN, "audit(1.0:2): domain=9 status=deallocated denials=6");
	feed(f, STREAM_LANDLOCK_ACCESS, "audit(1.0:3): domain=9 blockers=b path=\"/\"");
	assert_int_equal(stream_flush(&f->stream, &f->to), 0);
}

static void passes_over_what_it_does_not_understand(void **state)
{
	static const char *const texts[] = {
		"",
		"audit",
		"audit(",
		"audit(1.0",
		"audit(1.0:)",
		"audit(1.0:3)",
		"audit(1.0:-3): domain=9",
		"audit(1.0:3): ",
		"audit(1.0:3): domain= blockers=",
		"audit(1.0:3): domain=xyz",
		"audit(1.0:3): domain=0 status=allocated pid=812",
		"audit(1.0:3): domain=fffffffffffffffff status=allocated pid=812",
		"audit(1.0:3): = == =\" \"",
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		for (unsigned type = 1290; type < 1430; type++)
			assert_int_equal(feed(f, type, texts[i]), 0);
	feed(f, STREAM_LANDLOCK_DOMAIN, "audit(1.0:3): domain=9 status=allocated pid=-1");
	assert_int_equal(f->seen.asked, 0);
}

static void cuts_a_path_that_is_too_long(void **state)
{
	struct fixture *f = *state;
	char text[12000];
	size_t n;

	announce(f, 1, "9", OURS);
	n = (size_t)snprintf(text, sizeof(text), "audit(1.0:3): domain=9 blockers=b path=");
	memset(text + n, '4', sizeof(text) - n);
	text[sizeof(text) - 1] = '\0';
	if ((sizeof(text) - 1 - n) % 2)
		text[sizeof(text) - 2] = '\0';
	feed(f, STREAM_LANDLOCK_ACCESS, text);
	stream_flush(&f->stream, &f->to);
	assert_int_equal(strlen(f->seen.last.path), LANDLOCK_PATH_MAX - 1);
	assert_int_equal(f->seen.last.path[0], 'D');
}

static void take_call(void *data, const struct call_denial *d)
{
	*(struct call_denial *)data = *d;
}

static void reads_a_refused_system_call_from_one_record(void **state)
{
	struct fixture *f = *state;
	struct call_denial d = { .pid = 0 };
	static const char text[] =
	    "audit(1796071776.298:17697): auid=10001 uid=10001 gid=10001 ses=5722 pid=32205 "
	    "comm=\"python3\" exe=\"/usr/bin/python3.11\" sig=0 arch=c000003e syscall=41 compat=0 "
	    "ip=0x7f696f84edc7 code=0x50000";

	assert_int_equal(feed(f, STREAM_SECCOMP, text), 0); /* nobody asks */
	f->to.on_call = take_call;
	f->to.call_data = &d;
	assert_int_equal(feed(f, STREAM_SECCOMP, text), 1);
	assert_int_equal(d.pid, 32205);
	assert_int_equal(d.uid, 10001);
	assert_int_equal(d.audit_session, 5722);
	assert_int_equal(d.nr, 41);
	assert_int_equal(d.arch, 0xc000003e);
	assert_int_equal(d.signal, 0);
	assert_string_equal(d.comm, "python3");
	assert_string_equal(d.exe, "/usr/bin/python3.11");
	assert_int_equal(feed(f, STREAM_SECCOMP, "audit(1.0:3): uid=1 syscall=41"), 0);
	assert_int_equal(feed(f, STREAM_SECCOMP, "audit(1.0:3): pid=7"), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(puts_one_denial_together_from_its_records),
		TEST(hands_on_no_denial_of_a_domain_that_is_not_ours),
		TEST(asks_for_the_refused_process_when_the_domain_was_missed),
		TEST(needs_no_system_call_records),
		TEST(decodes_hexadecimal_strings_and_names_of_abstract_sockets),
		TEST(tells_the_target_of_a_signal_and_the_port_of_a_connection),
		TEST(keeps_interleaved_events_apart),
		TEST(keeps_the_domains_that_are_in_use_when_there_are_too_many),
		TEST(forgets_a_domain_that_is_gone),
		TEST(passes_over_what_it_does_not_understand),
		TEST(cuts_a_path_that_is_too_long),
		TEST(reads_a_refused_system_call_from_one_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
