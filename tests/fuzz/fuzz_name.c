/* SPDX-License-Identifier: MIT */
/* Any text as a name: its canonical form is a fixed point, of both readers. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/name.h"
#include "pinfold.h"
#include "policy/net_entry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_canonical(const char *text)
{
	char once[NAME_BUF];
	char twice[NAME_BUF];

	if (name_canonical(text, once) < 0)
		return;
	assert(strlen(once) <= NAME_MAX_LEN && name_canonical(once, twice) == 0);
	assert(strcmp(once, twice) == 0);
	assert(!name_is_below(once, once));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pinfold_error e = { "" };
	char *text = strndup((const char *)data, size);
	char *name = NULL;
	char *again = NULL;

	check_canonical(text);
	if (host_name_parse(text, &name, &e) == 0) {
		check_canonical(name);
		assert(host_name_parse(name, &again, &e) == 0 && strcmp(name, again) == 0);
	} else {
		assert(!name && e.text[0] != '\0');
	}
	free(again);
	free(name);
	free(text);
	return 0;
}
