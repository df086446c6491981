/* SPDX-License-Identifier: MIT */
/*
 * Prints the totals of the black boxes in a folder, summed over threads, one line by process,
 * function and calling library: boxdump FOLDER
 *   PID FUNCTION LIBRARY CALLS OUTER FAILED TOTAL OUTER_TOTAL NESTED MIN MAX BYTES FLOPS BUCKETS
 *   ENTRIES
 * LIBRARY: the last part of its path, "-" for the late totals. BUCKETS: calls in all of them.
 * And each call in flight: "flight" PID THREAD FUNCTION
 */
#include <stdio.h>
#include <string.h>

#include "box.h"
#include "boxes.h"
#include "functions.h"
#include "function_table.c"

struct line {
	struct dlt_box_sums sums;
	uint64_t buckets, entries;
};

static void add(struct line *to, const struct dlt_box_sums *s)
{
	if (!to->entries || s->least < to->sums.least)
		to->sums.least = s->least;
	if (s->max > to->sums.max)
		to->sums.max = s->max;
	to->sums.calls += s->calls;
	to->sums.outer_calls += s->outer_calls;
	to->sums.failed += s->failed;
	to->sums.total += s->total;
	to->sums.outer_total += s->outer_total;
	to->sums.nested += s->nested;
	to->sums.bytes += s->bytes;
	to->sums.flops += s->flops;
	to->entries++;
}

static void print(uint32_t pid, unsigned function, const char *library, const struct line *l)
{
	const char *slash = strrchr(library, '/');
	const struct dlt_box_sums *s = &l->sums;

	printf("%u %s %s %lu %lu %lu %lu %lu %lu %lu %lu %lu %lu %lu %lu\n", pid,
	       dlt_functions[function].name, slash ? slash + 1 : library, s->calls, s->outer_calls,
	       s->failed, s->total, s->outer_total, s->nested, s->least - (s->least > 0), s->max, s->bytes, s->flops,
	       l->buckets, l->entries);
}

static void dump(const char *box)
{
	const struct dlt_box_header *h = (const void *)box;
	const struct dlt_box_totals *totals = (const void *)(box + h->totals_offset);
	const struct dlt_box_library *libraries = (const void *)(box + h->libraries_offset);
	const struct dlt_box_slot *slots = (const void *)(box + h->slots_offset);
	const struct dlt_box_late *late = (const void *)(box + h->late_offset);

	for (uint32_t i = 0; i < h->totals_used; i++) {
		struct line l = { .entries = 0 };
		uint32_t j;

		for (j = 0; j < i && totals[j].key != totals[i].key; j++)
			;
		if (j < i)
			continue;
		for (; j < h->totals_used; j++) {
			if (totals[j].key != totals[i].key)
				continue;
			add(&l, &totals[j].sums);
			for (int b = 0; b < DLT_BUCKETS; b++)
				l.buckets += totals[j].buckets[b];
		}
		print(h->pid, totals[i].key >> 16, libraries[totals[i].key & 0xffff].path, &l);
	}
	for (uint32_t i = 0; i < h->slots_used; i++)
		if (slots[i].call && slots[i].call < DLT_FNS)
			printf("flight %u %u %s\n", h->pid, slots[i].thread,
			       dlt_functions[slots[i].call].name);
	for (unsigned f = 1; f < h->late_used && f < h->late_count; f++) {
		struct line l = { .entries = 0 };

		if (late[f].sums.calls) {
			add(&l, &late[f].sums);
			print(h->pid, f, "-", &l);
		}
	}
}

int main(int argc, char **argv)
{
	return each_box(argc > 1 ? argv[1] : NULL, dump);
}
