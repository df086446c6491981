/* SPDX-License-Identifier: MIT */
/* Calls: each event into the profile of its function and caller, and what it did to memory. */
#include <string.h>

#include "analysis/model/memory.h"
#include "analysis/model/model.h"

#define CUDA_NOT_READY 600	/* what a query answers while work runs: no failure */
#define AT_LEAST UINT32_MAX	/* a duration beyond 32 bits */
#define NO_COPY UINT8_MAX	/* the direction of a launch */

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

	profile_seen(f, began, at, c->duration);
	f->timed |= c->timed;
	sums_add(&f->events, c->duration, c->nested_time);
	tally_slice(&f->slices, at, &(struct slice){ 1, c->duration, c->nested_time, c->failed ? 0 : c->bytes });
	if (!c->failed) {
		f->events.bytes += c->bytes;
	} else {
		f->events.failed++;
		profile_failed(f, &(struct error){ c->code, at, c->bytes, 1 });
	}
}

/* What repeats: by thread, function, caller, and shape or size. */
static void beat(const struct thread *thread, enum beat_kind kind, uint16_t function,
		 uint16_t library, uint64_t a, int64_t at, uint64_t duration)
{
	const struct beat b = {
		.kind = (uint8_t)kind, .function = function, .library = library,
		.thread = thread->id, .a = a,
	};

	rhythm_note(&thread->process->rhythm, &b, at, duration);
}

