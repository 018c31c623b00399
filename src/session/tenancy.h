/* SPDX-License-Identifier: MIT */
/* What is done for the identity once, and what it must not reach: identity.handover, --state-dir.
 */
#ifndef PINFOLD_SESSION_TENANCY_H
#define PINFOLD_SESSION_TENANCY_H

struct link_message;
struct pinfold_error;
struct session;

/* Parent, before the pen is born: gives the workspace away, closes the state directories. */
int tenancy_prepare(struct session *s, struct pinfold_error *e);

/* Init, behind its fences: the self-test where there are state directories.  System calls only. */
int tenancy_try(const struct session *s, struct link_message *failed);

/* Parent: what the self-test found. */
int tenancy_explain(const struct session *s, const struct link_message *m, struct pinfold_error *e);

void tenancy_done(struct session *s);

#endif
