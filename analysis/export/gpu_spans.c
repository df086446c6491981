/* SPDX-License-Identifier: MIT */
/* Work of GPUs waits for its calls and becomes spans. */
#include "analysis/export/gpu_spans.h"

#include <stdio.h>
#include <string.h>

#include "analysis/model/gpu.h"
#include "analysis/model/memory.h"
#include "analysis/model/times.h"

#define CALL_SLACK 100000000	/* ns that a preempted thread may tell of a call late */

struct gpu_call {
	int64_t begin, end;
	uint64_t flow;
	uint16_t stream;
};

/* Calls of a thread, by end. */
struct gpu_calls {
	struct gpu_call *list;	/* owned */
	size_t count, capacity;
};

void gpu_spans_release(struct gpu_spans *g)
{
	for (size_t i = 0; i < g->calls.capacity; i++) {
		struct gpu_calls *c;

		if (!g->calls.used[i])
			continue;
		c = (struct gpu_calls *)(uintptr_t)g->calls.slots[i].value;
		free(c->list);
		free(c);
	}
	idmap_release(&g->calls);
	idmap_release(&g->named);
	free(g->queue);
	g->queue = NULL;
}

uint64_t gpu_spans_call(struct gpu_spans *g, const struct track *thread, int64_t begin, int64_t end,
			uint16_t stream)
{
	uint64_t *slot = idmap_put(&g->calls, thread->id), flow;
	struct gpu_calls *c;
	size_t i;

	if (!*slot)
		*slot = (uintptr_t)xcalloc(1, sizeof(*c));
	c = (struct gpu_calls *)(uintptr_t)*slot;
	if (c->count == CALLS_KEPT) {
		c->count /= 2;
		memmove(c->list, c->list + CALLS_KEPT / 2, c->count * sizeof(*c->list));
	}
	c->list = xgrow(c->list, c->count, &c->capacity, sizeof(*c->list));
	for (i = c->count++; i && c->list[i - 1].end > end; i--)
		c->list[i] = c->list[i - 1];
	flow = export_key(thread->id, (uint64_t)end) | 1;
	c->list[i] = (struct gpu_call){ begin, end, flow, stream };
	return flow;
}

/* The first one that ended after `called`, if it began about then. */
static const struct gpu_call *find_call(const struct gpu_spans *g, struct tracks *tracks,
					const struct gpu_piece *p)
{
	const struct thread *thread = trace_thread(p->process->trace, p->caller);
	const struct gpu_calls *c = thread && p->called >= 0 ?
		idmap_pointer(&g->calls, track_of_thread(tracks, thread)->id) : NULL;
	size_t i = c ? FIRST_AFTER(c->list, c->count, end, p->called) : 0;

	if (!c || i == c->count || c->list[i].begin - p->called > CALL_SLACK)
		return NULL;
	return &c->list[i];
}

/*
 * The program gives names to handles, CUPTI numbers streams, and only a call has both: so a stream
 * is called as the first call that is known of its work says, and stays so.
 */
static const char *stream_name(struct gpu_spans *g, const struct gpu_piece *p, const struct gpu_call *call)
{
	uint64_t key = export_key((uintptr_t)p->process, (uint64_t)p->context << 32 | p->stream);
	uint64_t *slot = idmap_put(&g->named, key);
	const char *name;

	if (!*slot && call) {
		name = call->stream ? process_stream_name(p->process, call->stream) : NULL;
		*slot = name && *name ? (uintptr_t)name : 1;
	}
	return *slot <= 1 ? NULL : (const char *)(uintptr_t)*slot;
}

static const char *name_of(struct tracks *tracks, const struct gpu_piece *p)
{
	static const char *const copies[] = {
		"copy host to host", "copy host to device", "copy device to host",
		"copy device to device", "copy", "set",
	};
	const char *name = p->process->gpu ? idmap_pointer(&p->process->gpu->names, p->kernel) : NULL;

	if (p->copy)
		return copies[p->direction < 6 ? p->direction : 4];
	return name && *name ? track_plain_name(tracks, p->process->trace, name) : "kernel";
}

