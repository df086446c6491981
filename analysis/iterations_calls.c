/* SPDX-License-Identifier: MIT */
/*
 * Iterations by what a process calls: no name, no time of day, only order.
 *
 * What comes once an iteration comes equally often and in the same order: a *family* of series
 * that alternate. Many things repeat within an iteration (layers that are alike) or over several
 * (evaluations, the last batch of an epoch), so each family is asked how evenly everything else
 * falls between its beats. The finest family that holds is taken, but if another one, whose beats
 * are a part of its beats, is as large and as even: a training step goes forward and backward, an
 * evaluation forward only.
 */
#include "analysis/iterations_calls.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/model/memory.h"

#define LEAST_ITERATIONS	3
#define LEAST_MEMBERS		2
#define LEAST_EVEN		0.75	/* of everything: below, it is not found */
#define NEARLY_ALL		0.9	/* of the calls: an evaluation may have many others, each seldom */
#define LEAST_PART		0.25	/* of the finer one's beats, or so many times its members: */
#define MANY_MORE		4
#define SHARED			8	/* one beat of so many */
#define FAMILIES_MAX		64
#define REFERENCES_MAX		24	/* tried for each number of beats */
#define FORWARD_LEAST		2	/* series */
#define FORWARD_PART		0.2	/* of those that come once a round */
#define SAME			0.95	/* of the rounds: as often in each */

/* ---- families ---- */

static size_t members(const struct all_series *s, const struct series_of *of, bool work)
{
	size_t count = 0;

	for (size_t i = 0; i < s->count; i++)
		count += !s->list[i].dropped && s->list[i].work == work &&
			 s->list[i].count == of->count && series_alternate(of, &s->list[i]);
	return count;
}

/* The member that comes first in each round. */
static const struct series_of *first_of(const struct all_series *s, const struct series_of *of,
					bool work)
{
	const struct series_of *first = of;

	for (size_t i = 0; i < s->count; i++)
		if (!s->list[i].dropped && s->list[i].work == work &&
		    s->list[i].count == of->count && s->list[i].at[0] < first->at[0] &&
		    series_alternate(of, &s->list[i]))
			first = &s->list[i];
	return first;
}

/*
 * The rounds with a batch of another size: those few that have shapes which were dropped for a
 * more general one. Such a batch may be worked on by functions that are called in no other round,
 * its own, or the one before up to the anchor.
 */
static bool *odd_rounds(const struct all_series *s, const struct series_of *anchor, uint32_t *each)
{
	bool *odd = xcalloc(anchor->count + 1, sizeof(*odd));

	for (size_t i = 0; i < s->count; i++) {
		size_t in = 0;

		if (!s->list[i].batch)
			continue;
		series_between(anchor, &s->list[i], each);
		for (size_t k = 0; k < anchor->count; k++)
			in += each[k] > 0;
		for (size_t k = 0; 2 * in < anchor->count && k < anchor->count; k++)
			odd[k] |= each[k] > 0;
	}
	return odd;
}

/* Half for being in each round, half for being there as often; -1: only in odd ones. */
static double worth(const struct series_of *anchor, const struct series_of *one, const bool *odd,
		    uint32_t *each)
{
	size_t even = 0, there = 0, in_odd = 0;
	uint32_t most;

	series_between(anchor, one, each);
	most = usual(each, anchor->count);
	for (size_t k = 0; k < anchor->count; k++) {
		even += most && each[k] == most;
		there += each[k] > 0;
		in_odd += each[k] && (odd[k] || odd[k + 1]);
	}
	if (there == in_odd && 2 * there <= anchor->count)
		return -1;
	return (double)(even + there) / 2 /
	       (double)(anchor->count + !!series_before(one, anchor->at[0]));
}

/* Ranks meet before they begin and part when they end, in many small messages. */
static bool is_meeting(const struct series_of *anchor, const struct series_of *one)
{
	return one->beat->kind == BEAT_COMM &&
	       series_before(one, anchor->at[0]) == series_before(one, anchor->at[anchor->count - 1]);
}

