/* SPDX-License-Identifier: MIT */
/*
 * The outbox from both sides: what threads put is what is passed on, whole, each thread's in its order, all in
 * order of time; and what killed and hostile processes leave there harms nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "interpose/outbox.c"
#include "tests/unit/clock_of.h"
#undef HEAD

/* ---- what the application's side takes from others ------------------------------------------- */

struct dlt_box_header *dlt_box;
struct dlt_process dlt_process;
static bool room = true;	/* on /dev/shm */

bool dlt_box_is_read(void)
{
	return true;
}

bool dlt_box_back(const void *p, size_t size)
{
	(void)p;
	(void)size;
	return room;
}

struct dlt_alive dlt_alive;	/* so no thread has a record, but where a test has one itself */
__thread struct dlt_thread *dlt_thread_tls;

bool dlt_log_any;

void dlt_log_write(enum dlt_log_domain domain, const char *text, const char *detail, long value)
{
	(void)domain, (void)text, (void)detail, (void)value;
}

/* ---- what comes out --------------------------------------------------------------------------- */

#define MOST 400000

static struct {
	uint64_t count, batches, bundles, largest;
	uint64_t in_vain, tries;	/* events that waited for room and found none; how many of LTTng's these were */
	uint64_t last_time;
	bool unordered;
	uint32_t next[16];		/* of `size` below, by thread */
	bool broken;
	char text[256];
} out;

static void take(const struct dlt_ev_heap_alloc *e)
{
	if (e->thread >= 16 || e->size != out.next[e->thread]++ || e->ptr != ~e->size)
		out.broken = true;
}

static uint64_t later;	/* ns */
static uint64_t takes;	/* ns that an event waits in vain; 0: there is room */

static void on_bundle(const void *data)
{
	const struct dlt_ev_outbox_events *e = data;
	const unsigned char *at = (const unsigned char *)e->records, *end = at + 8 * (size_t)e->records_count;
	uint64_t time = e->begin;

	assert_int_equal(e->layout, DLT_OUTBOX_LAYOUT);
	if (takes) {
		later += takes;
		out.in_vain += e->count;
		out.tries++;
		return;
	}
	out.bundles++;
	if (8 * (uint64_t)e->records_count > out.largest)
		out.largest = 8 * (uint64_t)e->records_count;
	for (uint32_t i = 0; i < e->count; i++) {
		struct dlt_ev_heap_alloc alloc;
		uint32_t head;
		size_t length;

		memcpy(&head, at, sizeof(head));
		length = dlt_outbox_length((enum dlt_event)(head >> 24), at + 4, (size_t)(end - at) - 4);
		assert_true(length > 0);
		time += head & 0xffffff;
		out.unordered |= time < out.last_time;
		out.last_time = time;
		if (head >> 24 == DLT_EV_HEAP_ALLOC) {
			memcpy(&alloc.thread, at + 4, 4);
			memcpy(&alloc.size, at + 12, 8);
			memcpy(&alloc.ptr, at + 20, 8);
			take(&alloc);
		} else {
			snprintf(out.text, sizeof(out.text), "%s", (const char *)at + 4 + 41);
		}
		at += 4 + length;
		out.count++;
	}
	assert_in_range(end - at, 0, 7);
}

static void on_batch(const void *data)
{
	const struct dlt_ev_batch_records *e = data;

	assert_int_equal(e->thread, 3);
	assert_int_equal(e->begin, 77);
	assert_int_equal(e->records_count, 3);
	assert_int_equal(e->records[2], 12);
	out.batches++;
}

static const int one = 1;
const int *const dlt_bridge_states[DLT_EVENTS] = { [0 ... DLT_EVENTS - 1] = &one };
dlt_emit_fn const dlt_bridge_emitters[DLT_EVENTS] = {
	[DLT_EV_OUTBOX_EVENTS] = on_bundle, [DLT_EV_BATCH_RECORDS] = on_batch,
};

uint64_t ticks_monotonic(void)
{
	return 1000 + later;
}

#include "sampler/box_view.c"
#include "sampler/emit_sample.c"
#include "sampler/outbox.c"

