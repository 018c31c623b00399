/* SPDX-License-Identifier: MIT */
/* The JSON of `log stats` and `log replay`, for people. */
#ifndef PINFOLD_CLI_LOG_TABLES_H
#define PINFOLD_CLI_LOG_TABLES_H

void log_print_stats(const char *json);
void log_print_replay(const char *json);

#endif
