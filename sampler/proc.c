/* SPDX-License-Identifier: MIT */
/* /proc, by plain system calls. */
#include "proc.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int open_read(const char *path)
{
	return (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0);
}

static void shut(int fd)
{
	syscall(SYS_close, fd);
}

/* How a file is read from its beginning: into `text` of `size` bytes, with a NUL behind. Bytes read, or -errno. */
typedef long (*read_fn)(int fd, char *text, size_t size);

/* One read: these files are made as a whole, when they are read from their beginning. */
static long read_beginning(int fd, char *text, size_t size)
{
	long n = syscall(SYS_pread64, fd, text, size - 1, 0l);

	text[n > 0 ? n : 0] = '\0';
	return n < 0 ? -errno : n;
}

/*
 * A status file, of which the middle may be left out: a user of a site's directory can be in more groups than fit, and
 * what is asked for stands before that line or behind it.
 */
static long read_status_from(int fd, char *text, size_t size)
{
	const size_t head = size / 4;
	size_t used = 0, offset = 0;
	long n;

	while ((n = syscall(SYS_pread64, fd, text + used, size - 1 - used, offset)) > 0) {
		offset += (size_t)n;
		used += (size_t)n;
		if (used < size - 1)
			break;
		memmove(text + head, text + 2 * head, used - 2 * head);
		used -= head;
	}
	text[used] = '\0';
	return used ? (long)used : n < 0 ? -errno : 0;
}

static long read_once(const char *path, read_fn how, char *text, size_t size)
{
	int fd = open_read(path);
	long n;

	text[0] = '\0';
	if (fd < 0)
		return -errno;
	n = how(fd, text, size);
	shut(fd);
	return n;
}

long proc_read(const char *path, char *text, size_t size)
{
	return read_once(path, read_beginning, text, size);
}

static long read_status(const char *path, char *text, size_t size)
{
	return read_once(path, read_status_from, text, size);
}

long proc_link(const char *path, char *text, size_t size)
{
	long n = syscall(SYS_readlinkat, AT_FDCWD, path, text, size - 1);

	text[n > 0 ? n : 0] = '\0';
	return n;
}

/* ---- files that stay open -------------------------------------------------------------------- */

static unsigned keeping, keep_most;

void proc_keep(unsigned most)
{
	keep_most = most;
}

void proc_file_close(struct proc_file *f)
{
	if (!f->kept)
		return;
	shut(f->kept - 1);
	f->kept = 0;
	keeping--;
}

static void keep_or_shut(struct proc_file *f, int fd)
{
	if (keeping >= keep_most) {
		shut(fd);
		return;
	}
	f->kept = fd + 1;
	keeping++;
}

/* A file of the thread, or of the process where that is 0. What was kept of somebody who has ended is opened anew. */
static long read_again(struct proc_file *f, pid_t pid, pid_t thread, const char *file, read_fn how, char *text,
		       size_t size)
{
	long n = f->kept ? how(f->kept - 1, text, size) : -EBADF;
	char path[64];
	int fd;

	if (n > 0)
		return n;
	proc_file_close(f);
	proc_path(pid, thread, file, path, sizeof(path));
	fd = open_read(path);
	if (fd < 0)
		return -errno;
	n = how(fd, text, size);
	keep_or_shut(f, fd);
	return n;
}

/* ---- what stands in them --------------------------------------------------------------------- */

/* The fields of stat that are read, by their numbers in proc(5). */
enum {
	STAT_STATE = 3, STAT_MINFLT = 10, STAT_MAJFLT = 12, STAT_UTIME = 14, STAT_STIME = 15, STAT_THREADS = 20,
	STAT_START = 22,
};

/* All numbers up to the last one that is read; a sign is passed over. False: there are not so many. */
static bool stat_fields(const char *at, uint64_t fields[STAT_START + 1])
{
	for (int i = STAT_STATE + 1; i <= STAT_START; i++) {
		uint64_t value = 0;

		while (*at == ' ' || *at == '-')
			at++;
		if (*at < '0' || *at > '9')
			return false;
		for (; *at >= '0' && *at <= '9'; at++)
			value = 10 * value + (uint64_t)(*at - '0');
		fields[i] = value;
	}
	return true;
}

