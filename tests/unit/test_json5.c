/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/json5.h"
#include "pinfold.h"

/* A literal with its length, so that NULs can stand in it. */
#define TEXT(s) (s), sizeof(s) - 1

static void refuses_what_is_not_json5(void **state)
{
	static const struct {
		const char *text;
		size_t len;
		const char *words;
	} rows[] = {
		{ TEXT(""), "f:1:1: a value was expected" },
		{ TEXT("  \n "), "f:2:2: a value was expected" },
		{ TEXT("{"), "f:1:2: '}' is missing" },
		{ TEXT("["), "f:1:2: ']' is missing" },
		{ TEXT("[1"), "f:1:3: ']' is missing" },
		{ TEXT("[1,"), "f:1:4: ']' is missing" },
		{ TEXT("{a"), "f:1:3: ':' was expected" },
		{ TEXT("{a:"), "f:1:4: a value was expected" },
		{ TEXT("{a:1"), "f:1:5: '}' is missing" },
		{ TEXT("]"), "f:1:1: a value was expected" },
		{ TEXT("[}"), "f:1:2: a value was expected" },
		{ TEXT("{]"), "f:1:2: a member's name or '}'" },
		{ TEXT("[1}"), "f:1:3: ',' or the end" },
		{ TEXT("{a:1]"), "f:1:5: ',' or the end" },
		{ TEXT("[1 2]"), "f:1:4: ',' or the end" },
		{ TEXT("[,]"), "f:1:2: a value" },
		{ TEXT("[1,,2]"), "f:1:4: a value" },
		{ TEXT("{,}"), "f:1:2: a member's name" },
		{ TEXT("{a 1}"), "f:1:4: ':' was expected" },
		{ TEXT("{1a: 1}"), "f:1:2: a member's name" },
		{ TEXT("{a-b: 1}"), "f:1:3: ':' was expected" },
		{ TEXT("1 1"), "f:1:3: something stands after the end" },
		{ TEXT("{} x"), "f:1:4: something stands after the end" },
		{ TEXT("[]]"), "f:1:3: something stands after the end" },
		{ TEXT("nul"), "f:1:1: a value" },
		{ TEXT("nullx"), "f:1:1: a value" },
		{ TEXT("True"), "f:1:1: a value" },
		{ TEXT("NaN"), "f:1:1: a value" },
		{ TEXT("Infinity"), "f:1:1: a value" },
		{ TEXT("undefined"), "f:1:1: a value" },
		{ TEXT("01"), "not a number" },
		{ TEXT("0x10"), "not a number" },
		{ TEXT("+1"), "a value was expected" },
		{ TEXT(".5"), "a value was expected" },
		{ TEXT("5."), "not a number" },
		{ TEXT("-"), "not a number" },
		{ TEXT("--1"), "not a number" },
		{ TEXT("1e"), "not a number" },
		{ TEXT("1e+"), "not a number" },
		{ TEXT("1.2.3"), "not a number" },
		{ TEXT("1_000"), "not a number" },
		{ TEXT("'a"), "f:1:1: this string never ends" },
		{ TEXT("'a\\"), "this string never ends" },
		{ TEXT("'a\nb'"), "f:1:3: a line end in a string" },
		{ TEXT("'a\\\nb'"), "an unknown escape" },
		{ TEXT("'a\tb'"), "a control character" },
		{ TEXT("'\\x41'"), "an unknown escape" },
		{ TEXT("'\\0'"), "an unknown escape" },
		{ TEXT("'\\u12'"), "four hexadecimal digits" },
		{ TEXT("'\\u12g4'"), "four hexadecimal digits" },
		{ TEXT("'\\u0000'"), "\\u0000 in a string" },
		{ TEXT("{'\\u0000': 1}"), "\\u0000 in a string" },
		{ TEXT("'\\ud800'"), "a lone surrogate" },
		{ TEXT("'\\ud800x'"), "a lone surrogate" },
		{ TEXT("'\\ud800\\n'"), "a lone surrogate" },
		{ TEXT("'\\ud800\\ud800'"), "a lone surrogate" },
		{ TEXT("'\\udc00'"), "a lone surrogate" },
		{ TEXT("'a\0b'"), "f:1:3: a NUL byte" },
		{ TEXT("{}\0"), "f:1:3: a NUL byte" },
		{ TEXT("// \0\n{}"), "a NUL byte" },
		{ TEXT("'\xff'"), "f:1:2: not UTF-8" },
		{ TEXT("'\xc0\x80'"), "not UTF-8" },
		{ TEXT("'\xc1\xbf'"), "not UTF-8" },
		{ TEXT("'\xe0\x80\xaf'"), "not UTF-8" },
		{ TEXT("'\xed\xa0\x80'"), "not UTF-8" },
		{ TEXT("'\xf4\x90\x80\x80'"), "not UTF-8" },
		{ TEXT("'\xf0\x80\x80\x80'"), "not UTF-8" },
		{ TEXT("'\x80'"), "not UTF-8" },
		{ TEXT("'\xe2\x82"), "not UTF-8" },
		{ TEXT("// \xff\n{}"), "f:1:4: not UTF-8" },
		{ TEXT("/* x"), "f:1:1: this comment never ends" },
		{ TEXT("/*/"), "f:1:1: this comment never ends" },
		{ TEXT("{} /"), "something stands after" },
		{ TEXT("# x\n{}"), "a value was expected" },
		{ TEXT("{}\r"), "f:1:3: a carriage return" },
		{ TEXT("// x\r{}\n"), "f:1:5: a carriage return" },
		{ TEXT("{a: 1,\n b: 2,\n 'a': 3}"), "f:3:7: 'a' stands twice (first on line 1)" },
		{ TEXT("{a: 1, '\\u0061': 3}"), "'a' stands twice" },
		{ TEXT("{x: {a: 1, b: [], a: 2}}"), "'a' stands twice" },
		{ TEXT(" \xef\xbb\xbf{}"), "a value was expected" },
		{ TEXT("\xc2\xa0{}"), "a value was expected" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct json5 *v = NULL;
		struct pinfold_error e = { "" };
		int rc = json5_parse(rows[i].text, rows[i].len, "f", &v, &e);

		if (rc != -EINVAL || !strstr(e.text, rows[i].words))
			fail_msg("%s: %d %s, wanted %s", rows[i].text, rc, e.text, rows[i].words);
		assert_null(v);
	}
}

static struct json5 *parse(const char *text)
{
	struct json5 *v = NULL;
	struct pinfold_error e = { "" };

	if (json5_parse(text, strlen(text), "f", &v, &e) < 0)
		fail_msg("%s: %s", text, e.text);
	return v;
}

static void takes_the_everyday_part_of_json5(void **state)
{
	static const char text[] = "\xef\xbb\xbf// first\r\n"
				   "{\r\n"
				   "\t/* a * b ** / */ key_1: 'its' /*x*/,\n"
				   "}";
	static const struct {
		const char *text;
		enum json5_type type;
		const char *string;
	} rows[] = {
		{ "null", JSON5_NULL, NULL },
		{ " true ", JSON5_TRUE, NULL },
		{ "false//", JSON5_FALSE, NULL },
		{ "-0.5e+3", JSON5_NUMBER, "-0.5e+3" },
		{ "0", JSON5_NUMBER, "0" },
		{ "[1,]", JSON5_ARRAY, NULL },
		{ "{a:1,}", JSON5_OBJECT, NULL },
		{ "{$a_1:1}", JSON5_OBJECT, NULL },
		{ "{}//", JSON5_OBJECT, NULL },
		{ "/**/{}/***/", JSON5_OBJECT, NULL },
		{ "'a\"b'", JSON5_STRING, "a\"b" },
		{ "\"a'b\"", JSON5_STRING, "a'b" },
		{ "'\\'\\\"\\\\\\/'", JSON5_STRING, "'\"\\/" },
		{ "'\\b\\f\\n\\r\\t'", JSON5_STRING, "\b\f\n\r\t" },
		{ "'\\u0041\\u00e9\\u20ac'", JSON5_STRING, "A\xc3\xa9\xe2\x82\xac" },
		{ "'\\ud83d\\ude00'", JSON5_STRING, "\xf0\x9f\x98\x80" },
		{ "'\xf0\x9f\x98\x80'", JSON5_STRING, "\xf0\x9f\x98\x80" },
		{ "'// no comment'", JSON5_STRING, "// no comment" },
		{ "'\x7f'", JSON5_STRING, "\x7f" },
		{ "''", JSON5_STRING, "" },
	};
	struct json5 *v = NULL;
	struct pinfold_error e;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		v = parse(rows[i].text);
		assert_int_equal(v->type, rows[i].type);
		if (rows[i].string)
			assert_string_equal(v->string, rows[i].string);
		json5_free(v);
	}
	assert_int_equal(json5_parse(text, sizeof(text) - 1, "f", &v, &e), 0);
	assert_string_equal(json5_member(v, "key_1")->string, "its");
	assert_int_equal(json5_member(v, "key_1")->line, 3);
	json5_free(v);
}

