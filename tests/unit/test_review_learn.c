/* SPDX-License-Identifier: MIT */
/* What uses and destinations are folded into. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "pinfold_review.h"
#include "review/learn.h"

#define HOME "/home/alice"
#define MAX 12

#define LOOK PINFOLD_USE_LOOK
#define READ PINFOLD_USE_READ
#define WRITE PINFOLD_USE_WRITE
#define EXEC PINFOLD_USE_EXEC
#define MAKE PINFOLD_USE_MAKE
#define REMOVE PINFOLD_USE_REMOVE

/* ---- a world: what ends with "/" in the list is a directory, what has "->" in it a symlink ----
 */

static const char *const THERE[] = {
	"/srv/",
	"/srv/a/",
	"/srv/a/1",
	"/srv/a/2",
	"/srv/a/3",
	"/srv/a/4",
	"/srv/b/",
	"/srv/b/1",
	"/srv/b/2",
	"/srv/d/",
	"/srv/d/x/",
	"/srv/d/x/1",
	"/srv/d/x/2",
	"/srv/d/x/3",
	"/srv/d/y/",
	"/srv/d/y/1",
	"/srv/d/y/2",
	"/srv/d/y/3",
	"/srv/d/z/",
	"/srv/d/z/1",
	"/srv/d/z/2",
	"/srv/d/z/3",
	"/srv/cur->/srv/a",
	"/srv/py->/usr/bin/python3",
	"/data1",
	"/data2",
	"/data3",
	HOME "/",
	HOME "/.cache/",
	HOME "/.cache/pip/",
	HOME "/.config/",
	HOME "/.config/tool/",
	HOME "/.local/",
	HOME "/.local/share/",
	HOME "/.local/share/app/",
	HOME "/.npm/",
	HOME "/.gitconfig",
	HOME "/notes",
	HOME "/jobs/",
	HOME "/jobs/1",
	HOME "/jobs/2",
	HOME "/jobs/3",
	"/tmp/",
	"/tmp/old/",
	"/tmp/old/f",
	"/tmp/1",
	"/tmp/2",
	"/tmp/3",
};

static const char *find(const char *path)
{
	size_t len = strlen(path);

	for (size_t i = 0; i < ARRAY_SIZE(THERE); i++)
		if (strncmp(THERE[i], path, len) == 0 &&
		    (THERE[i][len] == '\0' || strcmp(THERE[i] + len, "/") == 0 ||
		     strncmp(THERE[i] + len, "->", 2) == 0))
			return THERE[i] + len;
	return NULL;
}

static enum learn_kind kind_of(void *data, const char *path)
{
	const char *rest = find(path);

	(void)data;
	if (strcmp(path, "/") == 0)
		return LEARN_DIR;
	if (!rest)
		return LEARN_ABSENT;
	return rest[0] == '/' ? LEARN_DIR : rest[0] == '-' ? LEARN_LINK : LEARN_FILE;
}

static char *follow(void *data, const char *path)
{
	const char *rest = find(path);

	(void)data;
	return rest && rest[0] == '-' ? strdup(rest + 2) : NULL;
}

static const struct learn_world WORLD = {
	.home = HOME,
	.workspace = "/srv/ws",
	.access = PATH_RW,
	.kind = kind_of,
	.follow = follow,
};

/* ---- files ----------------------------------------------------------------------------------- */

struct used {
	const char *path;
	unsigned missing;
	bool is_dir;
	bool is_shut;
};

struct fold_case {
	const char *sentence;
	struct used used[MAX];
	const char *want; /* "RIGHT PATH" for each entry */
};

#define USED(path, missing)                                                                        \
	{                                                                                          \
		path, missing, false, false                                                        \
	}
#define DIR_(path, missing)                                                                        \
	{                                                                                          \
		path, missing, true, false                                                         \
	}
#define SHUT(path, missing)                                                                        \
	{                                                                                          \
		path, missing, false, true                                                         \
	}

