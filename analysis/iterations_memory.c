/* SPDX-License-Identifier: MIT */
/*
 * Iterations of a process none of whose calls compute where we could see it (a framework that has
 * its matrix library inside): by the large blocks that it allocates.
 *
 * Blocks of one size and caller are a series, whichever thread asks for them: pools of threads take
 * up work as it comes. Much of this has nothing to do with iterations: imports, compiling, caches.
 * So each family is asked about the time of its own beats only, and only by what is there in most
 * of its rounds: how often does that come as often as usual? The finest family that holds is
 * taken, but if its rounds are halves, each with other things in it. Where there are few rounds they
 * may be epochs, in which something finer goes on: then nothing is said.
 */
#include <stdlib.h>

#include "analysis/iterations_calls.h"
#include "analysis/model/memory.h"
#include "analysis/model/times.h"

#define LEAST_ITERATIONS	3
#define LEAST_MEMBERS		2
#define LEAST_ASKED		8	/* series that are there in most rounds */
#define LEAST_EVEN		0.85
#define MANY_ASKED		20
#define LESS_EVEN		0.8
#define MOST_ROUNDS		0.7	/* a last batch may have sizes of its own */
#define LATE			0.5	/* of all there is, by time: imports have their rhythms, too */
#define NEARLY			0.8	/* all, of every other round */
#define FEW			8	/* rounds that may be epochs */
#define FINER			3	/* series that are there as many times in each of them, */
#define FINER_AGREE		3	/* so many of these */
#define MORE			3	/* rounds that the family may lack */
#define GAPS_FEW		4	/* between rounds */
#define REFERENCES_MAX		24	/* tried for each number of beats */
#define GROUPS_MAX		4	/* of them asked about everything else */

struct evenness {
	double even;		/* 0 to 1 */
	size_t asked;
};

/* Into each of the whole rounds, and how many are in any. */
static size_t fill(const struct series_of *anchor, const struct series_of *one, uint32_t *each,
		   size_t *rounds)
{
	size_t in = 0;

	*rounds = 0;
	series_between(anchor, one, each);
	for (size_t k = 0; k + 1 < anchor->count; k++) {
		in += each[k];
		*rounds += each[k] > 0;
	}
	return in;
}

/* Of the rounds that have any: how many have as many as is usual, 0 to 1. */
static double agreement(uint32_t *each, size_t count)
{
	size_t used = 0, same = 0;
	uint32_t most;

	for (size_t k = 0; k < count; k++)
		if (each[k])
			each[used++] = each[k];
	most = usual(each, used);
	for (size_t k = 0; k < used; k++)
		same += each[k] == most;
	return used ? (double)same / (double)used : 0;
}

static struct evenness ask_all(const struct all_series *s, const struct series_of *anchor)
{
	uint32_t *each = xcalloc(anchor->count, sizeof(*each));
	struct evenness e = { 0, 0 };
	size_t rounds;

	for (size_t i = 0; i < s->count; i++) {
		if ((double)s->list[i].count < MOST_ROUNDS * (double)(anchor->count - 1))
			continue;
		fill(anchor, &s->list[i], each, &rounds);
		if ((double)rounds < MOST_ROUNDS * (double)(anchor->count - 1))
			continue;
		e.even += agreement(each, anchor->count - 1);
		e.asked++;
	}
	free(each);
	e.even = e.asked ? e.even / (double)e.asked : 0;
	return e;
}

static size_t members(const struct all_series *s, const struct series_of *of)
{
	size_t count = 0;

	for (size_t i = 0; i < s->count; i++)
		count += s->list[i].count == of->count && series_alternate(of, &s->list[i]);
	return count;
}

static int64_t last_of(const struct all_series *s)
{
	int64_t last = INT64_MIN;

	for (size_t i = 0; i < s->count; i++)
		if (s->list[i].at[s->list[i].count - 1] > last)
			last = s->list[i].at[s->list[i].count - 1];
	return last;
}

