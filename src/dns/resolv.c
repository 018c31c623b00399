/* SPDX-License-Identifier: MIT */
#include "dns/resolv.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/addr.h"
#include "base/clean.h"
#include "base/err.h"
#include "base/io.h"
#include "base/name.h"
#include "dns/proto.h"

#define RESOLV_CONF "/etc/resolv.conf"
#define RESOLV_CONF_MAX 65536
#define WORD_MAX 256
#define RENDER_MAX 4096 /* more than all that is kept can be */
#define SEARCH_MAX 6    /* what every resolver library takes */

/* Without trust-ad: our answers are not validated.  A trailing colon wants a number. */
static const char *const OPTIONS[] = {
	"ndots:", "timeout:", "attempts:",    "rotate",  "single-request", "single-request-reopen",
	"edns0",  "use-vc",   "no-tld-query", "no-aaaa",
};

/* The next word of a line, cut at WORD_MAX; returns what follows it, NULL at the line's end. */
static const char *next_word(const char *at, char ret[static WORD_MAX])
{
	size_t n;

	at += strspn(at, " \t\r");
	n = strcspn(at, " \t\r\n");
	/* Comments start a line; within one, resolvers disagree. */
	if (n == 0 || *at == '#' || *at == ';')
		return NULL;
	if (n >= WORD_MAX) {
		ret[0] = '\0';
		return at + n;
	}
	memcpy(ret, at, n);
	ret[n] = '\0';
	return at + n;
}

static const char *next_line(const char *at)
{
	const char *end = strchr(at, '\n');

	return end ? end + 1 : NULL;
}

size_t dns_resolv_parse(const char *text, struct dns_upstream ret[static DNS_UPSTREAMS_MAX])
{
	size_t n = 0;

	for (const char *line = text; line && n < DNS_UPSTREAMS_MAX; line = next_line(line)) {
		char word[WORD_MAX];
		struct addr addr;
		const char *rest = next_word(line, word);

		if (!rest || strcmp(word, "nameserver") != 0 || !next_word(rest, word))
			continue;
		/* A scope ("fe80::1%eth0") is not for us: struct addr has none. */
		if (addr_parse(word, &addr) < 0)
			continue;
		ret[n].addr = addr;
		ret[n].port = DNS_PORT;
		n++;
	}
	return n;
}

static int read_host(char **ret)
{
	size_t len;
	int err = io_read_file(AT_FDCWD, RESOLV_CONF, RESOLV_CONF_MAX, ret, &len);

	if (err != -ENOENT)
		return err;
	*ret = strdup("");
	return *ret ? 0 : -ENOMEM;
}

int dns_resolv_upstreams(struct dns_upstream *ret, size_t *ret_n, struct pinfold_error *e)
{
	auto_free char *text = NULL;
	struct dns_upstream found[DNS_UPSTREAMS_MAX];
	int err = read_host(&text);
	size_t n;

	if (err < 0)
		return err_set(e, err, "cannot read '%s': %s", RESOLV_CONF, strerror(-err));
	n = dns_resolv_parse(text, found);
	if (n == 0) {
		/* As the resolver libraries do. */
		addr_parse("127.0.0.1", &found[0].addr);
		found[0].port = DNS_PORT;
		n = 1;
	}
	memcpy(ret, found, n * sizeof(found[0]));
	*ret_n = n;
	return 0;
}

static bool option_is_sane(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(OPTIONS); i++) {
		size_t n = strlen(OPTIONS[i]);

		if (OPTIONS[i][n - 1] != ':') {
			if (strcmp(word, OPTIONS[i]) == 0)
				return true;
			continue;
		}
		if (strncmp(word, OPTIONS[i], n) == 0 && word[n] != '\0' && strlen(word + n) <= 2 &&
		    word[n + strspn(word + n, "0123456789")] == '\0')
			return true;
	}
	return false;
}

static bool domain_is_sane(const char *word)
{
	char canonical[NAME_BUF];

	return name_canonical(word, canonical) == 0;
}

struct text {
	char buf[RENDER_MAX];
	size_t len;
};

static void append(struct text *t, const char *word)
{
	size_t n = strlen(word);

	if (n >= sizeof(t->buf) - t->len)
		return;
	memcpy(t->buf + t->len, word, n);
	t->len += n;
}

static void render_line(struct text *out, const char *key, const char *words,
			bool (*is_sane)(const char *), size_t max)
{
	char word[WORD_MAX] = "";
	size_t n = 0;

	while (words && n < max) {
		words = next_word(words, word);
		if (!words || !is_sane(word))
			continue;
		if (n++ == 0)
			append(out, key);
		append(out, " ");
		append(out, word);
	}
	if (n > 0)
		append(out, "\n");
}

/* What follows the keyword on the last line that has it: resolvers take that line as a whole. */
static const char *last_line(const char *text, const char *key, const char *other_key)
{
	const char *found = NULL;

	for (const char *line = text; line; line = next_line(line)) {
		char word[WORD_MAX];
		const char *rest = next_word(line, word);

		if (rest && (strcmp(word, key) == 0 || strcmp(word, other_key) == 0))
			found = rest;
	}
	return found;
}

int dns_resolv_render(const char *text, char **ret)
{
	struct dns_upstream upstream[DNS_UPSTREAMS_MAX] = { 0 };
	char addr[ADDR_TEXT_MAX] = "127.0.0.1";
	struct text out = { .len = 0 };
	char *made;

	if (dns_resolv_parse(text, upstream) > 0)
		addr_format(&upstream[0].addr, addr);
	append(&out, "nameserver ");
	append(&out, addr);
	append(&out, "\n");
	render_line(&out, "search", last_line(text, "search", "domain"), domain_is_sane,
		    SEARCH_MAX);
	render_line(&out, "options", last_line(text, "options", "options"), option_is_sane,
		    ARRAY_SIZE(OPTIONS));
	made = strndup(out.buf, out.len);
	if (!made)
		return -ENOMEM;
	*ret = made;
	return 0;
}

int dns_resolv_conf(char **ret)
{
	auto_free char *text = NULL;
	int err = read_host(&text);

	return err < 0 ? err : dns_resolv_render(text, ret);
}
