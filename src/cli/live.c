/* SPDX-License-Identifier: MIT */
#include "cli/live.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/clean.h"
#include "cli/opt.h"
#include "pinfold.h"

int live_complain(int code, const struct pinfold_error *e)
{
	complain("%s", e->text);
	if (code == -ESRCH || code == -ENOTUNIQ)
		return EXIT_USAGE;
	return code == -EINVAL || code == -EPERM ? EXIT_POLICY : EXIT_NOT_CONFINED;
}

/* Nothing that a session chose may move the cursor of whoever looks. */
static void tame(char *text)
{
	for (unsigned char *c = (unsigned char *)text; *c; c++)
		if (*c < 0x20 || *c == 0x7f || (*c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0))
			*c = '?';
}

const char *live_string(const struct cJSON *object, const char *key, char *buf, size_t size)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

	snprintf(buf, size, "%s", cJSON_IsString(item) ? item->valuestring : "-");
	tame(buf);
	return buf;
}

double live_number(const struct cJSON *object, const char *key)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

	return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

void live_command(const struct cJSON *object, char *buf, size_t size)
{
	const cJSON *words = cJSON_GetObjectItemCaseSensitive(object, "command");
	const cJSON *word;
	size_t len = 0;

	buf[0] = '\0';
	cJSON_ArrayForEach(word, words) {
		int n;

		if (!cJSON_IsString(word) || len + 1 >= size)
			continue;
		n = snprintf(buf + len, size - len, "%s%s", len ? " " : "", word->valuestring);
		len += n < 0 ? 0 : (size_t)n;
	}
	tame(buf);
}

void live_age(double ms, char *buf, size_t size)
{
	static const struct {
		double seconds;
		char unit;
	} UNITS[] = { { 86400, 'd' }, { 3600, 'h' }, { 60, 'm' }, { 1, 's' } };
	const double seconds = ms / 1000;
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(UNITS) && seconds < 2 * UNITS[i].seconds)
		i++;
	snprintf(buf, size, "%.0f%c", seconds / UNITS[i].seconds, UNITS[i].unit);
}