/* Enough of it, and even enough; of many rounds, series and members a little less will do. */
static bool is_even(const struct evenness *e, size_t beats, size_t members)
{
	if (e->asked >= MANY_ASKED && members > LEAST_MEMBERS && beats >= FEW)
		return e->even >= LESS_EVEN;
	return e->asked >= LEAST_ASKED && e->even >= LEAST_EVEN;
}

/* The largest family of those that come as often as the i-th; members 0: none that holds. */
static struct family family_at(const struct all_series *s, size_t first, int64_t late)
{
	size_t counts[REFERENCES_MAX] = { 0 }, tried = 0, most = 0, asked = 0, beats = s->list[first].count;
	struct family found = { .members = 0 };

	for (; tried < REFERENCES_MAX && first + tried < s->count; tried++) {
		if (s->list[first + tried].count != beats)
			break;
		counts[tried] = members(s, &s->list[first + tried]);
		most = counts[tried] > most ? counts[tried] : most;
	}
	for (size_t i = 0; most >= LEAST_MEMBERS && i < tried && asked < GROUPS_MAX; i++) {
		const struct series_of *one = &s->list[first + i];
		struct evenness e;

		if (counts[i] != most || one->at[beats - 1] < late)
			continue;
		asked++;
		e = ask_all(s, one);
		if (!is_even(&e, beats, most) || e.even <= found.even)
			continue;
		found = (struct family){ .anchor = one, .members = most, .even = e.even };
	}
	return found;
}

/* Nearly all of them about as far apart, those at the borders of rounds, too. */
static bool is_regular(const int64_t *at, size_t count)
{
	int64_t *gaps = xcalloc(count, sizeof(*gaps)), middle;
	size_t near = 0;

	for (size_t i = 0; i + 1 < count; i++)
		gaps[i] = at[i + 1] - at[i];
	times_sort(gaps, count - 1);
	middle = gaps[(count - 1) / 2];
	for (size_t i = 0; i + 1 < count; i++)
		near += 5 * gaps[i] >= middle && gaps[i] <= 3 * middle;
	free(gaps);
	return 10 * near >= 9 * (count - 1);
}

/* Does something finer go on in these rounds? */
static bool is_coarse(const struct all_series *s, const struct series_of *anchor)
{
	size_t finer = 0;

	for (size_t i = 0; i < s->count; i++) {
		const struct series_of *one = &s->list[i];
		size_t from = series_before(one, anchor->at[0]);
		size_t in = series_before(one, anchor->at[anchor->count - 1] + 1) - from;

		finer += in >= FINER * (anchor->count - 1) && is_regular(one->at + from, in);
	}
	return finer >= FINER_AGREE;
}

/* In nearly all rounds of that parity. */
static bool is_in(const uint32_t *each, size_t count, size_t parity, double least)
{
	size_t in = 0, of = 0;

	for (size_t k = parity; k < count; k += 2, of++)
		in += each[k] > 0;
	return (double)in >= least * (double)of;
}

/* Are these halves of rounds? More comes in every other one of them than in all of them. */
static bool is_half(const struct all_series *s, const struct series_of *anchor)
{
	uint32_t *each = xcalloc(anchor->count, sizeof(*each));
	size_t rounds, all = 0, every_other = 0;

	for (size_t i = 0; i < s->count; i++) {
		fill(anchor, &s->list[i], each, &rounds);
		for (size_t parity = 0; parity < 2; parity++) {
			if (!is_in(each, anchor->count - 1, parity, NEARLY))
				continue;
			all += !parity && is_in(each, anchor->count - 1, 1, NEARLY);
			every_other += !is_in(each, anchor->count - 1, !parity, 1 - NEARLY);
		}
	}
	free(each);
	return every_other > all;
}

