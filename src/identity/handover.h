/* SPDX-License-Identifier: MIT */
/* Giving the files of the workspace to the identity (identity.handover). */
#ifndef PINFOLD_IDENTITY_HANDOVER_H
#define PINFOLD_IDENTITY_HANDOVER_H

#include <stdint.h>
#include <sys/types.h>

struct pinfold_error;

struct handover {
	uint64_t given;
	uint64_t left; /* not the identity's still: several links, other mounts, devices, or
			  changing all the time */
};

/*
 * Gives what lies at and below dir, and is not uid's, to uid and gid.  Never through a symlink,
 * never a file with more than one link, never on another mount, also while somebody else renames,
 * links and removes there.  Set-id bits and file capabilities are gone afterwards.
 *
 * marks is a directory of root's that remembers: the second time for the same directory and uid
 * nothing is done, and ret says 0.  NULL: never remembered.
 */
int identity_handover(const char *dir, uid_t uid, gid_t gid, const char *marks,
		      struct handover *ret, struct pinfold_error *e);

#endif
