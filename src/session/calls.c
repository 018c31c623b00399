/* SPDX-License-Identifier: MIT */
#include "session/calls.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <linux/openat2.h>
#include <linux/seccomp.h>

#include "base/clean.h"

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452 /* since Linux 6.6 */
#endif

enum arg { NO_ARG = 0, ARG0, ARG1, ARG2, ARG3, ARG4, ARG5 };

enum shape {
	SHAPE_PATH = 0, /* flags: AT_SYMLINK_NOFOLLOW and the like */
	SHAPE_LINK,     /* a symlink at the end is meant itself */
	SHAPE_OPEN,     /* flags: O_ */
	SHAPE_OPEN_HOW, /* flags: a pointer to struct open_how */
	SHAPE_CREAT,
	SHAPE_UNLINK, /* flags: AT_REMOVEDIR */
	SHAPE_TWO,    /* the path at dir2, path2 comes into being */
	SHAPE_FD,     /* the descriptor `dir` alone */
	SHAPE_SOCKET, /* a struct sockaddr at `path`, its size in `flags` */
	SHAPES,
};

struct row {
	struct notify_call call;
	enum shape shape;
	unsigned need; /* of the first path */
	enum arg dir;
	enum arg path;
	enum arg flags;
	enum arg dir2;
	enum arg path2;
	const char *word;
};

/* An empty path with a descriptor is fstat(2) in disguise, and very frequent. */
#define NOT_EMPTY(arg)                                                                             \
	{                                                                                          \
		{                                                                                  \
			arg, AT_EMPTY_PATH, NOTIFY_WHEN_NONE                                       \
		}                                                                                  \
	}
#define GIVEN(arg)                                                                                 \
	{                                                                                          \
		{                                                                                  \
			arg, UINT32_MAX, NOTIFY_WHEN_ANY                                           \
		}                                                                                  \
	}
#define AS_CODE                                                                                    \
	{                                                                                          \
		{ 2, PROT_EXEC, NOTIFY_WHEN_ANY },                                                 \
		{                                                                                  \
			3, MAP_ANONYMOUS, NOTIFY_WHEN_NONE                                         \
		}                                                                                  \
	}