static void remembers_where_values_stood(void **state)
{
	struct json5 *v = parse("{\n  a: [1, {b: 'x'}],\r\n  'c d': null}");
	struct json5 *a = json5_member(v, "a");
	struct json5 *b = json5_member(a->child->next, "b");
	char path[64];

	(void)state;
	assert_int_equal(a->line, 2);
	assert_int_equal(a->column, 6);
	assert_int_equal(b->line, 2);
	assert_int_equal(b->column, 14);
	assert_int_equal(json5_member(v, "c d")->line, 3);
	assert_null(json5_member(v, "b"));
	json5_path(v, path, sizeof(path));
	assert_string_equal(path, "(root)");
	json5_path(a, path, sizeof(path));
	assert_string_equal(path, "a");
	json5_path(b, path, sizeof(path));
	assert_string_equal(path, "a[1].b");
	json5_path(b, path, 4);
	assert_string_equal(path, "a[1");
	assert_ptr_equal(b->parent->parent, a);
	json5_free(v);
	v = parse("{a: {'': 1}}");
	json5_path(v->child->child, path, sizeof(path));
	assert_string_equal(path, "a.\"\"");
	json5_free(v);
	json5_free(NULL);
}

static void nests_to_32_and_no_deeper(void **state)
{
	char text[2 * (JSON5_NESTING_MAX + 1) + 1] = "";
	struct json5 *v = NULL;
	struct pinfold_error e;

	(void)state;
	memset(text, '[', JSON5_NESTING_MAX);
	memset(text + JSON5_NESTING_MAX, ']', JSON5_NESTING_MAX);
	assert_int_equal(json5_parse(text, 2 * JSON5_NESTING_MAX, "f", &v, &e), 0);
	json5_free(v);
	memset(text, '[', JSON5_NESTING_MAX + 1);
	memset(text + JSON5_NESTING_MAX + 1, ']', JSON5_NESTING_MAX + 1);
	assert_int_equal(json5_parse(text, sizeof(text) - 1, "f", &v, &e), -EINVAL);
	assert_string_equal(e.text, "f:1:33: nested deeper than 32 levels");
}

