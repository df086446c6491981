/* SPDX-License-Identifier: MIT */
/* Rings of noted events: filled by their threads, emitted as batches. */
#include "rings.h"

#include <errno.h>

#include "box_private.h"
#include "clock.h"
#include "emit.h"
#include "guard.h"

#define MAX_AGE 100000000	/* ns between a batch's first event and its last */
#define RESERVE 400		/* bytes for what is noted where nothing may be emitted */
#define MAX_GAP 0xffffff	/* ns between two events that a head can say */

/* Also what signals and the compiler see in this order; other processors: see rings.h. */
#define BARRIER() __asm__ volatile("" ::: "memory")

_Static_assert(sizeof(((struct dlt_box_ring *)0)->whole) == DLT_BATCH_AGAINS * sizeof(uint16_t),
	       "a place for each kind");

static bool over;	/* nobody would emit what is noted now */

static struct dlt_box_ring *ring_of(const struct dlt_box_slot *s)
{
	return dlt_box_ring((unsigned)(s - dlt_box_slot(0)));
}

/* NULL: the thread shares a slot, or the box cannot grow. Asked again at each event then. */
static struct dlt_box_ring *make(struct dlt_thread *t)
{
	struct dlt_box_slot *s = t->slot;
	unsigned index = (unsigned)(s - dlt_box_slot(0));

	if (!index || index >= dlt_box->rings_count || s->ring == DLT_RING_NONE)
		return NULL;
	if (s->ring != DLT_RING_BACKED && !dlt_box_back(ring_of(s), sizeof(struct dlt_box_ring))) {
		s->ring = DLT_RING_NONE;
		return NULL;
	}
	__atomic_store_n(&s->ring, DLT_RING_BACKED, __ATOMIC_RELEASE);
	t->ring = ring_of(s);
	return t->ring;
}

/* As a sampler counts them (sampler/rings.c). A past owner's are nobody's any more. */
static void count_batch(struct dlt_box_ring *r, uint32_t count)
{
	const struct dlt_box_slot *s = dlt_box_slot((unsigned)(r - dlt_box_ring(0)));

	if (s->thread == r->thread)
		r->events = r->sent + count;
	else
		__atomic_fetch_add(&dlt_box_slot(0)->base_events, count, __ATOMIC_RELAXED);
}

/*
 * Whoever calls has the guard up. A session that has ended meanwhile gets nothing. Rare, so errno is
 * kept here and not for each event that is noted.
 */
static DLT_HOT __attribute__((noinline)) void emit(struct dlt_box_ring *r)
{
	uint64_t fill = r->fill;
	uint32_t used = dlt_ring_bytes_in(fill), count = dlt_ring_events_in(fill);
	struct dlt_ev_batch_records e = {
		.thread = r->thread, .first = (uint32_t)r->ordinal, .count = count, .layout = DLT_BATCH_LAYOUT,
		.begin = r->begin, .records = r->records, .records_count = (used + 7) / 8,
	};
	int saved = errno;

	if (!used)
		return;
	/* Readers stop at an event whose code is 0. */
	__builtin_memset((char *)r->records + used, 0, -used & 7);
	if (dlt_enabled(DLT_EV_BATCH_RECORDS)) {
		count_batch(r, count);
		BARRIER();
		dlt_emit_now(DLT_EV_BATCH_RECORDS, &e);
		BARRIER();
	}
	/* Killed before this, the recorder emits them again; their ordinal tells that it is again. */
	__atomic_store_n(&r->fill, 0, __ATOMIC_RELEASE);
	BARRIER();
	r->sent = r->events;
	errno = saved;
}

static __attribute__((noinline)) void begin(struct dlt_box_ring *r, uint32_t thread, uint64_t ticks)
{
	r->thread = thread;
	r->ordinal = r->sent;
	__builtin_memset(r->whole, 0, sizeof(r->whole));
	r->begin = dlt_clock_ns() - dlt_clock_elapsed_ns(dlt_clock_ticks() - ticks);
	r->first = ticks;
	r->last = 0;
}

/* ns from the batch's first event; what a signal handler has put in between counts as later. */
static uint64_t age_at(const struct dlt_box_ring *r, uint64_t ticks)
{
	uint64_t age = ticks > r->first ? dlt_clock_elapsed_ns(ticks - r->first) : 0;

	return age > r->last ? age : r->last;
}

/* True when the thread's event cannot stand behind the others, which may be a past thread's. */
static DLT_HOT bool is_full(const struct dlt_box_ring *r, uint32_t thread, uint64_t age, bool may_emit)
{
	size_t room = sizeof(r->records) - dlt_ring_bytes_in(r->fill);

	return room < DLT_BATCH_RECORD_MOST + (may_emit ? RESERVE : 0) || age - r->last > MAX_GAP ||
	       age > MAX_AGE || r->thread != thread;
}