static const struct fold_case FOLDS[] = {
	{ "nothing becomes nothing", { { 0 } }, "" },
	{ "a file that was read", { USED("/srv/a/1", READ) }, "ro /srv/a/1" },
	{ "a file that was looked at", { USED("/srv/a/1", LOOK) }, "ro /srv/a/1" },
	{ "a file that was executed", { USED("/srv/a/1", EXEC | READ) }, "rox /srv/a/1" },
	{ "a file that was written", { USED("/srv/a/1", WRITE) }, "rw /srv/a/1" },
	{ "a directory that was listed", { DIR_("/srv/a", READ) }, "ro /srv/a" },
	{ "a directory that was only looked at opens nothing",
	  { DIR_("/srv/a", LOOK) },
	  "- /srv/a" },
	{ "a file that came takes its directory", { USED("/srv/a/new", MAKE) }, "rw /srv/a" },
	{ "a file that went takes its directory", { USED("/srv/a/1", REMOVE) }, "rw /srv/a" },
	{ "a directory that is gone takes what is left of the way",
	  { USED("/srv/a/n/m/f", MAKE) },
	  "rw /srv/a" },
	{ "what is gone needs no entry", { USED("/srv/a/gone", READ) }, "- /srv/a/gone" },
	{ "two files stay files",
	  { USED("/srv/b/1", READ), USED("/srv/b/2", READ) },
	  "ro /srv/b/1 ro /srv/b/2" },
	{ "three files become their directory",
	  { USED("/srv/a/1", READ), USED("/srv/a/2", READ), USED("/srv/a/3", READ) },
	  "ro /srv/a" },
	{ "of different rights they don't",
	  { USED("/srv/a/1", READ), USED("/srv/a/2", EXEC), USED("/srv/a/3", READ) },
	  "ro /srv/a/1 rox /srv/a/2 ro /srv/a/3" },
	{ "three directories become theirs",
	  { DIR_("/srv/d/x", READ), DIR_("/srv/d/y", READ), USED("/srv/d/z/1", READ),
	    USED("/srv/d/z/2", READ), USED("/srv/d/z/3", READ) },
	  "ro /srv/d" },
	{ "not at the top",
	  { DIR_("/srv/a", READ), DIR_("/srv/b", READ), DIR_("/srv/d", READ) },
	  "ro /srv/a ro /srv/b ro /srv/d" },
	{ "not the top itself",
	  { USED("/data1", READ), USED("/data2", READ), USED("/data3", READ) },
	  "ro /data1 ro /data2 ro /data3" },
	{ "not /tmp",
	  { USED("/tmp/1", READ), USED("/tmp/2", READ), USED("/tmp/3", READ) },
	  "ro /tmp/1 ro /tmp/2 ro /tmp/3" },
	{ "what a wider entry covers vanishes",
	  { DIR_("/srv/a", READ), USED("/srv/a/1", READ) },
	  "ro /srv/a" },
	{ "a narrower entry inside a writable one would take rights away",
	  { USED("/srv/a/new", MAKE), USED("/srv/a/1", READ), USED("/srv/a/2", EXEC) },
	  "rw /srv/a" },
	{ "a wider right inside stays",
	  { DIR_("/srv/a", READ), USED("/srv/a/1", WRITE) },
	  "ro /srv/a rw /srv/a/1" },
	{ "two uses of a path are one entry",
	  { DIR_("/srv/a", READ), USED("/srv/a", EXEC) },
	  "rox /srv/a" },
	{ "a cache is named by its directory",
	  { USED(HOME "/.cache/pip/http/a/b", MAKE), DIR_(HOME "/.cache/pip/http/a", READ) },
	  "rw " HOME "/.cache/pip" },
	{ "so is a configuration",
	  { USED(HOME "/.config/tool/rc", READ) },
	  "ro " HOME "/.config/tool" },
	{ "and what an application shares",
	  { USED(HOME "/.local/share/app/x", WRITE) },
	  "rw " HOME "/.local/share/app" },
	{ "and a directory of a tool's own",
	  { USED(HOME "/.npm/_cacache/x", READ) },
	  "ro " HOME "/.npm" },
	{ "a file of the home stays a file",
	  { USED(HOME "/.gitconfig", READ) },
	  "ro " HOME "/.gitconfig" },
	{ "a file that came into the home takes itself only",
	  { USED(HOME "/notes", MAKE) },
	  "rw " HOME "/notes" },
	{ "one that is gone takes nothing", { USED(HOME "/.x.tmp", MAKE) }, "- " HOME "/.x.tmp" },
	{ "the home is never opened", { DIR_(HOME, READ) }, "- " HOME },
	{ "nor what is above it", { DIR_("/home", READ) }, "- /home" },
	{ "nor the top", { DIR_("/", READ) }, "- /" },
	{ "three files below the home become their directory",
	  { USED(HOME "/jobs/1", READ), USED(HOME "/jobs/2", READ), USED(HOME "/jobs/3", READ) },
	  "ro " HOME "/jobs" },
	{ "what stayed shut is left out", { SHUT("/srv/a/1", READ) }, "- /srv/a/1" },
	{ "and does not fold with others",
	  { SHUT("/srv/a/1", READ), USED("/srv/a/2", READ), USED("/srv/a/3", READ) },
	  "ro /srv/a/2 ro /srv/a/3 - /srv/a/1" },
	{ "a symlink leads to what is granted below its end, and to no more",
	  { USED("/srv/cur", LOOK), USED("/srv/a/1", READ) },
	  "ro /srv/a/1 ro /srv/cur/1" },
	{ "with the right that holds there",
	  { USED("/srv/cur", LOOK), USED("/srv/a/new", MAKE) },
	  "rw /srv/a rw /srv/cur" },
	{ "into the system set it is for executing", { USED("/srv/py", LOOK) }, "rox /srv/py" },
};

