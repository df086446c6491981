/* SPDX-License-Identifier: MIT */
/* Captures, the streams and events in them, and places that are given back: what is captured, and where it goes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#include "interpose/graphs.c"
#undef WINDOW
#include "interpose/graph_execs.c"
#undef WINDOW
#include "interpose/captures.c"
#undef WINDOW
#include "interpose/streams.c"

static struct dlt_thread record;
__thread struct dlt_thread *dlt_thread_tls = &record;
struct dlt_alive dlt_alive = { .mask = ~(uintptr_t)0 };
static unsigned misses[DLT_MISSED_KINDS];

struct dlt_thread *dlt_thread_make(void)
{
	return &record;
}

uint32_t dlt_object_id(enum dlt_object type, const void *handle, const uint64_t *values, unsigned count)
{
	(void)type;
	(void)handle;
	(void)values;
	(void)count;
	return 7;
}

uint32_t dlt_object_named(enum dlt_object type, uint64_t handle, const char *name, size_t length)
{
	(void)type;
	(void)handle;
	(void)name;
	(void)length;
	return 0;
}

void dlt_missed(enum dlt_missed what)
{
	misses[what]++;
}

static void *handle(uintptr_t value)
{
	return (void *)value;
}

#define A handle(0x100)
#define B handle(0x200)
#define EVENT handle(0x300)
#define GRAPH handle(0x400)
#define MANY 20000

static int forget(void **state)
{
	(void)state;
	memset(graphs, 0, sizeof(graphs));
	memset(nodes, 0, sizeof(nodes));
	memset(captures, 0, sizeof(captures));
	memset(events, 0, sizeof(events));
	memset(streams, 0, sizeof(streams));
	memset(misses, 0, sizeof(misses));
	dlt_captures_open = 0;
	return 0;
}

/* Kernels of what was captured on A into a graph, that ends here. */
static uint64_t kernels(void)
{
	dlt_capture_end(true, A, GRAPH);
	return dlt_graph_of((uintptr_t)GRAPH, false)->work[DLT_WORK_KERNEL];
}

static void launch(const void *stream)
{
	dlt_captured_slow(stream, DLT_WORK_KERNEL, 0);
}

static void join(const void *stream, const void *event, const void *other)
{
	dlt_capture_record_slow(event, stream);
	dlt_capture_wait_slow(other, event);
}

static void what_a_stream_began_ends_with_it(void **state)
{
	(void)state;
	dlt_capture_begin(A, NULL);
	join(A, EVENT, B);
	assert_int_equal(dlt_stream(A), 7 | DLT_STREAM_CAPTURED);
	dlt_stream_gone(A);
	assert_int_equal(dlt_captures_open, 0);
	assert_int_equal(dlt_stream(A), 7);
	assert_int_equal(dlt_stream(B), 7);
	/* The next capture has the same place, and nothing to do with them. */
	dlt_capture_begin(handle(0x500), NULL);
	assert_int_equal(dlt_stream(A), 7);
	assert_int_equal(dlt_stream(B), 7);
	dlt_capture_wait_slow(A, EVENT);
	assert_int_equal(dlt_stream(A), 7);
	dlt_capture_end(true, handle(0x500), GRAPH);
	/* Nobody saw the first one go. */
	dlt_capture_begin(A, NULL);
	dlt_stream_made(A, 0, 0);
	assert_int_equal(dlt_stream(A), 7);
	assert_int_equal(dlt_captures_open, 0);
}

static void one_that_had_joined_leaves_the_rest(void **state)
{
	(void)state;
	dlt_capture_begin(A, NULL);
	launch(A);
	join(A, EVENT, B);
	launch(B);
	dlt_stream_gone(B);
	assert_int_equal(dlt_captures_open, 1);
	launch(B);		/* its handle has come again: executed */
	assert_int_equal(dlt_stream(B), 7);
	launch(A);
	assert_int_equal(kernels(), 3);
	assert_int_equal(dlt_captures_open, 0);
}