/* ---- a box with nothing but an outbox --------------------------------------------------------- */

#define BOX_SIZE (4096 + sizeof(struct dlt_box_outbox))

static struct sampled_process *reader;

static struct sampled_process *new_reader(struct dlt_box_header *box)
{
	struct sampled_process *p = calloc(1, sizeof(*p));

	assert_true(box_view_init(&p->box, box, BOX_SIZE));
	p->access = SAMPLED_TAKES;
	outbox_enter(p);
	return p;
}

static struct dlt_box_header *new_box(void)
{
	struct dlt_box_header *box = mmap(NULL, BOX_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_true(box != MAP_FAILED);
	box->magic = DLT_BOX_MAGIC;
	box->version = DLT_BOX_VERSION;
	box->outbox_offset = 4096;
	return box;
}

static int set_up(void **state)
{
	static struct dlt_wanted page;

	(void)state;
	memset(&out, 0, sizeof(out));
	room = true;
	wanted = &page;
	dlt_box = new_box();
	assert_true(make_outbox());
	reader = new_reader(dlt_box);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	outbox_leave(reader);
	free(reader);
	munmap(dlt_box, BOX_SIZE);
	return 0;
}

static void put_alloc(uint32_t thread, uint64_t number)
{
	const struct dlt_ev_heap_alloc e = { .thread = thread, .size = number, .ptr = ~number };

	dlt_outbox_put_event(DLT_EV_HEAP_ALLOC, &e);
}

static uint64_t lost(void)
{
	return outbox()->lost;
}

/* ---- tests ------------------------------------------------------------------------------------ */

static void what_is_put_comes_out(void **state)
{
	const uint64_t words[3] = { 10, 11, 12 };
	const struct dlt_ev_batch_records batch = {
		.thread = 3, .first = 4, .count = 5, .layout = 6, .begin = 77, .records = words, .records_count = 3,
	};
	const struct dlt_ev_proc_thread thread = { .thread = 1, .name = "somebody" };

	(void)state;
	put_alloc(1, 0);
	dlt_outbox_put_event(DLT_EV_PROC_THREAD, &thread);
	dlt_outbox_put_event(DLT_EV_BATCH_RECORDS, &batch);
	put_alloc(1, 1);
	assert_true(outbox_pass_on(reader, false));
	assert_int_equal(out.count, 3);
	assert_int_equal(out.batches, 1);
	/* What stands before a batch goes before it. */
	assert_int_equal(out.bundles, 2);
	assert_string_equal(out.text, "somebody");
	assert_false(out.broken || out.unordered);
	assert_int_equal(reader->outbox_odd, 0);
}

static void many_laps(void **state)
{
	uint64_t put = 0;

	(void)state;
	for (; put < MOST; put++) {
		put_alloc(2, put);
		if (put % 1000 == 999)
			assert_true(outbox_pass_on(reader, false));
	}
	assert_int_equal(out.count, MOST);
	assert_true(outbox()->head > 3 * (uint64_t)DLT_OUTBOX_SIZE);
	assert_int_equal(lost(), 0);
	assert_false(out.broken || out.unordered);
	assert_true(out.largest <= ROOM + 8);
	assert_true(wanted->bell > 8);
}

/* What finds no room is counted, and what comes after it is whole. */
static void full(void **state)
{
	const uint64_t fits = DLT_OUTBOX_SIZE / 40;
	uint64_t after;

	(void)state;
	for (uint64_t i = 0; i < fits + 100; i++)
		put_alloc(1, i);
	assert_in_range(lost(), 99, 101);
	assert_true(outbox_pass_on(reader, false));
	after = out.count;
	assert_int_equal(after + lost(), fits + 100);
	out.next[1] = 0;
	put_alloc(1, 0);
	assert_true(outbox_pass_on(reader, false));
	assert_int_equal(out.count, after + 1);
	/* No room on /dev/shm is no room. */
	room = false;
	after = lost();
	for (unsigned i = 0; i < 2 * DLT_OUTBOX_CHUNK / 40; i++)
		put_alloc(1, 1 + i);
	assert_true(lost() > after);
	assert_true(outbox_pass_on(reader, false));
	assert_false(out.broken);
	assert_int_equal(reader->outbox_odd, 0);
}

static void *storm(void *argument)
{
	uint32_t thread = (uint32_t)(uintptr_t)argument;
	uint64_t before, next = 0;

	for (unsigned i = 0; i < 100000; i++) {
		/* Others lose at the same time: tell by the head whether it was ours. */
		before = lost();
		if (outbox()->head - outbox()->tail > DLT_OUTBOX_SIZE / 2) {
			sched_yield();
			continue;
		}
		put_alloc(thread, next++);
		assert_int_equal(lost(), before);
	}
	return (void *)(uintptr_t)next;
}

static void threads_at_once(void **state)
{
	pthread_t threads[4];
	uint64_t put = 0;
	void *result;

	(void)state;
	for (uintptr_t i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, storm, (void *)(i + 1)), 0);
	for (unsigned i = 0; i < 2000; i++) {
		outbox_pass_on(reader, false);
		usleep(50);
	}
	for (unsigned i = 0; i < 4; i++) {
		while (pthread_tryjoin_np(threads[i], &result) != 0)
			outbox_pass_on(reader, false);
		put += (uintptr_t)result;
	}
	assert_true(outbox_pass_on(reader, false));
	assert_int_equal(out.count, put);
	assert_true(put > 10000);
	assert_false(out.broken);
	assert_int_equal(reader->outbox_odd, 0);
}