/*
 * How evenly what comes at least every other round comes, 0 to 1; 0 if that is less than two
 * thirds of all there is, and not nearly all calls. What comes in odd rounds only is left out.
 */
static double evenness(const struct all_series *s, const struct series_of *anchor, bool work)
{
	uint32_t *each = xcalloc(anchor->count, sizeof(*each));
	bool *odd = odd_rounds(s, anchor, each);
	size_t asked = 0, all = 0, calls = 0, all_calls = 0;
	double sum = 0;

	for (size_t i = 0; i < s->count; i++) {
		const struct series_of *one = &s->list[i];
		double w;

		if (one->dropped || one->work != work || is_meeting(anchor, one))
			continue;
		w = worth(anchor, one, odd, each);
		if (w < 0)
			continue;
		all++;
		all_calls += one->count;
		if (one->count < (anchor->count + 1) / 2)
			continue;
		asked++;
		calls += one->count;
		sum += w;
	}
	free(each);
	free(odd);
	if (!asked || (3 * asked < 2 * all && (double)calls < NEARLY_ALL * (double)all_calls))
		return 0;
	return sum / (double)asked;
}

/* The largest family of that many beats; members 0: none. */
static struct family family_of(const struct all_series *s, size_t beats, bool work)
{
	struct family best = { .members = 0 };
	int tried = 0;

	for (size_t i = 0; i < s->count && tried < REFERENCES_MAX; i++) {
		const struct series_of *one = &s->list[i];
		size_t count;

		if (one->dropped || one->work != work || one->count != beats)
			continue;
		tried++;
		count = members(s, one, work);
		if (count > best.members)
			best = (struct family){ .anchor = one, .members = count };
	}
	if (!best.members)
		return best;
	best.anchor = first_of(s, best.anchor, work);
	best.even = evenness(s, best.anchor, work);
	return best;
}

/* Finest first; of one member, too. */
static size_t families(const struct all_series *s, bool work, struct family *list)
{
	size_t count = 0, last = 0;

	for (size_t i = 0; i < s->count && count < FAMILIES_MAX; i++) {
		const struct series_of *one = &s->list[i];

		if (one->dropped || one->work != work || one->count == last ||
		    one->count < LEAST_ITERATIONS)
			continue;
		last = one->count;
		list[count] = family_of(s, last, work);
		count += list[count].members && list[count].even >= LEAST_EVEN;
	}
	return count;
}

/*
 * Does each beat of `part` lie in a round of its own of `fine`? The first one may be before them all, and of batches
 * of another size, which `fine` does not have, it lies in that of the one before.
 */
static bool is_part(const struct family *part, const struct family *fine)
{
	uint32_t *each = xcalloc(fine->anchor->count, sizeof(*each));
	size_t shared = 0;

	series_between(fine->anchor, part->anchor, each);
	for (size_t i = 0; i < fine->anchor->count; i++)
		shared += each[i] > 1 ? each[i] - 1 : 0;
	free(each);
	return series_before(part->anchor, fine->anchor->at[0]) <= 1 && SHARED * shared <= part->anchor->count;
}

static bool is_better(const struct family *f, const struct family *best)
{
	if (f->anchor->count < LEAST_PART * (double)best->anchor->count &&
	    (f->members < MANY_MORE * best->members || f->even < best->even + 0.05))
		return false;
	if (f->even * (1 - 0.5 / (double)f->members) >
	    best->even * (1 - 0.5 / (double)best->members) + 0.1)
		return true;
	return f->even >= best->even - 0.02 && 2 * f->members >= best->members && is_part(f, best);
}

/* A last batch that was trained on is a round, though few others of its calls are as usual. */
static bool lacks_last(const struct family *f, const struct family *best, const struct all_series *s)
{
	if (2 * f->anchor->count <= best->anchor->count)
		return false;
	for (size_t i = 0; i < s->count; i++)
		if (s->list[i].trained && !s->list[i].dropped && s->list[i].count == best->anchor->count &&
		    series_alternate(best->anchor, &s->list[i]))
			return true;
	return false;
}

