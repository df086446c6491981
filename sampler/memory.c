/* SPDX-License-Identifier: MIT */
/* The ledger of GPU memory in a black box, as dltrace_sample:process says it. */
#include "sampled.h"

/* live before allocated: what was freed is never negative. */
static void read_row(const struct dlt_box_memory *row, uint64_t *words)
{
	words[0] = __atomic_load_n(&row->key, __ATOMIC_ACQUIRE);
	words[1] = (uint64_t)dlt_box_memory_live(row);
	words[2] = (uint64_t)box_value(row->peak);
	words[3] = box_value(row->allocated);
	words[4] = box_value(row->allocations);
	words[5] = box_value(row->frees);
	for (unsigned i = 0; i < DLT_BOX_OWNS; i++) {
		words[3] += box_value(row->own[i].allocated);
		words[4] += box_value(row->own[i].allocations);
		words[5] += box_value(row->own[i].frees);
	}
	words[6] = box_value(row->largest);
	words[7] = box_value(row->failed);
	words[8] = box_value(row->refused);
	words[9] = box_value(row->refused_at);
	words[10] = box_value(row->told_free);
	words[11] = box_value(row->told_total);
}

/* Any change changes this; a collision costs ten seconds. */
static uint64_t mix(const uint64_t *words)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < DLT_BOX_MEMORY_WORDS; i++)
		sum = (sum ^ words[i]) * 0x9e3779b97f4a7c15 + (sum >> 29);
	return sum;
}

uint32_t memory_read(struct sampled_process *p, uint64_t *words, bool all)
{
	size_t rows = box_view_memory(&p->box);
	uint32_t count = 0;

	for (size_t i = 0; i < rows && i < DLT_BOX_MEMORY; i++) {
		uint64_t seen;

		read_row(&p->box.memory[i], &words[count]);
		seen = mix(&words[count]);
		if (!words[count] || (!all && seen == p->memory_said[i] && p->memory_again[i]))
			continue;
		/* Each change twice: readers believe a difference to events when they see it again. */
		p->memory_again[i] = seen == p->memory_said[i];
		p->memory_said[i] = seen;
		count += DLT_BOX_MEMORY_WORDS;
	}
	return count;
}