/* clang-format off */
static const struct row rows[] = {
#ifdef SYS_open /* calls of older architectures */
	{ .call = { SYS_open }, .shape = SHAPE_OPEN, .path = ARG0, .flags = ARG1 },
	{ .call = { SYS_creat }, .shape = SHAPE_CREAT, .path = ARG0 },
	{ .call = { SYS_stat }, .shape = SHAPE_PATH, .need = CALL_LOOK, .path = ARG0 },
	{ .call = { SYS_lstat }, .shape = SHAPE_LINK, .need = CALL_LOOK, .path = ARG0 },
	{ .call = { SYS_access }, .shape = SHAPE_PATH, .need = CALL_LOOK, .path = ARG0 },
	{ .call = { SYS_readlink }, .shape = SHAPE_LINK, .need = CALL_LOOK, .path = ARG0 },
	{ .call = { SYS_mkdir }, .shape = SHAPE_LINK, .need = CALL_MAKE, .path = ARG0, .word = "fs.make_dir" },
	{ .call = { SYS_mknod }, .shape = SHAPE_LINK, .need = CALL_MAKE, .path = ARG0, .word = "fs.make_reg" },
	{ .call = { SYS_rmdir }, .shape = SHAPE_LINK, .need = CALL_REMOVE, .path = ARG0, .word = "fs.remove_dir" },
	{ .call = { SYS_unlink }, .shape = SHAPE_LINK, .need = CALL_REMOVE, .path = ARG0, .word = "fs.remove_file" },
	{ .call = { SYS_symlink }, .shape = SHAPE_LINK, .need = CALL_MAKE, .path = ARG1, .word = "fs.make_sym" },
	{ .call = { SYS_link }, .shape = SHAPE_TWO, .need = CALL_LOOK, .path = ARG0, .path2 = ARG1 },
	{ .call = { SYS_rename }, .shape = SHAPE_TWO, .need = CALL_REMOVE, .path = ARG0, .path2 = ARG1 },
	{ .call = { SYS_renameat }, .shape = SHAPE_TWO, .need = CALL_REMOVE, .dir = ARG0, .path = ARG1, .dir2 = ARG2, .path2 = ARG3 },
	{ .call = { SYS_chmod }, .shape = SHAPE_PATH, .need = CALL_CHANGE, .path = ARG0 },
	{ .call = { SYS_chown }, .shape = SHAPE_PATH, .need = CALL_CHANGE, .path = ARG0 },
	{ .call = { SYS_lchown }, .shape = SHAPE_LINK, .need = CALL_CHANGE, .path = ARG0 },
	{ .call = { SYS_utime }, .shape = SHAPE_PATH, .need = CALL_CHANGE, .path = ARG0 },
	{ .call = { SYS_utimes }, .shape = SHAPE_PATH, .need = CALL_CHANGE, .path = ARG0 },
	{ .call = { SYS_futimesat, GIVEN(1) }, .shape = SHAPE_PATH, .need = CALL_CHANGE, .dir = ARG0, .path = ARG1 },
	{ .call = { SYS_newfstatat, NOT_EMPTY(3) }, .shape = SHAPE_PATH, .need = CALL_LOOK, .dir = ARG0, .path = ARG1, .flags = ARG3 },
#endif
	{ .call = { SYS_openat }, .shape = SHAPE_OPEN, .dir = ARG0, .path = ARG1, .flags = ARG2 },
	{ .call = { SYS_openat2 }, .shape = SHAPE_OPEN_HOW, .dir = ARG0, .path = ARG1, .flags = ARG2 },
	{ .call = { SYS_execve }, .shape = SHAPE_PATH, .need = CALL_EXEC, .path = ARG0 },
	{ .call = { SYS_execveat }, .shape = SHAPE_PATH, .need = CALL_EXEC, .dir = ARG0, .path = ARG1, .flags = ARG4 },
	{ .call = { SYS_mmap, AS_CODE }, .shape = SHAPE_FD, .need = CALL_EXEC, .dir = ARG4 },
	{ .call = { SYS_statx, NOT_EMPTY(2) }, .shape = SHAPE_PATH, .need = CALL_LOOK, .dir = ARG0, .path = ARG1, .flags = ARG2 },
	{ .call = { SYS_faccessat }, .shape = SHAPE_PATH, .need = CALL_LOOK, .dir = ARG0, .path = ARG1 },
	{ .call = { SYS_faccessat2, NOT_EMPTY(3) }, .shape = SHAPE_PATH, .need = CALL_LOOK, .dir = ARG0, .path = ARG1, .flags = ARG3 },
	{ .call = { SYS_readlinkat }, .shape = SHAPE_LINK, .need = CALL_LOOK, .dir = ARG0, .path = ARG1 },
	{ .call = { SYS_chdir }, .shape = SHAPE_PATH, .need = CALL_LOOK, .path = ARG0 },
	{ .call = { SYS_truncate }, .shape = SHAPE_PATH, .need = CALL_WRITE, .path = ARG0, .word = "fs.truncate" },
	{ .call = { SYS_mkdirat }, .shape = SHAPE_LINK, .need = CALL_MAKE, .dir = ARG0, .path = ARG1, .word = "fs.make_dir" },
	{ .call = { SYS_mknodat }, .shape = SHAPE_LINK, .need = CALL_MAKE, .dir = ARG0, .path = ARG1, .word = "fs.make_reg" },
	{ .call = { SYS_unlinkat }, .shape = SHAPE_UNLINK, .need = CALL_REMOVE, .dir = ARG0, .path = ARG1, .flags = ARG2 },
	{ .call = { SYS_symlinkat }, .shape = SHAPE_LINK, .need = CALL_MAKE, .dir = ARG1, .path = ARG2, .word = "fs.make_sym" },
	{ .call = { SYS_linkat }, .shape = SHAPE_TWO, .need = CALL_LOOK, .dir = ARG0, .path = ARG1, .dir2 = ARG2, .path2 = ARG3 },
	{ .call = { SYS_renameat2 }, .shape = SHAPE_TWO, .need = CALL_REMOVE, .dir = ARG0, .path = ARG1, .dir2 = ARG2, .path2 = ARG3 },
	{ .call = { SYS_fchmodat }, .shape = SHAPE_PATH, .need = CALL_CHANGE, .dir = ARG0, .path = ARG1 },
	{ .call = { SYS_fchmodat2, NOT_EMPTY(3) }, .shape = SHAPE_PATH, .need = CALL_CHANGE, .dir = ARG0, .path = ARG1, .flags = ARG3 },
	{ .call = { SYS_fchownat, NOT_EMPTY(4) }, .shape = SHAPE_PATH, .need = CALL_CHANGE, .dir = ARG0, .path = ARG1, .flags = ARG4 },
	{ .call = { SYS_utimensat, GIVEN(1) }, .shape = SHAPE_PATH, .need = CALL_CHANGE, .dir = ARG0, .path = ARG1, .flags = ARG3 },
	{ .call = { SYS_connect }, .shape = SHAPE_SOCKET, .need = CALL_SOCKET, .path = ARG1, .flags = ARG2, .word = "connect" },
	{ .call = { SYS_sendto, GIVEN(4) }, .shape = SHAPE_SOCKET, .need = CALL_SOCKET, .path = ARG4, .flags = ARG5, .word = "sendmsg" },
	{ .call = { SYS_bind }, .shape = SHAPE_SOCKET, .need = CALL_MAKE, .path = ARG1, .flags = ARG2, .word = "fs.make_sock" },
};
/* clang-format on */

_Static_assert(ARRAY_SIZE(rows) <= CALLS_MAX, "room for every call");

size_t calls_watched(struct notify_call ret[static CALLS_MAX])
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		ret[i] = rows[i].call;
	return ARRAY_SIZE(rows);
}