/* Two processes' events come in order of time, however they are put. */
static void order_of_two(void **state)
{
	struct dlt_box_header *first_box = dlt_box, *second = new_box();
	uint64_t of_first;
	struct sampled_process *other;

	(void)state;
	second->outbox_count = 1;
	other = new_reader(second);
	for (unsigned i = 0; i < 1000; i++) {
		put_alloc(1, i);
		of_first = writable;
		dlt_box = second;
		writable = i ? DLT_OUTBOX_SIZE : 0;
		put_alloc(2, i);
		dlt_box = first_box;
		writable = of_first;
	}
	assert_true(outbox_pass_on(reader, false));
	assert_int_equal(out.count, 2000);
	assert_false(out.broken || out.unordered);
	outbox_leave(other);
	free(other);
	munmap(second, BOX_SIZE);
}

/* Killed after a place was given out, or in the middle of a message. */
static void killed_in_between(void **state)
{
	struct dlt_outbox_message *m;

	(void)state;
	put_alloc(1, 0);
	take_place(outbox(), 48);
	put_alloc(1, 1);
	m = (void *)(outbox()->bytes + take_place(outbox(), 56));
	m->word = dlt_outbox_word(56, DLT_EV_HEAP_ALLOC, DLT_OUTBOX_BUSY);
	put_alloc(1, 2);
	/* While it lives it may go on with it. */
	assert_false(outbox_pass_on(reader, false));
	assert_int_equal(out.count, 1);
	later += STUCK + 1;
	assert_false(outbox_pass_on(reader, false));
	assert_int_equal(out.count, 1);
	assert_true(outbox_pass_on(reader, true));
	assert_int_equal(out.count, 3);
	assert_false(out.broken);
}

/* Thrown out of its message by a handler that jumps away: when the outbox fills up, the others need not wait for ever. */
static void given_up(void **state)
{
	(void)state;
	take_place(outbox(), 3600);
	put_alloc(1, 0);
	assert_false(outbox_pass_on(reader, false));
	later += STUCK + 1;
	/* There is room: it may come back. */
	assert_false(outbox_pass_on(reader, false));
	assert_int_equal(out.count, 0);
	for (unsigned i = 1; i < DLT_OUTBOX_SIZE / 60; i++)
		put_alloc(1, i);
	assert_true(outbox_pass_on(reader, false));
	assert_int_equal(out.count, DLT_OUTBOX_SIZE / 60);
	assert_false(out.broken);
	assert_int_equal(lost(), 0);
}

