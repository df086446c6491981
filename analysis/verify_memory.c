/* SPDX-License-Identifier: MIT */
/* Checks of memory: the heap's identity, peaks, and the ledger of GPU memory. */
#include <stdio.h>
#include <string.h>

#include "analysis/verify.h"

/* ---- the heap ---- */

static bool has_heap(const struct process *p)
{
	return p->checked.samples && p->heap_cover == 0;
}

static double positive(int64_t n)
{
	return n > 0 ? (double)n : 0;
}

/* What the report says, put together again. Its rows are in the order of processes. */
static double identity(const struct table *heap, size_t *at, const struct process *p)
{
	size_t row;
	double sum;

	while (*at < heap->row_count && table_get(heap, *at, "process")->i < p->report_id)
		++*at;
	row = *at;
	if (row == heap->row_count || table_get(heap, row, "process")->i != p->report_id)
		return 1;
	sum = cell_real(table_get(heap, row, "allocated_bytes")) -
	      cell_real(table_get(heap, row, "freed_bytes")) +
	      cell_real(table_get(heap, row, "inherited_bytes")) -
	      cell_real(table_get(heap, row, "live_bytes"));
	return sum < 0 ? -sum : sum;
}

void check_heap(const struct trace *t, const struct report *r, struct check_result *c)
{
	const struct table *heap = report_table(r, "heap");
	uint64_t processes = 0, samples = 0, falling = 0;
	char first[128] = "";
	double off = 0;
	size_t row = 0;

	each_checked(p, t) {
		double here;

		if (!has_heap(p))
			continue;
		processes++;
		samples += p->checked.samples;
		falling += p->checked.falling;
		here = identity(heap, &row, p) + positive(-(p->checked.least + (int64_t)p->inherited_bytes)) +
		       (double)p->checked.falling;
		off += here;
		if (here && !*first)
			snprintf(first, sizeof(first), "; not so in %.80s", process_who(p));
	}
	check_verdict(c, samples, off, "%s readings of %s processes, counters fell %s times%s", COUNT_TEXT(samples),
		      COUNT_TEXT(processes), COUNT_TEXT(falling), first);
}

void check_heap_peak(const struct trace *t, const struct report *r, struct check_result *c)
{
	uint64_t samples = 0;
	char first[128] = "";
	double off = 0;

	(void)r;
	each_checked(p, t) {
		double here;

		if (!has_heap(p))
			continue;
		samples += p->checked.samples;
		here = positive(p->checked.above_peak + (int64_t)p->inherited_bytes);
		off = here > off ? here : off;
		if (here && !*first)
			snprintf(first, sizeof(first), "; below what is live in %.80s", process_who(p));
	}
	check_verdict(c, samples, off, "%s readings%s", COUNT_TEXT(samples), first);
}

/*
 * What a process allocates before LTTng listens is counted and no event, so the counters may be
 * larger, and frees of such blocks are events. Live bytes by events are then off by the same
 * amount as the counters, never by more than what the events lack.
 */
void check_heap_events(const struct trace *t, const struct report *r, struct check_result *c)
{
	uint64_t events = 0, before = 0, off = 0;
	char first[160] = "";

	(void)r;
	each_checked(p, t) {
		const struct checked *k = &p->checked;
		uint64_t here = 0;

		if (!k->heap_events || !has_heap(p) || !process_whole(p))
			continue;
		events += k->heap_events;
		here += k->allocations > p->sample.allocations ? k->allocations - p->sample.allocations : 0;
		here += k->frees > p->sample.frees ? k->frees - p->sample.frees : 0;
		before += p->sample.allocations + p->sample.frees - k->allocations - k->frees;
		off += here;
		if (here && !*first)
			snprintf(first, sizeof(first), "; %.80s counted fewer", process_who(p));
	}
	check_verdict(c, events, (double)off, "%s events; %s calls, from before LTTng "
		      "listened, are only counted%s", COUNT_TEXT(events), COUNT_TEXT(before), first);
}

/* ---- the ledger of GPU memory ---- */

static double distance(int64_t a, int64_t b)
{
	return a > b ? (double)a - (double)b : (double)b - (double)a;
}

/* Counters of one row that cannot be. */
static double row_off(const struct gpu_row *r)
{
	const struct gpu_counters *n = &r->counters;
	double off = positive(-n->live) + positive(n->live - n->peak);

	if (gpu_row_kind(r) == DLT_MEMORY_GPU || gpu_row_kind(r) == DLT_MEMORY_STRAY)
		return off;
	off += positive(n->live - (int64_t)n->allocated);
	off += positive((int64_t)(n->largest - n->allocated));
	return off + (n->frees > n->allocations ? (double)(n->frees - n->allocations) : 0);
}

/* The row "gpu" of a device, against the sum of what is physical there. */
static double sum_off(const struct gpu_memory *g, const struct gpu_row *sum)
{
	int64_t live = 0;

	for (size_t i = 0; i < g->count; i++)
		if (dlt_memory_kind(gpu_row_kind(&g->rows[i]))->physical &&
		    gpu_row_device(&g->rows[i]) == gpu_row_device(sum))
			live += g->rows[i].counters.live;
	return distance(live, sum->counters.live);
}

/* What has been looked at, and how far it is off. */
struct ledger_check {
	uint64_t rows;
	double off;
	char first[160];	/* "", or what was found first */
};

static void look(struct ledger_check *l, const struct process *p, const struct gpu_row *row, double off)
{
	l->rows++;
	l->off += off;
	if (off && !*l->first)
		snprintf(l->first, sizeof(l->first), "; not so: %s, GPU %u, of %.80s",
			 dlt_memory_kind(gpu_row_kind(row))->name, gpu_row_device(row), process_who(p));
}

static void judge(struct check_result *c, const struct ledger_check *l)
{
	check_verdict(c, l->rows, l->off, "%s rows by process, kind, device and library%s", COUNT_TEXT(l->rows),
		      l->first);
}

void check_gpu_ledger(const struct trace *t, const struct report *r, struct check_result *c)
{
	struct ledger_check l = { .rows = 0 };

	(void)r;
	each_checked(p, t) {
		const struct gpu_memory *g = &p->gpu_memory;

		for (size_t i = 0; i < g->count; i++) {
			const struct gpu_row *row = &g->rows[i];
			/* In the middle of a call, the two are not told at one moment. */
			bool sum = gpu_row_kind(row) == DLT_MEMORY_GPU && process_whole(p);

			if (row->counted)
				look(&l, p, row, row_off(row) + (sum ? sum_off(g, row) : 0));
		}
	}
	judge(c, &l);
}

static double events_off(const struct gpu_row *r)
{
	return distance(r->events.live, r->counters.live) +
	       distance((int64_t)r->events.allocated, (int64_t)r->counters.allocated);
}

void check_gpu_memory_events(const struct trace *t, const struct report *r, struct check_result *c)
{
	struct ledger_check l = { .rows = 0 };

	(void)r;
	each_checked(p, t) {
		const struct gpu_memory *g = &p->gpu_memory;

		for (size_t i = 0; process_whole(p) && g->events && i < g->count; i++) {
			const struct gpu_row *row = &g->rows[i];

			if (row->counted && gpu_row_kind(row) != DLT_MEMORY_GPU &&
			    gpu_row_kind(row) != DLT_MEMORY_STRAY)
				look(&l, p, row, events_off(row));
		}
	}
	judge(c, &l);
}
