/* SPDX-License-Identifier: MIT */
/* Events of the heap: large blocks in complete pairs, and whatever failed. */
#include <errno.h>

#include "clock.h"
#include "emit.h"
#include "guard.h"
#include "heap.h"
#include "library.h"
#include "process.h"
#include "stacks.h"

static DLT_HOT void emit_alloc(struct dlt_thread *t, const struct heap_call *call)
{
	struct dlt_ev_heap_alloc e = {
		.thread = t->id,
		.function = (uint16_t)call->function,
		.library = dlt_library_of_caller(t, call->caller),
		.size = call->size,
		.ptr = (uintptr_t)call->ptr,
	};

	/* One that failed may be the last that is heard of the process. */
	if (call->operation == HEAP_FAILED)
		dlt_emit(t, DLT_EV_HEAP_ALLOC, &e);
	else
		dlt_emit_at(t, DLT_EV_HEAP_ALLOC, &e, dlt_clock_ticks());
}

static DLT_HOT void emit_free(struct dlt_thread *t, const struct heap_call *call)
{
	struct dlt_ev_heap_free e = {
		.thread = t->id,
		.function = (uint16_t)call->function,
		.library = dlt_library_of_caller(t, call->caller),
		.size = call->size,
		.ptr = (uintptr_t)call->ptr,
	};

	dlt_emit_at(t, DLT_EV_HEAP_FREE, &e, dlt_clock_ticks());
}

static DLT_HOT void record_large(struct dlt_thread *t, const struct heap_call *call)
{
	if (call->operation == HEAP_FREE) {
		if (dlt_enabled(DLT_EV_HEAP_FREE))
			emit_free(t, call);
	} else if (dlt_enabled(DLT_EV_HEAP_ALLOC)) {
		emit_alloc(t, call);
	}
}

static __attribute__((noinline, cold)) void record_stack(struct dlt_thread *t, const struct heap_call *call)
{
	struct dlt_stack_block b = { .memory = DLT_STACK_HEAP, .size = call->size, .ptr = (uintptr_t)call->ptr };

	if (call->operation == HEAP_FREE) {
		dlt_stack_freed(t, &b);
	} else if (call->operation == HEAP_ALLOC) {
		b.stack = dlt_stack_take(t);
		dlt_stack_allocated(t, &b);
	}
}

/* The loader's calls are only noted, which needs no TLS. */
static void record_any(struct dlt_thread *t, const struct heap_call *call, bool may_emit)
{
	struct dlt_ev_full_heap_call e = {
		.thread = t->id,
		.function = (uint16_t)call->function,
		.library = dlt_library_of_caller(t, call->caller),
		.operation = (uint8_t)call->operation,
		.size = call->size,
		.ptr = (uintptr_t)call->ptr,
	};

	if (may_emit)
		dlt_emit_at(t, DLT_EV_FULL_HEAP_CALL, &e, dlt_clock_ticks());
	else
		dlt_emit_later(t, DLT_EV_FULL_HEAP_CALL, &e, dlt_clock_ticks());
}

/*
 * ld.so allocates while it resizes a thread's TLS table, and a tracepoint needs TLS: nothing may
 * be emitted on its behalf (crash in 5 of 5 runs with 150 libraries that have TLS).
 */
DLT_HOT void dlt_heap_record(struct dlt_thread *t, const struct heap_call *call)
{
	int saved = errno;
	bool may_emit;

	if (dlt_is_guarded(t) || t->helper || !dlt_process.traced)
		return;
	may_emit = !dlt_library_is_loader(call->caller);
	if (dlt_enabled(DLT_EV_FULL_HEAP_CALL))
		record_any(t, call, may_emit);
	if (may_emit && (call->size >= dlt_process.threshold || call->operation == HEAP_FAILED))
		record_large(t, call);
	if (may_emit && call->size >= dlt_process.threshold && dlt_stacks_wanted())
		record_stack(t, call);
	errno = saved;
}
