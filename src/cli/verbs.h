/* SPDX-License-Identifier: MIT */
/* The verbs and their options. */
#ifndef PINFOLD_CLI_VERBS_H
#define PINFOLD_CLI_VERBS_H

#include "cli/opt.h"

extern const struct option_row RUN_OPTIONS[];
extern const struct option_row APPROVE_OPTIONS[];
extern const struct option_row EXEC_OPTIONS[];
extern const struct option_row EXPLAIN_OPTIONS[];
extern const struct option_row WHY_OPTIONS[];
extern const struct option_row DOCTOR_OPTIONS[];
extern const struct option_row SELFTEST_OPTIONS[];
extern const struct option_row COMPLETION_OPTIONS[];
extern const struct option_row PS_OPTIONS[];
extern const struct option_row SHOW_OPTIONS[];
extern const struct option_row TOP_OPTIONS[];
extern const struct option_row RELOAD_OPTIONS[];
extern const struct option_row KILL_OPTIONS[];
extern const struct option_row LOG_OPTIONS[];
extern const struct option_row FS_OPTIONS[];
extern const struct option_row TAG_OPTIONS[];
extern const struct option_row TOOL_OPTIONS[];
extern const struct option_row LEARN_OPTIONS[];
extern const struct option_row LINT_OPTIONS[];
extern const struct option_row DIFF_OPTIONS[];
extern const struct option_row REPORT_OPTIONS[];
extern const struct option_row ATTACH_OPTIONS[];
extern const struct option_row DETACH_OPTIONS[];

/* Each returns the exit status. */
int verb_run(int argc, char **argv);
int verb_approve(int argc, char **argv);
int verb_exec(int argc, char **argv);
int verb_explain(int argc, char **argv);
int verb_why(int argc, char **argv);
int verb_doctor(int argc, char **argv);
int verb_selftest(int argc, char **argv);
int verb_completion(int argc, char **argv);
int verb_ps(int argc, char **argv);
int verb_show(int argc, char **argv);
int verb_top(int argc, char **argv);
int verb_reload(int argc, char **argv);
int verb_kill(int argc, char **argv);
int verb_log(int argc, char **argv);
int verb_fs(int argc, char **argv);
int verb_tag(int argc, char **argv);
int verb_tool(int argc, char **argv);
int verb_learn(int argc, char **argv);
int verb_lint(int argc, char **argv);
int verb_diff(int argc, char **argv);
int verb_report(int argc, char **argv);
int verb_attach(int argc, char **argv);
int verb_detach(int argc, char **argv);

#endif
