/* SPDX-License-Identifier: MIT */
/* Landlock's kernel interface up to ABI 10 (Linux 7.2), because the headers of a build machine are
 * often older than the kernel that the program runs on.  Values from include/uapi/linux/landlock.h.
 */
#ifndef PINFOLD_FS_LANDLOCK_ABI_H
#define PINFOLD_FS_LANDLOCK_ABI_H

#include <stddef.h>
#include <stdint.h>

#define LL_CREATE_RULESET_VERSION (1u << 0)

#define LL_RULE_PATH_BENEATH 1

#define LL_FS_EXECUTE (1ull << 0)
#define LL_FS_WRITE_FILE (1ull << 1)
#define LL_FS_READ_FILE (1ull << 2)
#define LL_FS_READ_DIR (1ull << 3)
#define LL_FS_REMOVE_DIR (1ull << 4)
#define LL_FS_REMOVE_FILE (1ull << 5)
#define LL_FS_MAKE_CHAR (1ull << 6)
#define LL_FS_MAKE_DIR (1ull << 7)
#define LL_FS_MAKE_REG (1ull << 8)
#define LL_FS_MAKE_SOCK (1ull << 9)
#define LL_FS_MAKE_FIFO (1ull << 10)
#define LL_FS_MAKE_BLOCK (1ull << 11)
#define LL_FS_MAKE_SYM (1ull << 12)
#define LL_FS_REFER (1ull << 13)        /* ABI 2, Linux 5.19 */
#define LL_FS_TRUNCATE (1ull << 14)     /* ABI 3, Linux 6.2 */
#define LL_FS_IOCTL_DEV (1ull << 15)    /* ABI 5, Linux 6.10 */
#define LL_FS_RESOLVE_UNIX (1ull << 16) /* ABI 9, Linux 7.1 */

#define LL_SCOPE_ABSTRACT_UNIX_SOCKET (1ull << 0) /* ABI 6, Linux 6.12 */
#define LL_SCOPE_SIGNAL (1ull << 1)               /* ABI 6, Linux 6.12 */

/* Records denials of programs executed later, too.  ABI 7, Linux 6.15. */
#define LL_RESTRICT_SELF_LOG_NEW_EXEC_ON (1u << 1)

struct ll_ruleset_attr {
	uint64_t handled_access_fs;
	uint64_t handled_access_net; /* since ABI 4 */
	uint64_t scoped;             /* since ABI 6 */
};

struct ll_path_beneath_attr {
	uint64_t allowed_access;
	int32_t parent_fd;
} __attribute__((packed));

/* The system calls; each returns what the kernel does, or -1 and errno. */
int ll_create_ruleset(const struct ll_ruleset_attr *attr, size_t size, unsigned flags);
int ll_add_rule(int ruleset, unsigned type, const void *attr, unsigned flags);
int ll_restrict_self(int ruleset, unsigned flags);

#endif
