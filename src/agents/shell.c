/* SPDX-License-Identifier: MIT */
/* Commands, operators and redirections of a shell line: one pass, no look back. */
#include "agents/shell.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agents/shell_inner.h"
#include "base/clean.h"

/* Words that are grammar where a command is expected, and what they begin. */
static const struct {
	const char *word;
	const char *what;
} RESERVED[] = {
	{ "if", "an if" },           { "then", "an if" },   { "elif", "an if" },
	{ "else", "an if" },         { "fi", "an if" },     { "for", "a loop" },
	{ "while", "a loop" },       { "until", "a loop" }, { "select", "a loop" },
	{ "do", "a loop" },          { "done", "a loop" },  { "case", "a case" },
	{ "esac", "a case" },        { "in", "a case" },    { "{", "a group" },
	{ "}", "a group" },          { "[[", "a [[ test" }, { "function", "a function" },
	{ "coproc", "a coprocess" },
};

/* Commands behind which the same text may mean something else. */
static const struct {
	const char *name;
	const char *what;
} DOUBTFUL[] = {
	{ "eval", "eval" },
	{ "source", "a sourced file" },
	{ ".", "a sourced file" },
	{ "alias", "an alias" },
	{ "unalias", "an alias" },
	{ "trap", "a trap" },
	{ "set", "a change of the shell's options" },
	{ "shopt", "a change of the shell's options" },
	{ "enable", "a change of the shell's builtins" },
	{ "hash", "a change of the shell's builtins" },
	{ "bind", "an interactive shell's command" },
	{ "fc", "an interactive shell's command" },
	{ "history", "an interactive shell's command" },
	{ "complete", "an interactive shell's command" },
	{ "compgen", "an interactive shell's command" },
	{ "compopt", "an interactive shell's command" },
	{ "mapfile", "a command that calls back" },
	{ "readarray", "a command that calls back" },
	{ "let", "arithmetic" },
};

/* bash refuses a command in front of which these are assigned, or reads on by other rules. */
static const char *const SHELL_OWN[] = { "UID",      "EUID",          "PPID",           "SHELLOPTS",
					 "BASHOPTS", "BASH_VERSINFO", "POSIXLY_CORRECT" };

static const char *const JOINTS[] = {
	[SHELL_FIRST] = "", [SHELL_THEN] = ";",       [SHELL_AND] = "&&",       [SHELL_OR] = "||",
	[SHELL_PIPE] = "|", [SHELL_PIPE_BOTH] = "|&", [SHELL_BACKGROUND] = "&",
};
_Static_assert(ARRAY_SIZE(JOINTS) == SHELL_JOINTS, "one text a joint");

const char *shell_joint_text(enum shell_joint joint)
{
	return JOINTS[joint];
}

const char *shell_doubtful_command(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(DOUBTFUL); i++)
		if (strcmp(DOUBTFUL[i].name, name) == 0)
			return DOUBTFUL[i].what;
	return NULL;
}

static bool is_empty(const struct shell_command *c)
{
	return c->n_words + c->n_assigns + c->n_redirects == 0;
}

/* Appends a command that words go to from now on. */
static void begin(struct shell_reader *r, enum shell_joint joint)
{
	struct shell_line *line = r->line;
	struct shell_command *grown;

	if (line->n == SHELL_COMMANDS_MAX)
		return shell_doubt(r, "too many commands");
	grown = realloc(line->commands, (line->n + 1) * sizeof(*grown));
	if (!grown) {
		r->error = -ENOMEM;
		return;
	}
	line->commands = grown;
	r->now = &grown[line->n++];
	*r->now = (struct shell_command){ .joint = joint };
	r->after_time = false;
}

/* ";" and newlines also stand where nothing follows; that is not known before the end. */
static void separate(struct shell_reader *r, enum shell_joint joint, bool wants)
{
	if (is_empty(r->now) || r->after_time)
		return shell_doubt(r, "a syntax error");
	begin(r, joint);
	r->wants = wants;
}

static void newline(struct shell_reader *r)
{
	r->pos++;
	if (!is_empty(r->now))
		return separate(r, SHELL_THEN, false);
	if (r->now->negated)
		shell_doubt(r, "a syntax error");
}