static void streams_give_back_their_places(void **state)
{
	(void)state;
	for (uintptr_t i = 1; i <= MANY; i++) {
		dlt_stream_made(handle(i << 12), 0, 0);
		dlt_stream_gone(handle(i << 12));
	}
	dlt_capture_begin(A, NULL);
	launch(A);
	assert_int_equal(kernels(), 1);
	assert_int_equal(misses[DLT_MISSED_CAPTURE], 0);
}

static void streams_without_a_place_are_missed(void **state)
{
	uintptr_t last = 0;

	(void)state;
	for (uintptr_t i = 1; i <= MANY; i++) {
		dlt_stream_made(handle(i << 12), 0, 0);
		last = known(i << 12) ? last : i << 12;
	}
	assert_int_not_equal(last, 0);
	for (unsigned i = 0; i < 2 * CAPTURES; i++)
		dlt_capture_begin(handle(last), NULL);
	assert_int_equal(dlt_captures_open, 0);
	assert_int_equal(misses[DLT_MISSED_CAPTURE], 2 * CAPTURES);
	assert_int_equal(dlt_stream(handle(last)), 7);
	/* No place of a capture was kept. */
	dlt_capture_begin(handle(1 << 12), NULL);
	assert_int_equal(dlt_captures_open, 1);
	assert_int_equal(misses[DLT_MISSED_CAPTURE], 2 * CAPTURES);
}

static void events_are_over_with_their_capture(void **state)
{
	(void)state;
	for (uintptr_t i = 1; i <= MANY; i++) {
		dlt_capture_begin(A, NULL);
		join(A, handle(i << 12), B);
		launch(B);
		assert_int_equal(kernels(), 1);
	}
	assert_int_equal(misses[DLT_MISSED_CAPTURE], 0);
	/* Where too many are alive at once it is said. */
	dlt_capture_begin(A, NULL);
	for (uintptr_t i = 1; i <= MANY; i++)
		join(A, handle(i << 12), B);
	assert_in_range(misses[DLT_MISSED_CAPTURE], MANY - EVENTS, MANY);
}

static void an_event_is_recorded_again(void **state)
{
	(void)state;
	dlt_capture_begin(A, NULL);
	dlt_capture_record_slow(EVENT, A);
	dlt_capture_record_slow(EVENT, B);	/* which nobody captures */
	dlt_capture_wait_slow(handle(0x500), EVENT);
	assert_int_equal(dlt_stream(handle(0x500)), 7);
	join(A, EVENT, handle(0x500));
	assert_int_equal(dlt_stream(handle(0x500)), 7 | DLT_STREAM_CAPTURED);
}

static void graphs_give_back_their_places(void **state)
{
	const uint64_t work[DLT_WORKS] = { 1 };
	unsigned known_graphs = 0;

	(void)state;
	for (uintptr_t i = 1; i <= MANY; i++) {
		dlt_graph_captured(handle(i << 12), work);
		dlt_graph_made(handle(i << 12 | 16), handle(i << 12), 0);
		dlt_graph_gone(handle(i << 12));
		assert_int_not_equal(dlt_graph_shape(handle(i << 12 | 16)), 0);
		dlt_graph_gone(handle(i << 12 | 16));
	}
	/* Where too many are alive at once, launches of the rest are missed. */
	for (uintptr_t i = 1; i <= MANY; i++)
		dlt_graph_captured(handle(i << 12), work);
	for (uintptr_t i = 1; i <= MANY; i++)
		known_graphs += dlt_graph_shape(handle(i << 12)) != 0;
	assert_in_range(known_graphs, GRAPHS / 2, GRAPHS);
	assert_int_equal(misses[DLT_MISSED_GRAPH], MANY - known_graphs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(what_a_stream_began_ends_with_it, forget),
		cmocka_unit_test_setup(one_that_had_joined_leaves_the_rest, forget),
		cmocka_unit_test_setup(streams_give_back_their_places, forget),
		cmocka_unit_test_setup(streams_without_a_place_are_missed, forget),
		cmocka_unit_test_setup(events_are_over_with_their_capture, forget),
		cmocka_unit_test_setup(an_event_is_recorded_again, forget),
		cmocka_unit_test_setup(graphs_give_back_their_places, forget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