/* Behind the last ')', since a name may hold anything. */
static bool stat_in(const char *text, struct proc_stat *s)
{
	static uint64_t tick;
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	uint64_t fields[STAT_START + 1];
	size_t length;

	if (!tick)
		tick = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
	if (!open || !close || close < open || close[1] != ' ' || !close[2] || !stat_fields(close + 3, fields))
		return false;
	length = (size_t)(close - open - 1);
	if (length >= sizeof(s->name))
		length = sizeof(s->name) - 1;
	memcpy(s->name, open + 1, length);
	s->name[length] = '\0';
	s->state = close[2];
	s->user = fields[STAT_UTIME] * tick;
	s->system = fields[STAT_STIME] * tick;
	s->minor_faults = fields[STAT_MINFLT];
	s->major_faults = fields[STAT_MAJFLT];
	s->threads = (uint32_t)fields[STAT_THREADS];
	s->start = fields[STAT_START] * tick;
	return true;
}

bool proc_read_stat(const char *path, struct proc_stat *s)
{
	char text[1024];

	return proc_read(path, text, sizeof(text)) > 0 && stat_in(text, s);
}

bool proc_read_stat_again(struct proc_file *f, pid_t pid, struct proc_stat *s)
{
	char text[1024];

	return read_again(f, pid, 0, "stat", read_beginning, text, sizeof(text)) > 0 && stat_in(text, s);
}

bool proc_has_ended(const struct proc_stat *s)
{
	return (s->state == 'Z' || s->state == 'X') && s->threads <= 1;
}

static uint64_t ns_of(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_usec * 1000u;
}

void proc_own_stat(struct proc_stat *s)
{
	struct rusage all;

	if (syscall(SYS_getrusage, RUSAGE_SELF, &all) < 0)
		return;
	s->state = 'R';
	s->user = ns_of(&all.ru_utime);
	s->system = ns_of(&all.ru_stime);
	s->minor_faults = (uint64_t)all.ru_minflt;
	s->major_faults = (uint64_t)all.ru_majflt;
}

void proc_own_switches(uint64_t *voluntary, uint64_t *involuntary)
{
	struct rusage all, own;

	if (syscall(SYS_getrusage, RUSAGE_SELF, &all) < 0 || syscall(SYS_getrusage, RUSAGE_THREAD, &own) < 0)
		return;
	*voluntary = (uint64_t)(all.ru_nvcsw - own.ru_nvcsw);
	*involuntary = (uint64_t)(all.ru_nivcsw - own.ru_nivcsw);
}

uint64_t proc_value(const char *text, const char *key)
{
	size_t length = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, length) == 0)
			return strtoull(line + length, NULL, 10);
	}
	return 0;
}

/* In the kernel's order (fs/proc/task_mmu.c): what stands before its memory is not asked for. */
static bool status_in(const char *text, struct proc_status *s)
{
	const char *memory = strstr(text, "\nVmHWM:");

	if (!memory)
		return false;
	s->rss_most = proc_value(memory, "VmHWM:") << 10;
	s->rss_anon = proc_value(memory, "RssAnon:") << 10;
	s->rss_file = proc_value(memory, "RssFile:") << 10;
	s->rss_shmem = proc_value(memory, "RssShmem:") << 10;
	s->libraries = proc_value(memory, "VmLib:") << 10;
	s->threads = (uint32_t)proc_value(memory, "Threads:");
	return true;
}

bool proc_read_status(const char *path, struct proc_status *s)
{
	char text[4096];

	return read_status(path, text, sizeof(text)) > 0 && status_in(text, s);
}

static bool read_status_again(struct proc_file *f, pid_t pid, pid_t thread, struct proc_status *s)
{
	char text[4096];

	return read_again(f, pid, thread, "status", read_status_from, text, sizeof(text)) > 0 && status_in(text, s);
}

uint32_t proc_innermost(const char *path)
{
	static const char key[] = "\nNSpid:";
	char text[4096], *numbers, *last;

	if (read_status(path, text, sizeof(text)) <= 0 || !(numbers = strstr(text, key)))
		return 0;
	numbers += sizeof(key) - 1;
	numbers[strcspn(numbers, "\n")] = '\0';
	last = strrchr(numbers, '\t');
	return last ? (uint32_t)strtoul(last, NULL, 10) : 0;
}

#define CLOCK_OF_PROCESS 2
#define CLOCK_OF_THREAD 6

/* Of anybody's process, or of a thread of our own. */
static bool read_clock(pid_t number, unsigned kind, uint64_t *cpu)
{
	struct timespec ts;

	if (syscall(SYS_clock_gettime, (long)(int)(~(unsigned)number << 3 | kind), &ts) < 0)
		return false;
	*cpu = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
	return true;
}