static void take_operator(struct shell_reader *r)
{
	static const struct {
		const char *text;
		enum shell_joint joint;
		bool wants;
		const char *doubt;
	} OPERATORS[] = {
		{ "&&", SHELL_AND, true, NULL },
		{ "||", SHELL_OR, true, NULL },
		{ "|&", SHELL_PIPE_BOTH, true, NULL },
		{ "|", SHELL_PIPE, true, NULL },
		{ "&>", SHELL_THEN, false, "an &> that not every shell knows" },
		{ "&", SHELL_BACKGROUND, false, NULL },
		{ ";", SHELL_THEN, false, NULL },
		{ "(", SHELL_THEN, false, "a subshell or a function" },
		{ ")", SHELL_THEN, false, "a subshell or a function" },
	};
	size_t i = 0;

	while (strncmp(r->text + r->pos, OPERATORS[i].text, strlen(OPERATORS[i].text)) != 0)
		i++;
	if (OPERATORS[i].doubt)
		return shell_doubt(r, OPERATORS[i].doubt);
	r->pos += strlen(OPERATORS[i].text);
	/* A continued line could make "&&" of two "&". */
	if (r->text[r->pos] == '\\' && r->text[r->pos + 1] == '\n')
		return shell_doubt(r, "an operator that goes on in the next line");
	separate(r, OPERATORS[i].joint, OPERATORS[i].wants);
}

static bool is_dup(enum shell_direction d)
{
	return d == SHELL_DUP_INPUT || d == SHELL_DUP_OUTPUT;
}

static void add_redirect(struct shell_reader *r, struct shell_redirect *redirect)
{
	struct shell_command *c = r->now;
	const char *t = redirect->target;
	struct shell_redirect *grown;

	if (is_dup(redirect->direction) && strcmp(t, "-") != 0 &&
	    !(isdigit((unsigned char)t[0]) && t[1] == '\0'))
		return shell_doubt(r, "a >& that not every shell reads alike");
	grown = realloc(c->redirects, (c->n_redirects + 1) * sizeof(*grown));
	if (!grown) {
		r->error = -ENOMEM;
		return;
	}
	c->redirects = grown;
	grown[c->n_redirects++] = *redirect;
	redirect->target = NULL;
	r->wants = false;
}

static void read_redirect(struct shell_reader *r, int fd)
{
	static const struct {
		const char *text;
		enum shell_direction direction;
		const char *doubt;
	} ARROWS[] = {
		{ "<<", SHELL_INPUT, "a here-document" },
		{ "<(", SHELL_INPUT, "a process substitution" },
		{ ">(", SHELL_OUTPUT, "a process substitution" },
		{ "<&", SHELL_DUP_INPUT, NULL },
		{ ">&", SHELL_DUP_OUTPUT, NULL },
		{ "<>", SHELL_READ_WRITE, NULL },
		{ ">>", SHELL_APPEND, NULL },
		{ ">|", SHELL_CLOBBER, NULL },
		{ "<", SHELL_INPUT, NULL },
		{ ">", SHELL_OUTPUT, NULL },
	};
	struct shell_redirect redirect = { .fd = fd };
	struct shell_word w = { 0 };
	size_t i = 0;

	if (r->after_time)
		return shell_doubt(r, "a time that not every shell reads alike");
	while (strncmp(r->text + r->pos, ARROWS[i].text, strlen(ARROWS[i].text)) != 0)
		i++;
	if (ARROWS[i].doubt)
		return shell_doubt(r, ARROWS[i].doubt);
	r->pos += strlen(ARROWS[i].text);
	while (shell_is_blank(r->text[r->pos]))
		r->pos++;
	if (shell_ends_word(r->text[r->pos]) || r->text[r->pos] == '#')
		return shell_doubt(r, "a redirection to nowhere");
	shell_read_word(r, &w);
	redirect.direction = ARROWS[i].direction;
	redirect.target = w.text.bytes;
	if (!r->doubt && !r->error && strchr("<>(", r->text[r->pos]) && r->text[r->pos])
		shell_doubt(r, "a redirection that runs into another");
	if (!r->doubt && !r->error)
		add_redirect(r, &redirect);
	free(redirect.target);
}

