/* SPDX-License-Identifier: MIT */
/* Records and slots of threads: made at first use, given back when the thread ends. */
#include "thread.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>

#include "box_private.h"
#include "clock.h"
#include "guard.h"
#include "init.h"
#include "log.h"
#include "process.h"
#include "rings.h"
#include "sys.h"

#define CHUNK (16 * 1024)	/* bytes of records mapped at once */

__thread struct dlt_thread *dlt_thread_tls;
__thread struct dlt_heap_own dlt_heap_line;
/* Its record was given back, or is being made while a signal's handler asks for it: what comes is counted late. */
static __thread bool has_none;

struct dlt_alive dlt_alive;
struct dlt_box_pair dlt_late_allocated, dlt_late_freed;

/* Most processes have one thread and never map a chunk. */
static struct dlt_thread first_record = { .index = 1, .heap = &first_record.kept };
static struct dlt_thread late_record = { .guard = DLT_GUARD_HELD, .held = 1, .late = true, .heap = &late_record.kept };

static pthread_key_t exit_key;
static bool exit_key_made;

struct dlt_thread *dlt_thread_next(struct dlt_thread *t)
{
	return t ? __atomic_load_n(&t->next, __ATOMIC_ACQUIRE) : &first_record;
}

/* A free record, and the last one that was looked at. */
static struct dlt_thread *claim_record(uint32_t id, struct dlt_thread **last)
{
	for (struct dlt_thread *t = dlt_thread_next(NULL); t; t = dlt_thread_next(t)) {
		uint32_t none = 0;

		*last = t;
		if (__atomic_load_n(&t->id, __ATOMIC_RELAXED) == 0 &&
		    __atomic_compare_exchange_n(&t->id, &none, id, false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return t;
	}
	return NULL;
}

/*
 * Puts a chain of new records behind the last one, so that low slots are claimed first. Of two
 * threads that do this at once one finds the other's records there.
 */
static bool add_records(struct dlt_thread *last)
{
	struct dlt_thread *chunk = dlt_sys_map(NULL, CHUNK, PROT_READ | PROT_WRITE,
					       MAP_PRIVATE | MAP_ANONYMOUS, -1), *end = NULL;
	const size_t count = CHUNK / sizeof(*chunk);

	if (!chunk)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t index = last->index + 1 + i;

		chunk[i].heap = &chunk[i].kept;
		chunk[i].index = last->index && index < DLT_BOX_SLOTS ? index : 0;
		chunk[i].next = i + 1 < count ? &chunk[i + 1] : NULL;
	}
	if (!__atomic_compare_exchange_n(&last->next, &end, chunk, false, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE))
		dlt_sys_unmap(chunk, CHUNK);
	return true;
}

static void raise_slots_used(uint32_t used)
{
	uint32_t now = __atomic_load_n(&dlt_box->slots_used, __ATOMIC_RELAXED);

	while (now < used && !__atomic_compare_exchange_n(&dlt_box->slots_used, &now, used, false,
							  __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

/* Readers go over all slots that were ever used: none of them may lie in a hole of the file. */
static bool back_slots_up_to(uint32_t index)
{
	uint32_t used = __atomic_load_n(&dlt_box->slots_used, __ATOMIC_ACQUIRE);

	return index < used ||
	       dlt_box_back(dlt_box_slot(used), (index + 1 - used) * sizeof(struct dlt_box_slot));
}

/*
 * The slot of the record's index, always the same, so that twin and slot stay equal over all
 * owners; the late one when the box has none or cannot grow.
 */
static void take_slot(struct dlt_thread *t)
{
	struct dlt_box_slot *s = dlt_box_slot(t->index);

	if (t->index >= dlt_box->slots_count || !back_slots_up_to(t->index))
		s = dlt_box_slot(0);
	t->slot = s;
	t->late = s == dlt_box_slot(0);
	if (t->late)
		return;
	s->base_events += s->events;
	dlt_ring_new_owner(s);
	s->events = 0;
	s->call = 0;
	s->tid = (uint32_t)dlt_sys(SYS_gettid, 0, 0, 0, 0, 0);
	s->helper = 0;
	s->creator = 0;
	s->creator_library = s->start_library = 0;
	s->start_offset = 0;
	s->begin = dlt_clock_ns();
	s->cpu = 0;
	s->generation++;
	__atomic_store_n(&s->thread, t->id, __ATOMIC_RELEASE);
	raise_slots_used(t->index + 1);
}

/*
 * What the record's past threads counted goes on in the line of the new one. At each moment `heap` leads to
 * twins that are whole: another thread may fork.
 */
static void take_twins(struct dlt_thread *t)
{
	dlt_heap_line = t->kept;
	dlt_heap_line.slot = t->slot;
	dlt_heap_line_cool();
	dlt_heap_line.owner = t->id;
	__atomic_store_n(&t->heap, &dlt_heap_line, __ATOMIC_RELEASE);
}

/* Calls that still come find no way but the slow one. */
static void give_twins_back(struct dlt_thread *t)
{
	dlt_heap_line_cool();
	t->kept = dlt_heap_line;
	__atomic_store_n(&t->heap, &t->kept, __ATOMIC_RELEASE);
	__atomic_store_n(&dlt_heap_line.owner, 0, __ATOMIC_RELEASE);
}

static uint32_t first_given;	/* the process whose id a thread has */

/* The first thread's id is the process's. */
static uint32_t first_or_new_id(void)
{
	uint32_t id = dlt_process.id;

	if (__atomic_exchange_n(&first_given, id, __ATOMIC_RELAXED) != id)
		return id;
	return dlt_thread_new_id();
}

static void begin_record(struct dlt_thread *t)
{
	t->held = 0;
	t->guard = 0;
	t->putting = 0;
	t->events = 0;
	t->helper = t->announced = t->ends = false;
	t->vforked = t->how = t->device = 0;
	__atomic_store_n(&t->handle, 0, __ATOMIC_RELAXED);	/* another one may be looking for its own */
	t->exit_rounds = 0;
	t->stack_end = 0;
	t->stack_taker = 0;
	take_slot(t);
	take_twins(t);
}

static struct dlt_thread *late(void)
{
	late_record.slot = dlt_box_slot(0);
	return &late_record;
}

/* A record of its own; NULL: there is no memory for one. */
static struct dlt_thread *new_record(void)
{
	uint32_t id = first_or_new_id();
	struct dlt_thread *t, *last = NULL;

	while (!(t = claim_record(id, &last)))
		if (!add_records(last))
			return NULL;
	begin_record(t);
	return t;
}

struct dlt_thread *dlt_thread_make(void)
{
	struct dlt_thread *t;

	dlt_process_need();
	if (dlt_thread_tls)
		return dlt_thread_tls;
	if (has_none)
		return late();
	has_none = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	t = new_record();
	dlt_thread_tls = t;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	has_none = false;
	if (!t)
		return late();
	if (exit_key_made)
		pthread_setspecific(exit_key, t);
	return t;
}

static void release_record(struct dlt_thread *t)
{
	has_none = true;
	dlt_thread_tls = NULL;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	give_twins_back(t);
	if (t->slot != dlt_box_slot(0)) {
		t->slot->call = 0;
		__atomic_store_n(&t->slot->thread, 0, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&t->id, 0, __ATOMIC_RELEASE);
}

/* Others' destructors still allocate and free: the last round is ours. */
static void thread_exits(void *data)
{
	struct dlt_thread *t = data;

	if (t != dlt_thread_self())
		return;
	if (++t->exit_rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
		pthread_setspecific(exit_key, t);
		return;
	}
	dlt_last_thread(t);
	dlt_heap_thread_ended(t);
	dlt_marks_thread_end(t);
	dlt_ring_flush(t);
	dlt_calls_thread_end(t);
	dlt_ledger_thread_end(t);
	dlt_threads_ended(t);
	dlt_ring_flush(t);
	release_record(t);
}

void dlt_thread_init(void)
{
	late_record.slot = dlt_box_slot(0);
	if (pthread_key_create(&exit_key, thread_exits)) {
		dlt_log(DLT_LOG_THREAD, "no key: slots are not given back", NULL, 0);
		return;
	}
	exit_key_made = true;
	pthread_setspecific(exit_key, dlt_thread_self());
}

static void add_pair(struct dlt_box_pair *sum, const struct dlt_box_pair *allocated,
		     const struct dlt_box_pair *freed)
{
	sum->bytes += allocated->bytes - freed->bytes;
	sum->count += allocated->count - freed->count;
}

/* A thread that vanished has left nothing but its slot, if it had one: its stack is unmapped, or another thread's. */
static void add_twins(struct dlt_box_pair *sum, const struct dlt_thread *t)
{
	const struct dlt_heap_own *own = t->heap;

	if (own == &t->kept || (dlt_sys_is_readable(own) && own->owner == t->id))
		add_pair(sum, &own->allocated, &own->freed);
	else if (!t->late)
		add_pair(sum, &t->slot->allocated, &t->slot->freed);
}

struct dlt_box_pair dlt_thread_live(void)
{
	struct dlt_box_pair sum = { 0, 0 };

	add_pair(&sum, &dlt_late_allocated, &dlt_late_freed);
	for (struct dlt_thread *t = dlt_thread_next(NULL); t; t = dlt_thread_next(t))
		add_twins(&sum, t);
	return sum;
}

void dlt_thread_after_fork(uint32_t id)
{
	static const struct dlt_box_pair zero;
	struct dlt_thread *self = dlt_thread_tls;

	dlt_late_allocated = dlt_late_freed = zero;
	dlt_rings_after_fork();
	for (struct dlt_thread *t = dlt_thread_next(NULL); t; t = dlt_thread_next(t)) {
		t->kept = (struct dlt_heap_own){ .hot = 0 };
		t->heap = &t->kept;
		t->published = 0;
		if (t != self)
			t->id = 0;
	}
	if (!self)
		return;
	self->id = first_given = id;
	self->events = self->putting = 0;
	self->announced = self->ends = false;
	take_slot(self);
	take_twins(self);
}

/* The clock of a thread of this process, by its number: what pthread_getcpuclockid makes of a pthread_t. */
static uint64_t cpu_of(uint32_t tid)
{
	struct timespec ts;

	if (dlt_sys(SYS_clock_gettime, (int)(~tid << 3 | 6), (long)&ts, 0, 0, 0) < 0)
		return 0;
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

void dlt_thread_note_cpu(void)
{
	uint32_t used = __atomic_load_n(&dlt_box->slots_used, __ATOMIC_ACQUIRE);

	for (uint32_t i = 1; i < used; i++) {
		struct dlt_box_slot *s = dlt_box_slot(i);

		if (__atomic_load_n(&s->thread, __ATOMIC_ACQUIRE) && !s->helper)
			__atomic_store_n(&s->cpu, cpu_of(s->tid), __ATOMIC_RELAXED);
	}
}

uint64_t dlt_thread_slot_events(const struct dlt_box_slot *s)
{
	return s->events + dlt_ring_events(s);
}

uint64_t dlt_thread_events_total(void)
{
	uint32_t used = __atomic_load_n(&dlt_box->slots_used, __ATOMIC_ACQUIRE);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < used; i++)
		sum += dlt_thread_slot_events(dlt_box_slot(i)) + dlt_box_slot(i)->base_events;
	return sum;
}
