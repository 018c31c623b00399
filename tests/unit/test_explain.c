/* SPDX-License-Identifier: MIT */
/* Why a command did not start: in a directory of its own, without a pen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clean.h"
#include "pinfold.h"
#include "session/explain.h"
#include "session/explain_file.h"

#define NOBODY 54321

/* ws is granted for everything, ro for reading, shut is denied inside ws, away is not granted. */
struct place {
	char top[64];
	char path[4][128];
	struct path_rule rule[3];
	struct path_set set;
	struct explain_pen pen;
};

static const char *const DIRS[] = { "ws", "ro", "ws/shut", "away" };

static int make_place(void **state)
{
	static const enum path_right RIGHTS[] = { PATH_RW, PATH_RO, PATH_DENY };
	struct place *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	snprintf(p->top, sizeof(p->top), "/tmp/pinfold-explain.XXXXXX");
	assert_non_null(mkdtemp(p->top));
	assert_int_equal(chmod(p->top, 0755), 0);
	for (size_t i = 0; i < ARRAY_SIZE(DIRS); i++) {
		snprintf(p->path[i], sizeof(p->path[i]), "%s/%s", p->top, DIRS[i]);
		assert_int_equal(mkdir(p->path[i], 0755), 0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(RIGHTS); i++)
		p->rule[i] = (struct path_rule){
			.right = RIGHTS[i],
			.path = p->path[i],
			.text = p->path[i],
			.origin = (char *)(uintptr_t) "test",
		};
	/* Open to NOBODY, so that the owner explains nothing. */
	assert_int_equal(chmod(p->path[0], 0777), 0);
	p->set = (struct path_set){ p->rule, ARRAY_SIZE(p->rule) };
	p->pen = (struct explain_pen){
		.paths = &p->set,
		.path = p->path[0],
		.their_path = p->path[3],
		.dir = p->path[0],
		.cwd = p->path[0],
		.uid = NOBODY,
		.gid = NOBODY,
	};
	*state = p;
	return 0;
}

static int remove_place(void **state)
{
	struct place *p = *state;
	static const char *const FILES[] = { "tool", "other", "link" };

	for (size_t i = 0; i < ARRAY_SIZE(DIRS); i++)
		for (size_t k = 0; k < ARRAY_SIZE(FILES); k++) {
			char file[256];

			snprintf(file, sizeof(file), "%s/%s", p->path[i], FILES[k]);
			unlink(file);
		}
	for (size_t i = ARRAY_SIZE(DIRS); i-- > 0;)
		if (i != 0)
			rmdir(p->path[i]);
	rmdir(p->path[0]);
	assert_int_equal(rmdir(p->top), 0);
	free(p);
	return 0;
}

/* The file dir/name with that text and mode; its path lives in a static buffer. */
static const char *put(const struct place *p, const char *name, const char *text, mode_t mode)
{
	static char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", p->top, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	assert_int_equal(chmod(path, mode), 0);
	return path;
}

static void assert_says(const struct place *p, const char *name, int error, const char *part)
{
	struct pinfold_error e = { 0 };

	assert_int_equal(explain_exec(&p->pen, name, error, &e), error);
	if (!strstr(e.text, part))
		fail_msg("no '%s' in: %s", part, e.text);
}

/* ---- what is in the way --------------------------------------------------------------------- */

static void test_an_interpreter_that_is_not_granted_is_named_with_its_rule(void **state)
{
	const struct place *p = *state;
	char line[300];

	snprintf(line, sizeof(line), "#!%s -u\n", put(p, "away/other", "x", 0755));
	put(p, "ws/tool", line, 0755);
	assert_says(p, "./tool", -ENOENT, "its interpreter '");
	assert_says(p, "./tool", -ENOENT, "/away/other' is not granted; add it to filesystem.rox");
}

static void test_an_interpreter_that_is_granted_is_not_blamed(void **state)
{
	const struct place *p = *state;
	char line[300];

	snprintf(line, sizeof(line), "#!%s\n", put(p, "ws/other", "x", 0755));
	put(p, "ws/tool", line, 0755);
	assert_says(p, "./tool", -ENOENT, "cannot execute './tool': No such file");
}

static void test_an_interpreter_that_exists_nowhere_is_said_to(void **state)
{
	const struct place *p = *state;

	put(p, "ws/tool", "#!/no/such/interpreter\n", 0755);
	assert_says(p, "./tool", -ENOENT, "interpreter '/no/such/interpreter' does not exist");
}

static void test_a_windows_line_end_is_recognised(void **state)
{
	const struct place *p = *state;

	put(p, "ws/tool", "#!/bin/sh\r\n", 0755);
	assert_says(p, "./tool", -ENOENT, "ends in CR LF");
	put(p, "ws/other", "", 0755);
	assert_says(p, "./other", -ENOEXEC, "neither a program nor a script");
}

static void test_a_file_granted_for_reading_only_needs_rox(void **state)
{
	const struct place *p = *state;
	const char *file = put(p, "ro/tool", "x", 0755);

	assert_says(p, file, -EACCES, "it is granted for reading only");
	assert_says(p, file, -EACCES, "filesystem.rox");
}

static void test_a_denied_file_names_the_deny(void **state)
{
	const struct place *p = *state;

	assert_says(p, put(p, "ws/shut/tool", "x", 0755), -EACCES, "it is denied by '");
}

static void test_a_file_without_x_bit_names_uid_and_mode(void **state)
{
	const struct place *p = *state;

	put(p, "ws/tool", "x", 0744);
	assert_says(p, "./tool", -EACCES, "not executable for uid 54321 (mode 0744)");
}

static void test_a_directory_that_lets_the_uid_not_in_is_named(void **state)
{
	struct place *p = *state;

	put(p, "ws/shut/tool", "x", 0755);
	p->set.n = 2; /* no deny */
	assert_int_equal(chmod(p->path[2], 0700), 0);
	assert_says(p, "shut/tool", -EACCES, "/ws/shut' (mode 0700) lets uid 54321 not in");
}

static void test_a_link_out_of_the_pen_names_where_it_leads(void **state)
{
	const struct place *p = *state;
	char link[256];

	snprintf(link, sizeof(link), "%s/ws/link", p->top);
	assert_int_equal(symlink(put(p, "away/other", "x", 0755), link), 0);
	assert_says(p, "./link", -ENOENT, "leads to '");
	assert_says(p, "./link", -ENOENT, "/away/other', which is not granted");
}

static void test_a_link_that_stands_outside_the_pen_is_named_itself(void **state)
{
	const struct place *p = *state;
	char link[160];
	char line[200];

	snprintf(link, sizeof(link), "%s/link", p->path[3]);
	assert_int_equal(symlink(put(p, "ws/other", "x", 0755), link), 0);
	snprintf(line, sizeof(line), "#!%s\n", link);
	put(p, "ws/tool", line, 0755);
	assert_says(p, "./tool", -ENOENT, link);
	assert_says(p, "./tool", -ENOENT, "is not granted");
}

static void test_a_name_that_only_the_launcher_finds_is_told_with_its_place(void **state)
{
	const struct place *p = *state;

	put(p, "away/tool", "x", 0755);
	assert_says(p, "tool", -ENOENT, "/away/tool' is not granted");
	assert_says(p, "nothing", -ENOENT, "not found in the pen's PATH");
}

static void test_a_relative_name_of_a_directory_that_is_not_granted_tells_both(void **state)
{
	struct place *p = *state;

	put(p, "away/tool", "x", 0755);
	p->pen.cwd = p->path[3];
	assert_says(p, "./tool", -ENOENT, "the command starts in '");
}

static void test_a_fifo_in_the_way_is_not_opened(void **state)
{
	const struct place *p = *state;
	char path[256];

	snprintf(path, sizeof(path), "%s/ws/tool", p->top);
	assert_int_equal(mkfifo(path, 0777), 0);
	alarm(10); /* opening it would wait for ever */
	assert_says(p, "./tool", -EACCES, "is not a regular file");
	assert_int_equal(explain_open(path), -1);
	alarm(0);
}

static void test_what_no_file_explains_is_said_by_the_error(void **state)
{
	const struct place *p = *state;

	put(p, "ws/tool", "x", 0755);
	assert_says(p, "./tool", -E2BIG, "arguments and environment are longer");
	assert_says(p, "./tool", -ETXTBSY, "open for writing");
}

/* ---- hints ---------------------------------------------------------------------------------- */

static void test_a_missing_name_behind_env_is_hinted_only_for_127(void **state)
{
	const struct place *p = *state;
	struct explain_hint hint = { 0 };

	put(p, "ws/tool", "#!/usr/bin/env -S X=1 nosuchpython -u\n", 0755);
	assert_true(explain_end(&p->pen, "./tool", 127, false, &hint));
	assert_non_null(strstr(hint.what, "wants 'nosuchpython'"));
	assert_false(explain_end(&p->pen, "./tool", 1, false, &hint));
	assert_false(explain_end(&p->pen, "./tool", 0, false, &hint));
	put(p, "ws/nosuchpython", "x", 0755);
	assert_false(explain_end(&p->pen, "./tool", 127, false, &hint));
	unlink(put(p, "ws/nosuchpython", "", 0755));
}

static void test_a_set_uid_program_that_failed_is_hinted(void **state)
{
	const struct place *p = *state;
	struct explain_hint hint = { 0 };

	put(p, "ws/tool", "x", 04755);
	assert_true(explain_end(&p->pen, "./tool", 1, false, &hint));
	assert_non_null(strstr(hint.what, "set-uid"));
	assert_false(explain_end(&p->pen, "./tool", 0, false, &hint));
	put(p, "ws/tool", "x", 0755);
	assert_false(explain_end(&p->pen, "./tool", 1, false, &hint));
}

static void test_a_sandbox_inside_is_hinted_unless_it_may_nest(void **state)
{
	const struct place *p = *state;
	struct explain_hint hint = { 0 };
	const char *file = put(p, "ws/bwrap", "x", 0755);

	assert_true(explain_end(&p->pen, "bwrap", 1, false, &hint));
	assert_non_null(strstr(hint.advice, "seccomp.allowNested"));
	assert_false(explain_end(&p->pen, "bwrap", 1, true, &hint));
	unlink(file);
}

/* ---- hostile files -------------------------------------------------------------------------- */

static void read_bytes(const void *bytes, size_t n, struct explain_head *head,
		       struct explain_needs *needs)
{
	int fd = memfd_create("head", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), (ssize_t)n);
	explain_read_head(fd, head);
	explain_read_needs(fd, needs);
	close(fd);
}