/* Whoever notices that it was thrown out of its message has it passed over at once; not once that has happened. */
static void abandoned(void **state)
{
	struct dlt_thread thread = { .id = 1 };
	struct dlt_outbox_message *m;

	(void)state;
	dlt_outbox_on = true;
	dlt_outbox_abandon(&thread);
	thread.putting = 1 + take_place(outbox(), 56);
	m = (void *)(outbox()->bytes + thread.putting - 1);
	m->word = dlt_outbox_word(56, DLT_EV_HEAP_ALLOC, DLT_OUTBOX_BUSY);
	put_alloc(1, 0);
	assert_false(outbox_pass_on(reader, false));
	dlt_outbox_abandon(&thread);
	assert_int_equal(thread.putting, 0);
	assert_true(outbox_pass_on(reader, false));
	assert_int_equal(out.count, 1);
	assert_int_equal(lost(), 1);
	/* It is another one's now. */
	thread.putting = 1;
	m->word = dlt_outbox_word(56, DLT_EV_HEAP_ALLOC, DLT_OUTBOX_BUSY);
	outbox()->tail = DLT_OUTBOX_CHUNK;
	dlt_outbox_abandon(&thread);
	assert_int_equal(m->word, dlt_outbox_word(56, DLT_EV_HEAP_ALLOC, DLT_OUTBOX_BUSY));
	dlt_outbox_on = false;
}

static sigjmp_buf out_of_it;

static void jump(int signo)
{
	(void)signo;
	siglongjmp(out_of_it, 1);
}

/* A signal in the middle of a message, whose handler jumps: here since the event's own memory cannot be read. */
static void thrown_out(void **state)
{
	struct dlt_thread thread = { .id = 3 };
	void *unreadable = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct dlt_ev_batch_records e = { .thread = 3, .count = 2, .records = unreadable, .records_count = 3 };
	struct sigaction jumps = { .sa_handler = jump }, before;

	(void)state;
	assert_ptr_not_equal(unreadable, MAP_FAILED);
	dlt_outbox_on = true;
	dlt_alive.mask = UINTPTR_MAX;
	dlt_thread_tls = &thread;
	sigaction(SIGSEGV, &jumps, &before);
	if (!sigsetjmp(out_of_it, 1)) {
		dlt_outbox_put_event(DLT_EV_BATCH_RECORDS, &e);
		fail_msg("it can be read");
	}
	sigaction(SIGSEGV, &before, NULL);
	dlt_thread_tls = NULL;
	put_alloc(1, 0);
	assert_false(outbox_pass_on(reader, false));
	dlt_outbox_abandon(&thread);
	assert_true(outbox_pass_on(reader, false));
	assert_int_equal(out.count, 1);
	assert_int_equal(out.batches, 0);
	dlt_alive.mask = 0;
	munmap(unreadable, 4096);
	dlt_outbox_on = false;
}

/* Another reader begins where the last one had passed on all. */
static void two_readers(void **state)
{
	struct sampled_process *second;

	(void)state;
	for (unsigned i = 0; i < 5000; i++)
		put_alloc(1, i);
	assert_true(outbox_pass_on(reader, false));
	put_alloc(1, 5000);
	outbox_leave(reader);
	second = new_reader(dlt_box);
	assert_true(outbox_pass_on(second, false));
	assert_int_equal(out.count, 5001);
	assert_false(out.broken);
	outbox_leave(second);
	free(second);
	outbox_enter(reader);
}

static void put_allocs(uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		put_alloc(1, i);
}

