/* SPDX-License-Identifier: MIT */
/*
 * What the files that a process reads (analysis/passes.h) tell: epochs, each pass over them, if the
 * rounds that were found divide as evenly; and where nothing else shows rounds, these too. A loop that
 * reads a batch itself opens so many files one right after another, then it works: the distances tell
 * the size of a batch, if there is one that explains nearly all of them; of one example,
 * iterations_single.c does.
 */
#include <stdlib.h>

#include "analysis/iterations.h"
#include "analysis/iterations_calls.h"
#include "analysis/model/memory.h"
#include "analysis/model/times.h"
#include "analysis/passes.h"

#define SHORTER		3	/* times: a first pass that is so much shorter than others is no epoch */
#define PAUSE		3	/* times the longest distance within a batch */
#define MOST_OTHERS	0.1	/* of the borders of batches: shorter than distances within them */
#define LONGER		2	/* times: usual distances at borders and within batches */
#define LEAST_BORDERS	6	/* within passes */
#define LOOKED_AT	8192	/* distances */
#define ALIKE		0.8	/* of distances at borders: half to twice the usual one */

/* How many rounds begin before each pass; what has none of its own (a look at all files) is dropped. */
static size_t rounds_before(const struct rounds *r, const struct passes *s, size_t *before)
{
	size_t count = 0;

	for (size_t i = 0; i < s->count; i++) {
		size_t at = i ? series_before(&r->begin, s->opens[s->begins[i]].at) : 0;

		if (count && at == before[count - 1])
			continue;
		if (at < r->count)
			before[count++] = at;
	}
	return count;
}

static size_t apart(size_t a, size_t b)
{
	return a < b ? b - a : a - b;
}

/* Do passes begin about every `length` rounds? The first examples of one are read within a round, or before. */
static bool divide(const size_t *before, size_t count, size_t length)
{
	for (size_t i = 1; i < count; i++)
		if (apart(before[i], i * length) > (length > 2))
			return false;
	return true;
}

/* The last pass was cut short. */
static bool is_cut(const struct passes *s)
{
	size_t last = s->open_count - s->begins[s->count - 1];

	return s->whole && last < s->files && s->count > 2;
}

/* Distances of opens, the shortest first; the caller's. */
static int64_t *distances_all(const struct passes *s)
{
	int64_t *list = xcalloc(s->open_count + 1, sizeof(*list));

	for (size_t i = 1; i < s->open_count; i++)
		list[i - 1] = s->opens[i].at - s->opens[i - 1].at;
	times_sort(list, s->open_count ? s->open_count - 1 : 0);
	return list;
}

/* Files that are opened one right after another, then a pause: how many times; 0: no pauses stand out. */
static size_t bursts_of(const struct passes *s)
{
	size_t count = s->open_count ? s->open_count - 1 : 0, best = 0;
	int64_t *list = distances_all(s);
	double most = PAUSE;

	/* At least two files each, and of all distances one in fifty is a pause. */
	for (size_t i = count / 2; i + 1 + count / 50 < count; i++) {
		double ratio = (double)list[i + 1] / (double)(list[i] > 0 ? list[i] : 1);

		if (ratio > most) {
			most = ratio;
			best = count - i;
		}
	}
	free(list);
	return best;
}

bool input_is_finer(const struct rounds *r, const struct process *p)
{
	struct passes s;
	double sure;
	bool finer;

	passes_find(&s, p);
	finer = s.count && s.own && 2 * bursts_of(&s) > 3 * r->count;
	finer |= 2 * s.open_count > 3 * r->count && passes_are_steps(&s, p, &sure);
	passes_release(&s);
	return finer;
}

enum input_says input_epochs(const struct rounds *r, const struct process *p, size_t *length)
{
	enum input_says says = INPUT_NOTHING;
	struct passes s;
	size_t *before, count;

