/* SPDX-License-Identifier: MIT */
/* Beats as series of times: made from a process's rhythm, thinned, compared. */
#include "analysis/series.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/frameworks.h"
#include "analysis/iterations_calls.h"
#include "analysis/model/memory.h"
#include "analysis/model/times.h"

void series_release(struct all_series *all)
{
	for (size_t i = 0; i < all->count; i++)
		free(all->list[i].at);
	free(all->list);
	*all = (struct all_series){ 0 };
}

/* ---- comparing ---- */

size_t series_before(const struct series_of *s, int64_t at)
{
	return first_from(s->at, s->count, sizeof(*s->at), at);
}

bool series_alternate(const struct series_of *a, const struct series_of *b)
{
	const struct series_of *first = a->at[0] <= b->at[0] ? a : b;
	const struct series_of *second = first == a ? b : a;

	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (first->at[i] > second->at[i] ||
		    (i + 1 < a->count && second->at[i] > first->at[i + 1]))
			return false;
	return true;
}

void series_between(const struct series_of *anchor, const struct series_of *s, uint32_t *each)
{
	size_t j = series_before(s, anchor->at[0]);

	for (size_t i = 0; i < anchor->count; i++) {
		each[i] = 0;
		while (j < s->count && (i + 1 == anchor->count || s->at[j] < anchor->at[i + 1])) {
			each[i]++;
			j++;
		}
	}
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

uint32_t usual(const uint32_t *each, size_t count)
{
	uint32_t *sorted = xcalloc(count + 1, sizeof(*sorted)), best = 0;
	size_t longest = 0, run = 0;

	memcpy(sorted, each, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), by_number);
	for (size_t i = 0; i < count; i++) {
		run = i && sorted[i] == sorted[i - 1] ? run + 1 : 1;
		if (run > longest) {
			longest = run;
			best = sorted[i];
		}
	}
	free(sorted);
	return best;
}

/* ---- thinning ---- */

static bool alike(const struct series_of *a, const struct series_of *b)
{
	return a->beat->thread == b->beat->thread && a->beat->kind == b->beat->kind &&
	       a->beat->function == b->beat->function && a->beat->library == b->beat->library;
}

/*
 * How often those of `part` begin to come among those of `all`: 1 if all of its come one after
 * another. 0: they are not all among them.
 */
static size_t runs_within(const struct series_of *part, const struct series_of *all)
{
	size_t j = 0, runs = 0;

	if (part->count > all->count)
		return 0;
	for (size_t i = 0; i < part->count; i++) {
		size_t before = j;

		while (j < all->count && all->at[j] < part->at[i])
			j++;
		if (j == all->count || all->at[j] != part->at[i])
			return 0;
		runs += !i || j != before;
		j++;
	}
	return runs;
}

/* ---- batches of two sizes ---- */

/*
 * A data set that the batch does not divide ends in a smaller one: the same products come with
 * another size in one dimension, of which the shapes without it know nothing. Layers that are
 * alike but for one dimension look the same, so it is only believed where two dimensions (of the
 * way forward, and of the weights' gradients) tell the same two sizes.
 */
struct sizes {
	uint64_t usual, last;
	uint8_t without;
	bool weak;	/* few of the usual size before one of the other, and nobody says that an epoch ends there */
};

#define LEAST_GAP 0.3	/* of the mean distance */
#define LEAST_RUN 4	/* batches of the usual size before one of the other; */
#define LEAST_SURE 2	/* so many where the process says that an epoch ends there, or all products tell so */
#define ALL_TELL 0.8	/* of those with that size: of the other one, too */

/* The dimension that `all` is without, in a shape that is without another one. */
static uint64_t size_in(const struct series_of *part, const struct series_of *all)
{
	bool first = all->beat->without == 'm' ||
		     (all->beat->without == 'n' && part->beat->without == 'm');

	return first ? part->beat->a : part->beat->b;
}