/* Neither deep nesting nor many members may cost more than their length. */
static void stands_a_mebibyte_of_anything(void **state)
{
	size_t len = 1 << 20;
	auto_free char *text = malloc(len + 16);
	char *at = text;
	struct json5 *v = NULL;
	struct pinfold_error e;

	(void)state;
	assert_non_null(text);
	memset(text, '[', len);
	assert_int_equal(json5_parse(text, len, "f", &v, &e), -EINVAL);
	*at++ = '{';
	for (unsigned i = 0; at < text + len - 16; i++)
		at += snprintf(at, 16, "k%u:0,", i);
	*at++ = '}';
	assert_int_equal(json5_parse(text, (size_t)(at - text), "f", &v, &e), 0);
	json5_free(v);
}

static void keeps_the_words_behind_a_long_file_name(void **state)
{
	char name[600];
	struct json5 *v = NULL;
	struct pinfold_error e;

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(json5_parse("{", 1, name, &v, &e), -EINVAL);
	assert_non_null(strstr(e.text, "x:1:2: '}' is missing"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refuses_what_is_not_json5),
		cmocka_unit_test(takes_the_everyday_part_of_json5),
		cmocka_unit_test(remembers_where_values_stood),
		cmocka_unit_test(nests_to_32_and_no_deeper),
		cmocka_unit_test(stands_a_mebibyte_of_anything),
		cmocka_unit_test(keeps_the_words_behind_a_long_file_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
