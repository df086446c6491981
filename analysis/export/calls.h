/* SPDX-License-Identifier: MIT */
/* What all events of calls have in common, and all of the heap; the filters by function. */
#ifndef DLT_ANALYSIS_EXPORT_CALLS_H
#define DLT_ANALYSIS_EXPORT_CALLS_H

#include "analysis/export/exporter.h"
#include "analysis/reader/reader.h"

struct export_call {
	uint32_t thread;
	uint16_t function, library;
	uint32_t duration;	/* ns; 0xffffffff: at least that */
	int32_t result;
	uint8_t nested;
	bool gpu;		/* work of a GPU may come from it */
	uint16_t stream;	/* on this one; 0: not known, or the default one */
};

struct export_heap_call {
	uint32_t thread;
	uint16_t function, library;
	uint8_t operation;	/* 1 allocated, 2 freed, 3 failed */
	uint64_t size;		/* bytes */
	uint64_t ptr;
};

/* False when the event is none. */
bool export_read_call(const struct reader_event *e, struct export_call *c);
bool export_read_heap(const struct reader_event *e, struct export_heap_call *c);

/* By --function, --layer and --framework. */
bool export_chosen(const struct process *p, uint16_t function, uint16_t library);

#endif
