/* SPDX-License-Identifier: MIT */
/* Calls: each event into the profile of its function and caller, and what it did to memory. */
#include <string.h>

#include "analysis/model/memory.h"
#include "analysis/model/model.h"

#define CUDA_NOT_READY 600	/* what a query answers while work runs: no failure */
#define AT_LEAST UINT32_MAX	/* a duration beyond 32 bits */

/* Every event of dltrace_cuda begins like dltrace_cuda:other. */
#define SAME_PLACE(event, field) \
	_Static_assert(offsetof(struct dlt_ev_cuda_##event, field) == \
		       offsetof(struct dlt_ev_cuda_other, field), "a common field has moved")
#define SAME_BEGIN(event) \
	SAME_PLACE(event, thread); \
	SAME_PLACE(event, function); \
	SAME_PLACE(event, library); \
	SAME_PLACE(event, duration); \
	SAME_PLACE(event, result); \
	SAME_PLACE(event, nested); \
	SAME_PLACE(event, nested_time)
SAME_BEGIN(alloc);
SAME_BEGIN(free);
SAME_BEGIN(copy);
SAME_BEGIN(launch);
SAME_BEGIN(stream);
SAME_BEGIN(sync);

struct call {
	uint64_t duration, nested_time;
	uint64_t bytes;		/* moved or allocated; asked for, when it failed */
	bool failed, timed;
	int32_t code;
};

static struct profile *thread_profile(struct thread *thread, uint16_t function, uint16_t library)
{
	uint32_t key = (uint32_t)function << 16 | library;

	if (!thread->last || thread->last->key != key)
		thread->last = process_profile(thread->process, function, library);
	return thread->last;
}

static void add(struct profile *f, int64_t at, const struct call *c)
{
	int64_t began = at - (int64_t)c->duration;

	if (f->begin == UNKNOWN || began < f->begin) {
		f->begin = began;
		f->events_first = c->duration;
	}
	f->end = at;
	f->timed |= c->timed;
	sums_add(&f->events, c->duration, c->nested_time);
	if (!c->failed) {
		f->events.bytes += c->bytes;
	} else {
		f->events.failed++;
		if (f->failed_at == UNKNOWN) {
			f->failed_at = at;
			f->failed_code = c->code;
			f->failed_first_size = c->bytes;
		}
	}
}

/* Beyond 4.29 s the event says only "at least"; the sample right before it says since when. */
static uint64_t full_duration(struct thread *thread, int64_t at)
{
	if (thread->in_flight_since == UNKNOWN || thread->in_flight_since > at)
		return AT_LEAST;
	thread->read++;		/* that sample was the thread's own */
	thread->process->read++;
	return (uint64_t)(at - thread->in_flight_since);
}

/* Its profile and thread, or NULL outside of --from and --to. */
static struct thread *cuda(struct trace *t, int64_t at, const struct dlt_ev_cuda_other *e,
			   uint64_t bytes)
{
	struct thread *thread = trace_emitted(t, e->thread, at);
	struct call c = {
		.duration = e->duration, .nested_time = e->nested_time, .bytes = bytes,
		.failed = e->result && e->result != CUDA_NOT_READY, .timed = true,
		.code = e->result,
	};

	if (e->duration == AT_LEAST)
		c.duration = full_duration(thread, at);
	if (!trace_in_range(t, at)) {
		t->filtered++;
		return NULL;
	}
	add(thread_profile(thread, e->function, e->library), at, &c);
	return thread;
}

static void on_cuda(struct trace *t, int64_t at, const void *data)
{
	cuda(t, at, data, 0);
}

static void on_cuda_copy(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_cuda_copy *e = data;

	cuda(t, at, data, e->size);
}

static void on_cuda_launch(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_cuda_launch *e = data;
	struct thread *thread = cuda(t, at, data, 0);

	if (thread && !e->result)
		process_launch(thread->process, e, e->duration);
}

/* ---- device memory ---- */

static void on_cuda_alloc(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_cuda_alloc *e = data;
	struct thread *thread = cuda(t, at, data, e->size);

	if (thread)
		gpu_memory_alloc(thread->process, at, e);
}

static void on_cuda_free(struct trace *t, int64_t at, const void *data)
{
	struct thread *thread = cuda(t, at, data, 0);

	if (thread)
		gpu_memory_free(thread->process, at, data);
}

/* ---- the CPU ---- */

static void cpu(struct trace *t, int64_t at, const struct dlt_ev_cpu_region *e)
{
	struct thread *thread = trace_emitted(t, e->thread, at);
	struct call c = { .duration = e->duration, .nested_time = e->nested_time, .timed = true };

	if (e->duration == AT_LEAST)
		c.duration = full_duration(thread, at);
	if (!trace_in_range(t, at))
		t->filtered++;
	else
		add(thread_profile(thread, e->function, e->library), at, &c);
}

static void on_cpu_region(struct trace *t, int64_t at, const void *data)
{
	cpu(t, at, data);
}

static void on_cpu_blas(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_cpu_blas *e = data;
	struct dlt_ev_cpu_region same = {
		.thread = e->thread, .function = e->function, .library = e->library,
		.duration = e->duration, .nested = e->nested, .nested_time = e->nested_time,
	};

	cpu(t, at, &same);
}

/* ---- communication ---- */

#define NCCL_IN_PROGRESS 7

static void on_comm_call(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_comm_call *e = data;
	struct thread *thread = trace_emitted(t, e->thread, at);
	struct call c = {
		.duration = e->duration, .nested_time = e->nested_time, .bytes = e->bytes,
		.timed = true, .code = e->result,
	};

	c.failed = e->result && (e->result != NCCL_IN_PROGRESS ||
				 strcmp(process_function(thread->process, e->function)->layer, "nccl"));
	if (e->duration == AT_LEAST)
		c.duration = full_duration(thread, at);
	if (!trace_in_range(t, at)) {
		t->filtered++;
		return;
	}
	add(thread_profile(thread, e->function, e->library), at, &c);
	comms_call(&thread->process->comms, e, at, c.duration, c.failed);
}

/* ---- heap and mappings: no durations ---- */

static struct profile *untimed(struct trace *t, int64_t at, uint32_t id, uint16_t function,
			       uint16_t library, const struct call *c)
{
	struct thread *thread = trace_emitted(t, id, at);
	struct profile *f;

	if (!trace_in_range(t, at)) {
		t->filtered++;
		return NULL;
	}
	f = thread_profile(thread, function, library);
	add(f, at, c);
	return f;
}

static void on_heap_alloc(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_heap_alloc *e = data;
	struct call c = { .bytes = e->size, .failed = !e->ptr };
	struct process *p;

	if (!untimed(t, at, e->thread, e->function, e->library, &c) || e->ptr)
		return;
	p = t->last_thread->process;
	if (p->failed_count < FAILED_ALLOCATIONS_KEPT) {
		const struct machine *m = trace_machine(t, p->host);
		struct failed_allocation *f = &p->failed[p->failed_count];

		*f = (struct failed_allocation){
			.t = at, .thread = e->thread, .function = e->function,
			.library = e->library, .size = e->size,
			.live = p->now.sampled ? p->now.heap : UNKNOWN,
		};
		if (m) {
			f->memory = m->memory;
			f->available = m->available;
			f->cgroup_limit = m->cgroup_limit;
			f->cgroup_used = m->cgroup_used;
		}
	}
	p->failed_count++;
}

static void on_heap_free(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_heap_free *e = data;
	struct call c = { .bytes = e->size };

	untimed(t, at, e->thread, e->function, e->library, &c);
}

static void on_map(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_map_map *e = data;
	struct call c = { .bytes = e->size, .failed = e->result != 0, .code = e->result };

	untimed(t, at, e->thread, e->function, e->library, &c);
}

static void on_heap_call(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_full_heap_call *e = data;

	trace_emitted(t, e->thread, at);
}

const event_fn call_handlers[DLT_EVENTS] = {
	[DLT_EV_CUDA_ALLOC] = on_cuda_alloc,
	[DLT_EV_CUDA_FREE] = on_cuda_free,
	[DLT_EV_CUDA_COPY] = on_cuda_copy,
	[DLT_EV_CUDA_LAUNCH] = on_cuda_launch,
	[DLT_EV_CUDA_STREAM] = on_cuda,
	[DLT_EV_CUDA_SYNC] = on_cuda,
	[DLT_EV_CUDA_OTHER] = on_cuda,
	[DLT_EV_CPU_BLAS] = on_cpu_blas,
	[DLT_EV_CPU_REGION] = on_cpu_region,
	[DLT_EV_COMM_CALL] = on_comm_call,
	[DLT_EV_HEAP_ALLOC] = on_heap_alloc,
	[DLT_EV_HEAP_FREE] = on_heap_free,
	[DLT_EV_MAP_MAP] = on_map,
	[DLT_EV_FULL_HEAP_CALL] = on_heap_call,
};
