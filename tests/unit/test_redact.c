/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "audit/redact.h"
#include "base/clean.h"

/* The secrets are put together at run time, so that no scanner finds one in this file. */
#define SK                                                                                         \
	"s"                                                                                        \
	"k-"
#define GH(c)                                                                                      \
	"g"                                                                                        \
	"h" c "_"
#define XOX(c)                                                                                     \
	"x"                                                                                        \
	"ox" c "-"
#define JWT                                                                                        \
	"ey"                                                                                       \
	"JhbGciOiJIUzI1NiJ9."                                                                      \
	"ey"                                                                                       \
	"JzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n"
#define AWS_ID                                                                                     \
	"AK"                                                                                       \
	"IAIOSFODNN7EXAMPLE"
#define AWS_SECRET                                                                                 \
	"wJalrXUtnFEMI/K7MDENG/"                                                                   \
	"bPxRfiCYEXAMPLEKEY"

#define A23 "ABCdef0123456789abcdefg"
#define A35 "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1"

struct pair {
	const char *text;
	const char *expected;
};

static void check(const struct pair *pairs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		auto_free char *got = redact(pairs[i].text);

		assert_non_null(got);
		assert_string_equal(got, pairs[i].expected);
	}
}

static void cuts_tokens_that_their_prefix_gives_away(void **state)
{
	static const struct pair pairs[] = {
		{ SK "proj-Ab3dEf6hIj9kLmN0pQrStUvWx", "[redacted]" },
		{ SK "ant-api03-Zx9_yW8-vU7tS6rQ5", "[redacted]" },
		{ "fi"
		  "gd_WZhbj11THnCMZCY7Bvqiy8CsT07Lq8TDIWG2x9aJ",
		  "[redacted]" },
		{ "sn"
		  "trys_sWWdawFgFSY0l9FLw91GqK8ks0n8SoFkh8OXfFYSJYg",
		  "[redacted]" },
		{ "nv"
		  "api-XWD5KaPHI2ufKssJ_Sk-WzDNhY7AGbX6lTiDYHP9zyBylx",
		  "[redacted]" },
		{ "ts"
		  "key-auth-wpPtuEFBNOfQ-5xj7t2ydf0K5uY8iH1wOLaQ",
		  "[redacted]" },
		{ "x CCI"
		  "PAT_AvQwiRmNN2r01HgV2V7WEr_4d30d3fc4d83cee9b9bcca0f y",
		  "x [redacted] y" },
		{ "ruby"
		  "gems_0018f99ddceb1be0273dbc46dfcea25bab29539ad5966d51",
		  "[redacted]" },
		{ "OPENAI_API_KEY=" SK "Ab3dEf6hIj9kLmN0", "OPENAI_API_KEY=[redacted]" },
		{ "(" SK "abcdefghijklmnopqrst)", "([redacted])" },
		{ GH("p") "16C7e42F292c6912E7710c838347Ae178B4a", "[redacted]" },
		{ GH("o") "16C7e42F292c6912E7710c838347Ae178B4a ok", "[redacted] ok" },
		{ GH("s") "16C7e42F292c6912E7710c838347Ae178B4a", "[redacted]" },
		{ "github"
		  "_pat_11ABCDEFG0abcdefghij_klmnopqrstuvwxyz0123456789",
		  "[redacted]" },
		{ XOX("b") "123456789012-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx", "[redacted]" },
		{ XOX("p") "123456789012-abc", "[redacted]" },
		{ "id " AWS_ID ", secret " AWS_SECRET ".", "id [redacted], secret [redacted]." },
		{ "id " AWS_ID ", secret " AWS_SECRET, "id [redacted], secret [redacted]" },
		{ "t=" JWT "; x", "t=[redacted]; x" },
		{ "Authorization: Bearer abc123", "Authorization: [redacted]" },
		{ "x Bearer abcdef0123456789.~+/= y", "x Bearer [redacted] y" },
		{ "x bearer  abc123", "x bearer  [redacted]" },
	};

	(void)state;
	check(pairs, sizeof(pairs) / sizeof(pairs[0]));
}