static void test_a_directory_of_another_owner_is_hinted_where_the_policy_lets_write(void **state)
{
	struct place *p = *state;
	struct explain_hint hint;

	put(p, "ws/tool", "x", 0755);
	assert_false(explain_end(&p->pen, "./tool", 1, false, &hint));
	assert_int_equal(chmod(p->path[0], 0755), 0);
	assert_true(explain_end(&p->pen, "./tool", 1, false, &hint));
	assert_non_null(strstr(hint.what, "can't write there"));
	assert_non_null(strstr(hint.advice, "chown 54321 "));
	assert_false(explain_end(&p->pen, "./tool", 0, false, &hint));
	p->pen.dir = p->path[1];
	assert_false(explain_end(&p->pen, p->path[0], 1, false, &hint));
}

static void test_offsets_beyond_the_file_are_absent(void **state)
{
	struct {
		Elf64_Ehdr h;
		Elf64_Phdr p[2];
	} f = { .h = { .e_ident = ELFMAG, .e_phnum = 2 } };
	static struct explain_needs needs;
	struct explain_head head;

	(void)state;
	f.h.e_ident[EI_CLASS] = ELFCLASS64;
	f.h.e_ident[EI_DATA] = ELFDATA2LSB;
	f.h.e_machine = EM_X86_64;
	f.h.e_phoff = sizeof(f.h);
	f.p[0] = (Elf64_Phdr){ .p_type = PT_INTERP, .p_offset = UINT64_MAX - 1 };
	f.p[1] = (Elf64_Phdr){ .p_type = PT_DYNAMIC,
			       .p_offset = UINT64_MAX - 8,
			       .p_filesz = UINT64_MAX };
	read_bytes(&f, sizeof(f), &head, &needs);
	assert_string_equal(head.interpreter, "");
	assert_int_equal(needs.n, 0);
	f.h.e_phoff = UINT64_MAX - 3;
	f.h.e_phnum = UINT16_MAX;
	read_bytes(&f, sizeof(f), &head, &needs);
	assert_string_equal(head.interpreter, "");
	read_bytes(&f, 10, &head, &needs);
	assert_int_equal(head.kind, EXPLAIN_UNKNOWN);
}

