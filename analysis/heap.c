/* SPDX-License-Identifier: MIT */
/* The table `heap`: exact counts of each process, from its counters, never from events. */
#include "analysis/analyses.h"

static const struct column columns[] = {
	{ "process", "process", UNIT_ID, "id of the process" },
	{ "allocations", "allocations", UNIT_COUNT, "successful ones, since its start or fork" },
	{ "frees", "frees", UNIT_COUNT, "blocks freed" },
	{ "allocated_bytes", "allocated", UNIT_BYTES, "usable bytes" },
	{ "freed_bytes", "freed", UNIT_BYTES, "usable bytes, inherited blocks too" },
	{ "live_bytes", "live", UNIT_BYTES, "at its last reading, inherited bytes included" },
	{ "live_blocks", "live blocks", UNIT_COUNT, "the same in blocks" },
	{ "peak_bytes", "peak", UNIT_BYTES, "largest live heap seen" },
	{ "peak_error_bytes", "peak error", UNIT_BYTES, "the true peak lies at most this much higher" },
	{ "failed", "failed", UNIT_COUNT, "allocations that returned NULL" },
	{ "inherited_bytes", "inherited", UNIT_BYTES, "live heap taken over at the fork" },
	{ "inherited_blocks", "inherited blocks", UNIT_COUNT, "the same in blocks" },
	{ "mapped_bytes", "mapped", UNIT_BYTES, "live bytes of its own mmap, apart from the heap" },
	{ "final", "final", UNIT_ID, "1: read when the process was gone, so nothing is missing" },
	{ "covered", "covered", UNIT_ID, "1: every allocation is seen" },
};

static void set_counts(struct table *t, const struct process *p)
{
	const struct dlt_ev_sample_process *s = &p->sample;

	table_set_uint(t, "allocations", s->allocations);
	table_set_uint(t, "frees", s->frees);
	table_set_uint(t, "allocated_bytes", s->allocated);
	table_set_uint(t, "freed_bytes", s->freed);
	table_set_int(t, "live_bytes", p->now.heap);
	table_set_int(t, "live_blocks",
		      (int64_t)(p->inherited_blocks + s->allocations - s->frees));
	table_set_uint(t, "peak_bytes", s->heap_peak);
	table_set_uint(t, "peak_error_bytes", s->peak_error);
	table_set_uint(t, "failed", s->failed_allocations);
}

static void add(const struct process *p, struct table *t)
{
	if (p->orphan)
		return;
	table_add_row(t);
	table_set_int(t, "process", p->report_id);
	/* A heap that is not ours is unknown, never 0. */
	if (p->now.sampled && p->heap_cover == 0)
		set_counts(t, p);
	table_set_uint(t, "inherited_bytes", p->inherited_bytes);
	table_set_uint(t, "inherited_blocks", p->inherited_blocks);
	if (p->now.sampled)
		table_set_int(t, "mapped_bytes", p->now.mapped);
	table_set_uint(t, "final", p->final_seen);
	table_set_uint(t, "covered", p->heap_cover == 0);
}

void run_heap(const struct model *m, struct report *r)
{
	each_process(m, report_add_table(r, "heap", "Heap", COLUMNS(columns)), add);
}
