/* wrap: session_watch plan_masks */
/* SPDX-License-Identifier: MIT */
/* The self-test goes red for whatever is taken away from a pen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "base/clean.h"
#include "fs/fence.h"
#include "fs/plan_internal.h"
#include "net/inner.h"
#include "pinfold.h"
#include "session/session.h"

int __real_session_watch(struct session *s, struct pinfold_error *e);
int __wrap_session_watch(struct session *s, struct pinfold_error *e);
int __real_plan_masks(struct planner *pl);
int __wrap_plan_masks(struct planner *pl);

enum damage { DAMAGE_NONE, DAMAGE_PROGRAM, DAMAGE_MAP, DAMAGE_SESSION, DAMAGE_MASKS };

static enum damage damage;
static size_t which;
static bool done;
static char first[256];

static void detach(const struct session *s)
{
	struct net_hook hooks[NET_HOOKS];

	net_kernel_hooks(&s->net->kernel, hooks);
	done = bpf_prog_detach2(hooks[which].prog_fd, s->cgroup.dir_fd,
				(enum bpf_attach_type)hooks[which].type) == 0;
}

static void truncate_map(const struct session *s)
{
	static const enum net_map MAPS[] = { NET_MAP_DENY_NETS, NET_MAP_ALLOW_NETS,
					     NET_MAP_PORT_SETS };
	const int map = s->net->kernel.map[MAPS[which]];
	char key[64];

	done = bpf_map_get_next_key(map, NULL, key) == 0 && bpf_map_delete_elem(map, key) == 0;
}

int __wrap_session_watch(struct session *s, struct pinfold_error *e)
{
	if (damage == DAMAGE_PROGRAM)
		detach(s);
	if (damage == DAMAGE_MAP)
		truncate_map(s);
	if (damage == DAMAGE_SESSION)
		done = net_fence_forget(s->net) == 0;
	return __real_session_watch(s, e);
}

int __wrap_plan_masks(struct planner *pl)
{
	if (damage != DAMAGE_MASKS)
		return __real_plan_masks(pl);
	done = true;
	return 0;
}

static void note(void *data, const char *check, bool passed, const char *detail)
{
	(void)data;
	if (!passed && !first[0])
		snprintf(first, sizeof(first), "%s: %s", check, detail);
}

/* How many checks are red with that damage. */
static int red(enum damage kind, size_t number)
{
	static const char TEXT[] = "{ \"version\": 1, \"workspace\": \"%s\", \"network\": "
				   "{ \"allowOutbound\": [\"198.51.100.1:443\"], "
				   "\"denyOutbound\": [\"198.51.100.2\"] } %s }";
	char dir[] = "/tmp/pinfold-selftest-XXXXXX";
	char path[64];
	struct pinfold_policy *policy = NULL;
	struct pinfold_error e = { "" };
	FILE *f;
	int r;

	damage = kind;
	which = number;
	done = false;
	first[0] = '\0';
	assert_non_null(mkdtemp(dir));
	assert_int_equal(chmod(dir, 0755), 0);
	snprintf(path, sizeof(path), "%s.json", dir);
	f = fopen(path, "we");
	assert_non_null(f);
	fprintf(f, TEXT, dir, fs_landlock_abi() < 6 ? ", \"onUnavailable\": \"degrade\"" : "");
	fclose(f);
	r = pinfold_policy_load(path, &policy, &e);
	if (r == 0)
		r = pinfold_selftest(policy, note, NULL, &e);
	pinfold_policy_free(policy);
	unlink(path);
	rmdir(dir);
	if (r < 0)
		fail_msg("%s", e.text);
	if (kind != DAMAGE_NONE)
		assert_true(done);
	return r;
}

static void it_is_green_when_nothing_is_missing(void **state)
{
	(void)state;
	if (red(DAMAGE_NONE, 0) != 0)
		fail_msg("%s", first);
}

static void it_is_red_when_a_program_is_detached(void **state)
{
	(void)state;
	for (size_t i = 0; i < NET_HOOKS; i++)
		if (red(DAMAGE_PROGRAM, i) == 0)
			fail_msg("program %zu", i);
}

static void it_is_red_when_a_map_lost_an_entry(void **state)
{
	(void)state;
	for (size_t i = 0; i < 3; i++)
		if (red(DAMAGE_MAP, i) == 0)
			fail_msg("map %zu", i);
	assert_true(red(DAMAGE_SESSION, 0) > 0);
}

static void it_is_red_when_masks_are_missing(void **state)
{
	(void)state;
	assert_true(red(DAMAGE_MASKS, 0) > 0);
	assert_non_null(strstr(first, "/etc/shadow"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_green_when_nothing_is_missing),
		cmocka_unit_test(it_is_red_when_a_program_is_detached),
		cmocka_unit_test(it_is_red_when_a_map_lost_an_entry),
		cmocka_unit_test(it_is_red_when_masks_are_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
