/* SPDX-License-Identifier: MIT */
/* Which system calls name files and unix sockets, and what each does with them. */
#ifndef PINFOLD_SESSION_CALLS_H
#define PINFOLD_SESSION_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "seccomp/notify.h"

struct seccomp_data;

#define CALLS_MAX 64
#define CALL_PATHS_MAX 2

/* What is wanted of a path; bits. */
#define CALL_LOOK 1u    /* that it is there: stat, chdir, readlink */
#define CALL_READ 2u    /* its bytes, or the names in a directory */
#define CALL_WRITE 4u   /* its bytes */
#define CALL_EXEC 8u    /* execve, or mapped as code */
#define CALL_MAKE 16u   /* the name is to come into being */
#define CALL_REMOVE 32u /* the name is to go */
#define CALL_CHANGE 64u /* mode, owner, times */
#define CALL_SOCKET 128u

struct call_path {
	unsigned need;     /* CALL_ bits */
	const char *word;  /* for the record, where need alone does not tell; NULL */
	int dirfd;         /* what a relative path is relative to */
	uint64_t text;     /* in the caller's memory; 0: dirfd itself is meant */
	bool keeps_link;   /* a symlink at the end is not followed */
	bool is_exclusive; /* with CALL_MAKE: fails where the name is there */
	bool may_be_empty; /* an empty path means dirfd itself */
};

struct call {
	struct call_path path[CALL_PATHS_MAX];
	size_t n;
	uint64_t address; /* of a struct sockaddr in the caller's memory, whose path is meant */
	uint32_t address_size;
};

/* The calls that an observer is told of.  Returns their number. */
size_t calls_watched(struct notify_call ret[static CALLS_MAX]);

/* Reads size bytes of the caller's memory; 0 or -errno. */
typedef int (*call_memory)(void *data, uint64_t from, void *to, size_t size);

/* Takes a call apart.  -EINVAL: none of those; other errors are memory's. */
int call_decode(const struct seccomp_data *data, call_memory memory, void *memory_data,
		struct call *ret);

#endif
