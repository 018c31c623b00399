/* SPDX-License-Identifier: MIT */
/* fs: file operations below a workspace, for gateways. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/clean.h"
#include "base/number.h"
#include "cli/agent_options.h"
#include "cli/verbs.h"
#include "pinfold.h"
#include "pinfold_agents.h"

#define EXIT_NOT_FOUND 66
#define EXIT_EXISTS 73
#define EXIT_FAILED 74
#define BYTES_DEFAULT (64ULL << 20)
#define BYTES_LIMIT (1ULL << 40)

struct fs_options {
	struct agent_options agent; /* first: shared setters */
	const char *policy;
	const char *workspace;
	const char *log;
	uint64_t max;
	unsigned flags;
	bool json;
	bool answered; /* what is wrong has been printed as a result */
	bool tag;
	struct pinfold_error e;
	cJSON *list;
};

static int set_policy_file(void *data, const char *value)
{
	struct fs_options *o = data;

	o->policy = value;
	return 0;
}

static int set_workspace(void *data, const char *value)
{
	struct fs_options *o = data;

	o->workspace = value;
	return 0;
}

static int set_log(void *data, const char *value)
{
	struct fs_options *o = data;

	o->log = value;
	return 0;
}

static int set_max(void *data, const char *value)
{
	struct fs_options *o = data;

	if (number_parse(value, BYTES_LIMIT, &o->max) == 0)
		return 0;
	complain("fs: --max-bytes wants a number of bytes up to 2^40, not '%s'", value);
	return -EINVAL;
}

static int add_flag(void *data, unsigned flag)
{
	struct fs_options *o = data;

	o->flags |= flag;
	return 0;
}

static int set_parents(void *data, const char *value)
{
	(void)value;
	return add_flag(data, PINFOLD_FS_PARENTS);
}

static int set_recursive(void *data, const char *value)
{
	(void)value;
	return add_flag(data, PINFOLD_FS_RECURSIVE);
}

static int set_force(void *data, const char *value)
{
	(void)value;
	return add_flag(data, PINFOLD_FS_FORCE);
}

static int set_json(void *data, const char *value)
{
	struct fs_options *o = data;

	(void)value;
	o->json = true;
	return 0;
}

static int set_tag(void *data, const char *value)
{
	struct fs_options *o = data;

	(void)value;
	o->tag = true;
	return 0;
}

const struct option_row FS_OPTIONS[] = {
	{ "policy", 'p', "FILE", "the policy whose workspace and rules for files hold",
	  set_policy_file },
	AGENT_OPTION_ROWS,
	{ "workspace", 'w', "DIR", "the workspace; without a policy: this directory",
	  set_workspace },
	{ "max-bytes", 0, "N", "read, write, create: more is an error (default 64 MiB)", set_max },
	{ "mkdir", 0, NULL, "write, create: make the directories above", set_parents },
	{ "recursive", 'r', NULL, "rm: directories, with all that is in them", set_recursive },
	{ "force", 'f', NULL, "rm: nothing there is no error", set_force },
	{ "tag-output", 0, NULL, "read: wrap the text for a model", set_tag },
	{ "log", 0, "FILE", "append what is refused to the record FILE", set_log },
	{ "json", 0, NULL, "print one JSON value; of read: only for an error", set_json },
	{ 0 },
};

/* ---- results --------------------------------------------------------------------------------- */

static void print_value(cJSON *v)
{
	char *text = cJSON_PrintUnformatted(v);

	if (text)
		puts(text);
	cJSON_free(text);
	cJSON_Delete(v);
}

static void print_word(const struct fs_options *o, const char *word)
{
	cJSON *v;

	if (!o->json)
		return;
	v = cJSON_CreateObject();
	cJSON_AddStringToObject(v, "result", word);
	print_value(v);
}

static int exit_code(int r)
{
	switch (r) {
	case -EPERM:
		return EXIT_REFUSED;
	case -ENOENT:
		return EXIT_NOT_FOUND;
	case -EEXIST:
		return EXIT_EXISTS;
	case -EINVAL:
		return EXIT_USAGE;
	default:
		return EXIT_FAILED;
	}
}

static int failed(const struct fs_options *o, int r)
{
	if (o->json && !o->answered) {
		cJSON *v = cJSON_CreateObject();
		cJSON *error = cJSON_AddObjectToObject(v, "error");

		cJSON_AddStringToObject(error, "code", strerrorname_np(-r));
		cJSON_AddStringToObject(error, "message", o->e.text);
		print_value(v);
	} else if (!o->answered) {
		complain("fs: %s", o->e.text);
	}
	return exit_code(r);
}