/* How often those of `part` begin to come among those of `all`; 0: it is no part of it. */
static size_t part_runs(const struct series_of *part, const struct series_of *all)
{
	if (part == all || part->beat->kind != BEAT_BLAS || part->count >= all->count ||
	    part->beat->without == all->beat->without || !alike(part, all))
		return 0;
	return runs_within(part, all);
}

/*
 * Does the part come about as far apart as all of them? Layers that are alike follow upon each
 * other at once, and then comes the rest of the model.
 */
static bool is_spread(const struct series_of *part, const struct series_of *all)
{
	double mean = (double)(all->at[all->count - 1] - all->at[0]) / (double)all->count;
	size_t far = 0;

	for (size_t i = 0; i + 1 < part->count; i++)
		far += (double)(part->at[i + 1] - part->at[i]) > LEAST_GAP * mean;
	return 2 * far > part->count;
}

/* When the process says that it goes on to the next epoch. */
struct said_at {
	int64_t *list;		/* owned */
	size_t count;
};

static size_t count_between(const struct series_of *s, int64_t from, int64_t to)
{
	return series_before(s, to) - series_before(s, from);
}

/* Is it what comes last in each epoch, once? The first one is not asked: what is before it may be none. */
static bool ends_epochs(const struct series_of *part, const struct series_of *all, const struct said_at *said)
{
	for (size_t i = 1; i < said->count; i++) {
		int64_t from = said->list[i - 1], to = said->list[i];
		size_t until = series_before(all, to);

		if (count_between(part, from, to) != 1 || count_between(all, from, to) <= LEAST_SURE ||
		    all->at[until - 1] != part->at[series_before(part, to) - 1])
			return false;
	}
	return said->count > 1;
}

/* Of a series that is a batch of mostly one size and else of a smaller one. */
static bool two_sizes(const struct all_series *s, const struct series_of *all, const struct said_at *said,
		      struct sizes *sizes)
{
	const struct series_of *usual_part = NULL;
	bool often = false;

	for (size_t i = 0; i < s->count; i++) {
		size_t runs = part_runs(&s->list[i], all), count = s->list[i].count;

		if (!runs || LEAST_SURE * runs > count || !is_spread(&s->list[i], all) ||
		    (often && LEAST_RUN * runs > count))
			continue;
		often = LEAST_RUN * runs <= count;
		usual_part = &s->list[i];
	}
	for (size_t i = 0; usual_part && i < s->count; i++) {
		const struct series_of *part = &s->list[i];

		if (part->count + usual_part->count != all->count || !part_runs(part, all) ||
		    size_in(part, all) >= size_in(usual_part, all))
			continue;
		*sizes = (struct sizes){ size_in(usual_part, all), size_in(part, all), all->beat->without,
					 !often && !ends_epochs(part, all, said) };
		return true;
	}
	return false;
}

static void drop_sizes(struct all_series *s, struct series_of *all, const struct sizes *sizes)
{
	bool is_usual = false, is_last = false;

	for (size_t i = 0; i < s->count; i++) {
		struct series_of *part = &s->list[i];
		uint64_t size = part_runs(part, all) ? size_in(part, all) : 0;

		is_usual |= size && size == sizes->usual;
		is_last |= size && size == sizes->last;
		if (size && (size == sizes->usual || size == sizes->last) && !part->dropped)
			part->dropped = part->batch = true;
	}
	/* A gradient of weights: an evaluation has none. */
	all->trained |= is_usual && is_last && all->beat->without == 'k';
}

static bool is_blas(const struct series_of *one)
{
	return one->beat->kind == BEAT_BLAS && !one->dropped;
}

static bool are_same(const struct sizes *a, const struct sizes *b)
{
	return a->usual == b->usual && a->last == b->last;
}

/* By two dimensions; `weak`: though weakly. */
static bool is_told_twice(const struct sizes *told, size_t count, size_t i, bool weak)
{
	for (size_t k = 0; k < count; k++)
		if (are_same(&told[k], &told[i]) && told[k].without != told[i].without &&
		    (weak || !(told[k].weak || told[i].weak)))
			return true;
	return false;
}

