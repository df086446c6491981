/* SPDX-License-Identifier: MIT */
/* Calls, heap calls, named ranges, epochs and steps as spans. */
#include "analysis/export/spans.h"

#include <stdio.h>
#include <string.h>

#include "analysis/export/calls.h"
#include "analysis/model/memory.h"

#define AT_LEAST UINT32_MAX	/* a duration beyond 32 bits */

/* The epoch and the step that a process is in. */
struct boundaries {
	struct {
		int64_t begin;		/* UNKNOWN: none */
		int64_t number;
	} open[MARK_KINDS];
};

void spans_release(struct spans *s)
{
	for (size_t i = 0; i < s->boundaries.capacity; i++)
		if (s->boundaries.used[i])
			free((void *)(uintptr_t)s->boundaries.slots[i].value);
	idmap_release(&s->boundaries);
	gpu_spans_release(&s->gpu);
	tracks_release(&s->tracks);
}

/* ---- calls ---- */

static void add_kernel(struct spans *s, const struct process *p, uint32_t shape,
		       struct export_event *e)
{
	const struct object *o = process_find_object(p, DLT_OBJECT_SHAPE, shape);
	const struct object *kernel = o ? process_find_object(p, DLT_OBJECT_KERNEL,
					    (uint32_t)o->values[SHAPE_KERNEL]) : NULL;

	if (kernel)
		export_text(e, "kernel", track_plain_name(&s->tracks, p->trace, kernel->name));
}

/* What only some calls say. */
static void add_details(struct spans *s, const struct process *p, const struct reader_event *from,
			struct export_event *e)
{
	const struct dlt_ev_cpu_blas *blas = from->data;

	switch (from->type) {
	case DLT_EV_CUDA_ALLOC:
		export_number(e, "bytes", ((const struct dlt_ev_cuda_alloc *)from->data)->size);
		break;
	case DLT_EV_CUDA_FREE:
		export_number(e, "bytes", ((const struct dlt_ev_cuda_free *)from->data)->size);
		break;
	case DLT_EV_CUDA_COPY:
		export_number(e, "bytes", ((const struct dlt_ev_cuda_copy *)from->data)->size);
		break;
	case DLT_EV_COMM_CALL:
		export_number(e, "bytes", ((const struct dlt_ev_comm_call *)from->data)->bytes);
		break;
	case DLT_EV_CUDA_LAUNCH:
		add_kernel(s, p, ((const struct dlt_ev_cuda_launch *)from->data)->shape, e);
		break;
	case DLT_EV_CPU_BLAS:
		export_number(e, "m", blas->m);
		export_number(e, "n", blas->n);
		export_number(e, "k", blas->k);
		break;
	default:
		break;
	}
}

/* Beyond 4.29 s the event says only "at least"; the sample right before it says since when. */
static int64_t call_begin(const struct thread *thread, int64_t at, uint32_t duration)
{
	if (duration == AT_LEAST && thread->in_flight_since != UNKNOWN &&
	    thread->in_flight_since <= at)
		return thread->in_flight_since;
	return at - (int64_t)duration;
}

static void on_call(struct spans *s, const struct trace *t, int64_t at,
		    const struct reader_event *from, const struct export_call *c)
{
	const struct thread *thread = trace_thread(t, c->thread);
	const struct process *p = thread ? thread->process : NULL;
	struct export_event e = { .kind = EXPORT_SPAN, .kept = true };
	const struct function *f;
	const struct library *l;

	if (!p || !process_shown(p) || !trace_in_range(t, at) ||
	    !export_chosen(p, c->function, c->library))
		return;
	f = process_function(p, c->function);
	l = process_library(p, c->library);
	e.track = track_of_thread(&s->tracks, thread);
	e.name = *f->name ? f->name : "unnamed function";
	e.category = f->layer;
	e.end = track_time(&s->tracks, t, at);
	e.begin = track_time(&s->tracks, t, call_begin(thread, at, c->duration));
	if (c->gpu)
		e.flow = gpu_spans_call(&s->gpu, e.track, e.begin, e.end, c->stream);
	track_fit(&s->tracks, e.track, FIT_APART, &e.begin, &e.end);
	if (l) {
		export_text(&e, "library", base_name(l->path));
		e.caller = l->base;
	}
	add_details(s, p, from, &e);
	export_number(&e, "nested calls", c->nested);
	export_signed(&e, "result", c->result);
	track_give(&s->tracks, &e);
}

