/* SPDX-License-Identifier: MIT */
#include "policy/env.h"

#include <string.h>

#include "base/clean.h"
#include "policy/policy.h"

bool env_name_looks_secret(const char *name)
{
	static const char *const marks[] = { "KEY", "TOKEN", "SECRET", "PASS" };

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++)
		if (strcasestr(name, marks[i]))
			return true;
	return false;
}

bool env_is_kept(const struct identity_policy *id, const char *name)
{
	bool secret = env_name_looks_secret(name);

	for (size_t i = 0; i < id->keep_env.n; i++) {
		const char *entry = id->keep_env.s[i];
		size_t n = strcspn(entry, "*");

		if (entry[n] == '\0' ? strcmp(entry, name) == 0
				     : !secret && strncmp(entry, name, n) == 0)
			return true;
	}
	return false;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool env_name_is_sound(const char *name, enum env_name_form form)
{
	size_t n = 0;

	while (is_letter(name[n]) || (n > 0 && name[n] >= '0' && name[n] <= '9'))
		n++;
	if (n == 0 || strncmp(name, "PINFOLD_", strlen("PINFOLD_")) == 0)
		return false;
	return name[n] == '\0' ||
	       (form == ENV_NAME_OR_START && name[n] == '*' && name[n + 1] == '\0');
}

bool env_path_is_sound(const char *path)
{
	for (const unsigned char *c = (const unsigned char *)path; *c; c++)
		if (*c < 0x20 || *c == 0x7f)
			return false;
	for (;;) {
		if (path[0] != '/')
			return false;
		path += strcspn(path, ":");
		if (*path++ == '\0')
			return true;
	}
}
