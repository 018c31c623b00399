/* SPDX-License-Identifier: MIT */
/* An entry is cut from its end: /PROTO, then :PORT, and what is left is the host. */
#include "policy/net_entry.h"

#include <errno.h>
#include <idn2.h>
#include <string.h>

#include "base/clean.h"
#include "base/err.h"
#include "base/name.h"
#include "policy/names.h"
#include "policy/space.h"

#define ENTRY_TEXT_MAX 1024 /* bytes; a name of 253 in any script fits */
#define V4_BITS_BEFORE 96   /* of the 128-bit form */

void net_rule_done(struct net_rule *r)
{
	free(r->name);
	free(r->text);
	free(r->origin);
	*r = (struct net_rule){ 0 };
}

void inbound_rule_done(struct inbound_rule *r)
{
	free(r->text);
	free(r->origin);
	*r = (struct inbound_rule){ 0 };
}

/* Decimal without sign, blank or leading zero. */
static int parse_decimal(const char *text, size_t n, unsigned max, unsigned *ret)
{
	unsigned value = 0;

	if (n == 0 || n > 5 || (text[0] == '0' && n > 1))
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		if (text[i] < '0' || text[i] > '9')
			return -EINVAL;
		value = value * 10 + (unsigned)(text[i] - '0');
	}
	if (value > max)
		return -EINVAL;
	*ret = value;
	return 0;
}

int port_parse(const char *text, size_t n, uint16_t *ret)
{
	unsigned port;

	if (parse_decimal(text, n, UINT16_MAX, &port) < 0 || port == 0)
		return -EINVAL;
	*ret = (uint16_t)port;
	return 0;
}

/* Cuts "/tcp" or "/udp" from the end of host.  A last part behind a slash that holds a digit first
 * belongs to a CIDR. */
static int cut_proto(char *host, unsigned *protos, struct pinfold_error *why)
{
	char *slash = strrchr(host, '/');

	if (!slash || slash[1] == ']' || (slash[1] >= '0' && slash[1] <= '9'))
		return 0;
	if (strcmp(slash + 1, "tcp") == 0)
		*protos = PROTO_TCP;
	else if (strcmp(slash + 1, "udp") == 0)
		*protos = PROTO_UDP;
	else
		return err_set(why, -EINVAL,
			       "'/%.40s' is no protocol (tcp, udp); paths have no "
			       "meaning here",
			       slash + 1);
	*slash = '\0';
	return 0;
}

/* Cuts ":PORT" or ":LOW-HIGH" from the end of host. */
static int cut_port(char *host, struct net_rule *r, struct pinfold_error *why)
{
	char *bracket = strrchr(host, ']');
	char *colon = strchr(bracket ? bracket : host, ':');
	const char *dash;
	size_t n;

	r->port_low = 0;
	r->port_high = UINT16_MAX;
	if (!colon)
		return 0;
	if (!bracket && strchr(colon + 1, ':'))
		return err_set(why, -EINVAL, "an IPv6 address stands in brackets: [%.60s]", host);
	dash = strchr(colon + 1, '-');
	n = dash ? (size_t)(dash - colon - 1) : strlen(colon + 1);
	if (port_parse(colon + 1, n, &r->port_low) < 0 ||
	    port_parse(dash ? dash + 1 : colon + 1, dash ? strlen(dash + 1) : n, &r->port_high) < 0)
		return err_set(why, -EINVAL, "'%.40s' is no port (1 to 65535, or LOW-HIGH)",
			       colon + 1);
	if (r->port_low > r->port_high)
		return err_set(why, -EINVAL, "the range of ports '%.40s' is empty", colon + 1);
	*colon = '\0';
	return 0;
}

static bool host_bits_set(const struct addr *a, unsigned len)
{
	struct addr net = *a;

	for (unsigned bit = len; bit < 128; bit++)
		net.b[bit / 8] &= (uint8_t) ~(0x80u >> (bit % 8));
	return !addr_equal(a, &net);
}