/* ---- the operations -------------------------------------------------------------------------- */

static int read_tagged(const struct pinfold_fs *fs, struct fs_options *o, const char *path)
{
	struct pinfold_error ignored = { 0 };
	struct pinfold_tag tag;
	int r = pinfold_tag_open(STDOUT_FILENO, PINFOLD_SOURCE_FILE, o->agent.call.session, &tag,
				 &o->e);
	int closed;

	if (r < 0)
		return r;
	r = pinfold_fs_read(fs, path, o->max, tag.fd, &o->e);
	closed = pinfold_tag_close(&tag, r < 0 ? &ignored : &o->e);
	return r < 0 ? r : closed;
}

static int op_read(const struct pinfold_fs *fs, struct fs_options *o, const char *const *path)
{
	if (o->tag)
		return read_tagged(fs, o, path[0]);
	return pinfold_fs_read(fs, path[0], o->max, STDOUT_FILENO, &o->e);
}

static int op_write(const struct pinfold_fs *fs, struct fs_options *o, const char *const *path)
{
	int r = pinfold_fs_write(fs, path[0], o->max, STDIN_FILENO, o->flags & PINFOLD_FS_PARENTS,
				 &o->e);

	if (r == 0)
		print_word(o, "written");
	return r;
}

/* That it exists is an answer, not only an error. */
static int op_create(const struct pinfold_fs *fs, struct fs_options *o, const char *const *path)
{
	int r = pinfold_fs_write(fs, path[0], o->max, STDIN_FILENO,
				 PINFOLD_FS_EXCLUSIVE | (o->flags & PINFOLD_FS_PARENTS), &o->e);

	o->answered = o->json && r == -EEXIST;
	if (r == 0 || o->answered)
		print_word(o, r == 0 ? "created" : "exists");
	return r;
}

static int op_mkdir(const struct pinfold_fs *fs, struct fs_options *o, const char *const *path)
{
	int r = pinfold_fs_mkdir(fs, path[0], PINFOLD_FS_PARENTS, &o->e);

	if (r == 0)
		print_word(o, "made");
	return r;
}

static int op_rm(const struct pinfold_fs *fs, struct fs_options *o, const char *const *path)
{
	int r = pinfold_fs_remove(fs, path[0], o->flags, &o->e);

	if (r == 0)
		print_word(o, "removed");
	return r;
}

static int op_mv(const struct pinfold_fs *fs, struct fs_options *o, const char *const *path)
{
	int r = pinfold_fs_move(fs, path[0], path[1], &o->e);

	if (r == 0)
		print_word(o, "moved");
	return r;
}

static int op_stat(const struct pinfold_fs *fs, struct fs_options *o, const char *const *path)
{
	static const char *const types[] = {
		[PINFOLD_FS_OTHER] = "other",
		[PINFOLD_FS_FILE] = "file",
		[PINFOLD_FS_DIRECTORY] = "directory",
	};
	struct pinfold_fs_info info;
	int r = pinfold_fs_stat(fs, path[0], &info, &o->e);

	if (r < 0)
		return r;
	if (o->json)
		printf("{\"type\":\"%s\",\"size\":%llu,\"mtimeMs\":%lld}\n", types[info.type],
		       (unsigned long long)info.size, (long long)info.mtime_ms);
	else
		printf("%s  %llu bytes  changed %lld ms after 1970\n", types[info.type],
		       (unsigned long long)info.size, (long long)info.mtime_ms);
	return 0;
}

static int list_entry(void *data, const char *name, bool is_directory)
{
	struct fs_options *o = data;
	cJSON *row;

	if (!o->json) {
		printf("%s%s\n", name, is_directory ? "/" : "");
		return 0;
	}
	row = cJSON_CreateObject();
	cJSON_AddStringToObject(row, "name", name);
	cJSON_AddBoolToObject(row, "isDirectory", is_directory);
	return cJSON_AddItemToArray(o->list, row) ? 0 : -ENOMEM;
}

static int op_ls(const struct pinfold_fs *fs, struct fs_options *o, const char *const *path)
{
	int r;

	if (o->json)
		o->list = cJSON_CreateArray();
	r = pinfold_fs_list(fs, path[0], list_entry, o, &o->e);
	if (r == 0 && o->json)
		print_value(take_ptr(o->list));
	cJSON_Delete(o->list);
	return r;
}