	passes_find(&s, p);
	before = xcalloc(s.count + 1, sizeof(*before));
	count = rounds_before(r, &s, before);
	if (count > 1) {
		says = s.whole ? INPUT_OTHERWISE : INPUT_NOTHING;
		*length = is_cut(&s) ? before[1] : r->count / count;
		if ((is_cut(&s) || r->count % count == 0) && divide(before, count, *length))
			says = INPUT_EPOCHS;
	}
	free(before);
	passes_release(&s);
	return says;
}

/* ---- passes alone ---- */

/* How long the first pass goes on opening: a look at all files is far shorter than an epoch. */
static bool is_as_long(const struct passes *s, size_t first)
{
	int64_t *lasted = xcalloc(s->count, sizeof(*lasted)), usual_one, own;
	size_t whole = 0;

	for (size_t i = first; i + !!is_cut(s) < s->count; i++) {
		size_t end = i + 1 < s->count ? s->begins[i + 1] : s->open_count;

		lasted[whole++] = s->opens[end - 1].at - s->opens[s->begins[i]].at;
	}
	own = lasted[0];
	times_sort(lasted, whole);
	usual_one = whole ? lasted[whole / 2] : 0;
	free(lasted);
	return whole && SHORTER * own >= usual_one;
}

size_t input_passes(const struct process *p, int64_t work, int64_t to, struct epoch **epochs)
{
	size_t first = 0, count = 0;
	struct passes s;

	passes_find(&s, p);
	while (first + 1 < s.count && s.opens[s.begins[first + 1]].at <= work)
		first++;
	if (s.whole && first + 1 < s.count && is_as_long(&s, first))
		*epochs = xcalloc(s.count - first, sizeof(**epochs));
	for (size_t i = first; *epochs && i < s.count; i++) {
		(*epochs)[count] = (struct epoch){
			.number = (int64_t)count + 1, .begin = s.opens[s.begins[i]].at, .end = to,
		};
		if (count)
			(*epochs)[count - 1].end = (*epochs)[count].begin;
		count++;
	}
	passes_release(&s);
	return count;
}

/* ---- batches ---- */

/* Distances of opens within a pass: those at borders of batches, and the others. */
struct distances {
	int64_t *border, *inner;	/* owned */
	size_t borders, inners;
};

static void distances_release(struct distances *d)
{
	free(d->border);
	free(d->inner);
}

/* From that pass on; both sorted. */
static struct distances distances_of(const struct passes *s, size_t batch, size_t pass)
{
	struct distances d = {
		xcalloc(s->open_count, sizeof(int64_t)), xcalloc(s->open_count, sizeof(int64_t)), 0, 0,
	};
	size_t count = s->open_count < LOOKED_AT ? s->open_count : LOOKED_AT;

	for (size_t i = s->begins[pass] + 1; i < count; i++) {
		int64_t apart_ns = s->opens[i].at - s->opens[i - 1].at;

		if (pass + 1 < s->count && s->begins[pass + 1] == i) {
			pass++;
			continue;
		}
		if ((i - s->begins[pass]) % batch == 0)
			d.border[d.borders++] = apart_ns;
		else
			d.inner[d.inners++] = apart_ns;
	}
	times_sort(d.border, d.borders);
	times_sort(d.inner, d.inners);
	return d;
}

/* Which part of the borders is shorter than as many of the longest of all, 0 to 1. */
static double others(const struct distances *d)
{
	size_t i = d->inners, wrong = 0;

	while (wrong < d->borders && i && d->border[wrong] < d->inner[i - 1]) {
		wrong++;
		i--;
	}
	return (double)wrong / (double)d->borders;
}

/* Far longer than within batches, and all about as long: an evaluation is shorter. The first pass warms up. */
static bool are_alike(const struct passes *s, size_t batch)
{
	struct distances d = distances_of(s, batch, 1);
	size_t near = 0;
	bool alike = d.borders && d.inners && d.border[d.borders / 2] >= LONGER * d.inner[d.inners / 2];

	for (size_t i = 0; i < d.borders; i++)
		near += 2 * d.border[i] >= d.border[d.borders / 2] && d.border[i] <= 2 * d.border[d.borders / 2];
	alike &= (double)near >= ALIKE * (double)d.borders;
	distances_release(&d);
	return alike;
}