/* An address with or without /LEN, brackets already gone.  -EINVAL without words: no address. */
static int parse_prefix(char *host, struct net_rule *r, struct pinfold_error *why)
{
	char *slash = strchr(host, '/');
	unsigned max;
	unsigned len;

	if (slash)
		*slash = '\0';
	if (addr_parse(host, &r->addr) < 0)
		return err_set(why, -EINVAL, "'%.60s' is no address", host);
	max = strchr(host, ':') ? 128 : 32;
	len = max;
	if (slash && parse_decimal(slash + 1, strlen(slash + 1), max, &len) < 0)
		return err_set(why, -EINVAL, "'/%.20s' is no length of a prefix (0 to %u)",
			       slash + 1, max);
	r->prefix_len = len + (max == 32 ? V4_BITS_BEFORE : 0);
	if (host_bits_set(&r->addr, r->prefix_len))
		return err_set(why, -EINVAL,
			       "'%.60s/%u' has bits set behind its prefix; write the first address "
			       "of the range",
			       host, len);
	r->host = HOST_PREFIX;
	return 0;
}

/* What resolvers and inet_aton take for an address (1.2.3, 0x7f.1, 017.0.0.1): the last label is
 * a number. */
static bool ends_in_number(const char *name)
{
	const char *dot = strrchr(name, '.');
	const char *last = dot ? dot + 1 : name;

	if (last[0] == '0' && last[1] == 'x')
		return strspn(last + 2, "0123456789abcdef") == strlen(last + 2);
	return strspn(last, "0123456789") == strlen(last);
}

int host_name_parse(const char *text, char **ret, struct pinfold_error *why)
{
	char name[NAME_BUF];
	char *ascii = NULL;
	bool plain = true;
	int rc;

	for (const unsigned char *c = (const unsigned char *)text; *c; c++)
		plain = plain && *c < 0x80;
	/* Names of plain ASCII may hold what IDNA refuses (_srv._tcp), and must stay as they are.
	 */
	if (!plain) {
		rc = idn2_to_ascii_8z(text, &ascii, IDN2_NONTRANSITIONAL | IDN2_NFC_INPUT);
		if (rc != IDN2_OK)
			return err_set(why, rc == IDN2_MALLOC ? -ENOMEM : -EINVAL,
				       "'%.60s' is no name: %s", text, idn2_strerror(rc));
	}
	rc = name_canonical(ascii ? ascii : text, name);
	idn2_free(ascii);
	if (rc < 0)
		return err_set(why, rc, "'%.60s' is no name", text);
	if (ends_in_number(name))
		return err_set(why, -EINVAL,
			       "'%.60s' is neither a name nor an IPv4 address of four decimal "
			       "parts",
			       text);
	*ret = strdup(name);
	return *ret ? 0 : -ENOMEM;
}

static int parse_name(const char *host, struct net_rule *r, struct pinfold_error *why)
{
	int rc;

	if (strcmp(host, "*") == 0) {
		r->host = HOST_ANY;
		return 0;
	}
	r->host = HOST_NAME;
	if (strncmp(host, "**.", 3) == 0)
		r->host = HOST_BELOW_SELF;
	else if (strncmp(host, "*.", 2) == 0)
		r->host = HOST_BELOW;
	host += strspn(host, "*");
	if (r->host != HOST_NAME)
		host++;
	if (strchr(host, '*') || (r->host == HOST_NAME && strchr(r->text, '*')))
		return err_set(why, -EINVAL,
			       "'*' stands alone, or for whole labels at the start: *.NAME, "
			       "**.NAME");
	rc = host_name_parse(host, &r->name, why);
	if (rc < 0 || !r->name)
		return rc;
	if (name_is_below(r->name, "localhost") ||
	    (r->host != HOST_NAME && strcmp(r->name, "localhost") == 0))
		return err_set(why, -EINVAL,
			       "names below localhost are not resolved; write "
			       "localhost");
	if (strcmp(r->name, "localhost") == 0) {
		r->host = HOST_LOCALHOST;
		free(take_ptr(r->name));
	}
	return 0;
}

static bool looks_like_v4(const char *host)
{
	return strchr(host, '.') && strspn(host, "0123456789./") == strlen(host);
}

