/* SPDX-License-Identifier: MIT */
/*
 * Prints the ledger of GPU memory in a folder of black boxes, a line a row: ledgerdump FOLDER
 *   PID KIND DEVICE LIBRARY LIVE PEAK ALLOCATED ALLOCATIONS FREES LARGEST FAILED REFUSED FREE
 */
#include <stdio.h>
#include <string.h>

#include "box.h"
#include "boxes.h"
#include "memory_kinds.h"

static void dump(const char *box)
{
	const struct dlt_box_header *h = (const void *)box;
	const struct dlt_box_memory *row = (const void *)(box + h->memory_offset);
	const struct dlt_box_library *libraries = (const void *)(box + h->libraries_offset);

	for (uint32_t i = 0; i < h->memory_used; i++, row++) {
		const char *path = libraries[row->key & 0xffff].path, *slash = strrchr(path, '/');
		uint64_t allocated, allocations, frees;

		if (!row->key)
			continue;
		allocated = row->allocated;
		allocations = row->allocations;
		frees = row->frees;
		for (unsigned j = 0; j < DLT_BOX_OWNS; j++) {
			allocated += row->own[j].allocated;
			allocations += row->own[j].allocations;
			frees += row->own[j].frees;
		}
		printf("%u %s %lu %s %ld %ld %lu %lu %lu %ld %lu %lu %lu\n", h->pid,
		       dlt_memory_kind(row->key >> 24 & 255)->name, row->key >> 16 & 255,
		       row->key & 0xffff ? slash ? slash + 1 : path : "-", dlt_box_memory_live(row), row->peak,
		       allocated, allocations, frees, row->largest, row->failed, row->refused, row->told_free);
	}
}

int main(int argc, char **argv)
{
	return each_box(argc > 1 ? argv[1] : NULL, dump);
}
