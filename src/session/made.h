/* SPDX-License-Identifier: MIT */
/* Repositories that came into being inside: what their hooks and configuration hold is the
 * session's word, and whoever runs git there should know. */
#ifndef PINFOLD_SESSION_MADE_H
#define PINFOLD_SESSION_MADE_H

struct record_line;
struct session;

/* path: of the working tree, or of a bare repository. */
void made_note(struct session *s, const char *path);

/* Those that still exist, as the member "repositories". */
void made_write(const struct session *s, struct record_line *l);

#endif