/* What stands where a command's name is expected. */
static void check_name(struct shell_reader *r, const struct shell_word *w)
{
	const char *text = w->text.bytes;

	if (text[0] == '\0')
		shell_doubt(r, "a command without a name");
	else if (text[0] == '%')
		shell_doubt(r, "a job");
	else if (text[0] == '^')
		shell_doubt(r, "a history expansion");
	for (size_t i = 0; !w->quoted && i < ARRAY_SIZE(RESERVED); i++)
		if (strcmp(RESERVED[i].word, text) == 0)
			shell_doubt(r, RESERVED[i].what);
	if (shell_doubtful_command(text))
		shell_doubt(r, shell_doubtful_command(text));
}

static bool is_assignment(const struct shell_word *w)
{
	return w->assign > 0 && shell_name_length(w->text.bytes) == w->assign;
}

static void check_assignment(struct shell_reader *r, const char *text, size_t name)
{
	for (size_t i = 0; i < ARRAY_SIZE(SHELL_OWN); i++)
		if (strlen(SHELL_OWN[i]) == name && strncmp(SHELL_OWN[i], text, name) == 0)
			shell_doubt(r, "a variable of the shell's own");
}

/* bash's "time" is grammar, dash's a command; they agree on "time [-p] NAME ARGUMENT...". */
static void check_time(struct shell_reader *r, const struct shell_word *w)
{
	const char *text = w->text.bytes;
	const size_t n = r->now->n_words;

	if (n == 0) {
		r->after_time = !w->quoted && strcmp(text, "time") == 0;
		if (r->after_time &&
		    (r->now->n_assigns + r->now->n_redirects > 0 || r->now->negated ||
		     r->now->joint == SHELL_PIPE || r->now->joint == SHELL_PIPE_BOTH))
			shell_doubt(r, "a time that not every shell reads alike");
		return;
	}
	if (!r->after_time || (n == 1 && !w->quoted && strcmp(text, "-p") == 0))
		return;
	if (text[0] == '-' || text[0] == '!' || is_assignment(w) || strcmp(text, "time") == 0)
		shell_doubt(r, "a time that not every shell reads alike");
	check_name(r, w);
	r->after_time = false;
}

/* Takes w's text over. */
static void place_word(struct shell_reader *r, struct shell_word *w)
{
	struct shell_command *c = r->now;
	const bool assigns = c->n_words == 0 && is_assignment(w);
	char *text = take_ptr(w->text.bytes);

	r->wants = false;
	if (assigns)
		r->error = shell_list_add(&c->assigns, &c->n_assigns, text);
	else
		r->error = shell_list_add(&c->words, &c->n_words, text);
}

static void check_word(struct shell_reader *r, const struct shell_word *w)
{
	const char *text = w->text.bytes;
	const size_t name = shell_name_length(text);

	if (++r->words > SHELL_WORDS_MAX)
		shell_doubt(r, "too many words");
	check_time(r, w);
	if (r->now->n_words > 0)
		return;
	if (is_assignment(w))
		return check_assignment(r, text, name);
	if (name > 0 && text[name] == '+' && text[name + 1] == '=')
		shell_doubt(r, "an assignment that not every shell knows");
	check_name(r, w);
}

/* "!" in front of a pipeline. */
static bool takes_negation(struct shell_reader *r, const struct shell_word *w)
{
	struct shell_command *c = r->now;

	if (w->quoted || strcmp(w->text.bytes, "!") != 0 || c->n_words > 0)
		return false;
	if (c->negated || !is_empty(c) || c->joint == SHELL_PIPE || c->joint == SHELL_PIPE_BOTH)
		shell_doubt(r, "a ! that not every shell reads alike");
	c->negated = true;
	r->wants = true;
	return true;
}

