/* SPDX-License-Identifier: MIT */
#include "session/explain_file.h"

#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define SEGMENTS_MAX 64
#define DYNAMIC_MAX 512
#define LINE_MAX_BYTES 255 /* what the kernel looks at: BINPRM_BUF_SIZE less its NUL */

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#define MACHINE_NARROW EM_386
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#define MACHINE_NARROW EM_ARM
#else
#define MACHINE EM_NONE /* not known here: nothing is called foreign */
#define MACHINE_NARROW EM_NONE
#endif

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define BYTE_ORDER_HERE ELFDATA2LSB
#else
#define BYTE_ORDER_HERE ELFDATA2MSB
#endif

/* The members of both forms that matter here. */
struct elf {
	int fd;
	bool wide; /* 64 bit */
	uint16_t machine;
	uint64_t segments; /* file offset of the table */
	size_t n_segments;
};

struct segment {
	uint32_t type;
	uint64_t offset;
	uint64_t address;
	uint64_t size;
};

static bool read_at(int fd, uint64_t offset, void *ret, size_t size)
{
	if (offset > INT64_MAX - size)
		return false;
	return pread(fd, ret, size, (off_t)offset) == (ssize_t)size;
}

/* A NUL-terminated text; empty when it is too long or not there. */
static void read_text(int fd, uint64_t offset, char ret[static EXPLAIN_TEXT_MAX])
{
	ssize_t n;

	ret[0] = '\0';
	if (offset > INT64_MAX - EXPLAIN_TEXT_MAX)
		return;
	n = pread(fd, ret, EXPLAIN_TEXT_MAX, (off_t)offset);
	if (n <= 0 || !memchr(ret, '\0', (size_t)n))
		ret[0] = '\0';
}

/* ---- scripts -------------------------------------------------------------------------------- */

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, " \t");
}

/* line begins behind "#!" and is a string without newline. */
static void parse_script(char *line, struct explain_head *ret)
{
	const char *at = skip_blanks(line);
	size_t len = strlen(line);
	size_t n;

	ret->kind = EXPLAIN_SCRIPT;
	ret->ends_in_cr = len > 0 && line[len - 1] == '\r';
	while (len > 0 && strchr(" \t\r", line[len - 1]))
		line[--len] = '\0';
	n = strcspn(at, " \t");
	memcpy(ret->interpreter, at, n);
	ret->interpreter[n] = '\0';
	at = skip_blanks(at + n);
	memcpy(ret->argument, at, strlen(at) + 1);
}

static bool read_script(int fd, struct explain_head *ret)
{
	char line[LINE_MAX_BYTES + 1];
	ssize_t n = pread(fd, line, LINE_MAX_BYTES, 0);

	_Static_assert(LINE_MAX_BYTES < EXPLAIN_TEXT_MAX, "its parts fit");
	if (n < 2 || line[0] != '#' || line[1] != '!')
		return false;
	line[n] = '\0';
	line[strcspn(line, "\n")] = '\0';
	parse_script(line + 2, ret);
	return true;
}

/* ---- programs ------------------------------------------------------------------------------- */

static bool read_elf(int fd, struct elf *ret)
{
	union {
		Elf64_Ehdr wide;
		Elf32_Ehdr narrow;
	} h = { 0 };

	if (!read_at(fd, 0, &h.narrow, sizeof(h.narrow)) ||
	    memcmp(h.narrow.e_ident, ELFMAG, SELFMAG) != 0)
		return false;
	*ret = (struct elf){ .fd = fd, .wide = h.narrow.e_ident[EI_CLASS] == ELFCLASS64 };
	if (h.narrow.e_ident[EI_DATA] != BYTE_ORDER_HERE)
		return true; /* no machine: foreign */
	if (ret->wide && !read_at(fd, 0, &h.wide, sizeof(h.wide)))
		return false;
	ret->machine = h.narrow.e_machine; /* at the same place in both */
	ret->segments = ret->wide ? h.wide.e_phoff : h.narrow.e_phoff;
	ret->n_segments = ret->wide ? h.wide.e_phnum : h.narrow.e_phnum;
	if (ret->n_segments > SEGMENTS_MAX)
		ret->n_segments = SEGMENTS_MAX;
	return true;
}