/* For formats that need things in order: the sampler tells of long calls before they end. */
static void on_sample(struct spans *s, const struct trace *t, int64_t at,
		      const struct dlt_ev_sample_thread *sample)
{
	const struct thread *thread = trace_thread(t, sample->thread);
	int64_t since = sample->function ? trace_monotonic(t, sample->since) : UNKNOWN;
	struct export_event e = { .kind = EXPORT_OPEN, .kept = true };

	if (!thread || !process_shown(thread->process) || since == UNKNOWN || since > at ||
	    at - since < EXPORT_LONG || !trace_in_range(t, at) ||
	    !export_chosen(thread->process, sample->function, 0))
		return;
	e.track = track_of_thread(&s->tracks, thread);
	e.name = process_function(thread->process, sample->function)->name;
	e.category = process_function(thread->process, sample->function)->layer;
	e.begin = e.end = track_time(&s->tracks, t, since);
	if (*e.name)
		track_give(&s->tracks, &e);
}

/* At the level full large blocks are in both kinds of events. */
static void on_heap(struct spans *s, const struct trace *t, int64_t at,
		    const struct reader_event *from, const struct export_heap_call *c)
{
	const struct thread *thread = trace_thread(t, c->thread);
	struct export_event e = {
		.kind = EXPORT_HEAP, .kept = true, .category = "heap", .ptr = c->ptr,
		.size = c->size, .operation = c->operation,
	};

	if (from->type == DLT_EV_FULL_HEAP_CALL)
		s->full = t;
	else if (s->full == t)
		return;
	if (!thread || !process_shown(thread->process) || !trace_in_range(t, at))
		return;
	e.track = track_of_thread(&s->tracks, thread);
	e.name = process_function(thread->process, c->function)->name;
	e.begin = e.end = track_time(&s->tracks, t, at);
	track_give(&s->tracks, &e);
}

/* ---- ranges, epochs, steps ---- */

static struct boundaries *boundaries_of(struct spans *s, const struct process *p)
{
	uint64_t *slot = idmap_put(&s->boundaries, (uintptr_t)p);
	struct boundaries *b = (struct boundaries *)(uintptr_t)*slot;

	if (b)
		return b;
	b = xcalloc(1, sizeof(*b));
	for (int i = 0; i < MARK_KINDS; i++)
		b->open[i].begin = UNKNOWN;
	*slot = (uintptr_t)b;
	return b;
}

static void end_boundary(struct spans *s, const struct process *p, unsigned kind, int64_t at)
{
	struct boundaries *b = boundaries_of(s, p);
	int64_t begin = b->open[kind].begin;
	char name[48];
	struct export_event e = { .kind = EXPORT_SPAN, .category = "range", .name = name };

	b->open[kind].begin = UNKNOWN;
	if (begin == UNKNOWN || begin > at)
		return;
	snprintf(name, sizeof(name), "%s %lld", kind == MARK_EPOCH ? "epoch" : "step",
		 (long long)b->open[kind].number);
	e.track = track_named(&s->tracks, TRACK_PROCESS, p->trace, p,
			      kind == MARK_EPOCH ? "named epochs" : "named steps", 0);
	e.begin = track_time(&s->tracks, p->trace, begin);
	e.end = track_time(&s->tracks, p->trace, at);
	track_give(&s->tracks, &e);
}