/* Files that are opened in a pass; 0: not always as many. */
static size_t opens_each(const struct passes *s)
{
	size_t each = s->count > 1 ? s->begins[1] : 0;

	for (size_t i = 0; i < s->count; i++) {
		size_t end = i + 1 < s->count ? s->begins[i + 1] : s->open_count;

		if (end - s->begins[i] > each || (i + 1 < s->count && end - s->begins[i] != each))
			return 0;
	}
	return each;
}

/* The size of a batch; 0: none explains the distances. */
static size_t batch_of(const struct passes *s, double *sure)
{
	size_t each = opens_each(s), best = 0;

	*sure = 0;
	for (size_t batch = 2; batch < each; batch++) {
		struct distances d = distances_of(s, batch, 0);
		double wrong = d.borders >= LEAST_BORDERS && d.inners ? others(&d) : 1;

		if (wrong <= MOST_OTHERS && 1 - wrong > *sure && are_alike(s, batch)) {
			best = batch;
			*sure = 1 - wrong;
		}
		distances_release(&d);
	}
	return best;
}

static void add_rounds(struct rounds *r, const struct passes *s, size_t batch)
{
	size_t capacity = 0;

	for (size_t k = 0; k < s->count; k++) {
		size_t end = k + 1 < s->count ? s->begins[k + 1] : s->open_count;

		for (size_t i = s->begins[k]; i < end; i += batch) {
			r->begin.at = xgrow(r->begin.at, r->begin.count, &capacity, sizeof(*r->begin.at));
			r->begin.at[r->begin.count++] = s->opens[i].at;
		}
	}
	r->count = r->begin.count;
	r->ends = xcalloc(r->count, sizeof(*r->ends));
	r->forward = xcalloc(r->count, sizeof(*r->forward));
	for (size_t i = 0; i + 1 < r->count; i++)
		r->ends[i] = r->begin.at[i + 1];
}

static bool some_evaluate(const struct passes *s, size_t batch)
{
	struct batch *list = xcalloc(s->open_count + 1, sizeof(*list));
	size_t count = 0, in = 0, pass = 0;
	bool some;

	for (size_t i = 0; i < s->open_count; i++, in++) {
		if (pass + 1 < s->count && s->begins[pass + 1] == i) {
			pass++;
			in = 0;
		}
		if (in % batch == 0)
			list[count++].begin = s->opens[i].at;
		list[count - 1].ready = s->opens[i].at;
	}
	some = batches_differ(s, list, count);
	free(list);
	return some;
}

/* How many examples each step has; 0: not known. */
static size_t examples_each(const struct passes *s, const struct process *p, double *sure)
{
	size_t batch = s->all && s->whole ? batch_of(s, sure) : 0;

	return batch ? batch : passes_are_steps(s, p, sure);
}

bool input_is_steps(const struct process *p)
{
	struct passes s;
	double sure;
	bool is;

	passes_find(&s, p);
	is = examples_each(&s, p, &sure) == 1;
	passes_release(&s);
	return is;
}

bool rounds_by_input(struct rounds *r, const struct process *p)
{
	struct passes s;
	size_t batch;
	double sure = 0;

	*r = (struct rounds){ .count = 0 };
	passes_find(&s, p);
	batch = examples_each(&s, p, &sure);
	if (batch && !some_evaluate(&s, batch)) {
		add_rounds(r, &s, batch);
		/* Nothing tells when the last one ends: it is taken to last as long as the one before. */
		r->ends[r->count - 1] = 2 * r->begin.at[r->count - 1] - r->begin.at[r->count - 2];
		r->family = (struct family){ .members = r->count, .even = sure };
	}
	passes_release(&s);
	return r->count > 0;
}

bool input_is_coarser(const struct rounds *r, const struct process *p)
{
	struct rounds own;
	bool coarser = rounds_by_input(&own, p) && own.count < r->count;

	rounds_release(&own);
	return coarser;
}