struct decoding {
	const struct row *row;
	const struct seccomp_data *data;
	call_memory memory;
	void *memory_data;
	struct call *call;
};

static uint64_t arg_of(const struct decoding *d, enum arg a)
{
	return a == NO_ARG ? 0 : d->data->args[a - 1];
}

static int dir_of(const struct decoding *d, enum arg a)
{
	return a == NO_ARG ? AT_FDCWD : (int)(uint32_t)d->data->args[a - 1];
}

static struct call_path *add_path(const struct decoding *d, unsigned need)
{
	struct call_path *p = &d->call->path[d->call->n++];

	*p = (struct call_path){
		.need = need,
		.word = d->row->word,
		.dirfd = dir_of(d, d->row->dir),
		.text = arg_of(d, d->row->path),
	};
	return p;
}

static int decode_path(const struct decoding *d)
{
	struct call_path *p = add_path(d, d->row->need);
	uint64_t flags = arg_of(d, d->row->flags);

	p->keeps_link = flags & AT_SYMLINK_NOFOLLOW;
	p->may_be_empty = flags & AT_EMPTY_PATH;
	return 0;
}

static int decode_link(const struct decoding *d)
{
	struct call_path *p = add_path(d, d->row->need);

	p->keeps_link = true;
	p->is_exclusive = true;
	return 0;
}

static int add_open(const struct decoding *d, uint64_t flags)
{
	static const unsigned by_access[] = {
		[O_RDONLY] = CALL_READ,
		[O_WRONLY] = CALL_WRITE,
		[O_RDWR] = CALL_READ | CALL_WRITE,
		[O_ACCMODE] = CALL_LOOK, /* for ioctl(2) alone */
	};
	struct call_path *p = add_path(d, by_access[flags & O_ACCMODE]);

	p->keeps_link = flags & O_NOFOLLOW;
	if (flags & O_PATH) {
		p->need = CALL_LOOK;
		return 0;
	}
	if (flags & O_TRUNC)
		p->need |= CALL_WRITE;
	if ((flags & O_TMPFILE) == O_TMPFILE)
		p->need |= CALL_WRITE;
	else if (flags & O_CREAT)
		p->need |= CALL_MAKE;
	p->is_exclusive = (flags & O_CREAT) && (flags & O_EXCL);
	return 0;
}

static int decode_open(const struct decoding *d)
{
	return add_open(d, arg_of(d, d->row->flags));
}

static int decode_open_how(const struct decoding *d)
{
	struct open_how how;
	int r = d->memory(d->memory_data, arg_of(d, d->row->flags), &how, sizeof(how));

	return r < 0 ? r : add_open(d, how.flags);
}

static int decode_creat(const struct decoding *d)
{
	return add_open(d, O_CREAT | O_WRONLY | O_TRUNC);
}

static int decode_unlink(const struct decoding *d)
{
	struct call_path *p = add_path(d, CALL_REMOVE);

	p->keeps_link = true;
	p->word = arg_of(d, d->row->flags) & AT_REMOVEDIR ? "fs.remove_dir" : "fs.remove_file";
	return 0;
}

static int decode_two(const struct decoding *d)
{
	struct call_path *from = add_path(d, d->row->need);
	bool is_rename = d->row->need == CALL_REMOVE;
	struct call_path *to = add_path(d, is_rename ? CALL_MAKE | CALL_REMOVE : CALL_MAKE);

	from->keeps_link = true;
	to->keeps_link = true;
	to->is_exclusive = !is_rename;
	to->dirfd = dir_of(d, d->row->dir2);
	to->text = arg_of(d, d->row->path2);
	return 0;
}

static int decode_fd(const struct decoding *d)
{
	add_path(d, d->row->need)->text = 0;
	return 0;
}

static int decode_socket(const struct decoding *d)
{
	add_path(d, d->row->need)->is_exclusive = true;
	d->call->address = arg_of(d, d->row->path);
	d->call->address_size = (uint32_t)arg_of(d, d->row->flags);
	return 0;
}

int call_decode(const struct seccomp_data *data, call_memory memory, void *memory_data,
		struct call *ret)
{
	static int (*const decode[])(const struct decoding *d) = {
		[SHAPE_PATH] = decode_path,     [SHAPE_LINK] = decode_link,
		[SHAPE_OPEN] = decode_open,     [SHAPE_OPEN_HOW] = decode_open_how,
		[SHAPE_CREAT] = decode_creat,   [SHAPE_UNLINK] = decode_unlink,
		[SHAPE_TWO] = decode_two,       [SHAPE_FD] = decode_fd,
		[SHAPE_SOCKET] = decode_socket,
	};
	struct decoding d = {
		.data = data,
		.memory = memory,
		.memory_data = memory_data,
		.call = ret,
	};

	_Static_assert(ARRAY_SIZE(decode) == SHAPES, "one function for every shape");
	*ret = (struct call){ .n = 0 };
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].call.nr != data->nr)
			continue;
		d.row = &rows[i];
		return decode[rows[i].shape](&d);
	}
	return -EINVAL;
}