/* Do the epochs that the program says itself have several of them each, always as many? */
static bool fits_what_is_said(const struct family *f, const struct process *p)
{
	const struct rounds r = { .count = f->anchor->count, .begin = *f->anchor };

	return said_rounds(&r, p) > 1;
}

/*
 * Layers that are alike leave little that comes once in each round. A single series is a family where the program's
 * own word is the second member, and where nothing better is, or what is does not fit that word.
 */
static struct family with_the_programs_word(const struct family *list, size_t count, const struct family *best,
					    const struct process *p)
{
	struct family said = { .members = 0 };

	if (best->members && fits_what_is_said(best, p))
		return *best;
	for (size_t i = 0; i < count; i++)
		if (list[i].members < LEAST_MEMBERS && list[i].even > said.even && fits_what_is_said(&list[i], p))
			said = (struct family){ list[i].anchor, LEAST_MEMBERS, list[i].even };
	return said.members ? said : *best;
}

static struct family choose(const struct all_series *s, const struct process *p, bool work)
{
	struct family list[FAMILIES_MAX], best = { .members = 0 };
	size_t count;

	if (!work)
		return memory_family(s, p);
	count = families(s, work, list);

	for (size_t i = 0; i < count; i++)
		if (list[i].members >= LEAST_MEMBERS &&
		    (!best.members || (is_better(&list[i], &best) && !lacks_last(&list[i], &best, s))))
			best = list[i];
	return with_the_programs_word(list, count, &best, p);
}

/* ---- the list ---- */

/* The last beat of a family in each round: where its work ends. */
static void set_ends(const struct all_series *s, const struct series_of *anchor, int64_t *ends)
{
	for (size_t i = 0; i < anchor->count; i++)
		ends[i] = anchor->at[i];
	for (size_t i = 0; i < s->count; i++) {
		const struct series_of *one = &s->list[i];

		if (one->dropped || one->work != anchor->work || one->count != anchor->count ||
		    !series_alternate(anchor, one))
			continue;
		for (size_t k = 0; k < anchor->count; k++)
			if (one->at[k] > ends[k])
				ends[k] = one->at[k];
	}
}

/*
 * The family may be of the way back only, where evaluations go forward, too. A round begins with the
 * first of what comes once before its first beat and after what was there of the one before.
 */
static void set_begins(struct rounds *r)
{
	const struct series_of *anchor = r->family.anchor;
	uint32_t *each = xcalloc(r->count, sizeof(*each));

	r->begin = (struct series_of){
		.beat = anchor->beat, .at = xcalloc(r->count, sizeof(int64_t)), .count = r->count,
		.work = anchor->work,
	};
	memcpy(r->begin.at, anchor->at, r->count * sizeof(int64_t));
	for (size_t i = 0; i < r->all.count; i++) {
		const struct series_of *one = &r->all.list[i];

		if (one->dropped || !one->work || one->count < r->count ||
		    !series_before(one, anchor->at[0]))
			continue;
		series_between(anchor, one, each);
		if (usual(each, r->count) != 1)
			continue;
		for (size_t k = 0; k < r->count; k++) {
			size_t before = series_before(one, anchor->at[k]);
			int64_t at = before ? one->at[before - 1] : INT64_MAX;

			if ((!k || at > r->ends[k - 1]) && at < r->begin.at[k])
				r->begin.at[k] = at;
		}
	}
	free(each);
}

/*
 * Where each round begins with the first of its calls, as often in each, counted from the end; false: it is not so.
 * Blocks of such a size may have been there before, too.
 */
static bool begins_of(const struct rounds *r, const struct series_of *one, uint32_t *each, int64_t *begins)
{
	size_t inner = r->count - 1, same = 0;
	size_t most;

	series_between(&r->begin, one, each);
	most = usual(each, inner);
	for (size_t k = 0; k < inner; k++)
		same += each[k] == most;
	if (!most || (double)same < SAME * (double)inner || one->count <= most * inner ||
	    (one->work && one->count != most * r->count))
		return false;
	for (size_t k = 0; k < r->count; k++) {
		size_t back = (r->count - k) * most;

		begins[k] = one->at[back < one->count ? one->count - back : 0];
		if (begins[k] > r->begin.at[k] || (k && begins[k] <= r->begin.at[k - 1]) ||
		    (k && begins[k] <= r->ends[k - 1] && r->ends[k - 1] < r->begin.at[k]))
			return false;
	}
	return true;
}