static DLT_HOT bool put(struct dlt_box_ring *r, struct dlt_thread *t, enum dlt_event event,
		const void *data, uint64_t ticks, bool may_emit)
{
	uint64_t age = r->fill ? age_at(r, ticks) : 0;
	unsigned code = 0, size;
	unsigned char *to;
	uint32_t head;

	if (r->fill && is_full(r, t->id, age, may_emit)) {
		if (!may_emit)
			return false;
		emit(r);
	}
	if (!r->fill) {
		begin(r, t->id, ticks);
		age = 0;
	}
	to = (unsigned char *)r->records + dlt_ring_bytes_in(r->fill);
	size = dlt_batch_put(event, data, to + sizeof(head), &code);
	size = dlt_batch_cut((unsigned char *)r->records, to + sizeof(head), size, &code, r->whole);
	head = (uint32_t)code << 24 | (uint32_t)(age - r->last);
	__builtin_memcpy(to, &head, sizeof(head));
	r->last = age;
	/* Now it is there for whoever looks at the box of a killed process. */
	__atomic_store_n(&r->fill, r->fill + dlt_ring_fill(1, (uint32_t)sizeof(head) + size), __ATOMIC_RELEASE);
	return true;
}

DLT_HOT bool dlt_ring_put(struct dlt_thread *t, enum dlt_event event, const void *data, uint64_t ticks,
		  bool may_emit)
{
	struct dlt_box_ring *r = t->ring;
	bool done = false;

	if (!dlt_enabled(DLT_EV_BATCH_RECORDS) || over || (!r && !(r = make(t))))
		return false;
	r->writing = 1;
	BARRIER();
	if (!__atomic_load_n(&r->taken, __ATOMIC_RELAXED))
		done = put(r, t, event, data, ticks, may_emit);
	__atomic_store_n(&r->writing, 0, __ATOMIC_RELEASE);
	return done;
}

void dlt_ring_flush(struct dlt_thread *t)
{
	struct dlt_box_ring *r = t->ring;
	int saved = errno;
	uintptr_t before;

	if (!r || !r->fill || t->vforked)
		return;
	before = dlt_guard_up(t);
	r->writing = 1;
	BARRIER();
	if (!__atomic_load_n(&r->taken, __ATOMIC_RELAXED))
		emit(r);
	__atomic_store_n(&r->writing, 0, __ATOMIC_RELEASE);
	dlt_guard_down(t, before);
	errno = saved;
}

/*
 * A jump has left the middle of noting an event or of emitting the others. The batch is closed, since what it keeps
 * of its last event may be of the one that is not there; what was emitted already is told by its ordinal.
 */
void dlt_ring_abandon(struct dlt_thread *t)
{
	struct dlt_box_ring *r = t->ring;

	if (!r)
		return;
	r->first = 0;
	/* Between the last two stores of emitting them: the next batch would pass for this one again. */
	if (!r->fill)
		r->sent = r->events;
	__atomic_store_n(&r->writing, 0, __ATOMIC_RELEASE);
}

/* The sampler has been stopped and others may not emit any more: whatever is there is ours. */
void dlt_rings_flush_all(bool last)
{
	struct dlt_thread *self = dlt_thread_self();
	uintptr_t before = dlt_guard_up(self);
	int saved = errno;

	over = last;
	for (struct dlt_thread *t = dlt_thread_next(NULL); t; t = dlt_thread_next(t))
		if (t->ring && (last || t == self))
			emit(t->ring);
	dlt_guard_down(self, before);
	errno = saved;
}

void dlt_rings_reopen(void)
{
	over = false;
}

uint64_t dlt_ring_events(const struct dlt_box_slot *slot)
{
	return slot->ring == DLT_RING_BACKED ? ring_of(slot)->events : 0;
}

/* A sampler counts what it takes, then empties the ring (sampler/rings.c): read the other way. */
uint64_t dlt_ring_noted(const struct dlt_box_slot *slot)
{
	const struct dlt_box_ring *r = ring_of(slot);
	uint64_t noted, gone;

	if (slot->ring != DLT_RING_BACKED || r->thread != slot->thread)
		return dlt_ring_events(slot);
	noted = __atomic_load_n(&r->sent, __ATOMIC_ACQUIRE);
	noted += dlt_ring_events_in(__atomic_load_n(&r->fill, __ATOMIC_ACQUIRE));
	gone = __atomic_load_n(&r->events, __ATOMIC_ACQUIRE);
	return gone > noted ? gone : noted;
}

void dlt_ring_new_owner(struct dlt_box_slot *slot)
{
	if (slot->ring != DLT_RING_BACKED)
		return;
	slot->base_events += ring_of(slot)->events;
	ring_of(slot)->events = ring_of(slot)->sent = 0;
}

void dlt_rings_after_fork(void)
{
	over = false;
	for (struct dlt_thread *t = dlt_thread_next(NULL); t; t = dlt_thread_next(t))
		t->ring = NULL;
}
