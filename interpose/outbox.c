/* SPDX-License-Identifier: MIT */
/* Puts events into the black box's outbox. */
#include "outbox.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "box_private.h"
#include "clock.h"
#include "emit.h"
#include "log.h"
#include "outbox_layout.h"
#include "process.h"
#include "sys.h"
#include "wanted.h"

#define LOUD (DLT_OUTBOX_SIZE / 4)	/* bytes after which the recorder is told to come before its time */

#define PATIENCE 1000

bool dlt_outbox_on;

static struct dlt_wanted *wanted;
static uint64_t writable;		/* places up to here can be written */
static unsigned patience;		/* events before the system is asked again for what it has refused */

static struct dlt_box_outbox *outbox(void)
{
	return (struct dlt_box_outbox *)((char *)dlt_box + dlt_box->outbox_offset);
}

/* The recorder's, who is the same user, and of this version. */
static struct dlt_wanted *map_wanted(int fd)
{
	struct dlt_wanted *w;
	struct stat st;

	if (dlt_sys_fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != dlt_sys_user() ||
	    st.st_size < DLT_WANTED_SIZE)
		return NULL;
	w = dlt_sys_map(NULL, DLT_WANTED_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
	if (w && (__atomic_load_n(&w->magic, __ATOMIC_ACQUIRE) != DLT_WANTED_MAGIC || w->layout != DLT_OUTBOX_LAYOUT)) {
		dlt_sys_unmap(w, DLT_WANTED_SIZE);
		return NULL;
	}
	if (w)
		dlt_sys_madvise(w, DLT_WANTED_SIZE, MADV_DONTDUMP);
	return w;
}

static struct dlt_wanted *open_wanted(const char *folder)
{
	static const char name[] = "/wanted";
	struct dlt_wanted *w;
	char path[300];
	int fd;

