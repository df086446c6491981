/* SPDX-License-Identifier: MIT */
/* Sums by layer: sorted once, since a hostile trace may have as many layers as functions. */
#include "analysis/layers.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/model/memory.h"

static int by_layer(const void *a, const void *b)
{
	return strcmp(((const struct layer_sum *)a)->layer, ((const struct layer_sum *)b)->layer);
}

/* Neighbours of one name become one. */
static void join(struct layers *l)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->count; i++) {
		if (!kept || by_layer(&l->list[kept - 1], &l->list[i])) {
			l->list[kept++] = l->list[i];
			continue;
		}
		for (size_t w = 0; w < LAYER_WORDS; w++)
			l->list[kept - 1].n[w] += l->list[i].n[w];
	}
	l->count = kept;
}

bool layer_is_gpu(const char *layer)
{
	return !strcmp(layer, "runtime") || !strcmp(layer, "driver") || !strcmp(layer, "opencl");
}

struct layers layers_sum(const struct process *p, layer_weigh *weigh)
{
	struct layers l = { xcalloc(p->profile_count + 1, sizeof(*l.list)), 0 };

	for (size_t i = 0; i < p->profile_count; i++) {
		const struct profile *f = p->profile_list[i];
		struct layer_sum *sum = &l.list[l.count];

		sum->layer = profile_names(p, f)->layer;
		l.count += weigh(p, f, sum->n);
	}
	qsort(l.list, l.count, sizeof(*l.list), by_layer);
	join(&l);
	return l;
}

void layers_release(struct layers *l)
{
	free(l->list);
	*l = (struct layers){ NULL, 0 };
}

const uint64_t *layers_get(const struct layers *l, const char *layer)
{
	static const uint64_t nothing[LAYER_WORDS];
	const struct layer_sum key = { .layer = layer }, *found = NULL;

	if (l->count)
		found = bsearch(&key, l->list, l->count, sizeof(*l->list), by_layer);
	return found ? found->n : nothing;
}