/* So that all products are asked once. */
static bool is_last_of_its(const struct sizes *told, size_t count, size_t i)
{
	for (size_t k = i + 1; k < count; k++)
		if (are_same(&told[k], &told[i]))
			return false;
	return true;
}

static bool has_size(const struct all_series *s, const struct series_of *all, uint64_t size)
{
	for (size_t i = 0; i < s->count; i++)
		if (part_runs(&s->list[i], all) && size_in(&s->list[i], all) == size)
			return true;
	return false;
}

/* Do all products of the usual size tell of both? Layers that are alike but for one dimension are some of them. */
static bool all_tell(const struct all_series *s, const struct sizes *told, size_t count, const struct sizes *sizes)
{
	size_t tell = 0, of = 0;

	for (size_t i = 0; i < count; i++)
		tell += are_same(&told[i], sizes);
	for (size_t i = 0; i < s->count; i++)
		of += is_blas(&s->list[i]) && has_size(s, &s->list[i], sizes->usual);
	return (double)tell >= ALL_TELL * (double)of;
}

static void find_batches(struct all_series *s, const struct process *p)
{
	struct said_at said;
	struct sizes *told = xcalloc(s->count + 1, sizeof(*told));
	const struct sizes *sure = NULL;
	size_t count = 0;

	said.list = said_moments(p, &said.count);
	for (size_t i = 0; i < s->count; i++)
		if (is_blas(&s->list[i]) && two_sizes(s, &s->list[i], &said, &told[count]))
			count++;
	for (size_t i = 0; i < count; i++)
		if (is_told_twice(told, count, i, false) ||
		    (is_last_of_its(told, count, i) && is_told_twice(told, count, i, true) &&
		     all_tell(s, told, count, &told[i])))
			sure = &told[i];
	for (size_t i = 0; sure && i < s->count; i++)
		if (is_blas(&s->list[i]))
			drop_sizes(s, &s->list[i], sure);
	free(said.list);
	free(told);
}

/* The same calls until now; in the whole run the one without the batch has more of them. */
static void join_totals(struct series_of *into, const struct series_of *from)
{
	if (from->total <= into->total)
		return;
	into->total = from->total;
	into->last = from->last;
	into->whole = from->whole;
}

/* The three shapes of a product that comes in one size only: one of them tells all. */
static void drop_same(struct all_series *s)
{
	for (size_t i = 0; i < s->count; i++)
		for (size_t k = i + 1; is_blas(&s->list[i]) && k < s->count; k++)
			if (s->list[k].count == s->list[i].count && is_blas(&s->list[k]) &&
			    alike(&s->list[i], &s->list[k]) &&
			    runs_within(&s->list[k], &s->list[i])) {
				s->list[k].dropped = true;
				join_totals(&s->list[i], &s->list[k]);
			}
}

static int by_count(const void *a, const void *b)
{
	const struct series_of *x = a, *y = b;

	if (x->count != y->count)
		return (x->count < y->count) - (x->count > y->count);
	return (x->beat->hash > y->beat->hash) - (x->beat->hash < y->beat->hash);
}

/* ---- making ---- */

static bool is_work(const struct beat *b)
{
	return b->kind != BEAT_HEAP && b->kind != BEAT_FREE && b->kind != BEAT_MAP;
}

bool series_launches(const struct process *p)
{
	for (size_t i = 0; i < p->rhythm.count; i++)
		if (p->rhythm.beats[i].kind == BEAT_LAUNCH)
			return true;
	return false;
}

/* Loading code, compiling and asking is the libraries' start, in a thousand ways; the host's functions are of both. */
static bool is_for_device(const struct process *p, const struct beat *b)
{
	static const char *const kinds[] = { "launch", "copy", "synchronise" };
	const struct function *fn = process_function(p, b->function);

	for (size_t i = 0; b->kind == BEAT_CUDA && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(fn->kind, kinds[i]))
			return true;
	return (b->kind == BEAT_LAUNCH && !strstr(fn->name, "HostFunc")) || b->kind == BEAT_COMM;
}

