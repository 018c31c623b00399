/* SPDX-License-Identifier: MIT */
/* The canonical text: every member in the table's order, entries in the form that means the same
 * anywhere (absolute paths, canonical names). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/clean.h"
#include "policy/net_entry.h"
#include "policy/parse.h"
#include "policy/quantity.h"
#include "policy/read.h"
#include "policy/schema.h"

/* Takes item over. */
static int put(cJSON *object, const char *key, cJSON *item)
{
	if (item && cJSON_AddItemToObject(object, key, item))
		return 0;
	cJSON_Delete(item);
	return -ENOMEM;
}

static int put_string(cJSON *object, const char *key, const char *text)
{
	return text ? put(object, key, cJSON_CreateString(text)) : 0;
}

static int append(cJSON *list, const char *text)
{
	cJSON *item = cJSON_CreateString(text);

	if (item && cJSON_AddItemToArray(list, item))
		return 0;
	cJSON_Delete(item);
	return -ENOMEM;
}

static int put_list(cJSON *object, const char *key, cJSON **ret)
{
	*ret = cJSON_CreateArray();
	return put(object, key, *ret);
}

static int print_strings(cJSON *object, const char *key, const struct string_list *l)
{
	cJSON *list;
	int rc = put_list(object, key, &list);

	for (size_t i = 0; i < l->n && rc == 0; i++)
		rc = append(list, l->s[i]);
	return rc;
}

int print_version(const struct policy *p, cJSON *object, const char *key)
{
	(void)p;
	return put(object, key, cJSON_CreateNumber(1));
}

int print_workspace(const struct policy *p, cJSON *object, const char *key)
{
	return put_string(object, key, p->workspace);
}

int print_lane(const struct policy *p, cJSON *object, const char *key)
{
	return put_string(object, key, p->lane);
}

static int print_rules(const struct policy *p, cJSON *object, const char *key,
		       enum path_right right)
{
	cJSON *list;
	int rc = put_list(object, key, &list);

	for (size_t i = 0; i < p->fs.n && rc == 0; i++)
		if (p->fs.rule[i].right == right)
			rc = append(list, p->fs.rule[i].path);
	return rc;
}

int print_rw(const struct policy *p, cJSON *object, const char *key)
{
	return print_rules(p, object, key, PATH_RW);
}

int print_ro(const struct policy *p, cJSON *object, const char *key)
{
	return print_rules(p, object, key, PATH_RO);
}

int print_rox(const struct policy *p, cJSON *object, const char *key)
{
	return print_rules(p, object, key, PATH_ROX);
}

int print_deny(const struct policy *p, cJSON *object, const char *key)
{
	return print_rules(p, object, key, PATH_DENY);
}

static int append_net(cJSON *list, const struct net_rule *r, const char *text)
{
	cJSON *entry;
	int rc;

	if (!r->verify_sni)
		return append(list, text);
	entry = cJSON_CreateObject();
	if (!entry || !cJSON_AddItemToArray(list, entry)) {
		cJSON_Delete(entry);
		return -ENOMEM;
	}
	rc = put_string(entry, "host", text);
	return rc < 0 ? rc : put_string(entry, "verify", "sni");
}

static int print_net(cJSON *object, const char *key, const struct net_rules *l, unsigned protos)
{
	cJSON *list;
	int rc = put_list(object, key, &list);

	for (size_t i = 0; i < l->n && rc == 0; i++) {
		const struct net_rule *r = &l->rule[i];
		char text[NET_ENTRY_TEXT_MAX];

		if (r->more)
			continue;
		net_entry_format(r, i + 1 < l->n && r[1].more, protos, text);
		rc = append_net(list, r, text);
	}
	return rc;
}

int print_allow_outbound(const struct policy *p, cJSON *object, const char *key)
{
	return print_net(object, key, &p->net.allow, PROTO_TCP);
}

int print_deny_outbound(const struct policy *p, cJSON *object, const char *key)
{
	return print_net(object, key, &p->net.deny, PROTO_TCP | PROTO_UDP);
}

int print_inbound(const struct policy *p, cJSON *object, const char *key)
{
	cJSON *list;
	int rc;

	if (p->net.n_inbound == 0)
		return put(object, key, cJSON_CreateFalse());
	rc = put_list(object, key, &list);
	for (size_t i = 0; i < p->net.n_inbound && rc == 0; i++) {
		const struct inbound_rule *r = &p->net.inbound[i];
		char text[64];

		snprintf(text, sizeof(text), "%s%u%s", r->loopback_only ? "localhost:" : "",
			 r->port, r->protos == PROTO_UDP ? "/udp" : "");
		rc = append(list, text);
	}
	return rc;
}

int print_upstream(const struct policy *p, cJSON *object, const char *key)
{
	cJSON *list;
	int rc = put_list(object, key, &list);

	for (size_t i = 0; i < p->net.dns.n_upstream && rc == 0; i++) {
		struct net_rule r = { .host = HOST_PREFIX, .prefix_len = 128 };
		char text[NET_ENTRY_TEXT_MAX];

		r.addr = p->net.dns.upstream[i].addr;
		r.port_low = r.port_high = p->net.dns.upstream[i].port;
		net_entry_format(&r, false, 0, text);
		rc = append(list, text);
	}
	return rc;
}

