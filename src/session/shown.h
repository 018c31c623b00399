/* SPDX-License-Identifier: MIT */
/* What an observed session is shown: all of the host that some policy could grant. */
#ifndef PINFOLD_SESSION_SHOWN_H
#define PINFOLD_SESSION_SHOWN_H

struct path_set;

/* From the set of the policy: its denies stay, its grants become writable, and every directory at
 * the top of the host's tree joins them, of origin PATH_ORIGIN_OBSERVE.  home (NULL: none) is a
 * place of the session's own: what leads to it is not shown as a whole.  What belongs to pinfold
 * itself is denied.  -errno. */
int shown_build(const struct path_set *set, const char *home, struct path_set *ret);

#endif