/* How many rounds a series tells of, if it is there in most of them and a whole number: else 0. */
static size_t rounds_of(const struct series_of *anchor, const struct series_of *one, int64_t from,
			uint32_t *each)
{
	size_t rounds, calls = one->count - series_before(one, from), used = 0;
	uint32_t most;

	fill(anchor, one, each, &rounds);
	if ((double)rounds < MOST_ROUNDS * (double)(anchor->count - 1))
		return 0;
	for (size_t k = 0; k + 1 < anchor->count; k++)
		if (each[k])
			each[used++] = each[k];
	most = usual(each, used);
	return calls % most ? 0 : calls / most;
}

/*
 * The first iteration may allocate other blocks than the others: then its family lacks it, but most
 * of what is there in all rounds tells of one more.
 */
static bool is_whole(const struct all_series *s, const struct series_of *anchor)
{
	uint32_t *each = xcalloc(anchor->count, sizeof(*each));
	int64_t length = (anchor->at[anchor->count - 1] - anchor->at[0]) / (int64_t)(anchor->count - 1);
	int64_t first = anchor->at[1] - anchor->at[0];
	int64_t from = anchor->at[0] - 2 * (first > length ? first : length);
	size_t votes[MORE + 1] = { 0 };
	bool whole = true;

	for (size_t i = 0; i < s->count; i++) {
		size_t told = rounds_of(anchor, &s->list[i], from, each);

		if (told >= anchor->count && told <= anchor->count + MORE)
			votes[told - anchor->count]++;
	}
	for (size_t k = 1; k <= MORE; k++)
		whole &= votes[0] > votes[k];
	free(each);
	return whole;
}

/* The member that comes first in each round. */
static const struct series_of *first_member(const struct all_series *s, const struct series_of *of)
{
	const struct series_of *first = of;

	for (size_t i = 0; i < s->count; i++)
		if (s->list[i].count == of->count && s->list[i].at[0] < first->at[0] &&
		    series_alternate(of, &s->list[i]))
			first = &s->list[i];
	return first;
}

/* Beats that are not known one by one and come several times a round: they may be what is finer. */
static size_t hidden_in(const struct process *p, const struct series_of *anchor)
{
	size_t count = 0;

	for (size_t i = 0; i < p->rhythm.count; i++) {
		const struct beat *b = &p->rhythm.beats[i];
		uint64_t in = 0;

		if (!b->shift || (b->kind != BEAT_HEAP && b->kind != BEAT_MAP))
			continue;
		for (uint32_t k = 0; k < b->used; k++)
			if (b->ticks[k].at >= anchor->at[0] && b->ticks[k].at <= anchor->at[anchor->count - 1])
				in += b->ticks[k].count;
		count += in >= FINER * anchor->count;
	}
	return count;
}

bool still_imports(const struct process *p, const struct series_of *rounds)
{
	size_t gaps = rounds->count ? rounds->count - 1 : 0, all = 0, later = 0, latest = 0;

	for (size_t k = 0, i = 0; k < gaps; k++) {
		while (i < p->package_count && p->packages[i].t < rounds->at[k])
			i++;
		if (i == p->package_count || p->packages[i].t >= rounds->at[k + 1])
			continue;
		all++;
		later += k > 0;
		latest = k;
	}
	if (gaps < GAPS_FEW)
		return all && 2 * all >= gaps;
	return later > 1 && 4 * later >= gaps - 1 && 2 * latest >= gaps;
}

struct family memory_family(const struct all_series *s, const struct process *p)
{
	struct family none = { .members = 0 }, f;
	int64_t late = s->count ? (int64_t)((double)last_of(s) * LATE) : 0;

	/* Most beats first: the finest. What comes more often than is kept may be finer still. */
	for (size_t i = 0; i < s->count && s->list[i].count >= LEAST_ITERATIONS; i++) {
		if (i && s->list[i].count == s->list[i - 1].count)
			continue;
		f = family_at(s, i, late);
		if (!f.members || is_half(s, f.anchor) || still_imports(p, f.anchor))
			continue;
		if ((f.anchor->count < FEW && is_coarse(s, f.anchor)) || hidden_in(p, f.anchor) > f.members ||
		    !is_whole(s, f.anchor))
			return none;
		f.anchor = first_member(s, f.anchor);
		return f;
	}
	return none;
}