static void text_of(const struct learn_grants *g, char *ret, size_t size)
{
	static const char *const WORD[] = {
		[PATH_DENY] = "-", [PATH_RO] = "ro", [PATH_ROX] = "rox", [PATH_RW] = "rw"
	};
	size_t len = 0;

	ret[0] = '\0';
	for (size_t i = 0; i < g->n; i++) {
		len += (size_t)snprintf(ret + len, size - len, "%s%s %s", i ? " " : "",
					WORD[g->grant[i].right], g->grant[i].path);
		assert_int_equal(g->grant[i].right == PATH_DENY, g->grant[i].left != NULL);
	}
}

static void test_uses_become_the_fewest_entries(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(FOLDS); i++) {
		struct learn_use use[MAX] = { 0 };
		struct learn_uses uses = { .use = use };
		struct learn_grants got = { 0 };
		char text[1024];

		for (const struct used *u = FOLDS[i].used; u->path; u++)
			use[uses.n++] = (struct learn_use){ .path = strdup(u->path),
							    .missing = u->missing,
							    .is_dir = u->is_dir,
							    .is_shut = u->is_shut,
							    .count = 1,
							    .who = "cat" };
		assert_int_equal(learn_fold(&uses, &WORLD, &got), 0);
		text_of(&got, text, sizeof(text));
		if (strcmp(text, FOLDS[i].want) != 0)
			fail_msg("%s: '%s', not '%s'", FOLDS[i].sentence, text, FOLDS[i].want);
		learn_grants_done(&got);
		for (size_t k = 0; k < uses.n; k++)
			free(use[k].path);
	}
}

static void test_counts_and_programs_are_kept(void **state)
{
	struct learn_use use[3] = {
		{ .path = (char[]){ "/srv/a/1" }, .missing = READ, .count = 2, .who = "cat" },
		{ .path = (char[]){ "/srv/a/2" }, .missing = READ, .count = 3, .who = "sed, cat" },
		{ .path = (char[]){ "/srv/a/3" }, .missing = READ, .count = 4, .who = "awk" },
	};
	const struct learn_uses uses = { use, 3 };
	struct learn_grants got = { 0 };

	(void)state;
	assert_int_equal(learn_fold(&uses, &WORLD, &got), 0);
	assert_int_equal(got.n, 1);
	assert_int_equal(got.grant[0].count, 9);
	assert_int_equal(got.grant[0].paths, 3);
	assert_string_equal(got.grant[0].who, "cat, sed, awk");
	learn_grants_done(&got);
}

static void test_a_program_is_named_once(void **state)
{
	char who[LEARN_WHO_MAX] = "";

	(void)state;
	learn_add_who(who, "cat");
	learn_add_who(who, "at");
	learn_add_who(who, "cat");
	learn_add_who(who, "");
	assert_string_equal(who, "cat, at");
	for (int i = 0; i < 100; i++) {
		char name[16];

		snprintf(name, sizeof(name), "program%d", i);
		learn_add_who(who, name);
	}
	assert_true(strlen(who) < LEARN_WHO_MAX);
}

/* ---- destinations ---------------------------------------------------------------------------- */

struct reached {
	const char *name;
	const char *address;
	const char *proto;
	uint16_t port;
	bool is_literal;
	bool is_shut;
};

struct host_case {
	const char *sentence;
	struct reached reached[MAX];
	const char *want;
};

#define A "198.51.100.1"

#define MET(name, address, proto, port)                                                            \
	{                                                                                          \
		name, address, proto, port, false, false                                           \
	}
#define NEEDS(name, address, proto, port)                                                          \
	{                                                                                          \
		name, address, proto, port, true, false                                            \
	}
#define STAYED(name, address, proto, port)                                                         \
	{                                                                                          \
		name, address, proto, port, false, true                                            \
	}

