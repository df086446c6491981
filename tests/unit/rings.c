/* SPDX-License-Identifier: MIT */
/* Rings of noted events: what was left in the middle by a jump out of a signal's handler spoils nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <string.h>

#include "interpose/rings.c"
#include "tests/unit/clock_of.h"

/* ---- what rings take from others --------------------------------------------------------------- */

static struct {
	struct dlt_box_header header;
	struct dlt_box_slot slots[2];
	struct dlt_box_ring rings[2];
} box;
struct dlt_box_header *dlt_box = &box.header;
static struct dlt_thread thread = { .id = 7, .slot = &box.slots[1] };

static const int one = 1;
const int *dlt_states[DLT_EVENTS] = { [0 ... DLT_EVENTS - 1] = &one };
struct dlt_alive dlt_alive = { .mask = UINTPTR_MAX };
__thread struct dlt_thread *dlt_thread_tls;
bool dlt_clock_is_tsc;
uint64_t dlt_clock_mult;

bool dlt_box_back(const void *p, size_t size)
{
	(void)p;
	(void)size;
	return true;
}

struct dlt_thread *dlt_thread_make(void)
{
	return &thread;
}

struct dlt_thread *dlt_thread_next(struct dlt_thread *t)
{
	return t ? NULL : &thread;
}

bool dlt_guard_stands(struct dlt_thread *t, uintptr_t here)
{
	(void)t;
	(void)here;
	return false;
}

/* ---- what comes out ---------------------------------------------------------------------------- */

static unsigned batches;
static uint32_t events;
static unsigned char bytes[sizeof(box.rings[0].records)];	/* of the last batch */

void dlt_emit_now(enum dlt_event event, const void *data)
{
	const struct dlt_ev_batch_records *e = data;

	assert_int_equal(event, DLT_EV_BATCH_RECORDS);
	batches++;
	events += e->count;
	memset(bytes, 0, sizeof(bytes));
	memcpy(bytes, e->records, 8 * (size_t)e->records_count);
}

static unsigned code_at(size_t at)
{
	return bytes[at + 3];
}

/* Two products that differ in one dimension alone. */
static const struct dlt_ev_cpu_blas a = { .thread = 7, .function = 1, .m = 1, .duration = 100 };
static const struct dlt_ev_cpu_blas b = { .thread = 7, .function = 1, .m = 2, .duration = 100 };

static void put_product(const struct dlt_ev_cpu_blas *e)
{
	assert_true(dlt_ring_put(&thread, DLT_EV_CPU_BLAS, e, dlt_clock_ticks(), true));
}

/* As put() does until where it says that there is one more. */
static void begin_product(const struct dlt_ev_cpu_blas *e)
{
	struct dlt_box_ring *r = thread.ring;
	unsigned char *to = (unsigned char *)r->records + dlt_ring_bytes_in(r->fill) + sizeof(uint32_t);
	unsigned code = 0, size = dlt_batch_put(DLT_EV_CPU_BLAS, e, to, &code);

	r->writing = 1;
	dlt_batch_cut((unsigned char *)r->records, to, size, &code, r->whole);
}

static int set_up(void **state)
{
	(void)state;
	memset(&box, 0, sizeof(box));
	box.header.slots_offset = offsetof(__typeof__(box), slots);
	box.header.rings_offset = offsetof(__typeof__(box), rings);
	box.header.rings_count = 2;
	box.slots[1].thread = thread.id;
	thread.ring = NULL;
	batches = events = 0;
	return 0;
}

/* The second of two alike is its duration alone, one of other dimensions is whole again. */
static void alike_are_cut(void **state)
{
	size_t whole, cut;

	(void)state;
	put_product(&a);
	whole = dlt_ring_bytes_in(thread.ring->fill);
	put_product(&a);
	cut = dlt_ring_bytes_in(thread.ring->fill) - whole;
	assert_int_equal(cut, 8);
	put_product(&b);
	assert_int_equal(dlt_ring_bytes_in(thread.ring->fill), 2 * whole + cut);
	dlt_ring_flush(&thread);
	assert_int_equal(batches, 1);
	assert_int_equal(events, 3);
	assert_int_equal(code_at(0), code_at(whole + cut));
	assert_int_not_equal(code_at(0), code_at(whole));
}

/* The one that is not there has been the last whole one already: what comes next must not be told by it. */
static void thrown_out(void **state)
{
	unsigned whole;

	(void)state;
	put_product(&a);
	begin_product(&b);
	dlt_ring_abandon(&thread);
	assert_int_equal(thread.ring->writing, 0);
	put_product(&b);
	assert_int_equal(batches, 1);
	assert_int_equal(events, 1);
	whole = code_at(0);
	dlt_ring_flush(&thread);
	assert_int_equal(batches, 2);
	assert_int_equal(events, 2);
	assert_int_equal(code_at(0), whole);
}

/* A jump from where it had emitted them, but not yet said where the next ones begin. */
static void jumped_behind_emitting(void **state)
{
	struct dlt_box_ring *r;

	(void)state;
	put_product(&a);
	dlt_ring_flush(&thread);
	put_product(&a);
	r = thread.ring;
	count_batch(r, dlt_ring_events_in(r->fill));
	r->fill = 0;
	dlt_ring_abandon(&thread);
	put_product(&b);
	assert_int_equal(r->ordinal, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(alike_are_cut, set_up),
		cmocka_unit_test_setup(thrown_out, set_up),
		cmocka_unit_test_setup(jumped_behind_emitting, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
