/* SPDX-License-Identifier: MIT */
/* Whether a program that is about to run will load a preload at all, from the beginning of its file. */
#include <fcntl.h>
#include <link.h>
#include <linux/capability.h>
#include <linux/xattr.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "children.h"
#include "sys.h"

#define INTERPRETERS 4		/* of scripts, one in another, as the kernel allows */

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#else
#define MACHINE EM_NONE
#endif

/* The part of a file that tells; aligned for its headers. */
struct head {
	union {
		ElfW(Ehdr) elf;
		char text[2048];
	} u;
	long size;		/* read; negative: it cannot be */
	struct stat st;
};

static void read_head(const char *path, struct head *h)
{
	int fd = dlt_sys_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0);

	h->size = fd;
	if (fd < 0)
		return;
	/* Of a pipe nothing may be taken away. */
	if (dlt_sys_fstat(fd, &h->st) == 0 && S_ISREG(h->st.st_mode))
		h->size = dlt_sys(SYS_pread64, fd, (long)h->u.text, sizeof(h->u.text) - 1, 0, 0);
	else
		h->size = -1;
	dlt_sys_close(fd);
}

/* musl's loader ends a program that it cannot load a preload for, and needs another C library for ours. */
static bool is_musl_s(const char *interpreter, size_t size)
{
	const char *end = memchr(interpreter, '\0', size), *name = end ? strrchr(interpreter, '/') : NULL;

	return name && strncmp(name, "/ld-musl-", 9) == 0;
}

static enum dlt_reach reach_of(const struct head *h)
{
	const ElfW(Ehdr) *e = &h->u.elf;
	const ElfW(Phdr) *p = (const ElfW(Phdr) *)(h->u.text + e->e_phoff);
	uint64_t size = (uint64_t)h->size;

	/* What cannot be told is taken for an ordinary program. */
	if (e->e_phoff % _Alignof(ElfW(Phdr)) || e->e_phentsize != sizeof(*p) ||
	    e->e_phoff > size || e->e_phnum > (size - e->e_phoff) / sizeof(*p))
		return DLT_REACHED;
	for (unsigned i = 0; i < e->e_phnum; i++)
		if (p[i].p_type == PT_INTERP)
			return p[i].p_offset < size && is_musl_s(h->u.text + p[i].p_offset, size - p[i].p_offset) ?
			       DLT_OF_OTHER_KIND : DLT_REACHED;
	return DLT_NOT_REACHED;
}

/* The interpreter of a script, in place; NULL: it is none. */
static const char *interpreter_of(struct head *h)
{
	char *text = h->u.text + 2;

	h->u.text[h->size] = '\0';
	if (h->size < 3 || h->u.text[0] != '#' || h->u.text[1] != '!')
		return NULL;
	text += strspn(text, " \t");
	text[strcspn(text, " \t\n")] = '\0';
	return *text == '/' ? text : NULL;
}

/* Of 32 bits on a machine of 64, or of another one that an emulator runs. Both stand alike in either word size. */
static bool is_of_other_kind(const ElfW(Ehdr) *e)
{
	return e->e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
	       (MACHINE != EM_NONE && e->e_machine != MACHINE);
}

/* What setcap has given it; who is root has no more by that. */
static bool has_capabilities(const char *path)
{
	struct vfs_cap_data data = { .magic_etc = 0 };
	long size = 0;

	if (dlt_sys_user())
		size = dlt_sys(SYS_getxattr, (long)path, (long)XATTR_NAME_CAPS, (long)&data, sizeof(data), 0);
	if (size < (long)XATTR_CAPS_SZ_1)
		return false;
	return data.data[0].permitted || data.data[1].permitted;
}

static bool gains_rights(const char *path, const struct stat *st)
{
	bool gains = (st->st_mode & S_ISUID && st->st_uid != dlt_sys_user()) ||
		     (st->st_mode & S_ISGID && st->st_gid != dlt_sys_group()) || has_capabilities(path);

	return gains && dlt_sys(SYS_prctl, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1;
}

enum dlt_reach dlt_children_reach(const char *path)
{
	struct head heads[2];	/* a script's interpreter stands in the other one */

	for (int i = 0; path && strchr(path, '/') && i < INTERPRETERS; i++) {
		struct head *h = &heads[i % 2];

		read_head(path, h);
		if (h->size < (long)sizeof(h->u.elf) || memcmp(h->u.text, ELFMAG, SELFMAG) != 0) {
			path = h->size > 0 ? interpreter_of(h) : NULL;
			continue;
		}
		/* Of such a one ld.so takes no path, and says nothing. */
		if (gains_rights(path, &h->st))
			return DLT_NOT_REACHED;
		if (is_of_other_kind(&h->u.elf))
			return DLT_OF_OTHER_KIND;
		return reach_of(h);
	}
	return DLT_REACHED;
}
