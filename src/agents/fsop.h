/* SPDX-License-Identifier: MIT */
/*
 * DOC: the file tools' own check.  Every path is opened below one directory (openat2, beneath, no
 * magic links), what was opened is asked for its real name, and a judge says whether the policy has
 * it; only then anything is read or changed, through the descriptor that was judged.  Changing the
 * tree meanwhile changes nothing: a directory that was opened is worked in, wherever it now is.
 *
 * A symlink that stays below may lead to a file that is read and may stand among the directories on
 * the way; as the last name of anything that is changed it is refused.  A file is replaced as a
 * whole, never written in place: other names of it (hard links) keep what they had, and nobody
 * reads a half.
 *
 * As root, everything happens with the file rights of the workspace's owner.
 */
#ifndef PINFOLD_AGENTS_FSOP_H
#define PINFOLD_AGENTS_FSOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct pinfold_error;
struct stat;

#define FSOP_DEPTH_MAX 128         /* directories in each other, when a tree is removed */
#define FSOP_ENTRIES_MAX 1000000   /* of a tree that is moved or removed */
#define FSOP_LIST_MAX 100000       /* entries of one directory */
#define FSOP_BYTES_MAX (1LL << 40) /* of one file, whatever the caller allows */

enum fsop_want { FSOP_READ = 0, FSOP_WRITE };

/* path is absolute and real.  st is of the file itself; NULL when only its name counts.  -EPERM
 * with words: refused. */
typedef int (*fsop_judge)(void *data, const char *path, enum fsop_want want, const struct stat *st,
			  struct pinfold_error *e);

struct fsop {
	int root; /* O_PATH */
	char *given;
	char *path; /* the real one */
	fsop_judge judge;
	void *data;
	uid_t uid; /* whose rights; 0: the process's own */
	gid_t gid;
};

/* workspace is a directory; an absolute path.  fsop_done() it. */
int fsop_open(const char *workspace, fsop_judge judge, void *data, struct fsop *ret,
	      struct pinfold_error *e);
void fsop_done(struct fsop *f);

/*
 * path is relative to the workspace, or absolute and inside.  Errors of all of them:
 *  -EPERM   refused: the judge, a way out of the workspace, a symlink where none may be
 *  -ENOENT  there is none
 *  others   as the kernel has them
 */

/* Copies the file to out.  -EFBIG: it has more than max bytes, of which at most max were copied. */
int fsop_read(const struct fsop *f, const char *path, uint64_t max, int out,
	      struct pinfold_error *e);

enum fsop_write_flag {
	FSOP_EXCLUSIVE = 1, /* -EEXIST when there is anything of that name */
	FSOP_PARENTS = 2,   /* make the directories above */
};

/* Puts everything from in, until its end, in place of the file or makes it.  -EFBIG: more than max
 * bytes came; nothing is changed then. */
int fsop_write(const struct fsop *f, const char *path, uint64_t max, int in, unsigned flags,
	       struct pinfold_error *e);

/* flags: FSOP_PARENTS, with which a directory that exists is no error. */
int fsop_mkdir(const struct fsop *f, const char *path, unsigned flags, struct pinfold_error *e);

enum fsop_remove_flag {
	FSOP_RECURSIVE = 1, /* directories, with all that is in them */
	FSOP_FORCE = 2,     /* nothing there is no error */
};

/* A tree of which one entry may not be changed stays whole. */
int fsop_remove(const struct fsop *f, const char *path, unsigned flags, struct pinfold_error *e);

/* As rename(2): what is at to is replaced. */
int fsop_move(const struct fsop *f, const char *from, const char *to, struct pinfold_error *e);

enum fsop_type { FSOP_OTHER = 0, FSOP_FILE, FSOP_DIRECTORY };

struct fsop_stat {
	enum fsop_type type;
	uint64_t size;
	int64_t mtime_ms;
};

/* Of what a symlink leads to. */
int fsop_stat(const struct fsop *f, const char *path, struct fsop_stat *ret,
	      struct pinfold_error *e);

struct fsop_entry {
	char *name;
	bool is_directory; /* or a symlink to one below the workspace */
};

/* Sorted by name, without "." and "..".  fsop_list_done() it. */
int fsop_list(const struct fsop *f, const char *path, struct fsop_entry **ret, size_t *ret_n,
	      struct pinfold_error *e);
void fsop_list_done(struct fsop_entry *entries, size_t n);

#endif
