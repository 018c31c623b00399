/* SPDX-License-Identifier: MIT */
/* Version, identity, seccomp, limits, audit. */
#include <errno.h>
#include <string.h>

#include "base/addr.h"
#include "base/clean.h"
#include "base/err.h"
#include "policy/env.h"
#include "policy/families.h"
#include "policy/net_entry.h"
#include "policy/quantity.h"
#include "policy/read.h"
#include "policy/schema.h"

#define UID_HIGHEST 4294967294u /* the one above means "no uid" */

int read_version(struct reader *r, const struct json5 *v)
{
	uint64_t version;

	return read_number(r, v, 1, 1, &version);
}

int read_unavailable(struct reader *r, const struct json5 *v)
{
	static const struct word words[] = { { "refuse", 0 }, { "degrade", 1 }, { 0 } };
	int degrade;
	int rc = read_word(r, v, words, &degrade);

	if (rc == 0)
		r->p->degrade = degrade != 0;
	return rc;
}

int read_uid(struct reader *r, const struct json5 *v)
{
	struct identity_policy *id = &r->p->identity;
	uint64_t uid;
	int rc;

	if (v->type == JSON5_STRING && strcmp(v->string, "auto") == 0) {
		if (json5_member(v->parent, "gid"))
			return read_fail(r, v, "with \"auto\" there is no gid to choose");
		id->choice = UID_AUTO;
		return 0;
	}
	rc = read_number(r, v, 1, UID_HIGHEST, &uid);
	if (rc < 0)
		return rc;
	if (!json5_member(v->parent, "gid"))
		return read_fail(r, v, "a uid wants a gid beside it");
	id->choice = UID_FIXED;
	id->uid = (uid_t)uid;
	return 0;
}

int read_gid(struct reader *r, const struct json5 *v)
{
	uint64_t gid;
	int rc = read_number(r, v, 1, UID_HIGHEST, &gid);

	if (rc == 0 && !json5_member(v->parent, "uid"))
		return read_fail(r, v, "a gid wants a uid beside it");
	if (rc == 0)
		r->p->identity.gid = (gid_t)gid;
	return rc;
}

int read_path(struct reader *r, const struct json5 *v)
{
	const char *text;
	char *copy;
	int rc = read_string(r, v, &text);

	if (rc < 0)
		return rc;
	if (!env_path_is_sound(text))
		return read_fail(r, v, "absolute directories with ':' between them are wanted");
	copy = strdup(text);
	if (!copy)
		return read_fail_why(r, v, -ENOMEM, NULL);
	free(r->p->identity.path);
	r->p->identity.path = copy;
	return 0;
}

int read_keep_env(struct reader *r, const struct json5 *v)
{
	struct string_list *keep = &r->p->identity.keep_env;
	int rc = v->type == JSON5_ARRAY ? read_list(r, v) : read_fail(r, v, "a list is wanted");

	for (const struct json5 *c = v->child; c && rc == 0; c = c->next) {
		const char *text;

		rc = read_string(r, c, &text);
		if (rc < 0)
			return rc;
		if (!env_name_is_sound(text, ENV_NAME_OR_START))
			return read_fail(r, c,
					 "'%.60s' is no name of a variable (letters, digits, "
					 "'_'; '*' at the end)",
					 text);
		if (list_add(keep, text) < 0)
			return read_fail_why(r, c, -ENOMEM, NULL);
	}
	return rc;
}

int read_set_env(struct reader *r, const struct json5 *v)
{
	struct identity_policy *id = &r->p->identity;
	int rc = v->type == JSON5_OBJECT ? read_list(r, v) : read_fail(r, v, "an object is wanted");

	for (const struct json5 *c = v->child; c && rc == 0; c = c->next) {
		struct env_var *slot = grow(&id->set_env, id->n_set_env, sizeof(*slot));

		if (!slot)
			return read_fail_why(r, c, -ENOMEM, NULL);
		if (!env_name_is_sound(c->key, ENV_NAME))
			return read_fail(r, c,
					 "no name of a variable (letters, digits, '_'), or "
					 "one that pinfold sets");
		if (c->type != JSON5_STRING)
			return read_fail(r, c, "a string is wanted");
		id->n_set_env++;
		slot->name = strdup(c->key);
		slot->value = strdup(c->string);
		if (!slot->name || !slot->value)
			return read_fail_why(r, c, -ENOMEM, NULL);
	}
	return rc;
}

int read_families(struct reader *r, const struct json5 *v)
{
	int rc = v->type == JSON5_ARRAY ? read_list(r, v) : read_fail(r, v, "a list is wanted");

	for (const struct json5 *c = v->child; c && rc == 0; c = c->next) {
		const char *text;

		rc = read_string(r, c, &text);
		if (rc < 0)
			return rc;
		if (!family_is_known(text))
			return read_fail(r, c,
					 "'%.40s' is no family of sockets that could be "
					 "opened (vsock, bluetooth, alg, ...)",
					 text);
		if (list_add(&r->p->seccomp.families, text) < 0)
			return read_fail_why(r, c, -ENOMEM, NULL);
	}
	return rc;
}

static int read_quantity(const struct reader *r, const struct json5 *v, enum quantity q,
			 uint64_t *ret)
{
	uint64_t value;

	if (v->type != JSON5_STRING && v->type != JSON5_NUMBER)
		return read_fail(r, v, "%s is wanted", quantity_form(q));
	if (quantity_parse(q, v->string, v->type == JSON5_NUMBER, &value) < 0)
		return read_fail(r, v, "'%.40s': %s is wanted", v->string, quantity_form(q));
	*ret = value;
	return 0;
}

int read_pids(struct reader *r, const struct json5 *v)
{
	return read_quantity(r, v, QUANTITY_PIDS, &r->p->limits.pids);
}

int read_memory(struct reader *r, const struct json5 *v)
{
	return read_quantity(r, v, QUANTITY_MEMORY, &r->p->limits.memory);
}

int read_timeout(struct reader *r, const struct json5 *v)
{
	return read_quantity(r, v, QUANTITY_TIME, &r->p->limits.timeout_ms);
}

int read_cpu(struct reader *r, const struct json5 *v)
{
	uint64_t percent = 0;
	int rc = read_quantity(r, v, QUANTITY_CPU, &percent);

	if (rc == 0)
		r->p->limits.cpu_percent = (unsigned)percent;
	return rc;
}

/* A host as denials name it: a name, *.name, or an address. */
int read_quiet(struct reader *r, const struct json5 *v)
{
	int rc = v->type == JSON5_ARRAY ? read_list(r, v) : read_fail(r, v, "a list is wanted");

	for (const struct json5 *c = v->child; c && rc == 0; c = c->next) {
		char host[NET_ENTRY_TEXT_MAX];
		struct net_rule rule = { 0 };
		struct pinfold_error why;
		const char *text;
		bool plain;

		rc = read_string(r, c, &text);
		if (rc < 0)
			return rc;
		rc = net_entry_parse(text, NET_USE_DENY, &rule, &why);
		if (rc < 0)
			return read_fail_why(r, c, rc, &why);
		plain = rule.port_low == 0 && rule.protos == (PROTO_TCP | PROTO_UDP) &&
			rule.host != HOST_ANY && (rule.host != HOST_PREFIX || rule.prefix_len > 15);
		net_entry_format(&rule, false, rule.protos, host);
		net_rule_done(&rule);
		if (!plain)
			return read_fail(r, c, "a name, *.NAME, an address or a CIDR is wanted");
		if (list_add(&r->p->audit.quiet, host) < 0)
			return read_fail_why(r, c, -ENOMEM, NULL);
	}
	return rc;
}
