/* SPDX-License-Identifier: MIT */
/*
 * Rounds of one example each (stochastic gradient descent): a loop that opens a file, trains on it, and opens the
 * next. The files alone would look the same if each were only read, to be trained on in batches. So between any
 * two openings the framework asks for about as many large blocks, and it takes about as long, whatever the size of
 * the file is: what takes its time is not reading.
 *
 * When each block came must be known, so this tells of short runs; and the first pass is left out, in which code is
 * compiled.
 */
#include <stdlib.h>

#include "analysis/frameworks.h"
#include "analysis/iterations_calls.h"
#include "analysis/model/memory.h"
#include "analysis/passes.h"

#define LEAST_GAPS	8	/* after the first pass */
#define LEAST_BLOCKS	4	/* usual ones between two openings */
#define TWICE		2	/* times the usual number of blocks, or half of it: of all gaps */
#define FINER		16	/* times: than gaps, times are known */
#define ALIKE		0.8	/* of the gaps: half to twice the usual time */
#define SIZES_APART	2	/* in quarters of a power of two: the usual large file and the usual small one */
#define SLOWER		1.25	/* times: how much longer it may take after large ones than after small ones */

/* Between an opening and the next one. */
struct gap {
	int64_t lasted;
	uint64_t blocks;	/* that the framework asks for */
	uint8_t size;		/* of the file (struct file_open) */
};

struct gaps {
	struct gap *list;	/* owned; by time */
	size_t count;
	int64_t *at;		/* owned; count + 1 openings */
};

static struct gaps gaps_of(const struct passes *s)
{
	size_t first = s->count > 1 ? s->begins[1] : s->open_count;
	size_t count = s->open_count > first ? s->open_count - first - 1 : 0;
	struct gaps g = { xcalloc(count + 1, sizeof(*g.list)), count, xcalloc(count + 1, sizeof(*g.at)) };

	for (size_t i = 0; i < count; i++) {
		const struct file_open *one = &s->opens[first + i];

		g.list[i] = (struct gap){ one[1].at - one->at, 0, one->size };
	}
	for (size_t i = 0; i <= count && first + i < s->open_count; i++)
		g.at[i] = s->opens[first + i].at;
	return g;
}

static void gaps_release(struct gaps *g)
{
	free(g->list);
	free(g->at);
}

static bool is_engines(const struct process *p, const struct beat *b)
{
	const struct library *l = b->kind == BEAT_HEAP ? process_library(p, b->library) : NULL;

	return l && library_framework(l->path);
}

/* Each tick in the gap that it lies in; both are by time. */
static void count_ticks(struct gaps *g, const struct beat *b)
{
	size_t i = 0;

	for (uint32_t k = 0; k < b->used; k++) {
		while (i < g->count && b->ticks[k].at >= g->at[i + 1])
			i++;
		if (i < g->count && b->ticks[k].at >= g->at[0])
			g->list[i].blocks += b->ticks[k].count;
	}
}

/* False: not all of them are known, or not when. */
static bool count_blocks(struct gaps *g, const struct process *p)
{
	const struct rhythm *r = &p->rhythm;
	int64_t finest = (g->at[g->count] - g->at[0]) / (int64_t)g->count / FINER;

	for (size_t i = 0; i < r->count; i++) {
		if (!is_engines(p, &r->beats[i]))
			continue;
		if ((int64_t)1 << r->beats[i].shift > finest)
			return false;
		count_ticks(g, &r->beats[i]);
	}
	return !r->levels[BEATS_OF_MEMORY];
}

static int by_blocks(const void *a, const void *b)
{
	const struct gap *x = a, *y = b;

	return (x->blocks > y->blocks) - (x->blocks < y->blocks);
}

static int by_time(const void *a, const void *b)
{
	const struct gap *x = a, *y = b;

	return (x->lasted > y->lasted) - (x->lasted < y->lasted);
}

static int by_size(const void *a, const void *b)
{
	const struct gap *x = a, *y = b;

	return x->size != y->size ? (x->size > y->size) - (x->size < y->size) : by_time(a, b);
}

static bool work_alike(struct gap *list, size_t count)
{
	uint64_t usual_one;

	qsort(list, count, sizeof(*list), by_blocks);
	usual_one = list[count / 2].blocks;
	return usual_one >= LEAST_BLOCKS && TWICE * list[0].blocks >= usual_one &&
	       list[count - 1].blocks <= TWICE * usual_one;
}

/* Which part of them lasts half to twice as long as the usual one. */
static double last_alike(struct gap *list, size_t count)
{
	size_t alike = 0;

	qsort(list, count, sizeof(*list), by_time);
	for (size_t i = 0; i < count; i++)
		alike += 2 * list[i].lasted >= list[count / 2].lasted && list[i].lasted <= 2 * list[count / 2].lasted;
	return (double)alike / (double)count;
}

/* Of the smaller and the larger half. */
static bool do_not_read(struct gap *list, size_t count)
{
	size_t half = count / 2;
	struct gap *large = list + count - half;
	int apart;

	qsort(list, count, sizeof(*list), by_size);
	apart = large[half / 2].size - list[half / 2].size;
	qsort(list, half, sizeof(*list), by_time);
	qsort(large, half, sizeof(*list), by_time);
	return apart >= SIZES_APART && (double)large[half / 2].lasted <= SLOWER * (double)list[half / 2].lasted;
}

bool passes_are_steps(const struct passes *s, const struct process *p, double *sure)
{
	struct gaps g = gaps_of(s);
	bool are = s->all && s->whole && g.count >= LEAST_GAPS && count_blocks(&g, p) && work_alike(g.list, g.count);

	*sure = are ? last_alike(g.list, g.count) : 0;
	are = are && *sure >= ALIKE && do_not_read(g.list, g.count);
	gaps_release(&g);
	return are;
}
