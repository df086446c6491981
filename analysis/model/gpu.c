/* SPDX-License-Identifier: MIT */
/* dltrace_gpu: work by name and device, and the time in which a device had any. */
#include "analysis/model/gpu.h"

#include <stdio.h>
#include <string.h>

#include "analysis/model/memory.h"
#include "analysis/model/times.h"

#define SLOT 100000000	/* ns of a point of the curve */
#define STEPS 4096	/* in which busy time is counted, about: a trace may tell of years */
#define AHEAD 1000000000	/* ns that work may seem to end after it was told of: clocks are off by far less */

/* By `direction`; a set has the last one. */
static const char *const copies[] = {
	"copy host to host", "copy host to device", "copy device to host", "copy device to device",
	"copy", "set",
};

bool gpu_work_can_be(int64_t at, int64_t begin, uint64_t duration)
{
	return begin != UNKNOWN && duration <= INT64_MAX / 4 && begin <= INT64_MAX / 4 && begin >= INT64_MIN / 4 &&
	       begin + (int64_t)duration - AHEAD <= at;
}

/* These events name the process that they are of; a thread of CUPTI's or ours emits them. */
static struct process *emitted(struct trace *t, uint32_t process, int64_t at)
{
	struct process *p = trace_process_make(t, process);

	p->read++;
	process_seen(p, at);
	if (!p->gpu) {
		p->gpu = xcalloc(1, sizeof(*p->gpu));
		p->gpu->account = trace_keep(t, "");
	}
	return p;
}

/* ---- busy time ---- */

static void close_slot(struct trace *t, struct gpu_device *d)
{
	trace_rate(t, &d->curve, d->slot * SLOT, (d->slot + 1) * SLOT, d->slot_busy * 100000 / SLOT);
	d->slot_busy = 0;
}

/* From the end of a slot that was closed to there; the line is at 0 from the next slot's end. */
static void idle_until(struct trace *t, struct gpu_device *d, int64_t slot)
{
	trace_rate(t, &d->curve, (d->slot + 1) * SLOT, (d->slot + 2) * SLOT, 0);
	trace_rate(t, &d->curve, (d->slot + 2) * SLOT, slot * SLOT, 0);
}

static void open_slot(struct trace *t, struct gpu_device *d, int64_t slot)
{
	if (slot == d->slot)
		return;
	if (d->slot != INT64_MIN)
		close_slot(t, d);
	if (d->slot == INT64_MIN)
		trace_rate(t, &d->curve, slot * SLOT, slot * SLOT, 0);
	else if (slot > d->slot + 1)
		idle_until(t, d, slot);
	d->slot = slot;
}

/* Whole ones, from the open one on: those between the first and the last are as these two. */
static void fill_slots(struct trace *t, struct gpu_device *d, int64_t count)
{
	int64_t first = d->slot;

	d->slot_busy = SLOT;
	if (count == 1)
		return;
	close_slot(t, d);
	d->slot += count - 1;
	d->slot_busy = SLOT;
	if (count > 2)
		trace_rate(t, &d->curve, (first + 1) * SLOT, d->slot * SLOT, 100000);
}

/* Consecutive pieces of busy time, none twice. */
static void busy(struct trace *t, struct gpu_device *d, int64_t begin, int64_t end)
{
	int64_t most = (end - begin) / SLOT / STEPS + 1;

	while (begin < end) {
		int64_t slot = begin >= 0 ? begin / SLOT : -((SLOT - 1 - begin) / SLOT);
		int64_t stop = (slot + 1) * SLOT < end ? (slot + 1) * SLOT : end;
		int64_t whole = stop - begin == SLOT ? (end - begin) / SLOT : 0;

		open_slot(t, d, slot);
		if (whole) {
			whole = whole < most ? whole : most;
			fill_slots(t, d, whole);
			stop = begin + whole * SLOT;
		} else {
			d->slot_busy += stop - begin;
		}
		tally_slice(&d->slices, begin, &(struct slice){ .nested = (uint64_t)(stop - begin) });
		begin = stop;
	}
}

/* The oldest `count` intervals are counted for good. */
static void settle(struct trace *t, struct gpu_device *d, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int64_t begin = d->intervals[i].begin, end = d->intervals[i].end;
		int64_t pause = d->counted_to == INT64_MIN ? 0 : begin - d->counted_to;

		if (pause < 0)
			begin = d->counted_to;
		if (begin >= end)
			continue;
		if (pause >= GPU_IDLE_LEAST) {
			d->gaps++;
			d->gaps_time += (uint64_t)pause;
			if ((uint64_t)pause > d->longest_gap)
				d->longest_gap = (uint64_t)pause;
		}
		if (pause > 0 && pause < GPU_PAUSE_SHORT)
			tally_slice(&d->pauses, begin, &(struct slice){ .calls = 1, .outer = (uint64_t)pause });
		d->busy += (uint64_t)(end - begin);
		busy(t, d, begin, end);
		d->counted_to = end;
	}
	d->interval_count -= count;
	memmove(d->intervals, d->intervals + count, d->interval_count * sizeof(*d->intervals));
}

