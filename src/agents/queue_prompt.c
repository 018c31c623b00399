/* SPDX-License-Identifier: MIT */
/* Asking whoever sits at the terminal. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "agents/queue_inner.h"
#include "base/clean.h"
#include "base/clock.h"
#include "base/err.h"

#define US_PER_MS 1000
#define ANSWER_MAX 64

/* A command must not draw on the terminal, nor hide parts of itself: what is no plain text is
 * spelled out, and words with blanks are quoted. */
static void put_word(FILE *tty, const char *word)
{
	const bool plain = word[0] && !strpbrk(word, " \t\n'\"\\$`;&|<>()*?[]{}~#!");

	fputs(plain ? "" : "'", tty);
	for (const unsigned char *c = (const unsigned char *)word; *c; c++)
		if (*c < 0x20 || *c >= 0x7f || *c == '\\')
			fprintf(tty, "\\x%02x", *c);
		else if (*c == '\'')
			fputs("'\\''", tty);
		else
			fputc(*c, tty);
	fputs(plain ? "" : "'", tty);
}

static void put_question(FILE *tty, const struct queue_request *q)
{
	fputs("\npinfold: agent ", tty);
	put_word(tty, q->agent);
	fputs(" (session ", tty);
	put_word(tty, q->session);
	fprintf(tty, ") wants to run, %s, in ",
		strcmp(q->location, "pen") == 0 ? "in its pen" : "ON THE HOST");
	put_word(tty, q->cwd);
	fputs(":\n  ", tty);
	for (size_t i = 0; q->argv[i]; i++) {
		fputc(' ', tty);
		put_word(tty, q->argv[i]);
	}
	fputs("\n  because ", tty);
	for (const char *c = q->reason; *c; c++)
		fputc((unsigned char)*c < 0x20 || *c == 0x7f ? '?' : *c, tty);
	fprintf(tty, "\nAllow it?  y: this once, a: always, anything else: no (%llu s) ",
		(unsigned long long)(q->timeout_ms / 1000));
	fflush(tty);
}

/* One line, or nothing until the time is over.  1: a line; 0: none came; -1: the end. */
static int read_answer(int fd, uint64_t until_us, char ret[static ANSWER_MAX])
{
	size_t len = 0;

	for (;;) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		const uint64_t now = clock_us();
		char c;

		if (now >= until_us)
			return 0;
		if (poll(&p, 1, (int)((until_us - now) / US_PER_MS) + 1) <= 0)
			continue;
		if (read(fd, &c, 1) != 1)
			return -1;
		if (c == '\n')
			break;
		if (len + 1 < ANSWER_MAX)
			ret[len++] = c;
	}
	ret[len] = '\0';
	return 1;
}

static bool is_answer(const char *text, const char *letter, const char *word)
{
	return strcmp(text, letter) == 0 || strcmp(text, word) == 0;
}

static FILE *open_terminal(int *ret_fd)
{
	auto_close int fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	int copy;
	FILE *tty;

	/* In the background a question would only stop us. */
	if (fd < 0 || tcgetpgrp(fd) != getpgrp())
		return NULL;
	copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	tty = copy < 0 ? NULL : fdopen(copy, "w");
	if (!tty && copy >= 0)
		close(copy);
	if (tty)
		*ret_fd = take_fd(fd);
	return tty;
}

static int remember(const struct queue_request *q, const char *by, FILE *tty)
{
	const struct queue_always a = {
		.argv = q->argv, .cwd = q->cwd, .agent = q->agent, .by = by
	};
	struct pinfold_error e = { "" };
	int r = queue_always_add(&a, &e);

	if (r < 0)
		fprintf(tty, "pinfold: allowed this once, but not for good: %s\n", e.text);
	return r;
}

int queue_prompt(const struct queue_request *q, struct queue_outcome *ret)
{
	struct queue_outcome outcome = { .result = QUEUE_DENIED };
	const uint64_t since = clock_us();
	char answer[ANSWER_MAX] = "";
	auto_close int fd = -1;
	auto_file FILE *tty = open_terminal(&fd);
	int r;

	if (!tty)
		return -ENOTTY;
	if (q->waits)
		q->waits(q->data, "terminal");
	put_question(tty, q);
	/* What was typed before the question is no answer to it. */
	tcflush(fd, TCIFLUSH);
	r = read_answer(fd, since + q->timeout_ms * US_PER_MS, answer);
	queue_who(outcome.by);
	if (r == 0) {
		outcome.result = QUEUE_TIMED_OUT;
		outcome.by[0] = '\0';
		fputs("\npinfold: no answer, so it does not run\n", tty);
	} else if (r > 0 && (is_answer(answer, "y", "yes") || is_answer(answer, "a", "always"))) {
		outcome.result = QUEUE_GRANTED;
		outcome.always = answer[0] == 'a' && remember(q, outcome.by, tty) == 0;
	}
	outcome.latency_ms = (clock_us() - since) / US_PER_MS;
	*ret = outcome;
	return 0;
}