/* LTTng's consumer daemon takes nothing for some time: what can wait does, and what is lost is counted. */
static void stuck(void **state)
{
	(void)state;
	sample_wait_for_room(1000);
	sample_counts->unsaid = 0;
	put_allocs(0, 5000);
	takes = 999;
	assert_true(outbox_pass_on(reader, false));	/* each found room at last */
	out.in_vain = out.tries = 0;

	put_allocs(5000, 10000);
	takes = 1000;
	assert_false(outbox_pass_on(reader, false));
	assert_false(outbox_pass_on(reader, false));
	assert_int_equal(out.tries, TRIES);
	later += REST;
	assert_false(outbox_pass_on(reader, false));
	assert_int_equal(out.tries, TRIES + 1);
	sample_try_now();
	sample_try_now();
	assert_false(outbox_pass_on(reader, false));
	sample_try_now();
	assert_false(outbox_pass_on(reader, false));
	assert_int_equal(out.tries, TRIES + 2);

	takes = 0;
	later += REST;
	assert_true(outbox_pass_on(reader, false));
	assert_int_equal(sample_stuck(), 2 * REST + 4 * 1000);
	assert_true(out.count > 4000);
	assert_int_equal(out.count + out.in_vain + sample_counts->unsaid, 5000);

	/* It has ended, and there is no other time. */
	put_allocs(10000, 15000);
	takes = 1000;
	outbox_pass_on(reader, true);
	assert_int_equal(out.tries, TRIES + 2 + TRIES);
	assert_int_equal(out.count + out.in_vain + sample_counts->unsaid, 10000);
	takes = 0;
	later += REST;
	assert_true(outbox_pass_on(reader, false));
	assert_int_equal(out.count + out.in_vain + sample_counts->unsaid, 10000);	/* once */
	sample_wait_for_room(0);
	waiting.again_at = takes = 0;
}

/* Recording ends while LTTng takes nothing, the process goes on: what counts as lost does not come a moment later. */
static void left_while_stuck(void **state)
{
	(void)state;
	sample_wait_for_room(1000);
	sample_counts->unsaid = 0;
	put_allocs(0, 5000);
	takes = 1000;
	assert_false(outbox_pass_on(reader, false));
	outbox_give_up(reader);
	outbox_give_up(reader);
	assert_int_equal(out.count + out.in_vain + sample_counts->unsaid, 5000);
	takes = 0;
	later += REST;
	put_allocs(5000, 5100);
	assert_true(outbox_pass_on(reader, false));
	assert_int_equal(out.count + out.in_vain + sample_counts->unsaid, 5000);
	sample_wait_for_room(0);
	waiting.again_at = takes = 0;
}

/* Whatever stands there, all that is read lies in the box, and it comes to an end. */
static void hostile(void **state)
{
	uint64_t random = 88172645463325252ull;

	(void)state;
	for (unsigned round = 0; round < 300; round++) {
		uint64_t *words = (uint64_t *)(void *)outbox()->bytes;

		for (unsigned i = 0; i < 4096; i++) {
			random ^= random << 13, random ^= random >> 7, random ^= random << 17;
			words[i] = i % 4 ? random : dlt_outbox_word((uint32_t)(random % 100 * 8), (unsigned)(random >> 32) % 60,
								    DLT_OUTBOX_BUSY + random / 8 % 2);
		}
		reader->outbox_at = 0;
		outbox()->tail = round % 5 ? 0 : random >> 3 & (2 * DLT_OUTBOX_SIZE - 1);
		outbox()->read = random;
		outbox()->head = round % 3 ? 8 * (random % 4096) : random;
		outbox_leave(reader);
		outbox_enter(reader);
		assert_int_equal(reader->outbox_at % 8, 0);
		if (round % 3)
			reader->outbox_at = 0;
		outbox_pass_on(reader, true);
		assert_true(reader->outbox_at >= (outbox()->head & ~7ull) || reader->outbox_odd);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_put_comes_out, set_up, tear_down),
		cmocka_unit_test_setup_teardown(many_laps, set_up, tear_down),
		cmocka_unit_test_setup_teardown(full, set_up, tear_down),
		cmocka_unit_test_setup_teardown(threads_at_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(order_of_two, set_up, tear_down),
		cmocka_unit_test_setup_teardown(killed_in_between, set_up, tear_down),
		cmocka_unit_test_setup_teardown(given_up, set_up, tear_down),
		cmocka_unit_test_setup_teardown(abandoned, set_up, tear_down),
		cmocka_unit_test_setup_teardown(thrown_out, set_up, tear_down),
		cmocka_unit_test_setup_teardown(two_readers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(stuck, set_up, tear_down),
		cmocka_unit_test_setup_teardown(left_while_stuck, set_up, tear_down),
		cmocka_unit_test_setup_teardown(hostile, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