/* The first interval that ends at `begin` or after it. */
static size_t place(const struct gpu_device *d, int64_t begin)
{
	return FIRST_FROM(d->intervals, d->interval_count, end, begin);
}

static void add_interval(struct trace *t, struct gpu_device *d, int64_t begin, int64_t end)
{
	size_t first, last;

	if (d->interval_count == GPU_INTERVALS)
		settle(t, d, GPU_INTERVALS / 2);
	first = last = place(d, begin);
	while (last < d->interval_count && d->intervals[last].begin <= end) {
		begin = d->intervals[last].begin < begin ? d->intervals[last].begin : begin;
		end = d->intervals[last].end > end ? d->intervals[last].end : end;
		last++;
	}
	/* [first, last) and the new one become one. */
	memmove(d->intervals + first + 1, d->intervals + last,
		(d->interval_count - last) * sizeof(*d->intervals));
	d->interval_count = d->interval_count - (last - first) + 1;
	d->intervals[first] = (struct gpu_interval){ begin, end };
}

/* ---- work ---- */

static struct gpu_device *device_make(struct gpu_work *w, uint8_t index)
{
	for (size_t i = 0; i < w->device_count; i++)
		if (w->devices[i].index == index)
			return &w->devices[i];
	w->devices = xgrow(w->devices, w->device_count, &w->device_capacity, sizeof(*w->devices));
	w->devices[w->device_count] = (struct gpu_device){
		.index = index, .begin = UNKNOWN, .end = UNKNOWN, .counted_to = INT64_MIN,
		.slot = INT64_MIN,
		.intervals = xcalloc(GPU_INTERVALS, sizeof(*w->devices->intervals)),
		.slices.most = TALLY_SLICES, .pauses.most = TALLY_SLICES,
	};
	return &w->devices[w->device_count++];
}

static struct gpu_item *item_make(struct process *p, enum gpu_work_kind kind, uint32_t id)
{
	struct gpu_work *w = p->gpu;
	uint64_t *slot = idmap_put(&w->by_key, (uint64_t)kind << 32 | id);
	struct gpu_item *item = (struct gpu_item *)(uintptr_t)*slot;

	if (item)
		return item;
	item = xcalloc(1, sizeof(*item));
	*slot = (uintptr_t)item;
	w->items = xgrow(w->items, w->item_count, &w->item_capacity, sizeof(*w->items));
	w->items[w->item_count++] = item;
	item->id = kind == GPU_KERNEL ? id : 0;
	item->function = (struct function){
		.name = kind == GPU_KERNEL ? "" : copies[id < 6 ? id : 4], .layer = "gpu",
		.kind = kind == GPU_KERNEL ? "compute" : "copy",
	};
	item->profile = process_work(p, &item->function);
	return item;
}

struct piece {
	uint32_t process, caller, id;	/* id: kernel, direction */
	uint8_t device;
	uint64_t called, begin, duration, bytes;
};

static void on_device(struct trace *t, struct gpu_device *d, enum gpu_work_kind kind,
		      const struct piece *e, int64_t begin)
{
	int64_t end = begin + (int64_t)e->duration;

	d->count[kind]++;
	d->time[kind] += e->duration;
	d->bytes += e->bytes;
	d->callers_unknown += !e->caller;
	if (e->called && e->called <= e->begin) {
		d->waits++;
		d->wait_time += e->begin - e->called;
	}
	if (d->begin == UNKNOWN || begin < d->begin)
		d->begin = begin;
	if (d->end == UNKNOWN || end > d->end)
		d->end = end;
	tally_slice(&d->slices, end, &(struct slice){ 1, e->duration, 0, e->bytes });
	add_interval(t, d, begin, end);
}

static void add_work(struct trace *t, int64_t at, enum gpu_work_kind kind, const struct piece *e)
{
	struct process *p = emitted(t, e->process, at);
	int64_t begin = trace_monotonic(t, e->begin), end;
	struct profile *f;

	if (!gpu_work_can_be(at, begin, e->duration)) {
		p->gpu->impossible++;
		return;
	}
	if (!trace_in_range(t, begin)) {
		t->filtered++;
		return;
	}
	end = begin + (int64_t)e->duration;
	f = item_make(p, kind, e->id)->profile;
	profile_seen(f, begin, end, e->duration);
	sums_add(&f->events, e->duration, 0);
	f->events.bytes += e->bytes;
	tally_slice(&f->slices, end, &(struct slice){ 1, e->duration, 0, e->bytes });
	on_device(t, device_make(p->gpu, e->device), kind, e, begin);
}

