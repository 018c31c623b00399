/* SPDX-License-Identifier: MIT */
/* Any bytes: no crash, no leak, and a tree that is what the header says. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/json5.h"
#include "pinfold.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_value(const struct json5 *v)
{
	char path[64];

	assert(v->line >= 1 && v->column >= 1);
	assert((v->type == JSON5_STRING || v->type == JSON5_NUMBER) == (v->string != NULL));
	assert(!v->parent || (v->parent->type == JSON5_OBJECT) == (v->key != NULL));
	assert(!v->child || v->type == JSON5_ARRAY || v->type == JSON5_OBJECT);
	assert(!v->next || (v->next->index == v->index + 1 && v->next->parent == v->parent));
	json5_path(v, path, sizeof(path));
	assert(path[0] != '\0');
}

/* Walks in the order written, by pointers alone. */
static void check_tree(const struct json5 *root)
{
	const struct json5 *v = root;
	unsigned depth = 1;

	while (v) {
		check_value(v);
		if (v->child) {
			v = v->child;
			assert(++depth <= JSON5_NESTING_MAX + 1);
			continue;
		}
		while (v != root && !v->next) {
			v = v->parent;
			depth--;
		}
		v = v == root ? NULL : v->next;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pinfold_error e = { "" };
	struct json5 *v = NULL;

	if (json5_parse((const char *)data, size, "f", &v, &e) == 0)
		check_tree(v);
	else
		assert(!v && e.text[0] != '\0');
	json5_free(v);
	return 0;
}