#define TO_THE_END 10	/* into the last of so many parts */

/* Compilers try kernels out in threads of a pool, only as long as they compile: those that train launch to the end. */
static bool goes_on(const struct process *p, uint32_t thread)
{
	int64_t first = INT64_MAX, last = INT64_MIN, own = INT64_MIN;

	for (size_t i = 0; i < p->rhythm.count; i++) {
		const struct beat *b = &p->rhythm.beats[i];

		if (b->kind != BEAT_LAUNCH || !is_for_device(p, b))
			continue;
		first = b->ticks[0].at < first ? b->ticks[0].at : first;
		last = b->last > last ? b->last : last;
		own = b->thread == thread && b->last > own ? b->last : own;
	}
	return last == INT64_MIN || own >= last - (last - first) / TO_THE_END;
}

bool series_works(enum series_way way, const struct process *p, const struct beat *b)
{
	if (way != SERIES_DEVICE)
		return is_work(b);
	return is_for_device(p, b) && (b->kind == BEAT_COMM || goes_on(p, b->thread));
}

int64_t series_horizon(const struct beat *b)
{
	return b->shift ? b->head[b->head_used - 1] : INT64_MAX;
}

static void add_ticks(struct series_of *s, const struct beat *b, int64_t from, int64_t until)
{
	size_t room = s->count + b->head_used;

	for (uint32_t i = 0; i < b->used && !b->shift; i++)
		room += b->ticks[i].count;
	s->at = xcheck(reallocarray(s->at, room + 1, sizeof(*s->at)), room);
	for (uint32_t i = 0; i < b->used && !b->shift; i++)
		for (uint32_t k = 0; k < b->ticks[i].count; k++)
			if (b->ticks[i].at >= from && b->ticks[i].at < until)
				s->at[s->count++] = b->ticks[i].at;
	for (uint32_t i = 0; i < b->head_used; i++)
		if (b->head[i] >= from && b->head[i] < until)
			s->at[s->count++] = b->head[i];
	for (size_t i = 1; i < s->count; i++) {
		if (s->at[i] >= s->at[i - 1])
			continue;
		/* Several beats; or a killed thread's events, told late. */
		times_sort(s->at, s->count);
		return;
	}
}

void series_add_beat(struct series_of *s, const struct beat *b)
{
	add_ticks(s, b, INT64_MIN, INT64_MAX);
}

/*
 * A kernel's launches are one, whatever their grids, which go with the batch; and a collective's calls, whichever
 * thread of a pool has its turn.
 */
static bool is_same(const struct process *p, const struct beat *x, const struct beat *y)
{
	const struct object *shape, *other;

	if (x->kind == BEAT_COMM)
		return y->kind == BEAT_COMM && x->function == y->function && x->library == y->library && x->a == y->a;
	if (x->kind != BEAT_LAUNCH || y->kind != BEAT_LAUNCH || x->thread != y->thread)
		return false;
	shape = process_find_object(p, DLT_OBJECT_SHAPE, (uint32_t)x->a);
	other = process_find_object(p, DLT_OBJECT_SHAPE, (uint32_t)y->a);
	return shape && other && shape->values[SHAPE_KERNEL] == other->values[SHAPE_KERNEL];
}

/* Only of these may several beats be one. */
static bool may_be_several(const struct beat *b)
{
	return b->kind == BEAT_LAUNCH || b->kind == BEAT_COMM;
}

static struct series_of *same_work(struct all_series *all, const struct process *p, const struct beat *b)
{
	for (size_t i = 0; may_be_several(b) && i < all->count; i++)
		if (is_same(p, all->list[i].beat, b))
			return &all->list[i];
	return NULL;
}

