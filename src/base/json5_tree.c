/* SPDX-License-Identifier: MIT */
#include "base/json5_tree.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"

#define AT_KEY_MAX 64

struct json5 *json5_after(const struct json5 *root, const struct json5 *v)
{
	if (v->child)
		return v->child;
	while (v != root && !v->next)
		v = v->parent;
	return v == root ? NULL : v->next;
}

const struct json5 *json5_at(const struct json5 *v, const char *name)
{
	char key[AT_KEY_MAX];

	while (v && *name) {
		size_t n = strcspn(name, ".");

		if (v->type != JSON5_OBJECT || n >= sizeof(key))
			return NULL;
		memcpy(key, name, n);
		key[n] = '\0';
		v = json5_member(v, key);
		name += n + (name[n] == '.');
	}
	return v;
}

struct json5 *json5_new(enum json5_type type)
{
	struct json5 *v = calloc(1, sizeof(*v));

	if (v)
		v->type = type;
	return v;
}

/* last is the container's newest child, or NULL. */
static void link_child(struct json5 *container, struct json5 *last, struct json5 *child, char *key)
{
	assert(!child->parent);
	child->index = last ? last->index + 1 : 0;
	child->parent = container;
	child->next = NULL;
	free(child->key);
	child->key = key;
	if (last)
		last->next = child;
	else
		container->child = child;
}

static struct json5 *last_child(const struct json5 *container)
{
	struct json5 *last = container->child;

	while (last && last->next)
		last = last->next;
	return last;
}

int json5_append(struct json5 *container, struct json5 *child, const char *key)
{
	char *copy = key ? strdup(key) : NULL;

	if (!child || (key && !copy)) {
		free(copy);
		json5_free(child);
		return -ENOMEM;
	}
	link_child(container, last_child(container), child, copy);
	return 0;
}

static struct json5 **slot_of(const struct json5 *v)
{
	struct json5 **at = &v->parent->child;

	while (*at != v)
		at = &(*at)->next;
	return at;
}

void json5_detach(struct json5 *v)
{
	struct json5 **slot = slot_of(v);

	*slot = v->next;
	for (struct json5 *c = v->next; c; c = c->next)
		c->index--;
	v->next = NULL;
	v->parent = NULL;
	v->index = 0;
	free(take_ptr(v->key));
}

void json5_replace(struct json5 *v, struct json5 *source)
{
	struct json5 **slot = slot_of(v);

	assert(!source->parent);
	free(source->key);
	source->key = take_ptr(v->key);
	source->index = v->index;
	source->parent = v->parent;
	source->next = v->next;
	*slot = source;
	v->next = NULL;
	v->parent = NULL;
	json5_free(v);
}

/* A value without its children. */
static struct json5 *copy_one(const struct json5 *v)
{
	struct json5 *copy = json5_new(v->type);

	if (!copy)
		return NULL;
	copy->line = v->line;
	copy->column = v->column;
	copy->number = v->number;
	copy->file = v->file;
	copy->origin = v->origin ? v->origin : v;
	copy->string = v->string ? strdup(v->string) : NULL;
	if (v->string && !copy->string) {
		free(copy);
		return NULL;
	}
	return copy;
}

int json5_copy(const struct json5 *v, struct json5 **ret)
{
	struct json5 *root = copy_one(v);
	struct json5 *into = root;
	const struct json5 *at = v;

	while (into && at) {
		const struct json5 *next = json5_after(v, at);
		struct json5 *last = NULL;
		struct json5 *child;
		auto_free char *key = NULL;

		if (!next) {
			*ret = root;
			return 0;
		}
		/* `into` is the copy of `at`; climb until it is the copy of next's parent. */
		for (; into && at != next->parent; at = at->parent) {
			last = into;
			into = into->parent;
		}
		child = copy_one(next);
		key = next->key ? strdup(next->key) : NULL;
		if (!into || !child || (next->key && !key)) {
			json5_free(child);
			break;
		}
		link_child(into, last, child, take_ptr(key));
		into = child;
		at = next;
	}
	json5_free(root);
	return -ENOMEM;
}

static void move_children(struct json5 *target, struct json5 *source)
{
	struct json5 *last = last_child(target);
	unsigned index = last ? last->index + 1 : 0;

	for (struct json5 *c = source->child; c; c = c->next) {
		c->parent = target;
		c->index = index++;
	}
	if (last)
		last->next = source->child;
	else
		target->child = source->child;
	source->child = NULL;
}

/* Moves c, which is no object that target has an object for. */
static void move_member(struct json5 *target, struct json5 *same, struct json5 *c)
{
	char *key = take_ptr(c->key);

	json5_detach(c);
	if (same && same->type == JSON5_ARRAY && c->type == JSON5_ARRAY) {
		move_children(same, c);
		json5_free(c);
		free(key);
	} else if (same) {
		json5_replace(same, c);
		free(key);
	} else {
		link_child(target, last_child(target), c, key);
	}
}

void json5_merge(struct json5 *target, struct json5 *source)
{
	struct json5 *t = target;
	struct json5 *s = source;

	/* Emptied from the inside: a member that both have is entered, and dropped when empty. */
	while (s->child || s != source) {
		struct json5 *c = s->child;
		struct json5 *same = c ? json5_member(t, c->key) : NULL;

		if (!c) {
			struct json5 *done = s;

			s = s->parent;
			t = t->parent;
			json5_detach(done);
			json5_free(done);
		} else if (same && same->type == JSON5_OBJECT && c->type == JSON5_OBJECT) {
			s = c;
			t = same;
		} else {
			move_member(t, same, c);
		}
	}
	json5_free(source);
}

size_t json5_depth(const struct json5 *v)
{
	size_t deepest = 1;

	for (const struct json5 *at = v; at; at = json5_after(v, at)) {
		size_t depth = 1;

		for (const struct json5 *up = at; up != v; up = up->parent)
			depth++;
		if (depth > deepest)
			deepest = depth;
	}
	return deepest;
}

const char *json5_text(const struct json5 *object, const char *key)
{
	const struct json5 *v = object ? json5_member(object, key) : NULL;

	return v && v->type == JSON5_STRING ? v->string : NULL;
}
