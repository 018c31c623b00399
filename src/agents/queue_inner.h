/* SPDX-License-Identifier: MIT */
/* What the two sides of the queue share. */
#ifndef PINFOLD_AGENTS_QUEUE_INNER_H
#define PINFOLD_AGENTS_QUEUE_INNER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "agents/queue.h"

#define QUEUE_REQUEST "request"
#define QUEUE_DECISION "decision"
#define QUEUE_WAKE "wake"
#define QUEUE_NEW "new"
#define QUEUE_HASH_LEN 64

/* Opens a directory of root's, and makes it (mode 0700) when absent.  -EPERM: it is somebody
 * else's, or has a bit of shut in its mode. */
int queue_open_dir(const char *path, mode_t shut, struct pinfold_error *e);

/* The directory of all requests. */
int queue_open(struct pinfold_error *e);

/* Removes what nobody waits for any more.  Yields how many wait. */
int queue_sweep(int queue);

/* The same now and then, when there are many: looking at each is not for everyone who comes. */
int queue_sweep_lightly(int queue);

/* Removes all that one request has, and its directory. */
void queue_remove(int queue, const char *id);

/* A request's directory, if somebody waits there.  -ENOENT. */
int queue_open_request(int queue, const char *id);

/* Locks the request of an opened directory: whoever decides holds it while the decision is put
 * down, whoever removes it while the request goes.  Returns the locked descriptor, -ENOENT when
 * the request is gone. */
int queue_lock_request(int request);

bool queue_is_id(const char *id);

/* Hexadecimal SHA-256. */
void queue_hash(const char *text, size_t len, char ret[static QUEUE_HASH_LEN + 1]);

/* Makes a file with that content, as a whole or not at all, under a name that is free.  -EEXIST. */
int queue_put(int dir, const char *name, const char *text);

/* The name of who decides. */
void queue_who(char ret[static QUEUE_BY_MAX]);

#endif
