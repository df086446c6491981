/* SPDX-License-Identifier: MIT */
/*
 * Epochs: what comes once in so many iterations, always as many.
 *
 * What the process says itself tells them best, then passes over the files that it reads. Where there is none of
 * these, six witnesses are asked, each for the rounds at which an epoch begins: evaluations between two rounds, a
 * last batch of another size, processes that were forked (workers that load data), threads that were made, a block
 * that usually lives until its successor is there, but not here (the batch, which the loop over it holds), and
 * blocks of sizes of their own (of a photo) that come once in each epoch, in whatever order. Those that say
 * anything must agree.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/iterations.h"
#include "analysis/iterations_calls.h"
#include "analysis/model/memory.h"

/* at[i]: an epoch begins with round i; at[rounds]: one ends with the last. */
struct witness {
	size_t rounds;
	bool *at;		/* owned */
};

static struct witness witness_new(size_t rounds)
{
	return (struct witness){ rounds, xcalloc(rounds + 1, sizeof(bool)) };
}

/*
 * Rounds of an epoch if all have as many, the last one perhaps less; `rounds`: there is one only;
 * 0: it does not know.
 */
static size_t period(const struct witness *w)
{
	size_t first = 1;

	while (first < w->rounds && !w->at[first])
		first++;
	if (first == 1 && w->rounds > 1)
		return 0;
	for (size_t i = 1; i < w->rounds; i++)
		if (w->at[i] != (i % first == 0))
			return 0;
	if (first == w->rounds)
		return w->at[0] || w->at[w->rounds] ? first : 0;
	return first;
}

/* ---- witnesses ---- */

/*
 * Every so many steps a program may evaluate, whatever its epochs: then it hardly does so after the last one. Where it
 * does, the last epoch is whole.
 */
static void ask_evaluations(const struct rounds *r, const struct process *p, struct witness *w)
{
	(void)p;
	for (size_t i = 0; i < r->count && r->forward[r->count - 1]; i++)
		w->at[i + 1] = r->forward[i] > 0;
	/* One at the very end only may stand for any number of epochs. */
	for (size_t i = 1; i < r->count; i++)
		if (w->at[i])
			return;
	w->at[r->count] = false;
}

/*
 * Shapes that are there in few rounds, of calls that are there in all: what most of them say. Where
 * no call computes, sizes of blocks: the last batch's, or of what is read last.
 */
static size_t ask_last_batch(const struct rounds *r)
{
	uint32_t *each = xcalloc(r->count, sizeof(*each));
	size_t *votes = xcalloc(r->count + 1, sizeof(*votes)), most = 0, all = 0;

	for (size_t i = 0; i < r->all.count; i++) {
		const struct series_of *one = &r->all.list[i];
		struct witness w = witness_new(r->count);
		size_t in = 0, length;

		series_between(&r->begin, one, each);
		for (size_t k = 0; (one->batch || !r->begin.work) && k < r->count; k++) {
			w.at[k + 1] = each[k] > r->forward[k];
			in += w.at[k + 1];
		}
		length = in && 2 * in <= r->count ? period(&w) : 0;
		/* A block may be there once for any reason: in the last round, it may as well be its end. */
		if (!one->batch && length && (length == r->count || r->count % length))
			length = 0;
		votes[length] += length > 0;
		all += length > 0;
		most = votes[length] > votes[most] ? length : most;
		free(w.at);
	}
	most = 3 * votes[most] > 2 * all ? most : 0;
	free(each);
	free(votes);
	return most;
}

/* Not what a library runs once to ask something, but the same program, still there at the next round. */
static bool is_worker(const struct rounds *r, const struct process *p, const struct process *child)
{
	size_t next;

	if (child->parent != p || child->begin == UNKNOWN || child->rhythm.works || strcmp(child->exe, p->exe))
		return false;
	next = series_before(&r->begin, child->begin);
	return next == r->count || child->end == UNKNOWN || child->end >= r->begin.at[next];
}

static void ask_forks(const struct rounds *r, const struct process *p, struct witness *w)
{
	for (size_t i = 0; i < p->trace->process_count; i++) {
		const struct process *child = p->trace->processes[i];

		if (is_worker(r, p, child))
			w->at[series_before(&r->begin, child->begin)] = true;
	}
	/* Those that are made once may stay for any number of epochs (persistent_workers), or come after them all. */
	for (size_t i = 1; i < r->count; i++)
		if (w->at[i])
			return;
	if (!w->at[0] || !w->at[r->count])
		w->at[0] = w->at[r->count] = false;
}

