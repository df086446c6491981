/* SPDX-License-Identifier: MIT */
/* Black boxes that lie: whatever stands in them, the sampler reads inside their bounds, and ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "sampler/box_view.c"
#include "sampler/emit_sample.c"

#include "bridge.h"

/* No LTTng here: all events are enabled and counted, and their strings and sequences touched. */
static const int one = 1;
const int *const dlt_bridge_states[DLT_EVENTS] = { [0 ... DLT_EVENTS - 1] = &one };
static unsigned emitted;
static volatile uint64_t touched;

static void touch_text(const char *text)
{
	touched += text ? strlen(text) : 0;
}

static unsigned process_samples, process_threads;

static void on_process(const void *event)
{
	process_samples++;
	process_threads = ((const struct dlt_ev_sample_process *)event)->threads;
}

static void count(const void *event)
{
	(void)event;
	emitted++;
}

/* Of the libraries at one base: "FOUND 1, UNLOADED 0, ". */
static uint64_t watched_base;
static char libraries_told[256];

static void on_library(const void *event)
{
	static const char *const states[] = { "FIRST", "UNLOADED", "FOUND", "AGAIN" };
	const struct dlt_ev_proc_library *e = event;
	size_t length = strlen(libraries_told);

	touch_text(e->path);
	count(event);
	if (watched_base && e->base == watched_base)
		snprintf(libraries_told + length, sizeof(libraries_told) - length, "%s %u, ", states[e->state],
			 e->library);
}

static void on_object(const void *event)
{
	const struct dlt_ev_proc_object *e = event;

	assert_true(e->values_count <= 8);
	for (uint32_t i = 0; i < e->values_count; i++)
		touched += e->values[i];
	count(event);
}

static void on_function(const void *event)
{
	const struct dlt_ev_sample_function *e = event;

	assert_true(e->buckets_count <= DLT_BUCKETS);
	for (uint32_t i = 0; i < e->buckets_count; i++)
		touched += e->buckets[i];
	count(event);
}

#pragma GCC diagnostic ignored "-Woverride-init"
dlt_emit_fn const dlt_bridge_emitters[DLT_EVENTS] = {
	[0 ... DLT_EVENTS - 1] = count,
	[DLT_EV_PROC_LIBRARY] = on_library,
	[DLT_EV_PROC_OBJECT] = on_object,
	[DLT_EV_SAMPLE_FUNCTION] = on_function,
	[DLT_EV_SAMPLE_PROCESS] = on_process,
};

#include "sampler/announce.c"
#include "sampler/functions.c"
#include "sampler/memory.c"
#define emit libraries_emit
#define line libraries_line
#include "sampler/libraries.c"
#undef emit
#undef line
#include "sampler/proc.c"
#define find threads_find
#include "sampler/threads.c"
#undef find
#include "sampler/period.c"
#include "sampler/ticks.c"
#include "sampler/process.c"
#include "sampler/outbox.c"
#include "sampler/rings.c"

#define SIZE (64 * 1024)

static unsigned char *box;	/* exactly SIZE bytes: the sanitizer sees one more */

static int make(void **state)
{
	(void)state;
	box = aligned_alloc(4096, SIZE);
	memset(box, 0, SIZE);
	return 0;
}

static int drop(void **state)
{
	(void)state;
	free(box);
	return 0;
}

static struct dlt_box_header *good_header(void)
{
	struct dlt_box_header *h = (struct dlt_box_header *)box;

	memset(box, 0, SIZE);
	h->magic = DLT_BOX_MAGIC;
	h->version = DLT_BOX_VERSION;
	h->size = SIZE;
	h->slots_offset = 4096;
	h->slots_count = h->slots_used = 4;
	h->totals_offset = 8192;
	h->totals_count = h->totals_used = 2;
	h->libraries_offset = 12288;
	h->libraries_count = h->libraries_used = 3;
	h->objects_offset = 16384;
	h->objects_count = h->objects_used = 2;
	h->late_offset = 20480;
	h->late_count = h->late_used = DLT_FNS;
	return h;
}

static void tick_twice(void)
{
	struct sampled_process *p = sampled_process_new(0, box, SIZE, SAMPLED_READS);
	struct sampled_call calls[8];

	if (!p)
		return;
	sampled_process_tick(p, ticks_monotonic(), false);
	sampled_process_calls(p, ticks_monotonic(), 0, calls, 8);
	sampled_process_tick(p, ticks_monotonic(), true);
	sampled_process_free(p);
}

static void sums_of_a_good_box(void **state)
{
	struct dlt_box_header *h = good_header();
	struct dlt_box_slot *slots = (struct dlt_box_slot *)(box + h->slots_offset);
	struct box_view v;
	struct box_heap heap;

	(void)state;
	for (int i = 0; i < 4; i++) {
		slots[i].allocated = (struct dlt_box_pair){ 100, 2 };
		slots[i].freed = (struct dlt_box_pair){ 30, 1 };
		slots[i].events = 5;
		slots[i].base_events = 1;
	}
	assert_true(box_view_init(&v, box, SIZE));
	box_view_heap(&v, &heap);
	assert_int_equal(heap.allocated.bytes, 400);
	assert_int_equal(heap.freed.count, 4);
	assert_int_equal(heap.events, 24);
}