static void on_kernel(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_gpu_kernel *e = data;
	const struct piece piece = {
		.process = e->process, .caller = e->caller, .id = e->kernel, .device = e->device,
		.called = e->called, .begin = e->begin, .duration = e->duration,
	};

	add_work(t, at, GPU_KERNEL, &piece);
}

static void on_copy(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_gpu_copy *e = data;
	const struct piece piece = {
		.process = e->process, .caller = e->caller, .id = e->direction, .device = e->device,
		.called = e->called, .begin = e->begin, .duration = e->duration, .bytes = e->size,
	};

	add_work(t, at, e->direction == 5 ? GPU_SET : GPU_COPY, &piece);
}

/* The host's waiting, which the calls show too: no work of the GPU. */
static void on_sync(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_gpu_sync *e = data;
	struct process *p = emitted(t, e->process, at);

	p->gpu->syncs++;
	p->gpu->sync_time += e->duration;
}

/* ---- what is missing ---- */

static void add_gap(struct trace *t, struct gpu_work *w, const struct dlt_ev_gpu_gap *e)
{
	int64_t begin = trace_monotonic(t, e->begin);
	struct gpu_gap *last = w->gap_count ? &w->gaps[w->gap_count - 1] : NULL;

	while (w->gap_count == GPU_GAPS_KEPT && last > w->gaps && last->reason != e->reason)
		last--;
	/* Said when it began, and again when it was over. */
	if (!last || (w->gap_count < GPU_GAPS_KEPT && (last->begin != begin || last->reason != e->reason))) {
		w->gaps = xgrow(w->gaps, w->gap_count, &w->gap_capacity, sizeof(*w->gaps));
		last = &w->gaps[w->gap_count++];
		*last = (struct gpu_gap){ .reason = e->reason, .kinds = e->kinds, .begin = begin };
	}
	last->text = trace_keep(t, e->text);
	last->records += e->records;
	last->end = trace_monotonic(t, e->end);
}

static void on_gap(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_gpu_gap *e = data;
	struct gpu_work *w = emitted(t, e->process, at)->gpu;

	if (e->version)
		w->version = e->version;
	if (e->clock_error > w->clock_error)
		w->clock_error = e->clock_error;
	if (e->reason == 0 && e->kinds & GPU_KINDS_OPENCL) {
		w->opencl = trace_keep(t, e->text);
	} else if (e->reason == 0) {
		w->told = e->records;
		w->account = trace_keep(t, e->text);
	} else if (e->reason == 6) {
		w->lost += e->records;
	} else {
		add_gap(t, w, e);
	}
}

/* ---- names, the end ---- */

void gpu_name(struct process *p, uint32_t id, const char *name)
{
	if (!p->gpu)
		p->gpu = xcalloc(1, sizeof(*p->gpu));
	*idmap_put(&p->gpu->names, id) = (uintptr_t)trace_keep(p->trace, name);
	if (!p->gpu->account)
		p->gpu->account = trace_keep(p->trace, "");
}

static void name_kernels(struct trace *t, struct gpu_work *w)
{
	for (size_t i = 0; i < w->item_count; i++) {
		struct gpu_item *item = w->items[i];
		const char *name = idmap_pointer(&w->names, item->id);
		char text[32];

		if (*item->function.name)
			continue;
		snprintf(text, sizeof(text), item->id ? "kernel %u" : "kernel", item->id);
		item->function.name = name && *name ? name : trace_keep(t, text);
	}
}

void gpu_end(struct trace *t)
{
	for (size_t i = 0; i < t->process_count; i++) {
		struct gpu_work *w = t->processes[i]->gpu;

		if (!w)
			continue;
		name_kernels(t, w);
		for (size_t j = 0; j < w->device_count; j++) {
			struct gpu_device *d = &w->devices[j];

			settle(t, d, d->interval_count);
			if (d->slot == INT64_MIN)
				continue;
			close_slot(t, d);
			trace_rate(t, &d->curve, (d->slot + 2) * SLOT, (d->slot + 2) * SLOT, 0);
		}
	}
}

void gpu_work_free(struct gpu_work *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->item_count; i++)
		free(w->items[i]);
	for (size_t i = 0; i < w->device_count; i++) {
		free(w->devices[i].intervals);
		curve_release(&w->devices[i].curve);
		tally_release(&w->devices[i].slices);
		tally_release(&w->devices[i].pauses);
	}
	idmap_release(&w->by_key);
	idmap_release(&w->names);
	free(w->items);
	free(w->devices);
	free(w->gaps);
	free(w);
}

const event_fn gpu_handlers[DLT_EVENTS] = {
	[DLT_EV_GPU_KERNEL] = on_kernel,
	[DLT_EV_GPU_COPY] = on_copy,
	[DLT_EV_GPU_SYNC] = on_sync,
	[DLT_EV_GPU_GAP] = on_gap,
};
