/* SPDX-License-Identifier: MIT */
/*
 * Totals per (thread, function, library) in the black box. An entry has one writer at a time:
 * the thread that claimed it; when that ends, the next thread with the same key adds on top.
 */
#ifndef DLT_INTERPOSE_TOTALS_H
#define DLT_INTERPOSE_TOTALS_H

#include <stdbool.h>
#include <stdint.h>

#include "box.h"

/* One call; times in ns. */
struct dlt_totals_call {
	uint64_t duration, nested;
	uint64_t bytes, flops;
	bool outer, ok;
};

/* The entry of this thread; NULL: none is left, use the late ones. Hook-safe. */
struct dlt_box_totals *dlt_totals_claim(uint32_t thread, uint16_t function, uint16_t library);

/* Gives back all entries of a thread. */
void dlt_totals_release(uint32_t thread);

void dlt_totals_add(struct dlt_box_totals *totals, const struct dlt_totals_call *call);

/* Into the function's late totals: by any thread, caller unknown. */
void dlt_totals_add_late(uint16_t function, const struct dlt_totals_call *call);

#endif