/* The first of these is where work begins. */
static void works(const struct thread *thread, int64_t at, uint64_t duration)
{
	struct rhythm *r = &thread->process->rhythm;

	r->works++;
	if (at - (int64_t)duration < r->work)
		r->work = at - (int64_t)duration;
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

/* A thread's calls that are events are outermost, so whatever was in flight has returned. */
static uint64_t returned(struct thread *thread, int64_t at, uint32_t duration)
{
	if (at > thread->returned)
		thread->returned = at;
	return duration == AT_LEAST ? full_duration(thread, at) : duration;
}

/* Its thread, or NULL outside of --from and --to; *duration is what it took. */
static struct thread *cuda(struct trace *t, int64_t at, const struct dlt_ev_cuda_other *e,
			   uint64_t bytes, uint64_t *duration)
{
	struct thread *thread = trace_emitted(t, e->thread, at);
	struct call c = {
		.duration = returned(thread, at, e->duration), .nested_time = e->nested_time, .bytes = bytes,
		.failed = e->result && e->result != CUDA_NOT_READY, .timed = true,
		.code = e->result,
	};

	*duration = c.duration;
	if (!trace_in_range(t, at)) {
		t->filtered++;
		t->filtered_timed++;
		return NULL;
	}
	add(thread_profile(thread, e->function, e->library), at, &c);
	return thread;
}

static void on_cuda(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_cuda_other *e = data;
	uint64_t duration;
	struct thread *thread = cuda(t, at, data, 0, &duration);

	if (thread)
		beat(thread, BEAT_CUDA, e->function, e->library, 0, at, duration);
}

static void on_cuda_copy(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_cuda_copy *e = data;
	uint64_t duration;
	struct thread *thread = cuda(t, at, data, e->size, &duration);

	if (!thread)
		return;
	checked_stream(&thread->process->checked, e->stream);
	checked_copy(&thread->process->checked, e);
	beat(thread, BEAT_CUDA, e->function, e->library, 1 + e->direction, at, duration);
}

static void on_cuda_launch(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_cuda_launch *e = data;
	uint64_t duration;
	struct thread *thread = cuda(t, at, data, 0, &duration);

	if (thread)
		checked_stream(&thread->process->checked, e->stream);
	if (!thread || e->result)
		return;
	process_launches(thread->process, e->shape, at, !(e->stream & LAUNCH_CAPTURED),
			 !!(e->stream & LAUNCH_CAPTURED), duration);
	beat(thread, BEAT_LAUNCH, e->function, e->library, e->shape, at, duration);
	works(thread, at, duration);
}

/* Its time is the outer call's: it is in no profile, and nobody waits for it to repeat. */
static void on_cuda_inside(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_cuda_inside *e = data;
	const struct dlt_ev_cuda_copy copy = {
		.result = e->result, .size = e->size, .direction = e->direction, .stream = e->stream,
	};
	struct thread *thread = trace_emitted(t, e->thread, at);

	if (!trace_in_range(t, at)) {
		t->filtered++;
		return;
	}
	checked_stream(&thread->process->checked, e->stream);
	if (e->direction != NO_COPY)
		checked_copy(&thread->process->checked, &copy);
	else if (!e->result)
		process_launches(thread->process, e->shape, at, !(e->stream & LAUNCH_CAPTURED),
				 !!(e->stream & LAUNCH_CAPTURED), e->duration);
}

/* ---- device memory ---- */

static void on_cuda_alloc(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_cuda_alloc *e = data;
	uint64_t duration;
	struct thread *thread = cuda(t, at, data, e->size, &duration);

	/* What is held in a part began before it. */
	if (at < t->to)
		gpu_memory_alloc(trace_thread_make(t, e->thread)->process, at, e);
	if (!thread)
		return;
	beat(thread, BEAT_CUDA, e->function, e->library, e->size, at, duration);
	if (e->memory == DLT_MEMORY_DEVICE && !e->result)
		load_gpu_block(thread, at, duration, e->size);
}

static void on_cuda_free(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_cuda_free *e = data;
	uint64_t duration;
	struct thread *thread = cuda(t, at, data, 0, &duration);

	if (at < t->to)
		gpu_memory_free(trace_thread_make(t, e->thread)->process, at, e);
	if (!thread)
		return;
	if (e->memory == DLT_MEMORY_DEVICE && !e->result)
		load_gpu_block(thread, at, duration, 0);
}

/* ---- the CPU ---- */

/* Its thread, or NULL outside of --from and --to; *duration is what it took. */
static struct thread *cpu(struct trace *t, int64_t at, const struct dlt_ev_cpu_region *e,
			  uint64_t *duration)
{
	struct thread *thread = trace_emitted(t, e->thread, at);
	struct call c = {
		.duration = returned(thread, at, e->duration), .nested_time = e->nested_time, .timed = true,
	};

	*duration = c.duration;
	if (!trace_in_range(t, at)) {
		t->filtered++;
		t->filtered_timed++;
		return NULL;
	}
	add(thread_profile(thread, e->function, e->library), at, &c);
	works(thread, at, c.duration);
	return thread;
}

static void on_cpu_region(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_cpu_region *e = data;
	uint64_t duration;
	struct thread *thread = cpu(t, at, e, &duration);

	if (thread)
		beat(thread, BEAT_REGION, e->function, e->library, e->width, at, duration);
}

static void beat_blas(const struct thread *thread, const struct dlt_ev_cpu_blas *e, int64_t at,
		      uint64_t duration)
{
	struct beat three[3];

	beats_of_blas(three, e);
	for (int i = 0; i < 3; i++)
		rhythm_note(&thread->process->rhythm, &three[i], at, duration);
}

static void on_cpu_blas(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_cpu_blas *e = data;
	struct dlt_ev_cpu_region same = {
		.thread = e->thread, .function = e->function, .library = e->library,
		.duration = e->duration, .nested = e->nested, .nested_time = e->nested_time,
	};
	struct thread *thread;
	uint64_t duration;

	thread = cpu(t, at, &same, &duration);
	if (thread)
		beat_blas(thread, e, at, duration);
}

/* ---- communication ---- */

#define NCCL_IN_PROGRESS 7

static void on_comm_call(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_comm_call *e = data;
	struct thread *thread = trace_emitted(t, e->thread, at);
	struct call c = {
		.duration = returned(thread, at, e->duration), .nested_time = e->nested_time, .bytes = e->bytes,
		.timed = true, .code = e->result,
	};
	const char *layer;

	layer = process_function(thread->process, e->function)->layer;
	c.failed = e->result && (e->result != NCCL_IN_PROGRESS || strcmp(layer, "nccl"));
	if (!trace_in_range(t, at)) {
		t->filtered++;
		t->filtered_timed++;
		return;
	}
	add(thread_profile(thread, e->function, e->library), at, &c);
	comms_call(&thread->process->comms, e, at, c.duration, c.failed);
	if (!strcmp(layer, "network"))	/* as much at once as the network happens to take: no rhythm */
		comms_transfer(&thread->process->comms, at, c.duration);
	else
		beat(thread, BEAT_COMM, e->function, e->library, e->bytes, at, c.duration);
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

	if (!untimed(t, at, e->thread, e->function, e->library, &c))
		return;
	if (e->ptr) {
		beat(t->last_thread, BEAT_HEAP, e->function, e->library, rhythm_size(e->size), at, 0);
		return;
	}
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
	const struct beat b = { .kind = BEAT_FREE, .a = rhythm_size(e->size) };

	if (untimed(t, at, e->thread, e->function, e->library, &c))
		rhythm_note(&t->last_thread->process->rhythm, &b, at, 0);
}

static void on_map(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_map_map *e = data;
	struct call c = { .bytes = e->size, .failed = e->result != 0, .code = e->result };

	if (untimed(t, at, e->thread, e->function, e->library, &c) && e->size && !e->result)
		beat(t->last_thread, BEAT_MAP, e->function, e->library, e->size, at, 0);
}

static void on_heap_call(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_full_heap_call *e = data;
	struct thread *thread = trace_emitted(t, e->thread, at);

	checked_heap_call(&thread->process->checked, e);
}

const event_fn call_handlers[DLT_EVENTS] = {
	[DLT_EV_CUDA_ALLOC] = on_cuda_alloc,
	[DLT_EV_CUDA_FREE] = on_cuda_free,
	[DLT_EV_CUDA_COPY] = on_cuda_copy,
	[DLT_EV_CUDA_LAUNCH] = on_cuda_launch,
	[DLT_EV_CUDA_INSIDE] = on_cuda_inside,
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