static void test_a_first_line_without_end_is_cut_as_the_kernel_cuts_it(void **state)
{
	static struct explain_needs needs;
	struct explain_head head;
	char line[4000];

	(void)state;
	memset(line, 'a', sizeof(line));
	memcpy(line, "#!  /b", 6);
	read_bytes(line, sizeof(line), &head, &needs);
	assert_int_equal(head.kind, EXPLAIN_SCRIPT);
	assert_int_equal(strlen(head.interpreter), 255 - 4);
	read_bytes("#!", 2, &head, &needs);
	assert_int_equal(head.kind, EXPLAIN_SCRIPT);
	assert_string_equal(head.interpreter, "");
	read_bytes("#! /x \t y z \n", 13, &head, &needs);
	assert_string_equal(head.interpreter, "/x");
	assert_string_equal(head.argument, "y z");
}

static void test_a_real_program_tells_its_loader_and_libraries(void **state)
{
	static struct explain_needs needs;
	struct explain_head head;
	int fd = explain_open("/proc/self/exe");

	(void)state;
	assert_true(fd >= 0);
	explain_read_head(fd, &head);
	explain_read_needs(fd, &needs);
	close(fd);
	assert_int_equal(head.kind, EXPLAIN_PROGRAM);
	assert_non_null(strstr(head.interpreter, "ld"));
	assert_true(needs.n > 0);
}