bool proc_read_end(pid_t pid, uint64_t latest, struct proc_stat *s)
{
	struct proc_stat now;
	char path[32];
	uint64_t cpu;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (!proc_read_stat(path, &now) || !proc_has_ended(&now) || now.start > latest ||
	    !read_clock(pid, CLOCK_OF_PROCESS, &cpu))
		return false;
	if (now.user > s->user)
		s->user = now.user;
	if (cpu > s->user + s->system)
		s->system = cpu - s->user;
	return true;
}

/* A clock costs a tenth of a file. */
static bool own_clock(pid_t pid, pid_t tid, uint64_t *cpu)
{
	return pid == getpid() && read_clock(tid, CLOCK_OF_THREAD, cpu);
}

/* The calling thread asks for itself: no file is needed. */
static bool read_self(pid_t pid, pid_t tid, struct proc_thread *t)
{
	struct rusage own;

	if (tid != gettid() || syscall(SYS_getrusage, RUSAGE_THREAD, &own) < 0 || !own_clock(pid, tid, &t->cpu))
		return false;
	t->state = 'R';
	t->voluntary = (uint64_t)own.ru_nvcsw;
	t->involuntary = (uint64_t)own.ru_nivcsw;
	return true;
}

bool proc_read_thread(pid_t pid, pid_t tid, struct proc_thread *t)
{
	char path[64], text[4096], *state;
	struct proc_stat stat;

	if (read_self(pid, tid, t))
		return true;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", (int)pid, (int)tid);
	if (read_status(path, text, sizeof(text)) <= 0)
		return false;
	state = strstr(text, "\nState:\t");
	t->state = state ? state[strlen("\nState:\t")] : 0;
	t->voluntary = proc_value(text, "voluntary_ctxt_switches:");
	t->involuntary = proc_value(text, "nonvoluntary_ctxt_switches:");
	if (own_clock(pid, tid, &t->cpu))
		return true;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", (int)pid, (int)tid);
	if (proc_read(path, text, sizeof(text)) > 0) {
		t->cpu = strtoull(text, NULL, 10);
		return true;
	}
	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)pid, (int)tid);
	if (proc_read_stat(path, &stat))
		t->cpu = stat.user + stat.system;
	return true;
}

bool proc_read_io(const char *path, struct proc_io *io)
{
	char text[512];

	if (proc_read(path, text, sizeof(text)) <= 0)
		return false;
	io->read_bytes = proc_value(text, "rchar:");
	io->write_bytes = proc_value(text, "wchar:");
	return true;
}

struct directory_entry {	/* linux_dirent64, which no header declares */
	uint64_t inode;
	int64_t offset;
	unsigned short length;
	unsigned char type;
	char name[];
};

int proc_numbers(const char *path, void (*each)(void *data, long number), void *data)
{
	char buffer[8192] __attribute__((aligned(8)));
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_DIRECTORY, 0), count = 0;
	long n;

	if (fd < 0)
		return -errno;
	while ((n = syscall(SYS_getdents64, fd, buffer, sizeof(buffer))) > 0) {
		for (long at = 0; at < n;) {
			const struct directory_entry *entry = (const void *)(buffer + at);
			long number = strtol(entry->name, NULL, 10);

			at += entry->length;
			if (number <= 0)
				continue;
			each(data, number);
			count++;
		}
	}
	shut(fd);
	return count;
}

int proc_lines(const char *path, void (*each)(void *data, char *line), void *data)
{
	char buffer[4097];
	size_t used = 0;
	int fd = open_read(path);
	bool too_long = false;
	long n;

	if (fd < 0)
		return -errno;
	while ((n = syscall(SYS_read, fd, buffer + used, sizeof(buffer) - 1 - used)) > 0) {
		char *line = buffer, *end;

		used += (size_t)n;
		buffer[used] = '\0';
		while ((end = strchr(line, '\n'))) {
			*end = '\0';
			if (!too_long)
				each(data, line);
			too_long = false;
			line = end + 1;
		}
		used -= (size_t)(line - buffer);
		if (used == sizeof(buffer) - 1) {	/* its end is not a line either */
			used = 0;
			too_long = true;
		}
		memmove(buffer, line, used);
	}
	shut(fd);
	return 0;
}

void proc_path(pid_t pid, pid_t thread, const char *file, char *path, size_t size)
{
	if (thread)
		snprintf(path, size, "/proc/%d/task/%d/%s", (int)pid, (int)thread, file);
	else
		snprintf(path, size, "/proc/%d/%s", (int)pid, file);
}

struct thread_search {
	pid_t pid, found;
};