static const struct host_case HOSTS[] = {
	{ "a name instead of its address", { MET("api.test", A, "tcp", 443) }, "api.test:443" },
	{ "several addresses of a name are one entry",
	  { MET("api.test", A, "tcp", 443), MET("api.test", "198.51.100.2", "tcp", 443) },
	  "api.test:443" },
	{ "ports are entries",
	  { MET("api.test", A, "tcp", 443), MET("api.test", A, "tcp", 80) },
	  "api.test:443 api.test:80" },
	{ "UDP says so", { MET("ntp.test", A, "udp", 123) }, "ntp.test:123/udp" },
	{ "without a name the address", { MET(NULL, A, "tcp", 443) }, A ":443" },
	{ "of IPv6 in brackets", { MET(NULL, "2001:db8::1", "tcp", 443) }, "[2001:db8::1]:443" },
	{ "private space needs both",
	  { NEEDS("db.test", "10.0.0.5", "tcp", 5432) },
	  "10.0.0.5:5432 db.test:5432" },
	{ "a name that was looked up only", { MET("api.test", NULL, "tcp", 0) }, "api.test:443" },
	{ "a name that was used, too",
	  { MET("api.test", NULL, "tcp", 0), MET("api.test", A, "tcp", 80) },
	  "api.test:80" },
	{ "two siblings",
	  { MET("a.x.test", A, "tcp", 443), MET("b.x.test", A, "tcp", 443) },
	  "a.x.test:443 b.x.test:443" },
	{ "three siblings",
	  { MET("a.x.test", A, "tcp", 443), MET("b.x.test", A, "tcp", 443),
	    MET("c.x.test", A, "tcp", 443) },
	  "*.x.test:443" },
	{ "a sibling met twice is one",
	  { MET("a.x.test", A, "tcp", 443), MET("a.x.test", "198.51.100.2", "tcp", 443),
	    MET("b.x.test", A, "tcp", 443) },
	  "a.x.test:443 b.x.test:443" },
	{ "siblings of different ports",
	  { MET("a.x.test", A, "tcp", 443), MET("b.x.test", A, "tcp", 80),
	    MET("c.x.test", A, "tcp", 443) },
	  "a.x.test:443 b.x.test:80 c.x.test:443" },
	{ "below the top there is no wildcard",
	  { MET("a.test", A, "tcp", 443), MET("b.test", A, "tcp", 443),
	    MET("c.test", A, "tcp", 443) },
	  "a.test:443 b.test:443 c.test:443" },
	{ "nor below a public suffix",
	  { MET("a.co.uk", A, "tcp", 443), MET("b.co.uk", A, "tcp", 443),
	    MET("c.co.uk", A, "tcp", 443) },
	  "a.co.uk:443 b.co.uk:443 c.co.uk:443" },
	{ "nor where anybody may have a page",
	  { MET("a.github.io", A, "tcp", 443), MET("b.github.io", A, "tcp", 443),
	    MET("c.github.io", A, "tcp", 443) },
	  "a.github.io:443 b.github.io:443 c.github.io:443" },
	{ "what stayed shut is left out",
	  { STAYED(NULL, "169.254.169.254", "tcp", 80), MET("api.test", A, "tcp", 443) },
	  "api.test:443 -169.254.169.254:80" },
};

static void test_destinations_become_readable_entries(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(HOSTS); i++) {
		struct learn_dst dst[MAX] = { 0 };
		struct learn_dsts dsts = { .dst = dst };
		struct learn_hosts got = { 0 };
		char text[512] = "";
		size_t len = 0;

		for (const struct reached *r = HOSTS[i].reached; r->proto; r++) {
			struct learn_dst *d = &dst[dsts.n++];

			d->name = r->name ? strdup(r->name) : NULL;
			d->address = r->address ? strdup(r->address) : NULL;
			d->proto = strdup(r->proto);
			d->port = r->port;
			d->is_literal = r->is_literal;
			d->is_shut = r->is_shut;
			d->count = 1;
		}
		assert_int_equal(learn_hosts(&dsts, &got), 0);
		for (size_t k = 0; k < got.n; k++)
			len +=
			    (size_t)snprintf(text + len, sizeof(text) - len, "%s%s%s", k ? " " : "",
					     got.host[k].left ? "-" : "", got.host[k].text);
		if (strcmp(text, HOSTS[i].want) != 0)
			fail_msg("%s: '%s', not '%s'", HOSTS[i].sentence, text, HOSTS[i].want);
		learn_hosts_done(&got);
		for (size_t k = 0; k < dsts.n; k++) {
			free(dst[k].name);
			free(dst[k].address);
			free(dst[k].proto);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_uses_become_the_fewest_entries),
		cmocka_unit_test(test_counts_and_programs_are_kept),
		cmocka_unit_test(test_a_program_is_named_once),
		cmocka_unit_test(test_destinations_become_readable_entries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
