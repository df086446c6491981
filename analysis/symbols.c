/* SPDX-License-Identifier: MIT */
/* Tables of functions of the files that were asked for, each read once, sorted by address. */
#include "analysis/symbols.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef HAVE_LIBELF
#include <gelf.h>
#endif

#include "analysis/model/memory.h"

struct symbol {
	uint64_t begin, size;
	const char *name;		/* owned */
};

struct file {
	const char *path, *build_id;	/* borrowed from the model */
	uint64_t size;			/* of its mapping, as the trace has it */
	uint64_t base;			/* the address in the file of what is mapped first */
	struct symbol *list;		/* owned */
	size_t count, capacity;
};

struct symbols {
	struct file *files;		/* owned */
	size_t count, capacity;
};

struct symbols *symbols_new(void)
{
	return xcalloc(1, sizeof(struct symbols));
}

void symbols_free(struct symbols *s)
{
	for (size_t i = 0; s && i < s->count; i++) {
		for (size_t k = 0; k < s->files[i].count; k++)
			free((char *)s->files[i].list[k].name);
		free(s->files[i].list);
	}
	if (s)
		free(s->files);
	free(s);
}

#ifdef HAVE_LIBELF

#define PAGE 4096
#define BUILD_ID_MOST 64	/* bytes */

static int compare(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->begin != y->begin)
		return (x->begin > y->begin) - (x->begin < y->begin);
	if (x->size != y->size)
		return (x->size > y->size) - (x->size < y->size);
	return strcmp(x->name, y->name);
}

static void add_symbols(struct file *f, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym symbol;

	for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
		const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);

		if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF || !symbol.st_size ||
		    !name || !*name)
			continue;
		f->list = xgrow(f->list, f->count, &f->capacity, sizeof(*f->list));
		f->list[f->count++] = (struct symbol){
			symbol.st_value, symbol.st_size, xcheck(strdup(name), strlen(name) + 1),
		};
	}
}

/* All of its symbols where they are still there, else those that others may bind to. */
static void read_symbols(struct file *f, Elf *elf)
{
	static const GElf_Word kinds[] = { SHT_SYMTAB, SHT_DYNSYM };

	for (size_t i = 0; i < 2 && !f->count; i++) {
		Elf_Scn *section = NULL;
		GElf_Shdr header;

		while ((section = elf_nextscn(elf, section)))
			if (gelf_getshdr(section, &header) && header.sh_type == kinds[i])
				add_symbols(f, elf, section, &header);
	}
	if (f->count)
		qsort(f->list, f->count, sizeof(*f->list), compare);
}

/* Hexadecimal; "": it has none. */
static void read_build_id(Elf *elf, const GElf_Phdr *p, char *hex)
{
	Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)p->p_offset, p->p_filesz, ELF_T_NHDR);
	size_t at = 0, next, name, content;
	GElf_Nhdr note;

	while (data && (next = gelf_getnote(data, at, &note, &name, &content))) {
		const unsigned char *bytes = (const unsigned char *)data->d_buf + content;

		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz <= BUILD_ID_MOST)
			for (GElf_Word i = 0; i < note.n_descsz; i++)
				sprintf(hex + (size_t)2 * i, "%02x", bytes[i]);
		at = next;
	}
}

/* Is it what the process had mapped? */
static bool is_same(struct file *f, Elf *elf)
{
	char hex[2 * BUILD_ID_MOST + 1] = "";
	uint64_t end = 0;
	size_t count = 0;
	bool any = false;
	GElf_Phdr p;

	elf_getphdrnum(elf, &count);
	for (size_t i = 0; i < count && gelf_getphdr(elf, (int)i, &p); i++) {
		if (p.p_type == PT_NOTE)
			read_build_id(elf, &p, hex);
		if (p.p_type != PT_LOAD)
			continue;
		if (!any)
			f->base = p.p_vaddr & ~(uint64_t)(PAGE - 1);
		any = true;
		end = p.p_vaddr + p.p_memsz;
	}
	/* A library that was said again, as of a forked child, has no build id in the trace. */
	if (*f->build_id)
		return !strcmp(f->build_id, hex);
	return any && (end - f->base + PAGE - 1) / PAGE == (f->size + PAGE - 1) / PAGE;
}

/* A trace may name anything: only a regular file is opened. */
static void read_file(struct file *f)
{
	int fd = open(f->path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	Elf *elf = NULL;

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && elf_version(EV_CURRENT) != EV_NONE)
		elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF && is_same(f, elf))
		read_symbols(f, elf);
	if (elf)
		elf_end(elf);
	if (fd >= 0)
		close(fd);
}

#else

static void read_file(struct file *f)
{
	(void)f;
}

#endif

static const struct file *file_of(struct symbols *s, const struct library *l)
{
	struct file *f;

	for (size_t i = 0; i < s->count; i++)
		if (!strcmp(s->files[i].path, l->path) && !strcmp(s->files[i].build_id, l->build_id) &&
		    s->files[i].size == l->size)
			return &s->files[i];
	s->files = xgrow(s->files, s->count, &s->capacity, sizeof(*s->files));
	f = &s->files[s->count++];
	*f = (struct file){ .path = l->path, .build_id = l->build_id, .size = l->size };
	read_file(f);
	return f;
}

const char *symbols_find(struct symbols *s, const struct library *l, uint64_t offset)
{
	const struct file *f = file_of(s, l);
	uint64_t address = f->base + offset;
	size_t low = 0, high = f->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (f->list[middle].begin <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address - f->list[low - 1].begin < f->list[low - 1].size ? f->list[low - 1].name : NULL;
}