static void no_box_at_all(void **state)
{
	struct box_view v;

	(void)state;
	good_header()->magic++;
	assert_false(box_view_init(&v, box, SIZE));
	good_header()->version++;
	assert_false(box_view_init(&v, box, SIZE));
	good_header();
	assert_false(box_view_init(&v, box, 4095));
}

static void tables_outside(void **state)
{
	struct dlt_box_header *h = good_header();
	struct box_view v;

	(void)state;
	h->slots_offset = SIZE;
	h->totals_offset = 0xfffff000;
	h->libraries_offset = 64;
	h->objects_offset = 4097;
	h->late_offset = SIZE - 128;
	assert_true(box_view_init(&v, box, SIZE));
	assert_int_equal(box_view_slots(&v), 0);
	assert_int_equal(box_view_totals(&v), 0);
	assert_int_equal(box_view_libraries(&v), 0);
	assert_int_equal(box_view_objects(&v), 0);
	assert_int_equal(v.late_count, 1);
	tick_twice();
}

static void counts_too_large(void **state)
{
	struct dlt_box_header *h = good_header();

	(void)state;
	h->slots_count = h->slots_used = h->totals_count = h->totals_used = UINT32_MAX;
	h->libraries_count = h->libraries_used = h->objects_count = h->objects_used = UINT32_MAX;
	h->late_count = h->late_used = UINT32_MAX;
	memset(box + 4096, 0xff, SIZE - 4096);
	emitted = 0;
	tick_twice();
	assert_true(emitted > 0);
}

static void noise(void **state)
{
	(void)state;
	srand(1);
	for (int round = 0; round < 60; round++) {
		struct dlt_box_header *h = good_header();
		/* Keep what makes it a box; the rest of the header for one half of the rounds. */
		size_t from = round % 2 ? 16 : 4096;

		for (size_t i = from; i < SIZE; i++)
			box[i] = (unsigned char)(rand() >> 7);
		h->magic = DLT_BOX_MAGIC;
		h->version = DLT_BOX_VERSION;
		tick_twice();
	}
}

static unsigned samples_of(pid_t pid)
{
	struct sampled_process *p = sampled_process_new(pid, box, SIZE, SAMPLED_READS);

	process_samples = 0;
	sampled_process_tick(p, ticks_monotonic(), false);
	sampled_process_free(p);
	return process_samples;
}

/* Nothing can be read of a process that has ended since its box was found: no sample says that it has no memory. */
static void gone_before_the_first_look(void **state)
{
	pid_t pid = fork();

	(void)state;
	if (pid == 0)
		for (;;)
			pause();
	good_header()->pid = pid;
	assert_int_equal(samples_of(pid), 1);
	assert_int_equal(process_threads, 1);
	kill(pid, SIGKILL);
	waitid(P_PID, (id_t)pid, &(siginfo_t){ .si_pid = 0 }, WEXITED | WNOWAIT);
	assert_int_equal(samples_of(pid), 0);
	waitpid(pid, NULL, 0);
	assert_int_equal(samples_of(pid), 0);
}

/* Not the program itself: neighbouring mappings of one file are one library, and its own may be neighbours. */
static void map_there(const char *path)
{
	void *place = (void *)(uintptr_t)watched_base;
	int fd = open(path, O_RDONLY);

	assert_ptr_equal(mmap(place, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, 0), place);
	close(fd);
	*libraries_told = '\0';
}

/* Where a library was that has called, another one comes to lie: neither has the other's name. */
static void two_at_one_base(void **state)
{
	struct dlt_box_header *h = good_header();
	struct dlt_box_library *libraries = (struct dlt_box_library *)(box + h->libraries_offset);
	struct sampled_process *p = sampled_process_new(getpid(), box, SIZE, SAMPLED_READS);

	(void)state;
	watched_base = (uint64_t)(uintptr_t)mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	map_there("/bin/true");
	libraries_scan(p, false);
	assert_string_equal(libraries_told, "FOUND 0, ");
	libraries[1].base = watched_base;
	libraries[1].ready = 1;
	libraries_scan(p, false);
	map_there("/bin/sh");
	libraries_scan(p, false);
	assert_string_equal(libraries_told, "FOUND 0, UNLOADED 1, ");
	map_there("/bin/true");
	libraries_scan(p, false);
	assert_string_equal(libraries_told, "FOUND 1, UNLOADED 0, ");
	map_there("/bin/sh");
	libraries[2].base = watched_base;
	libraries[2].ready = 1;
	libraries_scan(p, false);
	assert_string_equal(libraries_told, "FOUND 2, UNLOADED 1, ");
	munmap((void *)(uintptr_t)watched_base, 4096);
	*libraries_told = '\0';
	libraries_scan(p, false);
	assert_string_equal(libraries_told, "UNLOADED 2, ");
	watched_base = 0;
	sampled_process_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sums_of_a_good_box, make, drop),
		cmocka_unit_test_setup_teardown(no_box_at_all, make, drop),
		cmocka_unit_test_setup_teardown(tables_outside, make, drop),
		cmocka_unit_test_setup_teardown(counts_too_large, make, drop),
		cmocka_unit_test_setup_teardown(noise, make, drop),
		cmocka_unit_test_setup_teardown(two_at_one_base, make, drop),
		cmocka_unit_test_setup_teardown(gone_before_the_first_look, make, drop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
