/* SPDX-License-Identifier: MIT */
/* The constructor of libdltrace.so: one line a module, in an order that matters. */
#include "init.h"

#include <errno.h>
#include <stdbool.h>

#include "box_private.h"
#include "clock.h"
#include "emit.h"
#include "guard.h"
#include "library.h"
#include "process.h"
#include "real.h"
#include "thread.h"
#include "walk.h"

#define WEAK __attribute__((weak))

WEAK void dlt_calls_init(void) { }
WEAK void dlt_threads_init(void) { }
WEAK void dlt_children_init(void) { }
WEAK void dlt_descriptors_init(void) { }
WEAK void dlt_exit_init(void) { }
WEAK void dlt_heap_init(void) { }
WEAK void dlt_heap_started(void) { }
WEAK void dlt_fork_init(void) { }
WEAK void dlt_threads_ended(struct dlt_thread *t) { (void)t; }
WEAK void dlt_last_thread(struct dlt_thread *t) { (void)t; }
WEAK uint16_t dlt_calls_library(struct dlt_thread *t) { (void)t; return 0; }
WEAK void dlt_threads_first_event(struct dlt_thread *t, int event) { (void)t; (void)event; }
WEAK void dlt_heap_thread_ended(struct dlt_thread *t) { (void)t; }
WEAK void dlt_marks_thread_end(struct dlt_thread *t) { (void)t; }
WEAK void dlt_calls_thread_end(struct dlt_thread *t) { (void)t; }
WEAK void dlt_ledger_thread_end(const struct dlt_thread *t) { (void)t; }
WEAK void dlt_threads_after_fork(void) { }
WEAK void dlt_calls_after_fork(void) { }
WEAK void dlt_ledger_after_fork(void) { }
WEAK void dlt_heap_after_fork(void) { }
WEAK void dlt_marks_after_fork(void) { }
WEAK void dlt_map_after_fork(void) { }
WEAK void dlt_calls_exit(void) { }
WEAK void dlt_marks_exit(void) { }
WEAK _Bool dlt_children_traced(const char *policy, char **argv)
{
	(void)policy;
	(void)argv;
	return 1;
}

/* ---- the hidden sampling thread ------------------------------------------------------------ */

static bool sampler_due;	/* the process is ready for it */
static bool sampler_useful;	/* LTTng has reached a session daemon */
static bool sampler_runs;

/* Both conditions may come true at once, in two threads: the second of them starts it. */
static void start_sampler(void)
{
	const struct dlt_bridge *bridge = dlt_emit_bridge();
	struct dlt_thread *t;
	uintptr_t before;

	if (!__atomic_load_n(&sampler_due, __ATOMIC_SEQ_CST) ||
	    !__atomic_load_n(&sampler_useful, __ATOMIC_SEQ_CST))
		return;
	if (!bridge || !bridge->sampler_start || dlt_box_is_read() || !dlt_process.traced)
		return;
	if (__atomic_exchange_n(&sampler_runs, true, __ATOMIC_SEQ_CST))
		return;
	t = dlt_thread_self();
	before = dlt_guard_up(t);
	bridge->sampler_start(dlt_box, dlt_box_size(), dlt_walk_or_not);
	dlt_guard_down(t, before);
}

void dlt_sampler_start(void)
{
	__atomic_store_n(&sampler_due, true, __ATOMIC_SEQ_CST);
	start_sampler();
}

void dlt_sampler_useful(void)
{
	if (!__atomic_exchange_n(&sampler_useful, true, __ATOMIC_SEQ_CST))
		start_sampler();
}

void dlt_sampler_stop(void)
{
	struct dlt_thread *t = dlt_thread_self();
	uintptr_t before;

	__atomic_store_n(&sampler_due, false, __ATOMIC_SEQ_CST);
	if (!__atomic_exchange_n(&sampler_runs, false, __ATOMIC_SEQ_CST))
		return;
	before = dlt_guard_up(t);
	dlt_emit_bridge()->sampler_stop();
	dlt_guard_down(t, before);
}

void dlt_sampler_after_fork(void)
{
	sampler_due = sampler_useful = sampler_runs = false;
}

static void start_tracing(void)
{
	dlt_real_init();
	dlt_thread_init();
	dlt_library_init();
	dlt_heap_init();
	dlt_threads_init();
	dlt_fork_init();		/* before LTTng and anybody else register their handlers */
	dlt_emit_init();
	dlt_descriptors_init();
	dlt_clock_init();		/* late: it wants some time to have passed */
	dlt_box_set_clock();		/* the box is older than the clock */
	dlt_calls_init();
	dlt_exit_init();
	dlt_process_announce();
	dlt_sampler_start();
	dlt_heap_started();		/* LTTng has said what is wanted */
}

/* A program finds errno as 0 at its start. */
__attribute__((constructor)) static void start(void)
{
	int saved = errno;

	dlt_thread_self();		/* usually the first malloc was earlier: identity, box */
	dlt_children_init();
	/* Shells and compilers: nothing but what their children need. */
	if (dlt_process.traced)
		start_tracing();
	errno = saved;
}