static bool read_segment(const struct elf *f, size_t i, struct segment *ret)
{
	Elf64_Phdr wide;
	Elf32_Phdr narrow;
	uint64_t at = 0;

	if (__builtin_add_overflow(f->segments, i * (f->wide ? sizeof(wide) : sizeof(narrow)), &at))
		return false;
	if (f->wide) {
		if (!read_at(f->fd, at, &wide, sizeof(wide)))
			return false;
		*ret = (struct segment){ wide.p_type, wide.p_offset, wide.p_vaddr, wide.p_filesz };
		return true;
	}
	if (!read_at(f->fd, at, &narrow, sizeof(narrow)))
		return false;
	*ret = (struct segment){ narrow.p_type, narrow.p_offset, narrow.p_vaddr, narrow.p_filesz };
	return true;
}

static bool find_segment(const struct elf *f, uint32_t type, struct segment *ret)
{
	for (size_t i = 0; i < f->n_segments; i++)
		if (read_segment(f, i, ret) && ret->type == type)
			return true;
	return false;
}

/* The file offset of what is loaded at address. */
static bool find_offset(const struct elf *f, uint64_t address, uint64_t *ret)
{
	struct segment s;

	for (size_t i = 0; i < f->n_segments; i++) {
		if (!read_segment(f, i, &s) || s.type != PT_LOAD || address < s.address ||
		    address - s.address >= s.size)
			continue;
		return !__builtin_add_overflow(s.offset, address - s.address, ret);
	}
	return false;
}

/* Entry i of the dynamic segment; false at its end. */
static bool read_dynamic(const struct elf *f, const struct segment *s, size_t i, int64_t *ret_tag,
			 uint64_t *ret_value)
{
	size_t size = f->wide ? sizeof(Elf64_Dyn) : sizeof(Elf32_Dyn);
	uint64_t at = 0;
	Elf64_Dyn wide;
	Elf32_Dyn narrow;

	if (i >= DYNAMIC_MAX || i >= s->size / size ||
	    __builtin_add_overflow(s->offset, i * size, &at))
		return false;
	if (f->wide) {
		if (!read_at(f->fd, at, &wide, sizeof(wide)))
			return false;
		*ret_tag = wide.d_tag;
		*ret_value = wide.d_un.d_val;
	} else {
		if (!read_at(f->fd, at, &narrow, sizeof(narrow)))
			return false;
		*ret_tag = narrow.d_tag;
		*ret_value = narrow.d_un.d_val;
	}
	return *ret_tag != DT_NULL;
}

static bool find_strings(const struct elf *f, const struct segment *s, uint64_t *ret)
{
	uint64_t value;
	int64_t tag;

	for (size_t i = 0; read_dynamic(f, s, i, &tag, &value); i++)
		if (tag == DT_STRTAB)
			return find_offset(f, value, ret);
	return false;
}

static void note_dynamic(const struct elf *f, int64_t tag, uint64_t at, struct explain_needs *ret)
{
	if (tag == DT_NEEDED && ret->n < EXPLAIN_NEEDS_MAX) {
		read_text(f->fd, at, ret->library[ret->n]);
		ret->n += ret->library[ret->n][0] != '\0';
	}
	if (tag == DT_RUNPATH || (tag == DT_RPATH && !ret->run_path[0]))
		read_text(f->fd, at, ret->run_path);
}

static bool is_foreign(const struct elf *f)
{
	uint16_t here = f->wide ? MACHINE : MACHINE_NARROW;

	return MACHINE != EM_NONE && f->machine != here;
}

void explain_read_head(int fd, struct explain_head *ret)
{
	struct segment s;
	struct elf f;

	*ret = (struct explain_head){ 0 };
	if (read_script(fd, ret) || !read_elf(fd, &f))
		return;
	ret->kind = is_foreign(&f) ? EXPLAIN_FOREIGN : EXPLAIN_PROGRAM;
	if (find_segment(&f, PT_INTERP, &s))
		read_text(fd, s.offset, ret->interpreter);
}

void explain_read_needs(int fd, struct explain_needs *ret)
{
	struct segment s;
	struct elf f;
	uint64_t strings;
	uint64_t value;
	int64_t tag;

	ret->n = 0;
	ret->run_path[0] = '\0';
	if (!read_elf(fd, &f) || is_foreign(&f) || !find_segment(&f, PT_DYNAMIC, &s) ||
	    !find_strings(&f, &s, &strings))
		return;
	for (size_t i = 0; read_dynamic(&f, &s, i, &tag, &value); i++) {
		uint64_t at = 0;

		if (!__builtin_add_overflow(strings, value, &at))
			note_dynamic(&f, tag, at, ret);
	}
}
