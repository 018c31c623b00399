/* SPDX-License-Identifier: MIT */
/* Lines of the record for people. */
#ifndef PINFOLD_CLI_LOG_PRINT_H
#define PINFOLD_CLI_LOG_PRINT_H

#include <stdbool.h>

struct pinfold_log_line;

void log_print_head(void);
void log_print_line(const struct pinfold_log_line *line, bool colour);

#endif