/* A block's size says more than the thread of a pool that asked for it. */
static struct series_of *same_block(struct all_series *all, const struct beat *b)
{
	for (size_t i = 0; i < all->count; i++) {
		const struct beat *other = all->list[i].beat;

		if (other->kind == b->kind && other->function == b->function &&
		    other->library == b->library && other->a == b->a)
			return &all->list[i];
	}
	return NULL;
}

/* Of what is one, all must be known. */
static bool is_known(const struct process *p, const struct beat *b, int64_t until)
{
	if (series_horizon(b) < until)
		return false;
	if (!may_be_several(b) || (until == INT64_MAX && b->kind == BEAT_LAUNCH))
		return true;
	for (size_t i = 0; i < p->rhythm.count; i++) {
		const struct beat *o = &p->rhythm.beats[i];

		if (series_horizon(o) < until && is_same(p, o, b))
			return false;
	}
	return true;
}

/* Libraries announce their kernels when they are loaded, and take them back at the end. */
static bool is_announcement(const struct process *p, const struct beat *b)
{
	const struct function *fn = b->kind == BEAT_CUDA ? process_function(p, b->function) : NULL;

	return fn && (!strncmp(fn->name, "__cudaRegister", 14) || !strncmp(fn->name, "__cudaUnregister", 16));
}

/* Imports ask a GPU's runtime a thousand things, whether there is a GPU or not. */
static bool is_question(const struct beat *b)
{
	return b->kind == BEAT_CUDA && !b->a;
}

/* Horovod has a thread that agrees with those of the other ranks every millisecond, iteration or not. */
static bool is_agreement(const struct process *p, const struct beat *b)
{
	const struct library *l = b->kind == BEAT_COMM ? process_library(p, b->library) : NULL;
	const struct framework_rule *rule = l ? library_framework(l->path) : NULL;

	return rule && !strcmp(rule->role, "communication");
}

static void collect_beat(struct all_series *all, const struct process *p, enum series_way way,
			 const struct beat *b, int64_t until)
{
	bool blocks = way == SERIES_BLOCKS || way == SERIES_ALL_BLOCKS;
	bool cut = p->rhythm.work != INT64_MAX && (!is_work(b) || is_question(b)) && way != SERIES_ALL_BLOCKS;
	int64_t from = cut ? p->rhythm.work : INT64_MIN;
	struct series_of *s = blocks ? same_block(all, b) : same_work(all, p, b);

	if ((blocks && is_work(b)) || is_agreement(p, b) || is_announcement(p, b) ||
	    (way == SERIES_DEVICE && !series_works(way, p, b)))
		return;
	all->cut |= b->shift > 0;
	if (!is_known(p, b, until)) {
		return;
	}
	if (b->kind == BEAT_FREE)
		return;
	if (s) {
		add_ticks(s, b, from, until);
		s->total += b->count;
		s->last = b->last > s->last ? b->last : s->last;
		s->whole = NULL;
		return;
	}
	all->list = xgrow(all->list, all->count, &all->capacity, sizeof(*all->list));
	s = &all->list[all->count];
	*s = (struct series_of){
		.beat = b, .total = b->count, .last = b->last, .whole = b, .work = is_work(b),
	};
	add_ticks(s, b, from, until);
	if (s->count)
		all->count++;
	else
		free(s->at);
}

void series_collect(struct all_series *all, const struct process *p, enum series_way way, int64_t until)
{
	bool launches = series_launches(p);

	/* Compilers name what they do, and do it again and again; where there are launches these tell better. */
	for (size_t i = 0; i < p->rhythm.count; i++)
		if (!launches || p->rhythm.beats[i].kind != BEAT_RANGE)
			collect_beat(all, p, way, &p->rhythm.beats[i], until);
	if (way == SERIES_RUNS)
		series_join_runs(all);
	if (all->count)
		qsort(all->list, all->count, sizeof(*all->list), by_count);
	find_batches(all, p);
	drop_same(all);
}
