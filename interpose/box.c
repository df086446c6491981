/* SPDX-License-Identifier: MIT */
/* Makes the black box: a file that a recorder maps too, or private memory; and lets it grow. */
#include "box_private.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "clock.h"
#include "functions.h"
#include "log.h"
#include "process.h"
#include "sys.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#define PAGE 4096
#define NO_ROOM "no room for a box in the folder of boxes (DLTRACE_BOX)"
#define TOTALS 256		/* entries of 1 KiB, backed as they are claimed */
#define FIRST (3 * PAGE)	/* backed at once: the header and 64 slots */

/* Everything that has a place in the box, in order; each begins on a page. */
enum part { PART_SLOTS, PART_LATE, PART_TOTALS, PART_LIBRARIES, PART_OBJECTS, PART_FRAMES,
	    PART_MEMORY, PART_RINGS, PART_OUTBOX, PARTS };

static const struct {
	size_t size, count;
} parts[PARTS] = {
	[PART_SLOTS] = { sizeof(struct dlt_box_slot), DLT_BOX_SLOTS },
	[PART_LATE] = { sizeof(struct dlt_box_late), DLT_FNS },
	[PART_TOTALS] = { sizeof(struct dlt_box_totals), TOTALS },
	[PART_LIBRARIES] = { sizeof(struct dlt_box_library), DLT_BOX_LIBRARIES },
	[PART_OBJECTS] = { sizeof(struct dlt_box_object), DLT_BOX_OBJECTS },
	[PART_FRAMES] = { sizeof(struct dlt_box_frame), DLT_BOX_FRAMES },
	[PART_MEMORY] = { sizeof(struct dlt_box_memory), DLT_BOX_MEMORY },
	[PART_RINGS] = { sizeof(struct dlt_box_ring), DLT_BOX_SLOTS },
	[PART_OUTBOX] = { sizeof(struct dlt_box_outbox), 1 },
};

struct dlt_box_header *dlt_box;
static bool is_file;	/* the mapping is a file's */
static bool populates;	/* ... and the kernel knows MADV_POPULATE_WRITE (Linux 5.14) */

static size_t page_up(size_t size)
{
	return (size + PAGE - 1) & ~(size_t)(PAGE - 1);
}

static size_t part_offset(enum part part)
{
	size_t offset = PAGE;

	for (int i = 0; i < (int)part; i++)
		offset += page_up(parts[i].size * parts[i].count);
	return offset;
}

size_t dlt_box_size(void)
{
	return part_offset(PARTS);
}

bool dlt_box_is_read(void)
{
	return is_file;
}

/* ---- names: no stdio in a hook ------------------------------------------------------------- */

static char *put_text(char *p, const char *text)
{
	return stpcpy(p, text);
}

static char *put_decimal(char *p, unsigned long value)
{
	char digits[24], *d = digits + sizeof(digits) - 1;

	*d = '\0';
	do
		*--d = (char)('0' + value % 10);
	while (value /= 10);
	return stpcpy(p, d);
}

static char *put_hex(char *p, uint64_t value)
{
	for (int shift = 60; shift >= 0; shift -= 4)
		*p++ = "0123456789abcdef"[value >> shift & 15];
	*p = '\0';
	return p;
}

/* "DOT" + "<pid>-<box id>.box" */
static void put_name(char *p, const char *dot, const uint64_t id[2])
{
	p = put_decimal(put_text(p, dot), (unsigned long)dlt_process.pid);
	p = put_hex(put_hex(put_text(p, "-"), id[0]), id[1]);
	put_text(p, ".box");
}

/* ---- mapping ------------------------------------------------------------------------------- */

static void *map_box(int flags, int fd)
{
	return dlt_sys_map(NULL, dlt_box_size(), PROT_READ | PROT_WRITE, flags, fd);
}