int print_unix_allow(const struct policy *p, cJSON *object, const char *key)
{
	cJSON *list;
	int rc = put_list(object, key, &list);

	for (size_t i = 0; i < p->n_unix_allow && rc == 0; i++)
		rc = append(list, p->unix_allow[i].path);
	return rc;
}

int print_uid(const struct policy *p, cJSON *object, const char *key)
{
	if (p->identity.choice == UID_AUTO)
		return put_string(object, key, "auto");
	if (p->identity.choice == UID_FIXED)
		return put(object, key, cJSON_CreateNumber(p->identity.uid));
	return 0;
}

int print_gid(const struct policy *p, cJSON *object, const char *key)
{
	if (p->identity.choice == UID_FIXED)
		return put(object, key, cJSON_CreateNumber(p->identity.gid));
	return 0;
}

int print_home(const struct policy *p, cJSON *object, const char *key)
{
	return put_string(object, key, p->identity.home);
}

int print_path(const struct policy *p, cJSON *object, const char *key)
{
	return put_string(object, key, p->identity.path);
}

int print_keep_env(const struct policy *p, cJSON *object, const char *key)
{
	return print_strings(object, key, &p->identity.keep_env);
}

int print_set_env(const struct policy *p, cJSON *object, const char *key)
{
	cJSON *vars = cJSON_CreateObject();
	int rc = put(object, key, vars);

	for (size_t i = 0; i < p->identity.n_set_env && rc == 0; i++)
		rc = put_string(vars, p->identity.set_env[i].name, p->identity.set_env[i].value);
	return rc;
}

int print_families(const struct policy *p, cJSON *object, const char *key)
{
	return print_strings(object, key, &p->seccomp.families);
}

static int print_quantity(cJSON *object, const char *key, enum quantity q, uint64_t value)
{
	char text[32];

	quantity_format(q, value, text, sizeof(text));
	if (quantity_is_bare(q, value))
		return put(object, key, cJSON_CreateRaw(text));
	return put_string(object, key, text);
}

int print_pids(const struct policy *p, cJSON *object, const char *key)
{
	return print_quantity(object, key, QUANTITY_PIDS, p->limits.pids);
}

int print_memory(const struct policy *p, cJSON *object, const char *key)
{
	return print_quantity(object, key, QUANTITY_MEMORY, p->limits.memory);
}

int print_cpu(const struct policy *p, cJSON *object, const char *key)
{
	return print_quantity(object, key, QUANTITY_CPU, p->limits.cpu_percent);
}

int print_timeout(const struct policy *p, cJSON *object, const char *key)
{
	return print_quantity(object, key, QUANTITY_TIME, p->limits.timeout_ms);
}

int print_unavailable(const struct policy *p, cJSON *object, const char *key)
{
	return put_string(object, key, p->degrade ? "degrade" : "refuse");
}

int print_audit_path(const struct policy *p, cJSON *object, const char *key)
{
	return put_string(object, key, p->audit.path);
}

int print_quiet(const struct policy *p, cJSON *object, const char *key)
{
	return print_strings(object, key, &p->audit.quiet);
}

static int print_plain_word(const struct policy *p, const struct member *m, cJSON *object)
{
	for (const struct word *w = m->words; w->text; w++)
		if ((unsigned)w->value == member_value(m, p))
			return put_string(object, member_key(m), w->text);
	return 0;
}

/* The object that a member stands in.  A table names an object before its members. */
static cJSON *parent_of(cJSON *root, const char *name)
{
	cJSON *at = root;
	size_t n = strcspn(name, ".");
	char key[64];

	for (; at && name[n] == '.' && n < sizeof(key); n = strcspn(name, ".")) {
		memcpy(key, name, n);
		key[n] = '\0';
		at = cJSON_GetObjectItemCaseSensitive(at, key);
		name += n + 1;
	}
	return at;
}

static int print_member(const struct policy *p, const struct member *m, cJSON *root)
{
	cJSON *object = parent_of(root, m->name);

	switch (m->kind) {
	case KIND_OBJECT:
		return put(object, member_key(m), cJSON_CreateObject());
	case KIND_BOOL:
		return put(object, member_key(m), cJSON_CreateBool(member_value(m, p) != 0));
	case KIND_NUMBER:
		return put(object, member_key(m), cJSON_CreateNumber(member_value(m, p)));
	case KIND_WORD:
		return print_plain_word(p, m, object);
	case KIND_OWN:
		return m->print(p, object, member_key(m));
	case KIND_NONE:
		break;
	}
	return 0;
}

int policy_print(const struct policy *p, char **ret)
{
	cJSON *root = cJSON_CreateObject();
	int rc = root ? 0 : -ENOMEM;
	char *text;

	for (int id = 0; id < M_MAX && rc == 0; id++)
		rc = print_member(p, schema_member((enum member_id)id), root);
	text = rc == 0 ? cJSON_Print(root) : NULL;
	cJSON_Delete(root);
	if (!text)
		return -ENOMEM;
	*ret = text;
	return 0;
}