void rounds_begin_early(struct rounds *r)
{
	uint32_t *each = xcalloc(r->count, sizeof(*each));
	int64_t *begins = xcalloc(r->count, sizeof(*begins)), *first = xcalloc(r->count, sizeof(*first));
	const size_t size = r->count * sizeof(*first);

	memcpy(first, r->begin.at, size);
	for (size_t i = 0; i < r->all.count; i++)
		if (!r->all.list[i].dropped && r->all.list[i].work == r->begin.work &&
		    begins_of(r, &r->all.list[i], each, begins) && begins[r->count - 1] < first[r->count - 1])
			memcpy(first, begins, size);
	memcpy(r->begin.at, first, size);
	for (size_t k = 1; k < r->count; k++)
		if (r->ends[k - 1] > first[k])
			r->ends[k - 1] = first[k];
	free(each);
	free(begins);
	free(first);
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/*
 * Batches that only went forward, after each round: what comes once a round, but more often in the
 * whole, comes once more for each. That is so for a good part of what comes once, or it is
 * something else; and it is what most of these say.
 */
static void count_forward(struct rounds *r)
{
	uint32_t *each = xcalloc(r->count + r->all.count, sizeof(*each)), *more = NULL;
	size_t once = 0, used = 0, capacity = 0;

	for (size_t i = 0; i < r->all.count; i++) {
		const struct series_of *one = &r->all.list[i];

		/* The end of a program copies its results, and waits for them. */
		if (one->dropped || !one->work || one->count < r->count || one->beat->kind == BEAT_CUDA)
			continue;
		series_between(&r->begin, one, each);
		if (usual(each, r->count) != 1)
			continue;
		once++;
		for (size_t k = 0; one->count > r->count && k < r->count; k++) {
			more = xgrow(more, used, &capacity, sizeof(*more));
			more[used++] = each[k] ? each[k] - 1 : 0;
		}
	}
	used /= r->count;
	for (size_t k = 0; used >= FORWARD_LEAST && used >= FORWARD_PART * (double)once && k < r->count; k++) {
		for (size_t i = 0; i < used; i++)
			each[i] = more[i * r->count + k];
		qsort(each, used, sizeof(*each), by_number);
		r->forward[k] = each[used / 2];
	}
	free(more);
	free(each);
}

/*
 * A model that goes forward once has layers that are alike; what is before the first of them and
 * after the last is more than a few of them. Iterations have less than two of theirs before them, or as many of them
 * as passes over files say.
 */
static bool is_all(const struct rounds *r)
{
	const struct series_of *anchor = r->family.anchor;
	size_t before = 0, in = 0;

	for (size_t i = 0; i < r->all.count; i++) {
		const struct series_of *one = &r->all.list[i];

		if (one->dropped || one->work != anchor->work || is_meeting(anchor, one))
			continue;
		before += series_before(one, anchor->at[0]);
		in += one->count - series_before(one, anchor->at[0]);
	}
	return before * anchor->count <= 2 * in;
}

bool rounds_find(struct rounds *r, const struct process *p, enum series_way way, int64_t until)
{
	size_t length;

	*r = (struct rounds){ 0 };
	series_collect(&r->all, p, way, until);
	r->family = choose(&r->all, p, way != SERIES_BLOCKS);
	if (!r->family.members)
		return false;
	r->count = r->family.anchor->count;
	r->ends = xcalloc(r->count, sizeof(*r->ends));
	r->forward = xcalloc(r->count, sizeof(*r->forward));
	set_ends(&r->all, r->family.anchor, r->ends);
	set_begins(r);
	count_forward(r);
	return way == SERIES_BLOCKS || is_all(r) || input_epochs(r, p, &length) == INPUT_EPOCHS;
}

void rounds_release(struct rounds *r)
{
	series_release(&r->all);
	free(r->begin.at);
	free(r->ends);
	free(r->forward);
	*r = (struct rounds){ 0 };
}
