/* SPDX-License-Identifier: MIT */
/* File systems of the session's own, made by the parent as detached mounts. */
#ifndef PINFOLD_FS_PLACES_H
#define PINFOLD_FS_PLACES_H

#include <stdint.h>
#include <sys/types.h>

struct pinfold_error;

struct place {
	mode_t mode;
	uid_t uid;
	gid_t gid;
	const char *size;     /* as tmpfs takes it; NULL: ram_percent counts */
	unsigned ram_percent; /* of the machine's memory, at least 1 */
	uint64_t attrs;       /* MOUNT_ATTR_*; nosuid always */
};

/* Each returns a descriptor of the detached mount, or a negative errno. */
int place_tmpfs(const struct place *p, struct pinfold_error *e);

/* The few devices that every program may use, and the usual symlinks. */
int place_dev(struct pinfold_error *e);

/* A terminal file system of its own: none of the host's terminals is in it. */
int place_devpts(struct pinfold_error *e);

/* The store: what masks are made of, and /etc/resolv.conf.  Read-only. */
int place_store(const char *resolv_conf, struct pinfold_error *e);

#define PLACE_STORE_DIR "dir"   /* inaccessible */
#define PLACE_STORE_FILE "file" /* inaccessible */
#define PLACE_STORE_RESOLV "resolv.conf"

/* A detached clone of the object's mount, private and with attrs added, its submounts with it. */
int place_clone(int object, uint64_t attrs, struct pinfold_error *e);

#endif