static void ask_threads(const struct rounds *r, const struct process *p, struct witness *w)
{
	for (const struct thread *t = p->threads; t; t = t->sibling)
		if (!t->first_thread && t->begin != UNKNOWN)
			w->at[series_before(&r->begin, t->begin)] = true;
	w->at[0] = w->at[r->count] = false;	/* pools come at the begin, whatever follows */
}

/* ---- the block that the loop holds ---- */

/* Allocations of the size of `f` by time, all callers; the caller's. */
static int64_t *allocations(const struct process *p, const struct beat *f, size_t *count)
{
	struct series_of all = { .count = 0 };

	for (size_t i = 0; i < p->rhythm.count; i++) {
		const struct beat *b = &p->rhythm.beats[i];

		if (b->kind == BEAT_HEAP && b->a == f->a)
			series_add_beat(&all, b);
	}
	*count = all.count;
	return all.at;
}

/*
 * Where no block of this size is left, though there was one at the begin of each round: it has a
 * successor in each round, and usually lives until that is there. False: that is not so.
 */
static bool holds(const struct rounds *r, const struct process *p, const struct beat *f,
		  struct witness *w)
{
	struct series_of frees = { .count = 0 };
	size_t count, i = 0, live = 0, least = SIZE_MAX;
	int64_t *made = allocations(p, f, &count);
	bool *successor = xcalloc(r->count + 1, sizeof(*successor)), all = true;

	series_add_beat(&frees, f);
	for (size_t k = 0; k < frees.count && all; k++) {
		size_t round;

		for (; i < count && made[i] <= frees.at[k]; i++) {
			successor[series_before(&r->begin, made[i])] = true;
			live++;
		}
		all = live > 0;
		live -= live > 0;
		round = series_before(&r->begin, frees.at[k]);
		if (round && round < r->count && live < least)
			least = live;
		if (!live)
			w->at[round] = true;
	}
	for (size_t k = 1; k < r->count; k++)
		all &= successor[k];
	/* It was freed after the last round at the latest, and nothing else has its size. */
	all &= least <= 1 && w->at[r->count];
	free(made);
	free(frees.at);
	free(successor);
	return all;
}

static size_t ask_held(const struct rounds *r, const struct process *p)
{
	size_t found = 0;

	for (size_t i = 0; i < p->rhythm.count; i++) {
		const struct beat *f = &p->rhythm.beats[i];
		struct witness w = witness_new(r->count);
		size_t one = f->kind == BEAT_FREE && !f->shift && holds(r, p, f, &w) ? period(&w) : 0;

		free(w.at);
		if (one == r->count)
			continue;	/* weights are held all the time, too */
		if (one && found && one != found)
			return 0;
		found = one ? one : found;
	}
	return found;
}

/* ---- what comes once in each ---- */

#define ONCE_LEAST	8	/* sizes of blocks */
#define ONCE_SHARE	0.6	/* of those that come so often */
#define ONCE_SIGMAS	2.5	/* more than if they came at random */
#define SPREAD		0.6	/* of the rounds in which so many would be at random: a burst says one thing */
#define AROUND		1.5	/* rounds before the first and after the last: data is read ahead */

struct once {
	size_t asked, agree;
	size_t rounds;		/* in which those that agree are */
};

/* The median distance of two rounds, ns. */
static int64_t round_length(const struct rounds *r)
{
	struct iteration *list = xcalloc(r->count, sizeof(*list));
	double median;

	for (size_t i = 0; i + 1 < r->count; i++)
		list[i] = (struct iteration){ .begin = r->begin.at[i], .end = r->begin.at[i + 1] };
	median = iterations_median(list, r->count - 1);
	free(list);
	return (int64_t)median;
}

/* It may be read within the round before. */
static size_t round_for(const struct rounds *r, int64_t at, size_t ahead)
{
	size_t round = series_before(&r->begin, at);

	round = round < ahead ? 0 : round - ahead;
	return round < r->count ? round : r->count - 1;
}

/* Are its calls one in each part of `length` rounds? */
static bool comes_once(const struct rounds *r, const int64_t *at, size_t parts, size_t length, size_t ahead)
{
	for (size_t i = 0; i < parts; i++)
		if (round_for(r, at[i], ahead) / length != i)
			return false;
	return true;
}

/* Of the sizes that come `parts` times while it trains. */
static struct once ask_parts(const struct rounds *r, const struct process *p, size_t parts, size_t ahead)
{
	int64_t around = (int64_t)(AROUND * (double)round_length(r));
	int64_t from = r->begin.at[0] - around, to = r->begin.at[r->count - 1] + around;
	int64_t *at = xcalloc(parts, sizeof(*at));
	bool *in_round = xcalloc(r->count, sizeof(*in_round));
	struct once once = { 0, 0, 0 };

