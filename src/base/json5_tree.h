/* SPDX-License-Identifier: MIT */
/* Walking, copying and joining of trees that json5.h has read.  Nothing recurses. */
#ifndef PINFOLD_BASE_JSON5_TREE_H
#define PINFOLD_BASE_JSON5_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json5.h"

/* The value after v in the order written, children first, or NULL at the end of root's tree. */
struct json5 *json5_after(const struct json5 *root, const struct json5 *v);

/* The value at a dotted name below v, or NULL; v itself for "".  v may be NULL. */
const struct json5 *json5_at(const struct json5 *v, const char *name);

/* A whole copy, without a parent; each value's origin is what it was copied from (or that one's
 * origin), which has to outlive it.  Free with json5_free().  -ENOMEM. */
int json5_copy(const struct json5 *v, struct json5 **ret);

/* A new empty object or array, without a parent; NULL: out of memory. */
struct json5 *json5_new(enum json5_type type);

/* Makes child, which has no parent, the last one of an object (key is copied) or of an array (key
 * is NULL).  -ENOMEM: child is freed; likewise when it is NULL. */
int json5_append(struct json5 *container, struct json5 *child, const char *key);

/* Takes v out of its parent; the key is freed. */
void json5_detach(struct json5 *v);

/* Puts source, which has no parent, in the place of v, and frees v.  v's key stays. */
void json5_replace(struct json5 *v, struct json5 *source);

/* Both are objects, source without a parent.  Moves source's members into target: objects are
 * joined member by member, arrays become one after the other, of anything else source's counts.
 * Frees source. */
void json5_merge(struct json5 *target, struct json5 *source);

/* How deep the tree goes: 1 for a value without children. */
size_t json5_depth(const struct json5 *v);

/* The string of the member, or NULL when it is absent or no string. */
const char *json5_text(const struct json5 *object, const char *key);

#endif