static void cuts_values_whose_name_says_that_they_are_secret(void **state)
{
	static const struct pair pairs[] = {
		{ "--password=hunter2", "--password=[redacted]" },
		{ "mysql --password hunter2 -h db", "mysql --password [redacted] -h db" },
		{ "PGPASSWORD=a;b psql", "PGPASSWORD=[redacted] psql" },
		{ "https://e.org/x?token=abc&y=1", "https://e.org/x?token=[redacted]&y=1" },
		{ "https://e.org/?ACCESS_TOKEN=abc#f", "https://e.org/?ACCESS_TOKEN=[redacted]" },
		{ "client_secret='two words' z", "client_secret='[redacted]' z" },
		{ "{\"password\": \"a b\", \"n\": 1}", "{\"password\": \"[redacted]\", \"n\": 1}" },
		{ "{\\\"token\\\":\\\"abc\\\"}", "{\\\"token\\\":\\\"[redacted]\"}" },
		{ "curl -H 'X-Api-Key: a b' u", "curl -H 'X-Api-Key: [redacted]' u" },
		{ "-H \"Cookie: sid=1; b=2\"", "-H \"Cookie: [redacted]\"" },
		{ "AWS_SECRET_ACCESS_KEY=x", "AWS_SECRET_ACCESS_KEY=[redacted]" },
		{ "secret=", "secret=" },
	};

	(void)state;
	check(pairs, sizeof(pairs) / sizeof(pairs[0]));
}

static void cuts_secrets_by_their_form_alone(void **state)
{
	static const struct pair pairs[] = {
		{ "bot 123456789:" A35, "bot 123456789:[redacted]" },
		{ "https://api.telegram.org/bot123456789:" A35 "/getMe",
		  "https://api.telegram.org/bot123456789:[redacted]/getMe" },
		{ "M" A23 ".Xy3a_z." A35, "[redacted]" },
		{ "https://hooks.slack.com/"
		  "services/T0000/B0000/abcdefXYZ x",
		  "https://hooks.slack.com/services/[redacted] x" },
		{ "https://discord.com/api/"
		  "webhooks/123/abc-DEF_9",
		  "https://discord.com/api/webhooks/[redacted]" },
		{ "Basic dXNlcjpwYXNzd29yZA== x", "Basic [redacted] x" },
		{ "g"
		  "sk_" A35,
		  "[redacted]" },
		{ "gl"
		  "pat-x1y2z3_-abcdefghij.01.abcd",
		  "[redacted]" },
		{ "h"
		  "vs.CAESIJ9876543210abcdefghijkl",
		  "[redacted]" },
		{ "A"
		  "GE-SECRET-KEY-1QQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQ",
		  "[redacted]" },
	};

	(void)state;
	check(pairs, sizeof(pairs) / sizeof(pairs[0]));
}

static void cuts_what_command_lines_and_documents_hold(void **state)
{
	static const struct pair pairs[] = {
		{ "curl -u anna:hunter2 https://e.org", "curl -u anna:[redacted] https://e.org" },
		{ "curl --user 'anna:two words' u", "curl --user 'anna:[redacted]' u" },
		{ "docker run -u 1000:1000 img", "docker run -u 1000:1000 img" },
		{ "SIGNING_KEY=0123456789abcdef x", "SIGNING_KEY=[redacted] x" },
		{ "DB_PASS='correct horse' x", "DB_PASS='[redacted]' x" },
		{ "DB_TOKEN: abc x", "DB_TOKEN: [redacted] x" },
		{ "db.password: 'a b' x", "db.password: '[redacted]' x" },
		{ "<password>hunter2</password>", "<password>[redacted]" },
		{ "SSH_KEY=/home/a/.ssh/id SORT_KEY=name",
		  "SSH_KEY=/home/a/.ssh/id SORT_KEY=name" },
		{ "//registry.example.org/:_auth"
		  "Token=abc",
		  "//registry.example.org/:_authToken=[redacted]" },
		{ "AccountName=a;AccountKey=abc==;E=x", "AccountName=a;AccountKey=[redacted]" },
		{ "https://b.example.org/o?X-Amz-Signature=0a1b&X-Amz-Date=2",
		  "https://b.example.org/o?X-Amz-Signature=[redacted]&X-Amz-Date=2" },
		{ "{\"token\": null, \"n\": 1}", "{\"token\": null, \"n\": 1}" },
		{ "{\"secret\":false}", "{\"secret\":false}" },
		{ "{\"token\":12345}", "{\"token\":[redacted]}" },
		{ "{\"botToken\":\"abc\"}", "{\"botToken\":\"[redacted]\"}" },
		{ "-----BEGIN PGP PRIVATE KEY BLOCK-----\nx\n-----END PGP PRIVATE KEY BLOCK-----",
		  "-----BEGIN PGP PRIVATE KEY BLOCK-----[redacted]-----END PGP PRIVATE KEY BLOCK---"
		  "--" },
	};

	(void)state;
	check(pairs, sizeof(pairs) / sizeof(pairs[0]));
}

