/* SPDX-License-Identifier: MIT */
/* How long iterations took, of a list of them or of what was summed up of a long run. */
#include "analysis/iterations_time.h"

#include <math.h>

#include "analysis/analyses.h"
#include "analysis/model/memory.h"
#include "analysis/model/times.h"

/* One is slow that takes so much longer than the median, and is that far from the usual spread. */
#define SLOW_FACTOR	1.5
#define SLOW_SPREADS	6
/* Those of the warm-up take so much longer; it lasts a fifth of them at most. */
#define WARM_FACTOR	1.2
#define WARM_SHARE	5
#define WARM_SPREADS	3
#define CURVE_POINTS	1024	/* buckets: a list of iterations is shown one by one */

/* Of those that are not cut, where there are any; *count becomes how many. The caller's; sorted. */
static int64_t *sorted_durations(const struct iteration *list, size_t *count)
{
	int64_t *d = xcalloc(*count + 1, sizeof(*d));
	size_t whole = 0, all = *count;

	for (size_t i = 0; i < all; i++)
		whole += !list[i].cut;
	*count = 0;
	for (size_t i = 0; i < all; i++)
		if (!whole || !list[i].cut)
			d[(*count)++] = list[i].end - list[i].begin;
	times_sort(d, *count);
	return d;
}

static double middle(const int64_t *sorted, size_t count)
{
	if (!count)
		return 0;
	return ((double)sorted[(count - 1) / 2] + (double)sorted[count / 2]) / 2;
}

double iterations_median(const struct iteration *list, size_t count)
{
	int64_t *d = sorted_durations(list, &count);
	double median = middle(d, count);

	free(d);
	return median;
}

/* ---- of a list ---- */

static void summarise(struct iterations *it)
{
	size_t n = it->listed;
	int64_t *d = sorted_durations(it->list, &n);
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++)
		sum += (double)d[i];
	it->mean = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += ((double)d[i] - it->mean) * ((double)d[i] - it->mean);
	it->deviation = n > 1 ? sqrt(squares / (double)(n - 1)) : 0;
	it->median = middle(d, n);
	it->p95 = (double)d[(n * 95 + 99) / 100 - 1];
	it->min = (uint64_t)d[0];
	it->max = (uint64_t)d[n - 1];
	free(d);
}

/* Median distance from the median: a spread that slow ones do not widen. */
static double spread(const struct iterations *it)
{
	size_t n = it->listed;
	int64_t *d = sorted_durations(it->list, &n);
	double result;

	for (size_t i = 0; i < n; i++)
		d[i] = llabs(d[i] - (int64_t)it->median);
	times_sort(d, n);
	result = middle(d, n);
	free(d);
	return result;
}

static double duration_of(const struct iteration *one)
{
	return (double)(one->end - one->begin);
}

static bool is_warming(const struct iterations *it, double duration, double usual)
{
	return duration >= WARM_FACTOR * it->median && duration >= it->median + WARM_SPREADS * usual;
}

static double slow_limit(const struct iterations *it, double usual)
{
	return fmax(SLOW_FACTOR * it->median, it->median + SLOW_SPREADS * usual);
}

static void find_warm_up(struct iterations *it, double usual)
{
	while (it->warm_up < it->listed / WARM_SHARE &&
	       is_warming(it, duration_of(&it->list[it->warm_up]), usual)) {
		it->warm = it->list[it->warm_up].end;
		it->list[it->warm_up++].warm_up = true;
	}
}

/* One that is cut took at least so long. */
static void find_slow(struct iterations *it, double limit)
{
	it->slowest = xcalloc(it->listed, sizeof(*it->slowest));
	for (size_t i = it->warm_up; i < it->listed; i++) {
		if (duration_of(&it->list[i]) < limit)
			continue;
		it->list[i].slow = true;
		if (duration_of(&it->list[i]) > (double)it->max)
			it->max = (uint64_t)duration_of(&it->list[i]);
		it->slowest[it->slow++] = (struct slow_one){ it->list[i], i + 1 };
	}
	it->slowest_count = it->slow;
}

/* Where none is followed by another one, their ends are the best that is known. */
static void keep_any(struct iterations *it)
{
	for (size_t i = 0; i < it->listed; i++)
		if (!it->list[i].cut)
			return;
	for (size_t i = 0; i < it->listed; i++)
		it->list[i].cut = false;
}

void iterations_time_list(struct iterations *it)
{
	double usual;

	keep_any(it);
	summarise(it);
	usual = spread(it);
	find_warm_up(it, usual);
	find_slow(it, slow_limit(it, usual));
	for (size_t i = 0; i < it->listed; i++)
		if (iteration_in_curve(&it->list[i]))
			curve_add(&it->curve, CURVE_POINTS, it->list[i].begin,
				  it->list[i].end - it->list[i].begin);
}

/* ---- of sums ---- */

static void take_sums(struct iterations *it, const struct pace *p)
{
	it->mean = (double)p->total / (double)p->count;
	it->deviation = pace_deviation(p);
	it->median = pace_quantile(p, 0.5);
	it->p95 = pace_quantile(p, 0.95);
	it->min = p->min;
	it->max = p->max;
	curve_merge(&it->curve, &p->curve, PACE_POINTS);
}

/* Those that are slow in the histogram, but for those of the warm-up. */
static uint64_t count_slow(const struct iterations *it, const struct pace *p, const int64_t *first, double *limit)
{
	uint64_t count = pace_above(p, limit);

	for (size_t i = 0; i < it->warm_up; i++)
		count -= (double)(first[i + 1] - first[i]) >= *limit && count;
	return count;
}

static int by_begin(const void *a, const void *b)
{
	const struct slow_one *x = a, *y = b;

	return (x->one.begin > y->one.begin) - (x->one.begin < y->one.begin);
}

static void take_slowest(struct iterations *it, const struct pace *p, double limit)
{
	it->slowest = xcalloc(p->longest_count, sizeof(*it->slowest));
	for (uint32_t i = 0; i < p->longest_count; i++) {
		const struct pace_one *l = &p->longest[i];

		if (l->number <= it->warm_up || (double)l->duration < limit)
			continue;
		it->slowest[it->slowest_count++] = (struct slow_one){
			.one = { .begin = l->begin, .end = l->begin + (int64_t)l->duration,
				 .last = UNKNOWN, .slow = true },
			.number = l->number,
		};
	}
	qsort(it->slowest, it->slowest_count, sizeof(*it->slowest), by_begin);
}

void iterations_time_pace(struct iterations *it, const struct pace *p, const int64_t *first, size_t count)
{
	double usual, limit;

	if (!p || p->disordered || !p->count)
		return;
	take_sums(it, p);
	usual = pace_spread(p);
	while (it->warm_up + 1 < count && it->warm_up < p->count / WARM_SHARE &&
	       is_warming(it, (double)(first[it->warm_up + 1] - first[it->warm_up]), usual))
		it->warm = first[++it->warm_up];
	limit = slow_limit(it, usual);
	it->slow = count_slow(it, p, first, &limit);
	take_slowest(it, p, limit);
}

/* ---- which epoch it is ---- */

uint32_t iterations_epoch_at(const struct iterations *it, uint32_t from, int64_t at)
{
	while (from + 1 < it->epoch_count && it->epochs[from + 1].begin <= at)
		from++;
	if (it->epochs_more && at >= it->epochs[it->epoch_count - 1].end)
		return (uint32_t)it->epoch_count;
	return from;
}