/* A number in front of an arrow names a descriptor; dash reads one digit only, bash more. */
static bool takes_descriptor(struct shell_reader *r, const struct shell_word *w)
{
	const char *text = w->text.bytes;
	const char next = r->text[r->pos];
	const size_t len = w->text.len;

	if ((next != '<' && next != '>') || len == 0)
		return false;
	if (text[len - 1] == '}')
		shell_doubt(r, "a redirection of a named descriptor");
	if (w->quoted || strspn(text, "0123456789") != len)
		return false;
	if (len > 1)
		shell_doubt(r, "a descriptor that not every shell knows");
	else
		read_redirect(r, text[0] - '0');
	return true;
}

static void take_word(struct shell_reader *r)
{
	struct shell_word w = { 0 };
	const size_t start = r->pos;

	shell_read_word(r, &w);
	if (!r->doubt && !r->error && !takes_descriptor(r, &w) && !takes_negation(r, &w)) {
		check_word(r, &w);
		if (r->doubt)
			r->doubt_at = start;
		else
			place_word(r, &w);
	}
	free(w.text.bytes);
}

/* A continued line between two words is a blank like others; anywhere else it is a doubt. */
static bool takes_continuation(struct shell_reader *r)
{
	const char *at = r->text + r->pos;

	if (at[0] != '\\' || at[1] != '\n')
		return false;
	if ((r->pos > 0 && !shell_is_blank(at[-1]) && at[-1] != '\n') || at[2] == '#')
		shell_doubt(r, "a word that goes on in the next line");
	r->pos += 2;
	return true;
}

static void step(struct shell_reader *r)
{
	const char c = r->text[r->pos];

	if (shell_is_blank(c))
		r->pos++;
	else if (c == '\n')
		newline(r);
	else if (c == '#')
		r->pos += strcspn(r->text + r->pos, "\n");
	else if (c == '<' || c == '>')
		read_redirect(r, -1);
	else if (strchr(";&|()", c))
		take_operator(r);
	else if (!takes_continuation(r))
		take_word(r);
}

/* Bytes that shells, or terminals that show them, treat in ways of their own. */
static const char *strange_bytes(const char *text, size_t *ret_at)
{
	size_t follow = 0;
	size_t i;

	for (i = 0; text[i]; i++) {
		const unsigned char c = (unsigned char)text[i];

		*ret_at = i;
		if (c == 0x7f || (c < 0x20 && c != '\t' && c != '\n'))
			return "a control character";
		if (follow > 0 ? (c & 0xc0) != 0x80 : (c >= 0x80 && (c < 0xc2 || c > 0xf4)))
			return "bytes that are no text";
		if (follow > 0)
			follow--;
		else if (c >= 0x80)
			follow = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
	}
	*ret_at = i;
	if (i > SHELL_LINE_MAX)
		return "too much text";
	return follow > 0 ? "bytes that are no text" : NULL;
}

static void finish(struct shell_reader *r)
{
	struct shell_line *line = r->line;

	if (r->wants || r->after_time)
		return shell_doubt(r, "a syntax error");
	if (is_empty(r->now))
		line->n--;
	if (line->n == 0)
		shell_doubt(r, "no command");
}

static void command_done(struct shell_command *c)
{
	for (size_t i = 0; i < c->n_words; i++)
		free(c->words[i]);
	for (size_t i = 0; i < c->n_assigns; i++)
		free(c->assigns[i]);
	for (size_t i = 0; i < c->n_redirects; i++)
		free(c->redirects[i].target);
	free(c->words);
	free(c->assigns);
	free(c->redirects);
}

void shell_line_done(struct shell_line *line)
{
	for (size_t i = 0; i < line->n; i++)
		command_done(&line->commands[i]);
	free(line->commands);
	*line = (struct shell_line){ 0 };
}

int shell_read(const char *text, struct shell_line *ret)
{
	struct shell_line line = { 0 };
	struct shell_reader r = { .text = text, .line = &line };

	r.doubt = strange_bytes(text, &r.doubt_at);
	if (!r.doubt)
		begin(&r, SHELL_FIRST);
	while (!r.doubt && !r.error && text[r.pos])
		step(&r);
	if (!r.doubt && !r.error)
		finish(&r);
	if (r.error || r.doubt)
		shell_line_done(&line);
	if (r.error)
		return r.error;
	line.doubt = r.doubt;
	line.doubt_at = r.doubt_at;
	*ret = line;
	return 0;
}