static void cuts_userinfo_and_pem_bodies(void **state)
{
	static const struct pair pairs[] = {
		{ "https://user:pw@example.org/a", "https://[redacted]@example.org/a" },
		{ "postgres://u:p/w#d@db:5432/x", "postgres://[redacted]@db:5432/x" },
		{ "https://abcdef@example.org/", "https://[redacted]@example.org/" },
		{ "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc=\n-----END RSA PRIVATE KEY-----\nx",
		  "-----BEGIN RSA PRIVATE KEY-----[redacted]-----END RSA PRIVATE KEY-----\nx" },
		{ "a -----BEGIN OPENSSH PRIVATE KEY-----\\nb3Bl",
		  "a -----BEGIN OPENSSH PRIVATE KEY-----[redacted]" },
	};

	(void)state;
	check(pairs, sizeof(pairs) / sizeof(pairs[0]));
}

static void leaves_ordinary_text_alone(void **state)
{
	static const char *const texts[] = {
		"",
		"a22143d1b0c9e8f7a6b5c4d3e2f1a0b9c8d7e6f5",
		"A22143D1B0C9E8F7A6B5C4D3E2F1A0B9C8D7E6F5",
		"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"sha512-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
		"/home/user/Projects/MyApp2/src/components/Button3/index.tsx",
		"/usr/lib/x86_64-linux-gnu/libssl.so.3",
		"/opt/Tools/Vendor1/Release/Binaries/Win64",
		"123e4567-e89b-12d3-a456-426614174000",
		"data:image/png;base64,iVBORw0KGgo=",
		"Bearer",
		"Bearer ",
		"the bearer of bad news",
		"skeleton-key",
		"secret_santa_2024_list_of_names_for_the_whole_office.txt",
		"rubygems_update-3.4.20",
		"tskey-rotation",
		"/usr/share/alsa/ucm2/PinePhone/PinePhone.conf",
		"/usr/share/perl5/Debconf/FrontEnd/Dialog.pm",
		"/usr/share/man/man3/XtLastEventProcessed.3.gz",
		"the token: what the lexer yields",
		"my_token: null",
		"my_token: [redacted] x",
		"{\"token\": [redacted]}",
		"next.token:5",
		"task-12345678901234567890",
		"disk-0123456789abcdef",
		"sk-learn",
		"risk-assessment-2024-final-version",
		"ghp_",
		"xoxo",
		"eyJ",
		"eyJhbGciOiJIUzI1NiJ9",
		"AKIA",
		"token",
		"unexpected token: '}'",
		"the password is wrong",
		"--password-file /run/pw",
		"TOKEN_FILE=/run/token",
		"tokens=5",
		"max_tokens=4096",
		"secretary=anna",
		"https://registry.example.org/@scope/pkg",
		"https://example.org:8443/@user",
		"http://[::1]:8080/@x",
		"git@github.com:owner/repo.git",
		"mailto:a@example.org",
		"a://b",
		"PWD=/home/user",
		"-----BEGIN",
		"-----BEGIN nothing",
		"caf\xc3\xa9 \xff\xfe \x01",
		"123e4567-e89b-42d3-a456-426614174000.log",
		"git show 4b825dc642cb6eb9a060e54bf8d69288fbee4904:src/main.c",
		"index 83db48f84..bf269f4a2 100644",
		"blob:https://example.org/3b1f0f9e-6a0f-4f0e-8c8f-0a1b2c3d4e5f",
		"12:34:56.789012 2026-01-01T00:00:00.000000Z",
		"1234567:8080",
		"node:internal/modules/cjs/loader:1080",
		"Makefile:123:45: warning",
		"basic authentication is off",
		"Basic Instructions",
		"the signature of the function",
		"MONKEY=banana",
		"TURKEY=12345678 DONKEYS=87654321",
		"npm_config_cache=/tmp/x",
		"npm_lifecycle_event=build",
		"xai-models r8_1 dapi",
		"/usr/share/doc/hvs.d/readme",
		"lin_api_docs/index.md",
		"MIT.License.Text_of_the_License_that_is_long",
		"Object.prototype.hasOwnPropertyDescriptorsOfThisThing",
		"/nix/store/0c9xs3rm0hjdmzlcbdfyjgq1zsbk5gj1-glibc-2.38",
		"/proc/self/fd/3 -> socket:[12345678]",
		"k8s_POD_app-6f9d7c9b8d-x2x4z_default_0",
		"rsync -u a:b/c d",
		"ls -u user",
		"https://discord.com/api/",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		auto_free char *got = redact(texts[i]);

		assert_non_null(got);
		assert_string_equal(got, texts[i]);
	}
}

