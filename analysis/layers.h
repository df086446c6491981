/* SPDX-License-Identifier: MIT */
/* Sums by layer of all that a process called: the denominators of its rows' shares. */
#ifndef DLT_ANALYSIS_LAYERS_H
#define DLT_ANALYSIS_LAYERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/model/model.h"
#include "analysis/phases.h"

#define LAYER_WORDS PHASES_MAX

struct layer_sum {
	const char *layer;		/* borrowed from the model */
	uint64_t n[LAYER_WORDS];
};

/* Made once a process, asked for each of its rows. */
struct layers {
	struct layer_sum *list;		/* owned; by name */
	size_t count;
};

/* What a profile adds to its layer, of words that are 0; false: nothing. */
typedef bool layer_weigh(const struct process *p, const struct profile *f, uint64_t n[LAYER_WORDS]);

/* Before any filter: what the process did. layers_release() ends it. */
struct layers layers_sum(const struct process *p, layer_weigh *weigh);
void layers_release(struct layers *l);
/* CUDA or OpenCL, as calls on the host. */
bool layer_is_gpu(const char *layer);
/* Zeros for one that has nothing. */
const uint64_t *layers_get(const struct layers *l, const char *layer);

#endif
