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
#define RESOLV_CONF_MAX (64 * 1024)
#define WORD_MAX 256
#define SEARCH_MAX 6 /* what every resolver library takes */

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

/* Resolvers take the last such line as a whole, so only the last one is written. */
static void render_line(FILE *out, const char *key, const char *words,
			bool (*is_sane)(const char *), size_t max)
{
	char word[WORD_MAX];
	size_t n = 0;

	while (words && n < max) {
		words = next_word(words, word);
		if (!words || !is_sane(word))
			continue;
		if (n++ == 0)
			fputs(key, out);
		fprintf(out, " %s", word);
	}
	if (n > 0)
		fputc('\n', out);
}

int dns_resolv_render(const char *text, char **ret)
{
	struct dns_upstream upstream[DNS_UPSTREAMS_MAX];
	char addr[ADDR_TEXT_MAX] = "127.0.0.1";
	const char *search = NULL;
	const char *options = NULL;
	char *made = NULL;
	size_t len;
	FILE *out = open_memstream(&made, &len);

	if (!out)
		return -ENOMEM;
	for (const char *line = text; line; line = next_line(line)) {
		char word[WORD_MAX];
		const char *rest = next_word(line, word);

		if (!rest)
			continue;
		if (strcmp(word, "search") == 0 || strcmp(word, "domain") == 0)
			search = rest;
		else if (strcmp(word, "options") == 0)
			options = rest;
	}
	if (dns_resolv_parse(text, upstream) > 0)
		addr_format(&upstream[0].addr, addr);
	fprintf(out, "nameserver %s\n", addr);
	render_line(out, "search", search, domain_is_sane, SEARCH_MAX);
	render_line(out, "options", options, option_is_sane, ARRAY_SIZE(OPTIONS));
	if (fclose(out) != 0) {
		free(made);
		return -ENOMEM;
	}
	*ret = made;
	return 0;
}

int dns_resolv_conf(char **ret)
{
	auto_free char *text = NULL;
	int err = read_host(&text);

	return err < 0 ? err : dns_resolv_render(text, ret);
}