	for (size_t i = 0; i < p->rhythm.count; i++) {
		const struct beat *b = &p->rhythm.beats[i];
		size_t in = 0;

		if (b->kind != BEAT_HEAP || b->shift || b->used < parts || b->used > parts + 2)
			continue;
		for (uint32_t k = 0; k < b->used; k++) {
			bool is_in = b->ticks[k].at >= from && b->ticks[k].at <= to;

			if (is_in && in < parts)
				at[in] = b->ticks[k].at;
			in += is_in;
		}
		if (in != parts)
			continue;
		once.asked++;
		if (!comes_once(r, at, parts, r->count / parts, ahead))
			continue;
		once.agree++;
		for (size_t k = 0; k < parts; k++)
			in_round[round_for(r, at[k], ahead)] = true;
	}
	for (size_t i = 0; i < r->count; i++)
		once.rounds += in_round[i];
	free(in_round);
	free(at);
	return once;
}

/* n calls in n parts at random: one in each part, n!/n^n. */
static bool is_chance(const struct once *once, size_t parts)
{
	double p = 1, n = (double)once->asked;

	for (size_t i = 1; i <= parts; i++)
		p *= (double)i / (double)parts;
	return (double)once->agree <= n * p + ONCE_SIGMAS * sqrt(n * p * (1 - p));
}

/*
 * Examples are all over the epoch, in whatever order. What a program does at times (a profiler that sums up, a
 * checkpoint) asks for many sizes in one round, and divides any run in two.
 */
static bool is_burst(const struct once *once, size_t parts, size_t length)
{
	double rounds = (double)length, at_random = rounds * (1 - pow(1 - 1 / rounds, (double)once->agree));

	return (double)once->rounds < SPREAD * at_random * (double)parts;
}

static size_t ask_once(const struct rounds *r, const struct process *p)
{
	size_t best = 0, length = 0;

	for (size_t parts = 2; 2 * parts <= r->count; parts++)
		for (size_t ahead = 0; ahead < 2 && r->count % parts == 0; ahead++) {
			struct once once = ask_parts(r, p, parts, ahead);

			if (once.asked < ONCE_LEAST || (double)once.agree < ONCE_SHARE * (double)once.asked ||
			    is_chance(&once, parts) || is_burst(&once, parts, r->count / parts) ||
			    once.agree <= best)
				continue;
			best = once.agree;
			length = r->count / parts;
		}
	return length;
}

/* ---- the whole ---- */

/* What both say: the finer one, if the other is a multiple; 0 is no word. */
static size_t agree(size_t a, size_t b, size_t rounds, bool *ok)
{
	size_t fine = a < b ? a : b, coarse = a < b ? b : a;

	if (!fine)
		return coarse;
	*ok &= coarse % fine == 0 || coarse == rounds;
	return fine;
}

/* Rounds of an epoch by all other witnesses; 0: they know nothing, or do not agree. */
static size_t ask_all(const struct rounds *r, const struct process *p)
{
	static void (*const ask[])(const struct rounds *, const struct process *, struct witness *) = {
		ask_evaluations, ask_forks, ask_threads,
	};
	size_t length = ask_held(r, p);
	bool ok = true;

	length = agree(length, r->other_last ? r->other_last : ask_last_batch(r), r->count, &ok);
	length = agree(length, ask_once(r, p), r->count, &ok);
	for (size_t i = 0; i < sizeof(ask) / sizeof(ask[0]); i++) {
		struct witness w = witness_new(r->count);
		size_t one;

		ask[i](r, p, &w);
		one = period(&w);
		length = agree(length, one, r->count, &ok);
		free(w.at);
	}
	return ok ? length : 0;
}

size_t epochs_find(const struct rounds *r, const struct process *p, size_t **starts)
{
	size_t length = 0, count = 0, said = said_rounds(r, p);
	enum input_says says = said ? INPUT_EPOCHS : input_epochs(r, p, &length);

	length = said ? said : length;
	/* Each example once in each is what an epoch is: others are asked where no files tell. */
	if (says == INPUT_NOTHING)
		length = ask_all(r, p);
	if (says == INPUT_OTHERWISE || !length)
		return 0;
	*starts = xcalloc(r->count / length + 2, sizeof(**starts));
	for (size_t i = 0; i < r->count; i += length)
		(*starts)[count++] = i;
	return count;
}