static int parse_host(char *host, struct net_rule *r, struct pinfold_error *why)
{
	size_t len = strlen(host);

	if (len == 0)
		return err_set(why, -EINVAL, "no host in '%.60s'", r->text);
	if (host[0] == '[') {
		if (host[len - 1] != ']' || !strchr(host, ':'))
			return err_set(why, -EINVAL,
				       "'%.60s': an IPv6 address or [IPv6/LENGTH] "
				       "stands in brackets",
				       host);
		host[len - 1] = '\0';
		return parse_prefix(host + 1, r, why);
	}
	if (looks_like_v4(host))
		return parse_prefix(host, r, why);
	if (strchr(host, '/'))
		return err_set(why, -EINVAL, "'%.60s': paths have no meaning here", host);
	return parse_name(host, r, why);
}

/* An entry that nothing could ever be let through by is a misunderstanding. */
static int check_enforceable(const struct net_rule *r, enum net_use use, struct pinfold_error *why)
{
	enum space s = r->host == HOST_PREFIX ? space_of(&r->addr, r->prefix_len) : SPACE_PLAIN;

	if (r->host == HOST_PREFIX && !addr_is_v4(&r->addr) && r->prefix_len >= 16 &&
	    r->prefix_len < V4_BITS_BEFORE && r->addr.b[0] == 0 && r->addr.b[1] == 0)
		return err_set(why, -EINVAL,
			       "nothing but IPv4 in IPv6 clothes lies there; write "
			       "the IPv4 prefix");
	if (s == SPACE_EMBEDDED)
		return err_set(why, -EINVAL,
			       "such an address is judged as the IPv4 address inside; write that");
	if (use == NET_USE_DENY)
		return 0;
	if (s == SPACE_NEVER)
		return err_set(why, -EINVAL, "'%.60s' lies in %s", r->text, space_name(s));
	if (use == NET_USE_ALLOW_WITH_METADATA)
		return 0;
	if (s == SPACE_METADATA || (r->name && name_is_metadata(r->name)))
		return err_set(why, -EINVAL,
			       "'%.60s' is metadata or link-local; only dangerouslyAllowMetadata "
			       "opens it",
			       r->text);
	return 0;
}

static int parse_parts(char *host, enum net_use use, struct net_rule *r, struct pinfold_error *why)
{
	int rc;

	if (strstr(host, "://"))
		return err_set(why, -EINVAL, "'%.60s': a host is wanted, not a URL", host);
	if (strpbrk(host, " \t,;@%"))
		return err_set(why, -EINVAL, "'%.60s': one HOST[:PORT][/PROTO] is wanted", host);
	r->protos = use == NET_USE_DENY ? PROTO_TCP | PROTO_UDP : PROTO_TCP;
	rc = cut_proto(host, &r->protos, why);
	if (rc == 0)
		rc = cut_port(host, r, why);
	if (rc == 0)
		rc = parse_host(host, r, why);
	return rc < 0 ? rc : check_enforceable(r, use, why);
}

int net_entry_parse(const char *text, enum net_use use, struct net_rule *ret,
		    struct pinfold_error *why)
{
	struct net_rule r = { 0 };
	auto_free char *host = NULL;
	int rc;

	if (strlen(text) > ENTRY_TEXT_MAX)
		return err_set(why, -EINVAL, "an entry of more than %d bytes", ENTRY_TEXT_MAX);
	host = strdup(text);
	r.text = strdup(text);
	rc = host && r.text ? parse_parts(host, use, &r, why) : -ENOMEM;
	if (rc < 0) {
		net_rule_done(&r);
		return rc;
	}
	*ret = r;
	return 0;
}

int inbound_entry_parse(const char *text, struct inbound_rule *ret, struct pinfold_error *why)
{
	static const char local[] = "localhost:";
	struct inbound_rule r = { .protos = PROTO_TCP };
	auto_free char *copy = strdup(text);
	const char *port = copy;
	int rc;

	if (!copy)
		return -ENOMEM;
	rc = cut_proto(copy, &r.protos, why);
	if (rc < 0)
		return rc;
	r.loopback_only = strncmp(copy, local, strlen(local)) == 0;
	if (r.loopback_only)
		port += strlen(local);
	if (port_parse(port, strlen(port), &r.port) < 0)
		return err_set(why, -EINVAL,
			       "'%.60s' is not PORT[/PROTO] or localhost:PORT[/PROTO]", text);
	r.text = strdup(text);
	if (!r.text)
		return -ENOMEM;
	*ret = r;
	return 0;
}
