/* SPDX-License-Identifier: MIT */
/* Words for rows of GPU memory, which several analyses show. */
#ifndef DLT_ANALYSIS_GPU_MEMORY_H
#define DLT_ANALYSIS_GPU_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

struct gpu_failure;
struct process;

/* "device", "async", ... of a row's key (struct gpu_row). */
const char *gpu_row_kind_name(uint32_t key);
/* The library that asked, or words for all that have no row of their own; "" when it is not known. */
const char *gpu_row_library_name(const struct process *p, uint32_t key);
/* One refused allocation in a sentence without its subject: who held what. Returns `text`. */
const char *gpu_failure_text(const struct process *p, const struct gpu_failure *f, char *text, size_t size);
/* Who held GPU memory at that moment: [{kind, library, device, live_bytes}]; a new reference. */
json_t *gpu_failure_holders(const struct process *p, const struct gpu_failure *f);
/* Is it told of as a refused allocation? */
bool gpu_failure_of(const struct process *p, uint16_t function);

#endif
