/* SPDX-License-Identifier: MIT */
/* Any text as a shell line: what was taken apart reads as the same when it is written down again
 * with quotes, and a verdict never gets laxer by more text around the same command. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agents/approval.h"
#include "agents/shell.h"
#include "base/json5.h"
#include "pinfold.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char RULES[] =
    "{autoApprove: ['ls *', 'git log *', 'time *', 'awk *', 'sed *'], requireApproval: ['rm *'], "
    "deny: ['rm -rf /', 'mkfs *', 'dd if=*', 'curl * | sh', '> /dev/sda']}";

static const char *const ARROWS[] = { "<", ">", ">>", ">|", "<>", "<&", ">&" };

static void quote(FILE *out, const char *word)
{
	fputc('\'', out);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", out);
		else
			fputc(*word, out);
	fputc('\'', out);
}

static void write_command(FILE *out, const struct shell_command *c)
{
	fprintf(out, "%s %s", shell_joint_text(c->joint), c->negated ? "! " : "");
	for (size_t i = 0; i < c->n_assigns; i++) {
		const char *value = strchr(c->assigns[i], '=') + 1;

		fprintf(out, "%.*s", (int)(value - c->assigns[i]), c->assigns[i]);
		quote(out, value);
		fputc(' ', out);
	}
	for (size_t i = 0; i < c->n_words; i++) {
		quote(out, c->words[i]);
		fputc(' ', out);
	}
	for (size_t i = 0; i < c->n_redirects; i++) {
		if (c->redirects[i].fd >= 0)
			fprintf(out, "%d", c->redirects[i].fd);
		fputs(ARROWS[c->redirects[i].direction], out);
		quote(out, c->redirects[i].target);
		fputc(' ', out);
	}
}

static void check_same(const struct shell_line *a, const struct shell_line *b)
{
	assert(!b->doubt && a->n == b->n);
	for (size_t i = 0; i < a->n; i++) {
		const struct shell_command *x = &a->commands[i];
		const struct shell_command *y = &b->commands[i];

		assert(x->joint == y->joint && x->negated == y->negated);
		assert(x->n_words == y->n_words && x->n_assigns == y->n_assigns);
		assert(x->n_redirects == y->n_redirects);
		for (size_t k = 0; k < x->n_words; k++)
			assert(strcmp(x->words[k], y->words[k]) == 0);
		for (size_t k = 0; k < x->n_assigns; k++)
			assert(strcmp(x->assigns[k], y->assigns[k]) == 0);
		for (size_t k = 0; k < x->n_redirects; k++)
			assert(strcmp(x->redirects[k].target, y->redirects[k].target) == 0);
	}
}

static void check_reading(const char *text)
{
	struct shell_line line;
	struct shell_line again;
	char *written = NULL;
	size_t size = 0;
	FILE *out;

	assert(shell_read(text, &line) == 0);
	assert(line.doubt ? line.n == 0 : line.n > 0);
	if (!line.doubt) {
		out = open_memstream(&written, &size);
		for (size_t i = 0; i < line.n; i++)
			write_command(out, &line.commands[i]);
		fclose(out);
		assert(shell_read(written, &again) == 0);
		check_same(&line, &again);
		shell_line_done(&again);
		free(written);
	}
	shell_line_done(&line);
}

static bool holds_a_command(const char *text)
{
	struct shell_line line;
	bool holds;

	assert(shell_read(text, &line) == 0);
	holds = !line.doubt || strcmp(line.doubt, "no command") != 0;
	shell_line_done(&line);
	return holds;
}

static enum pinfold_verdict judge(const struct approval_rules *rules, const char *format,
				  const char *text)
{
	struct approval_query q = { .path = "/usr/bin:/bin", .home = "/root", .cwd = "/tmp" };
	struct pinfold_answer answer;
	char *line = NULL;

	assert(asprintf(&line, "%s%s", format, text) > 0 || !*line);
	q.line = line;
	assert(approval_judge(rules, &q, &answer) == 0);
	assert(answer.verdict == PINFOLD_ALLOW || answer.verdict == PINFOLD_DENY ||
	       answer.verdict == PINFOLD_ASK);
	assert(answer.verdict == PINFOLD_ALLOW || answer.reason[0]);
	free(line);
	return answer.verdict;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct approval_rules *rules = NULL;
	struct json5 *node = NULL;
	char *text = strndup((const char *)data, size);
	struct pinfold_error e;
	enum pinfold_verdict verdict;

	check_reading(text);
	assert(json5_parse(RULES, strlen(RULES), "f", &node, &e) == 0);
	assert(approval_rules_parse(node, &rules, &e) == 0);
	verdict = judge(rules, "", text);
	/* A line in front makes nothing of it better, and what is denied stays so. */
	if (verdict == PINFOLD_DENY)
		assert(judge(rules, "ls\n", text) == PINFOLD_DENY);
	if (verdict == PINFOLD_ASK && holds_a_command(text))
		assert(judge(rules, "ls\n", text) != PINFOLD_ALLOW);
	assert(judge(rules, "mkfs x\n", text) == PINFOLD_DENY);
	approval_rules_free(rules);
	json5_free(node);
	free(text);
	return 0;
}