	if (!*folder || strlen(folder) + sizeof(name) > sizeof(path))
		return NULL;
	fd = dlt_sys_openat(AT_FDCWD, strcat(strcpy(path, folder), name), O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0);
	if (fd < 0)
		return NULL;
	w = map_wanted(fd);
	dlt_sys_close(fd);
	return w;
}

/* The head of the outbox can be written: readers may look at it. */
static bool make_outbox(void)
{
	if (!dlt_box_is_read() || !dlt_box_back(outbox(), offsetof(struct dlt_box_outbox, bytes)))
		return false;
	writable = 0;
	patience = 0;
	__atomic_store_n(&dlt_box->outbox_count, 1, __ATOMIC_RELEASE);
	return true;
}

bool dlt_outbox_init(const char *folder, const int **states)
{
	if (!dlt_box_is_read())
		return false;
	wanted = open_wanted(folder);
	if (!wanted || !make_outbox())
		return false;
	for (int i = 0; i < DLT_EVENTS; i++)
		states[i] = &wanted->states[i];
	dlt_outbox_on = true;
	dlt_log(DLT_LOG_OUTBOX, "events go to the recorder:", folder, 0);
	return true;
}

bool dlt_outbox_after_fork(void)
{
	dlt_outbox_on = dlt_outbox_on && make_outbox();
	return dlt_outbox_on;
}

/* ---- giving out places ----------------------------------------------------------------------- */

/*
 * So that the places up to `end` can be written; before they are given out, since what was given out must be
 * filled. They are free, so the reader is done with the chunks that lay there before.
 */
static bool back(struct dlt_box_outbox *o, uint64_t end)
{
	uint64_t done = __atomic_load_n(&writable, __ATOMIC_ACQUIRE);
	unsigned left = __atomic_load_n(&patience, __ATOMIC_RELAXED);

	if (left) {
		__atomic_store_n(&patience, left - 1, __ATOMIC_RELAXED);
		return false;
	}
	for (; done < end; done += DLT_OUTBOX_CHUNK) {
		if (!dlt_box_back(o->bytes + done % DLT_OUTBOX_SIZE, DLT_OUTBOX_CHUNK)) {
			__atomic_store_n(&patience, PATIENCE, __ATOMIC_RELAXED);
			return false;
		}
	}
	/* Another thread may have come further meanwhile, or less far: what it says is true as well. */
	__atomic_store_n(&writable, done, __ATOMIC_RELEASE);
	return true;
}

/* Bytes up to the end of the box that a message of `size` would not fit into. */
static uint64_t rest(uint64_t at, uint64_t size)
{
	uint64_t left = DLT_OUTBOX_SIZE - at % DLT_OUTBOX_SIZE;

	return left < size ? left : 0;
}

static void set_word(struct dlt_box_outbox *o, uint64_t at, uint64_t word)
{
	__atomic_store_n((uint64_t *)(o->bytes + at % DLT_OUTBOX_SIZE), word, __ATOMIC_RELEASE);
}

/* The place of a message of `size` bytes; UINT64_MAX: there is no room. */
static DLT_HOT uint64_t take_place(struct dlt_box_outbox *o, uint64_t size)
{
	uint64_t at = __atomic_load_n(&o->head, __ATOMIC_RELAXED), end, unused;

	do {
		unused = rest(at, size);
		end = at + unused + size;
		/* Signed: what others have filled meanwhile may have been given back, and then it is taken anew. */
		if ((int64_t)(end - __atomic_load_n(&o->tail, __ATOMIC_ACQUIRE)) > (int64_t)DLT_OUTBOX_SIZE)
			return UINT64_MAX;
		if (__builtin_expect(end > __atomic_load_n(&writable, __ATOMIC_ACQUIRE), 0) && !back(o, end))
			return UINT64_MAX;
	} while (!__atomic_compare_exchange_n(&o->head, &at, end, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	if (unused)
		set_word(o, at, dlt_outbox_word((uint32_t)unused, DLT_OUTBOX_NOTHING, DLT_OUTBOX_DONE));
	return at + unused;
}

static __attribute__((noinline)) void ring_the_bell(void)
{
	__atomic_fetch_add(&wanted->bell, 1, __ATOMIC_RELEASE);
	if (!dlt_process.shut_in)	/* it is looked into all the same, a little later */
		dlt_sys(SYS_futex, (long)&wanted->bell, FUTEX_WAKE, INT_MAX, 0, 0);
}

/* As threads count them: a batch is as many as are in it. */
static __attribute__((noinline)) void count_lost(struct dlt_box_outbox *o, enum dlt_event event, const void *data)
{
	uint64_t count = event == DLT_EV_BATCH_RECORDS ? ((const struct dlt_ev_batch_records *)data)->count : 1;

	__atomic_fetch_add(&o->lost, count, __ATOMIC_RELAXED);
}

static inline void set_putting(struct dlt_thread *t, uint64_t place)
{
	if (t)
		t->putting = place;
	__asm__ volatile("" ::: "memory");
}

DLT_HOT void dlt_outbox_put_event(enum dlt_event event, const void *data)
{
	size_t fields = dlt_outbox_size(event, data);
	uint64_t size = (sizeof(struct dlt_outbox_message) + fields + 7) & ~(uint64_t)7;
	struct dlt_box_outbox *o = outbox();
	uint64_t at = size <= DLT_OUTBOX_MESSAGE_MOST ? take_place(o, size) : UINT64_MAX;
	struct dlt_thread *t = dlt_thread_known();
	struct dlt_outbox_message *m;

	if (at == UINT64_MAX) {
		count_lost(o, event, data);
		return;
	}
	m = (struct dlt_outbox_message *)(o->bytes + at % DLT_OUTBOX_SIZE);
	set_putting(t, at + 1);
	set_word(o, at, dlt_outbox_word((uint32_t)size, event, DLT_OUTBOX_BUSY));
	__atomic_thread_fence(__ATOMIC_RELEASE);
	m->time = dlt_clock_ns();
	dlt_outbox_put(event, data, m->fields, fields);
	set_word(o, at, dlt_outbox_word((uint32_t)size, event, DLT_OUTBOX_DONE));
	set_putting(t, 0);
	/* Where a quarter begins, and that is not the very first one. */
	if (__builtin_expect((at + LOUD - 1) / LOUD != (at + size + LOUD - 1) / LOUD, 0) && at)
		ring_the_bell();
}

/* A batch is emitted again. Who was away for so long that the reader has passed over it has nothing to do here. */
void dlt_outbox_abandon(struct dlt_thread *t)
{
	struct dlt_box_outbox *o = outbox();
	uint64_t at = t->putting - 1, word;

	if (!t->putting || !dlt_outbox_on)
		return;
	set_putting(t, 0);
	if ((int64_t)(at - __atomic_load_n(&o->tail, __ATOMIC_ACQUIRE)) < 0)
		return;
	word = __atomic_load_n((uint64_t *)(o->bytes + at % DLT_OUTBOX_SIZE), __ATOMIC_ACQUIRE);
	if (dlt_outbox_state_in(word) != DLT_OUTBOX_BUSY)
		return;
	if (dlt_outbox_event_in(word) != DLT_EV_BATCH_RECORDS)
		__atomic_fetch_add(&o->lost, 1, __ATOMIC_RELAXED);
	set_word(o, at, dlt_outbox_word(dlt_outbox_size_in(word), DLT_OUTBOX_NOTHING, DLT_OUTBOX_DONE));
}