static const struct operation {
	const char *word;
	int paths;
	int (*run)(const struct pinfold_fs *fs, struct fs_options *o, const char *const *path);
} OPERATIONS[] = {
	{ "read", 1, op_read },   { "write", 1, op_write }, { "create", 1, op_create },
	{ "mkdir", 1, op_mkdir }, { "rm", 1, op_rm },       { "mv", 2, op_mv },
	{ "stat", 1, op_stat },   { "ls", 1, op_ls },
};

/* ---- the verb -------------------------------------------------------------------------------- */

static int load_policy(const struct fs_options *o, struct pinfold_policy **ret)
{
	struct pinfold_error e = { 0 };
	auto_free char *workspace = NULL;
	int r;

	if (o->policy) {
		r = pinfold_policy_load(o->policy, ret, &e);
	} else {
		workspace = realpath(o->workspace ? o->workspace : ".", NULL);
		if (!workspace) {
			complain("fs: cannot open the workspace '%s': %s",
				 o->workspace ? o->workspace : ".", strerror(errno));
			return EXIT_POLICY;
		}
		r = pinfold_policy_default(workspace, ret, &e);
	}
	if (r < 0)
		complain("%s", e.text);
	return r < 0 ? EXIT_POLICY : 0;
}

/* What the operations work with; policy has to live as long as fs. */
struct place {
	struct pinfold_policy *policy;
	struct pinfold_fs *fs;
};

static int open_place(struct fs_options *o, struct place *ret)
{
	struct pinfold_agents *agents = NULL;
	int status;
	int r;

	if (!!o->policy + !!o->workspace + !!o->agent.config > 1) {
		complain("fs: one of --policy, --workspace and --config names the workspace");
		return EXIT_USAGE;
	}
	status = o->agent.config ? agent_options_load(&o->agent, false, &agents)
				 : load_policy(o, &ret->policy);
	if (status)
		return status;
	r = agents ? pinfold_fs_open_call(agents, &o->agent.call, &ret->fs, &o->e)
		   : pinfold_fs_open(ret->policy, &ret->fs, &o->e);
	pinfold_agents_free(agents);
	if (r == 0 && o->log)
		r = pinfold_fs_log(ret->fs, o->log, &o->e);
	if (r == 0)
		return 0;
	complain("fs: %s", o->e.text);
	return r == -EPERM ? EXIT_REFUSED : EXIT_POLICY;
}

static int run(const struct operation *op, struct fs_options *o, const char *const *path)
{
	struct place at = { 0 };
	int status = open_place(o, &at);

	if (status == 0) {
		int r = op->run(at.fs, o, path);

		status = r < 0 ? failed(o, r) : 0;
	}
	pinfold_fs_close(at.fs);
	pinfold_policy_free(at.policy);
	if (fflush(stdout) == 0 || status)
		return status;
	complain("fs: cannot write the result: %s", strerror(errno));
	return EXIT_FAILED;
}

static const struct operation *find_operation(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(OPERATIONS); i++)
		if (strcmp(OPERATIONS[i].word, word) == 0)
			return &OPERATIONS[i];
	return NULL;
}

int verb_fs(int argc, char **argv)
{
	struct fs_options o = { .max = BYTES_DEFAULT };
	const struct operation *op;
	const char *words[3];
	int n = opt_parse_words(find_verb("fs"), argc, argv, &o, words, 3);

	if (n < 0)
		return n == -2 ? 0 : EXIT_USAGE;
	op = n > 0 ? find_operation(words[0]) : NULL;
	if (!op) {
		complain("fs: one of read, write, create, mkdir, rm, mv, stat, ls is wanted; see "
			 "'pinfold fs --help'");
		return EXIT_USAGE;
	}
	/* mkdir makes the directories above anyhow, so that "mkdir -p PATH" means what it says. */
	if (op->run == op_mkdir && n == 1 && o.policy)
		words[n++] = take_ptr(o.policy);
	if (op->run == op_ls && n == 1)
		words[n++] = ".";
	if (n != op->paths + 1) {
		complain("fs: %s takes %s; see 'pinfold fs --help'", op->word,
			 op->paths == 1 ? "one path" : "two paths");
		return EXIT_USAGE;
	}
	return run(op, &o, words + 1);
}
