/* SPDX-License-Identifier: MIT */
/*
 * Takes over what threads have noted and not emitted (interpose/rings.h has the owner's side).
 *
 * Of a living process in two steps: at one look a ring is marked as taken, at the next one, 100 ms
 * later, its owner has seen that or is at work. So neither side needs a lock or a barrier.
 */
#include <string.h>
#include <time.h>

#include "batch.h"
#include "emit_sample.h"
#include "sampled.h"

#define IDLE 200000000ull	/* ns: a thread at work empties its ring before */
#define SETTLE 2000000		/* ns: enough for an owner to see the mark, if there is no next look */

/* Nothing in the box is trusted: sizes are cut to what is there. */
static void emit_ring(struct sampled_process *p, struct dlt_box_ring *r, size_t slot)
{
	uint64_t records[sizeof(r->records) / 8];
	uint64_t fill = __atomic_load_n(&r->fill, __ATOMIC_ACQUIRE);
	uint32_t used = dlt_ring_bytes_in(fill), count = dlt_ring_events_in(fill);
	struct dlt_ev_batch_records e = {
		.thread = box_value(r->thread), .first = (uint32_t)box_value(r->ordinal), .count = count,
		.layout = DLT_BATCH_LAYOUT, .begin = box_value(r->begin), .records = records,
	};

	if (!used || used > sizeof(records) || !sample_enabled(DLT_EV_BATCH_RECORDS))
		return;
	memcpy(records, r->records, sizeof(records));
	memset((char *)records + used, 0, sizeof(records) - used);
	e.records_count = (used + 7) / 8;
	/* They are counted as what they are: events of that thread, or of one that has ended. */
	if (box_value(p->box.slots[slot].thread) == e.thread)
		r->events = r->sent + count;
	else
		__atomic_fetch_add(&((struct dlt_box_slot *)(uintptr_t)p->box.slots)->base_events, count,
				   __ATOMIC_RELAXED);
	if (!sample_write(DLT_EV_BATCH_RECORDS, &e))
		sample_counts->unsaid += count;
}

static void take(struct sampled_process *p, struct dlt_box_ring *r, size_t slot)
{
	if (__atomic_load_n(&r->writing, __ATOMIC_ACQUIRE) == 0) {
		emit_ring(p, r, slot);
		/* In this order: see dlt_ring_noted. */
		__atomic_store_n(&r->fill, 0, __ATOMIC_RELEASE);
		__atomic_store_n(&r->sent, r->events, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&r->taken, 0, __ATOMIC_RELEASE);
}

/*
 * What a thread has emitted of its ring before may still lie in the outbox. It goes first, or it would be taken
 * for what has come already: so that is emptied, and a ring waits for as long as that does not go.
 */
static void look(struct sampled_process *p, struct dlt_box_ring *r, size_t slot, uint64_t now,
		 enum harvest what)
{
	uint64_t begin = box_value(r->begin);

	if (what == HARVEST_FINAL) {
		r->writing = 0;
		take(p, r, slot);
	} else if (box_value(r->taken)) {
		if (outbox_pass_on(p, false))
			take(p, r, slot);
	} else if (box_value(r->fill) && (what == HARVEST_LEAVE || (now > begin && now - begin > IDLE))) {
		__atomic_store_n(&r->taken, 1, __ATOMIC_SEQ_CST);
	}
}

static void look_at_all(struct sampled_process *p, uint64_t now, enum harvest what)
{
	size_t slots = box_view_slots(&p->box);

	for (size_t i = 1; i < slots; i++) {
		struct dlt_box_ring *r = box_view_ring(&p->box, i);

		if (r)
			look(p, r, i, now, what);
	}
}

void rings_harvest(struct sampled_process *p, uint64_t now, enum harvest what)
{
	static const struct timespec settle = { 0, SETTLE };

	if (p->access == SAMPLED_READS)
		return;
	outbox_pass_on(p, what == HARVEST_FINAL && p->access != SAMPLED_OWN);
	/* Our own process's end: its last thread sees to the rest. */
	if (p->access == SAMPLED_OWN && what == HARVEST_FINAL) {
		what = HARVEST_IDLE;
		now = 0;
	}
	look_at_all(p, now, what);
	if (what == HARVEST_LEAVE) {
		nanosleep(&settle, NULL);
		outbox_pass_on(p, false);
		look_at_all(p, 0, HARVEST_IDLE);
	}
}