#define IN_PLACE(test) cmocka_unit_test_setup_teardown(test, make_place, remove_place)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_PLACE(test_an_interpreter_that_is_not_granted_is_named_with_its_rule),
		IN_PLACE(test_an_interpreter_that_is_granted_is_not_blamed),
		IN_PLACE(test_an_interpreter_that_exists_nowhere_is_said_to),
		IN_PLACE(test_a_windows_line_end_is_recognised),
		IN_PLACE(test_a_file_granted_for_reading_only_needs_rox),
		IN_PLACE(test_a_denied_file_names_the_deny),
		IN_PLACE(test_a_file_without_x_bit_names_uid_and_mode),
		IN_PLACE(test_a_directory_that_lets_the_uid_not_in_is_named),
		IN_PLACE(test_a_link_out_of_the_pen_names_where_it_leads),
		IN_PLACE(test_a_link_that_stands_outside_the_pen_is_named_itself),
		IN_PLACE(test_a_name_that_only_the_launcher_finds_is_told_with_its_place),
		IN_PLACE(test_a_relative_name_of_a_directory_that_is_not_granted_tells_both),
		IN_PLACE(test_a_fifo_in_the_way_is_not_opened),
		IN_PLACE(test_what_no_file_explains_is_said_by_the_error),
		IN_PLACE(test_a_missing_name_behind_env_is_hinted_only_for_127),
		IN_PLACE(test_a_set_uid_program_that_failed_is_hinted),
		IN_PLACE(test_a_sandbox_inside_is_hinted_unless_it_may_nest),
		IN_PLACE(test_a_directory_of_another_owner_is_hinted_where_the_policy_lets_write),
		cmocka_unit_test(test_offsets_beyond_the_file_are_absent),
		cmocka_unit_test(test_a_first_line_without_end_is_cut_as_the_kernel_cuts_it),
		cmocka_unit_test(test_a_real_program_tells_its_loader_and_libraries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
