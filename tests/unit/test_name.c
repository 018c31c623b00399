/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/clean.h"
#include "base/name.h"

static void makes_one_form_of_a_name(void **state)
{
	static const struct {
		const char *text;
		const char *name; /* NULL: refused */
	} rows[] = {
		{ "a", "a" },
		{ "A.B-c.TEST", "a.b-c.test" },
		{ "a.test.", "a.test" },
		{ "_dmarc.a.test", "_dmarc.a.test" },
		{ "xn--bcher-kva.test", "xn--bcher-kva.test" },
		{ "-a-.test", "-a-.test" },
		{ "1.2.3.4", "1.2.3.4" },
		{ "", NULL },
		{ ".", NULL },
		{ "..", NULL },
		{ "a..b", NULL },
		{ ".a", NULL },
		{ "a..", NULL },
		{ "a b", NULL },
		{ "a*", NULL },
		{ "*.a", NULL },
		{ "a/b", NULL },
		{ "a:b", NULL },
		{ "a\n", NULL },
		{ "a@b", NULL },
		{ "\xc3\xbc.test", NULL },
		{ "a\x7f", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char name[NAME_BUF] = "";
		int rc = name_canonical(rows[i].text, name);

		if (rc != (rows[i].name ? 0 : -EINVAL))
			fail_msg("'%s': %d", rows[i].text, rc);
		if (rows[i].name)
			assert_string_equal(name, rows[i].name);
	}
}

static void works_in_place(void **state)
{
	char name[NAME_BUF] = "WWW.Test.";

	(void)state;
	assert_int_equal(name_canonical(name, name), 0);
	assert_string_equal(name, "www.test");
}

/* Labels of n bytes, joined until the name holds len bytes. */
static void fill(char *text, size_t label, size_t len)
{
	for (size_t i = 0; i < len; i++)
		text[i] = i % (label + 1) == label ? '.' : 'a';
	text[len] = '\0';
}

static void bounds_labels_and_names(void **state)
{
	char text[300];
	char name[NAME_BUF];

	(void)state;
	fill(text, NAME_LABEL_MAX, NAME_LABEL_MAX);
	assert_int_equal(name_canonical(text, name), 0);
	fill(text, NAME_LABEL_MAX + 1, NAME_LABEL_MAX + 1);
	assert_int_equal(name_canonical(text, name), -EINVAL);
	fill(text, 49, NAME_MAX_LEN);
	assert_int_equal(name_canonical(text, name), 0);
	assert_int_equal(strlen(name), NAME_MAX_LEN);
	fill(text, 49, NAME_MAX_LEN);
	memcpy(text + NAME_MAX_LEN, ".", 2);
	assert_int_equal(name_canonical(text, name), 0);
	fill(text, 49, NAME_MAX_LEN + 1);
	assert_int_equal(name_canonical(text, name), -EINVAL);
}

static void below_means_at_a_label(void **state)
{
	(void)state;
	assert_true(name_is_below("a.b.test", "b.test"));
	assert_true(name_is_below("x.a.b.test", "b.test"));
	assert_false(name_is_below("b.test", "b.test"));
	assert_false(name_is_below("ab.test", "b.test"));
	assert_false(name_is_below("test", "b.test"));
	assert_false(name_is_below("b.test.x", "b.test"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(makes_one_form_of_a_name),
		cmocka_unit_test(works_in_place),
		cmocka_unit_test(bounds_labels_and_names),
		cmocka_unit_test(below_means_at_a_label),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
