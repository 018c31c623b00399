/* SPDX-License-Identifier: MIT */
#include "identity/env.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"

static const char *const dangerous[] = {
	"LD_*",
	"GLIBC_TUNABLES",
	"GCONV_PATH",
	"LOCPATH",
	"NLSPATH",
	"BASH_ENV",
	"BASH_FUNC_*",
	"BASHOPTS",
	"SHELLOPTS",
	"ENV",
	"IFS",
	"PS4",
	"PROMPT_COMMAND",
	"ZDOTDIR",
	"*_PROXY",
	"LOCALDOMAIN",
	"RES_OPTIONS",
	"HOSTALIASES",
	"NIS_PATH",
	"SUDO_*",
};

static bool matches_any(const char *name, const char *const *patterns, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (fnmatch(patterns[i], name, FNM_NOESCAPE | FNM_CASEFOLD) == 0)
			return true;
	return false;
}

bool env_name_is_dangerous(const char *name)
{
	return matches_any(name, dangerous, ARRAY_SIZE(dangerous));
}

static bool has_name(const char *var, const char *name)
{
	size_t len = strlen(name);

	return strncmp(var, name, len) == 0 && var[len] == '=';
}

const char *env_get(const char *const *env, const char *name)
{
	for (; env && *env; env++)
		if (has_name(*env, name))
			return *env + strlen(name) + 1;
	return NULL;
}

int env_set(struct env_list *env, const char *name, const char *value)
{
	auto_free char *text = NULL;
	size_t name_len = strlen(name);
	size_t value_len = strlen(value);

	if (name_len == 0 || strchr(name, '='))
		return -EINVAL;
	text = malloc(name_len + value_len + 2);
	if (!text)
		return -ENOMEM;
	memcpy(text, name, name_len);
	text[name_len] = '=';
	memcpy(text + name_len + 1, value, value_len + 1);
	for (size_t i = 0; i < env->n; i++)
		if (has_name(env->var[i], name)) {
			free(env->var[i]);
			env->var[i] = take_ptr(text);
			return 0;
		}
	if (env->n >= ENV_VARS_MAX)
		return -E2BIG;
	char **bigger = realloc(env->var, (env->n + 2) * sizeof(*bigger));

	if (!bigger)
		return -ENOMEM;
	env->var = bigger;
	env->var[env->n++] = take_ptr(text);
	env->var[env->n] = NULL;
	return 0;
}

void env_done(struct env_list *env)
{
	for (size_t i = 0; i < env->n; i++)
		free(env->var[i]);
	free(env->var);
	*env = (struct env_list){ 0 };
}
