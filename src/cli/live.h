/* SPDX-License-Identifier: MIT */
/* What the verbs for running sessions share. */
#ifndef PINFOLD_CLI_LIVE_H
#define PINFOLD_CLI_LIVE_H

#include <stddef.h>

struct cJSON;
struct pinfold_error;

/* Says what failed; the exit status for it. */
int live_complain(int code, const struct pinfold_error *e);

/* The string of a member as it may go to a terminal, or "-".  Controls become '?'. */
const char *live_string(const struct cJSON *object, const char *key, char *buf, size_t size);

/* The number of a member, or 0. */
double live_number(const struct cJSON *object, const char *key);

/* The command's words, with blanks between. */
void live_command(const struct cJSON *object, char *buf, size_t size);

/* "3s", "12m", "5h", "2d". */
void live_age(double ms, char *buf, size_t size);

#endif