static void try_thread(void *data, long number)
{
	struct thread_search *s = data;
	struct proc_status status;
	char path[64];

	if (s->found)
		return;
	proc_path(s->pid, (pid_t)number, "status", path, sizeof(path));
	if (proc_read_status(path, &status))
		s->found = (pid_t)number;
}

bool proc_find_thread(pid_t pid, pid_t *thread)
{
	struct thread_search s = { pid, 0 };
	char path[64];

	proc_path(pid, 0, "task", path, sizeof(path));
	proc_numbers(path, try_thread, &s);
	if (s.found)
		*thread = s.found;
	return s.found != 0;
}

bool proc_read_process(struct proc_file *f, pid_t pid, pid_t *thread, struct proc_status *s)
{
	if (read_status_again(f, pid, *thread, s))
		return true;
	if (!proc_find_thread(pid, thread))
		return false;
	proc_file_close(f);
	return read_status_again(f, pid, *thread, s);
}

/* ---- build ids ----------------------------------------------------------------------------- */

static void put_hex(const unsigned char *bytes, size_t count, char *hex, size_t room)
{
	size_t i;

	for (i = 0; i < count && 2 * i + 3 <= room; i++) {
		hex[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
		hex[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
	}
	hex[2 * i] = '\0';
}

static bool note_build_id(const char *note, size_t size, char *hex, size_t room)
{
	while (size >= sizeof(Elf64_Nhdr)) {
		const Elf64_Nhdr *h = (const Elf64_Nhdr *)(const void *)note;
		size_t name = (h->n_namesz + 3ul) & ~3ul, desc = (h->n_descsz + 3ul) & ~3ul;
		const unsigned char *id = (const unsigned char *)note + sizeof(*h) + name;

		if (name > size || desc > size || sizeof(*h) + name + desc > size)
			return false;
		if (h->n_type == NT_GNU_BUILD_ID && h->n_namesz == 4 &&
		    memcmp(note + sizeof(*h), "GNU", 4) == 0) {
			put_hex(id, h->n_descsz, hex, room);
			return true;
		}
		note += sizeof(*h) + name + desc;
		size -= sizeof(*h) + name + desc;
	}
	return false;
}

static void find_note(int fd, const Elf64_Ehdr *elf, char *hex, size_t size)
{
	Elf64_Phdr programs[32];
	char note[1024] __attribute__((aligned(8)));
	size_t count = elf->e_phnum < 32 ? elf->e_phnum : 32;
	long n;

	if (elf->e_phentsize != sizeof(programs[0]))
		return;
	n = syscall(SYS_pread64, fd, programs, count * sizeof(programs[0]), elf->e_phoff);
	for (size_t i = 0; n > 0 && i < (size_t)n / sizeof(programs[0]); i++) {
		size_t length = programs[i].p_filesz < sizeof(note) ? programs[i].p_filesz : sizeof(note);
		long got;

		if (programs[i].p_type != PT_NOTE)
			continue;
		got = syscall(SYS_pread64, fd, note, length, programs[i].p_offset);
		if (got > 0 && note_build_id(note, (size_t)got, hex, size))
			return;
	}
}

void proc_build_id(const char *path, char *hex, size_t size)
{
	int fd = open_read(path);
	Elf64_Ehdr elf;

	hex[0] = '\0';
	if (fd < 0)
		return;
	if (syscall(SYS_pread64, fd, &elf, sizeof(elf), 0) == sizeof(elf) &&
	    memcmp(elf.e_ident, ELFMAG, SELFMAG) == 0 && elf.e_ident[EI_CLASS] == ELFCLASS64)
		find_note(fd, &elf, hex, size);
	shut(fd);
}

struct own_search {
	uint64_t base;
	char *hex;
	size_t size;
};

/* The loader's list is locked: what it names stays mapped. */
static int look_at_own(struct dl_phdr_info *info, size_t unused, void *data)
{
	const struct own_search *s = data;
	uint64_t base = 0;

	(void)unused;
	for (unsigned i = info->dlpi_phnum; i--;)
		if (info->dlpi_phdr[i].p_type == PT_LOAD)
			base = (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr) & ~4095ull;
	if (base != s->base)
		return 0;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];

		if (h->p_type == PT_NOTE &&
		    note_build_id((const char *)(info->dlpi_addr + h->p_vaddr), h->p_memsz, s->hex, s->size))
			break;
	}
	return 1;
}

bool proc_own_build_id(dlt_walk_fn walk, uint64_t base, char *hex, size_t size)
{
	struct own_search s = { .base = base, .hex = hex, .size = size };

	hex[0] = '\0';
	return walk(look_at_own, &s) == 1;
}