/* fallocate may be interrupted; without room it is ENOSPC here instead of SIGBUS at a store. */
static int allocate(int fd, size_t size)
{
	int err;

	do
		err = (int)dlt_sys(SYS_fallocate, fd, 0, 0, (long)size, 0);
	while (err == -EINTR);
	return err;
}

/* A file larger than RLIMIT_FSIZE would kill the application by SIGXFSZ. */
static bool file_size_allowed(void)
{
	struct rlimit limit;

	return dlt_sys(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, (long)&limit, 0) == 0 &&
	       limit.rlim_cur >= dlt_box_size();
}

/* Gives the open file its size and first pages, and maps it. */
static int map_file(int fd, void **mapping)
{
	int err = allocate(fd, FIRST);

	if (err)
		return err;
	err = (int)dlt_sys(SYS_ftruncate, fd, (long)dlt_box_size(), 0, 0, 0);
	if (err)
		return err;
	*mapping = map_box(MAP_SHARED, fd);
	if (!*mapping)
		return -ENOMEM;
	populates = dlt_sys_madvise(*mapping, PAGE, MADV_POPULATE_WRITE) == 0;
	return 0;
}

static const char *open_file(const char *folder, const uint64_t id[2], int *folder_fd, int *fd)
{
	char name[80];

	if (!file_size_allowed())
		return "RLIMIT_FSIZE is smaller than a box";
	*folder_fd = dlt_sys_openat(AT_FDCWD, folder, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
	if (*folder_fd < 0)
		return "the folder of boxes (DLTRACE_BOX) cannot be opened";
	put_name(name, ".", id);
	*fd = dlt_sys_openat(*folder_fd, name,
			     O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	return *fd < 0 ? "no file can be made in the folder of boxes (DLTRACE_BOX)" : NULL;
}

/* No name leads to it any more. It has its dot name until publish(). */
static void unlink_file(const char *folder, const uint64_t id[2])
{
	int fd = dlt_sys_openat(AT_FDCWD, folder, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
	char name[80];

	if (fd < 0)
		return;
	put_name(name, ".", id);
	dlt_sys(SYS_unlinkat, fd, (long)name, 0, 0, 0);
	dlt_sys_close(fd);
}

/* NULL, or why there is no file. */
static const char *make_file(const char *folder, const uint64_t id[2], void **mapping)
{
	int folder_fd = -1, fd = -1;
	const char *cause = open_file(folder, id, &folder_fd, &fd);

	if (!cause && map_file(fd, mapping)) {
		cause = NO_ROOM;
		unlink_file(folder, id);
	}
	if (fd >= 0)
		dlt_sys_close(fd);
	if (folder_fd >= 0)
		dlt_sys_close(folder_fd);
	return cause;
}

static void publish(const char *folder, const uint64_t id[2])
{
	char old[80], new[80];
	int fd = dlt_sys_openat(AT_FDCWD, folder, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);

	if (fd < 0)
		return;
	put_name(old, ".", id);
	put_name(new, "", id);
	dlt_sys(SYS_renameat2, fd, (long)old, fd, (long)new, 0);
	dlt_sys_close(fd);
}

/* ---- content ------------------------------------------------------------------------------- */

/* For who reads from outside: the same number is another process there. */
static uint64_t pid_namespace(void)
{
	struct stat st;

	return dlt_sys(SYS_newfstatat, AT_FDCWD, (long)"/proc/self/ns/pid", (long)&st, 0, 0) < 0 ? 0 : st.st_ino;
}

static void fill_identity(struct dlt_box_header *h)
{
	h->recording = dlt_process.recording;
	h->boottime = dlt_clock_of(CLOCK_BOOTTIME);
	h->begin = dlt_process.begin;
	h->pid_namespace = pid_namespace();
	h->pid = (uint32_t)dlt_process.pid;
	h->parent_pid = (uint32_t)dlt_sys_parent();
	h->process = dlt_process.id;
	h->parent = dlt_process.parent;
	h->reason = dlt_process.reason;
	h->threshold = dlt_process.threshold;
	h->heap = dlt_process.heap;
	h->state = DLT_BOX_ALIVE;
	h->counted = !dlt_process.traced;
	h->rank = dlt_process.rank.rank;
	h->ranks = dlt_process.rank.size;
	h->local_rank = dlt_process.rank.local;
	h->job = dlt_process.job;
}

/* A reader converts `since` by these. */
static void fill_clock(struct dlt_box_header *h)
{
	memcpy(h->tsc, dlt_clock_pairs.tsc, sizeof(h->tsc));
	memcpy(h->tsc_mono, dlt_clock_pairs.mono, sizeof(h->tsc_mono));
	__atomic_store_n(&h->clock_is_tsc, dlt_clock_is_tsc, __ATOMIC_RELEASE);
}

void dlt_box_set_clock(void)
{
	fill_clock(dlt_box);
}

static void fill_layout(struct dlt_box_header *h)
{
	h->version = DLT_BOX_VERSION;
	h->header_size = sizeof(*h);
	h->size = dlt_box_size();
	h->slots_offset = (uint32_t)part_offset(PART_SLOTS);
	h->slots_count = (uint32_t)parts[PART_SLOTS].count;
	h->slots_used = 1;
	h->late_offset = (uint32_t)part_offset(PART_LATE);
	h->late_count = (uint32_t)parts[PART_LATE].count;
	h->totals_offset = (uint32_t)part_offset(PART_TOTALS);
	h->totals_count = (uint32_t)parts[PART_TOTALS].count;
	h->libraries_offset = (uint32_t)part_offset(PART_LIBRARIES);
	h->libraries_count = (uint32_t)parts[PART_LIBRARIES].count;
	h->libraries_used = 1;
	h->objects_offset = (uint32_t)part_offset(PART_OBJECTS);
	h->objects_count = (uint32_t)parts[PART_OBJECTS].count;
	h->frames_offset = (uint32_t)part_offset(PART_FRAMES);
	h->frames_count = (uint32_t)parts[PART_FRAMES].count;
	h->memory_offset = (uint32_t)part_offset(PART_MEMORY);
	h->memory_count = (uint32_t)parts[PART_MEMORY].count;
	h->rings_offset = (uint32_t)part_offset(PART_RINGS);
	h->rings_count = (uint32_t)parts[PART_RINGS].count;
	h->outbox_offset = (uint32_t)part_offset(PART_OUTBOX);
}

/*
 * What ids mean stays true in a forked child: tables of ours have them. `h` lies elsewhere than the old box still.
 * False: there is no room for all.
 */
static bool copy_names(struct dlt_box_header *h, const struct dlt_box_header *old)
{
	const struct { uint32_t offset; size_t size; } tables[] = {
		{ h->libraries_offset, old->libraries_used * sizeof(struct dlt_box_library) },
		{ h->objects_offset, old->objects_used * sizeof(struct dlt_box_object) },
		{ h->frames_offset, old->frames_used * sizeof(struct dlt_box_frame) },
	};

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		char *to = (char *)h + tables[i].offset;

		if (tables[i].size && !dlt_box_back(to, tables[i].size))
			return false;
		memcpy(to, (const char *)old + tables[i].offset, tables[i].size);
	}
	h->libraries_used = old->libraries_used;
	h->objects_used = old->objects_used;
	h->frames_used = old->frames_used;
	return true;
}

/* A little box without tables, where not even private memory can be had. */
static struct dlt_box_header *last_resort(void)
{
	static char memory[FIRST] __attribute__((aligned(PAGE)));
	struct dlt_box_header *h = (struct dlt_box_header *)memory;

	memset(memory, 0, sizeof(memory));
	fill_layout(h);
	h->size = sizeof(memory);
	h->slots_count = (FIRST - PAGE) / sizeof(struct dlt_box_slot);
	h->late_count = h->totals_count = h->libraries_count = h->objects_count = 0;
	h->frames_count = h->memory_count = h->rings_count = 0;
	return h;
}

/* Puts the filled box where the old one was, so that pointers into it hold. */
static struct dlt_box_header *move_over(struct dlt_box_header *h, struct dlt_box_header *old)
{
	long p;

	if (!old || old->size != h->size)
		return h;
	p = dlt_sys(SYS_mremap, (long)h, (long)h->size, (long)h->size,
		    MREMAP_MAYMOVE | MREMAP_FIXED, (long)old);
	return p < 0 && p > -4096 ? h : (struct dlt_box_header *)p;
}

/* The layout, and the names of an old box, if there is one that has any. False: no room. */
static bool begin(struct dlt_box_header *h, const struct dlt_box_header *old)
{
	dlt_sys_madvise(h, dlt_box_size(), MADV_DONTDUMP);
	fill_layout(h);
	return !old || !old->libraries_count || copy_names(h, old);
}

/* NULL: no file. */
static struct dlt_box_header *begin_file(const char *folder, const uint64_t id[2], const struct dlt_box_header *old,
					 const char **cause)
{
	void *mapping = NULL;

	*cause = make_file(folder, id, &mapping);
	is_file = !*cause;
	if (!is_file || begin(mapping, old))
		return mapping;
	*cause = NO_ROOM;
	is_file = false;
	unlink_file(folder, id);
	dlt_sys_unmap(mapping, dlt_box_size());
	return NULL;
}

static struct dlt_box_header *map_new(const char *folder, const uint64_t id[2], const struct dlt_box_header *old)
{
	const char *cause = "";
	struct dlt_box_header *h = NULL;

	is_file = false;
	if (*folder)
		h = begin_file(folder, id, old, &cause);
	if (!is_file) {
		h = map_box(MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
		if (!h)
			return last_resort();
		begin(h, old);
		strncpy(h->cause, cause, sizeof(h->cause) - 1);
	}
	dlt_log(DLT_LOG_BOX, is_file ? "file" : "private", cause, (long)h->size);
	return h;
}

void dlt_box_make(const char *folder)
{
	uint64_t id[2] = { 0, 0 };
	struct dlt_box_header *h;
	bool was_file = is_file;

	dlt_sys(SYS_getrandom, (long)id, sizeof(id), GRND_NONBLOCK, 0, 0);
	id[0] ^= dlt_clock_ns() << 20 ^ (uint64_t)dlt_process.pid;
	h = map_new(folder, id, dlt_box);
	/* In a child its parent's box is still there, whose pages are backed as a file's. */
	if (dlt_box && was_file && !is_file && *folder) {
		is_file = true;
		dlt_process_unread();
		is_file = false;
	}
	fill_identity(h);
	fill_clock(h);
	memcpy(h->id, id, sizeof(id));
	dlt_box = move_over(h, dlt_box);
}

void dlt_box_publish(const char *folder)
{
	__atomic_store_n(&dlt_box->magic, DLT_BOX_MAGIC, __ATOMIC_RELEASE);
	if (is_file)
		publish(folder, dlt_box->id);
}

/* Has the kernel set no bit of a word there: it gets EFAULT where a store of ours would be a SIGBUS. */
static bool back_page(uintptr_t page)
{
	return dlt_sys6(SYS_futex, (long)page, FUTEX_WAKE_OP_PRIVATE, 0, 0, (long)page,
			FUTEX_OP(FUTEX_OP_OR, 0, FUTEX_OP_CMP_EQ, 0)) >= 0;
}

bool dlt_box_back(const void *p, size_t size)
{
	uintptr_t from = (uintptr_t)p & ~(uintptr_t)(PAGE - 1);
	uintptr_t to = page_up((uintptr_t)p + size);

	if (!is_file)
		return true;
	if (populates)
		return dlt_sys_madvise((void *)from, to - from, MADV_POPULATE_WRITE) == 0;
	while (from < to && back_page(from))
		from += PAGE;
	return from >= to;
}