/* Pictures and archives in the text: long base64 of every kind, at any length. */
static void leaves_base64_of_pictures_alone(void **state)
{
	static const char set[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t seed = 1;
	static char text[200000];

	(void)state;
	for (size_t len = 1000; len < sizeof(text) - 40; len = len * 2 + 1) {
		auto_free char *got = NULL;
		size_t n =
		    (size_t)snprintf(text, sizeof(text), "<img src=\"data:image/png;base64,");

		for (size_t i = 0; i < len && n < sizeof(text) - 4; i++) {
			seed = seed * 1664525u + 1013904223u;
			text[n++] = set[seed >> 26];
		}
		memcpy(text + n, "\">", 3);
		got = redact(text);
		assert_non_null(got);
		assert_string_equal(got, text);
	}
}

static void knows_which_argument_is_a_secret(void **state)
{
	(void)state;
	assert_true(redact_is_secret_argument("--password", "hunter2"));
	assert_true(redact_is_secret_argument("--github-token", "x"));
	assert_true(redact_is_secret_argument("-token", "x"));
	assert_true(redact_is_secret_argument("-u", "user:pw"));
	assert_false(redact_is_secret_argument("-u", "script.py"));
	assert_false(redact_is_secret_argument("-u", "1000:1000"));
	assert_false(redact_is_secret_argument("--password", "--next"));
	assert_false(redact_is_secret_argument("--password-file", "/run/pw"));
	assert_false(redact_is_secret_argument("password", "hunter2"));
	assert_false(redact_is_secret_argument("", ""));
}

static double seconds_for(const char *unit, size_t size)
{
	auto_free char *text = malloc(size + 1);
	auto_free char *got = NULL;
	size_t n = strlen(unit);
	struct timespec a;
	struct timespec b;

	assert_non_null(text);
	for (size_t i = 0; i < size; i++)
		text[i] = unit[i % n];
	text[size] = '\0';
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	got = redact(text);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	assert_non_null(got);
	return (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9;
}

/* 256 KiB takes some 30 ms; anything quadratic would take minutes. */
static void takes_linear_time_for_hostile_text(void **state)
{
	static const char *const units[] = {
		"a",           " ",
		"\\",          "\"",
		"eyJ",         "eyJaaaaaaaaaaaa.",
		"://",         "://a:b/",
		"://a:b",      "-----BEGIN ",
		"sk-",         "Bearer ",
		"bearer",      "password",
		"password=",   "password\" ",
		"-token ",     "-",
		"token=\"",    "-----BEGIN A",
		"secret\\\"",  "cookie: ",
		"xoxb-",       "AKIA",
		"A1b/",        "authorization:",
		"--password ", "\xc3",
		"pypi-a",      "SG.",
		"basic ",      "1234567:",
		" -u ",        " -u a",
		"_KEY=",       "A_KEY=",
		"M",           "Mabcdefghijklmnopqrstuvw.",
		"bot1",        "hooks.slack.com/services/",
		"\"token\":",  "\"token\":a",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (seconds_for(units[i], 1 << 18) > 5)
			fail_msg("slow: %s", units[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cuts_tokens_that_their_prefix_gives_away),
		cmocka_unit_test(cuts_values_whose_name_says_that_they_are_secret),
		cmocka_unit_test(cuts_userinfo_and_pem_bodies),
		cmocka_unit_test(cuts_secrets_by_their_form_alone),
		cmocka_unit_test(cuts_what_command_lines_and_documents_hold),
		cmocka_unit_test(leaves_base64_of_pictures_alone),
		cmocka_unit_test(leaves_ordinary_text_alone),
		cmocka_unit_test(knows_which_argument_is_a_secret),
		cmocka_unit_test(takes_linear_time_for_hostile_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