static void show(struct gpu_spans *g, struct tracks *tracks, const struct gpu_piece *p)
{
	struct export_event e = {
		.kind = EXPORT_SPAN, .kept = true, .category = "gpu", .begin = p->begin,
		.end = p->end, .flow_ends = true,
	};
	const struct gpu_call *call = find_call(g, tracks, p);
	const char *name = stream_name(g, p, call);
	char stream[192];

	snprintf(stream, sizeof(stream), "GPU %u stream %u%s%s%s", p->device, p->stream, name ? " (" : "",
		 name ? name : "", name ? ")" : "");
	e.name = name_of(tracks, p);
	e.flow = call ? call->flow : 0;
	e.track = track_lane(tracks, p->process, stream, &e.begin, &e.end);
	export_number(&e, "bytes", p->size);
	export_number(&e, "context", p->context);
	export_number(&e, "correlation", p->correlation);
	export_number(&e, "graph", p->graph);
	track_give(tracks, &e);
}

void gpu_spans_pass(struct gpu_spans *g, struct tracks *tracks, int64_t now)
{
	while (g->count && (now == INT64_MAX || g->queue[g->first].told < now - GPU_WAIT)) {
		show(g, tracks, &g->queue[g->first]);
		g->first = (g->first + 1) % GPU_QUEUE;
		g->count--;
	}
}

static void wait_for_call(struct gpu_spans *g, struct tracks *tracks, const struct gpu_piece *p)
{
	if (!g->queue)
		g->queue = xcalloc(GPU_QUEUE, sizeof(*g->queue));
	if (g->count == GPU_QUEUE)
		gpu_spans_pass(g, tracks, g->queue[g->first].told + GPU_WAIT + 1);
	g->queue[(g->first + g->count++) % GPU_QUEUE] = *p;
}

/* False: it is none, or of another time or process than is asked for. */
static bool place(const struct tracks *tracks, const struct trace *t, int64_t told, struct gpu_piece *p,
		  uint64_t begin, uint64_t duration, uint64_t called)
{
	int64_t at = trace_monotonic(t, begin);

	if (!p->process || !process_shown(p->process) || !gpu_work_can_be(told, at, duration) ||
	    !trace_in_range(t, at))
		return false;
	p->begin = track_time(tracks, t, at);
	p->end = track_time(tracks, t, at + (int64_t)duration);
	p->called = called ? track_time(tracks, t, trace_monotonic(t, called)) : -1;
	return true;
}

void gpu_spans_event(struct gpu_spans *g, struct tracks *tracks, const struct trace *t, int64_t at,
		     const struct reader_event *e)
{
	const struct dlt_ev_gpu_kernel *k = e->data;
	const struct dlt_ev_gpu_copy *c = e->data;
	struct gpu_piece p = { .told = track_time(tracks, t, at), .copy = e->type == DLT_EV_GPU_COPY };

	if (p.copy) {
		p = (struct gpu_piece){
			.told = p.told, .copy = true, .process = trace_process(t, c->process),
			.caller = c->caller, .size = c->size, .direction = c->direction,
			.device = c->device, .context = c->context, .stream = c->stream,
			.correlation = c->correlation, .graph = c->graph,
		};
		if (!place(tracks, t, at, &p, c->begin, c->duration, c->called))
			return;
	} else {
		p = (struct gpu_piece){
			.told = p.told, .process = trace_process(t, k->process),
			.caller = k->caller, .kernel = k->kernel, .device = k->device,
			.context = k->context, .stream = k->stream,
			.correlation = k->correlation, .graph = k->graph,
		};
		if (!place(tracks, t, at, &p, k->begin, k->duration, k->called))
			return;
	}
	wait_for_call(g, tracks, &p);
}