static void on_boundary(struct spans *s, const struct process *p, int64_t at,
			const struct dlt_ev_mark_range *r)
{
	struct boundaries *b = boundaries_of(s, p);

	end_boundary(s, p, r->kind, at);
	if (r->kind == MARK_EPOCH)	/* between epochs there is no step */
		end_boundary(s, p, MARK_STEP, at);
	if ((int64_t)r->payload < 0)
		return;
	b->open[r->kind].begin = at;
	b->open[r->kind].number = (int64_t)r->payload;
}

/* Where it lies: those that were started may overlap in any way, and end in another thread. */
static void place_range(struct spans *s, const struct thread *thread, uint8_t kind,
			struct export_event *e)
{
	e->track = track_beside(&s->tracks, thread, "ranges");
	if (kind == MARK_STARTED)
		e->track = track_lane(&s->tracks, thread->process, "ranges", &e->begin, &e->end);
	else if (kind == MARK_PUSHED)
		track_fit(&s->tracks, e->track, FIT_NEST, &e->begin, &e->end);
	else
		e->kind = EXPORT_MOMENT;
}

static void on_range(struct spans *s, const struct trace *t, int64_t at,
		     const struct dlt_ev_mark_range *r)
{
	const struct thread *thread = trace_thread(t, r->begun_by ? r->begun_by : r->thread);
	uint64_t duration = r->duration < INT64_MAX / 4 ? r->duration : INT64_MAX / 4;
	struct export_event e = { .kind = EXPORT_SPAN, .category = "range", .name = r->name };

	if (!thread || !process_shown(thread->process) || !trace_in_range(t, at) || !r->kind ||
	    r->kind >= MARK_KINDS)
		return;
	if (r->kind >= MARK_EPOCH) {
		on_boundary(s, thread->process, at, r);
		return;
	}
	e.end = track_time(&s->tracks, t, at);
	e.begin = track_time(&s->tracks, t, at - (int64_t)duration);
	place_range(s, thread, r->kind, &e);
	export_text(&e, "domain", r->domain);
	export_text(&e, "category", r->category);
	if (r->payload_type == 1)
		export_number(&e, "payload", r->payload);
	else if (r->payload_type == 2)
		export_signed(&e, "payload", (int64_t)r->payload);
	track_give(&s->tracks, &e);
}

/* ---- the whole ---- */

void spans_event(struct spans *s, const struct trace *t, int64_t at, const struct reader_event *e)
{
	struct export_call call;
	struct export_heap_call heap;

	if (!s->tracks.started) {
		s->tracks.started = true;
		s->tracks.zero = (uint64_t)t->clock_offset;
	}
	if (export_read_call(e, &call))
		on_call(s, t, at, e, &call);
	else if (export_read_heap(e, &heap))
		on_heap(s, t, at, e, &heap);
	else if (e->type == DLT_EV_SAMPLE_THREAD)
		on_sample(s, t, at, e->data);
	else if (e->type == DLT_EV_MARK_RANGE)
		on_range(s, t, at, e->data);
	else if (e->type == DLT_EV_GPU_KERNEL || e->type == DLT_EV_GPU_COPY)
		gpu_spans_event(&s->gpu, &s->tracks, t, at, e);
	if (s->gpu.count)
		gpu_spans_pass(&s->gpu, &s->tracks, track_time(&s->tracks, t, at));
}

void spans_end(struct spans *s, const struct model *m)
{
	gpu_spans_pass(&s->gpu, &s->tracks, INT64_MAX);
	for (size_t i = 0; i < m->trace_count; i++) {
		const struct trace *t = m->traces[i];

		for (size_t j = 0; j < t->process_count; j++) {
			const struct process *p = t->processes[j];

			if (!idmap_get(&s->boundaries, (uintptr_t)p))
				continue;
			for (unsigned kind = MARK_EPOCH; kind <= MARK_STEP; kind++)
				end_boundary(s, p, kind, p->end != UNKNOWN ? p->end : t->end);
		}
	}
}
