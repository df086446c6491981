/* SPDX-License-Identifier: MIT */
/*
 * Epochs: what comes once in so many iterations, always as many.
 *
 * Five witnesses are asked, each for the rounds at which an epoch begins: evaluations between two
 * rounds, a last batch of another size, processes that were forked (workers that load data), threads
 * that were made, and a block that usually lives until its successor is there, but not here (the
 * batch, which the loop over it holds). Those that say anything must agree.
 */
#include <stdlib.h>
#include <string.h>

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

static void ask_evaluations(const struct rounds *r, const struct process *p, struct witness *w)
{
	(void)p;
	for (size_t i = 0; i < r->count; i++)
		w->at[i + 1] = r->forward[i] > 0;
	/* One at the very end only may stand for any number of epochs. */
	for (size_t i = 1; i < r->count; i++)
		if (w->at[i])
			return;
	w->at[r->count] = false;
}

/* Shapes that are there in few rounds, of calls that are there in all: what most of them say. */
static size_t ask_last_batch(const struct rounds *r)
{
	uint32_t *each = xcalloc(r->count, sizeof(*each));
	size_t *votes = xcalloc(r->count + 1, sizeof(*votes)), most = 0, all = 0;

	for (size_t i = 0; i < r->all.count; i++) {
		const struct series_of *one = &r->all.list[i];
		struct witness w = witness_new(r->count);
		size_t in = 0, length;

		series_between(&r->begin, one, each);
		for (size_t k = 0; one->batch && k < r->count; k++) {
			w.at[k + 1] = each[k] > r->forward[k];
			in += w.at[k + 1];
		}
		length = in && 2 * in <= r->count ? period(&w) : 0;
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

static void ask_forks(const struct rounds *r, const struct process *p, struct witness *w)
{
	for (size_t i = 0; i < p->trace->process_count; i++) {
		const struct process *child = p->trace->processes[i];

		if (child->parent == p && child->begin != UNKNOWN && !child->rhythm.works)
			w->at[series_before(&r->begin, child->begin)] = true;
	}
}

static void ask_threads(const struct rounds *r, const struct process *p, struct witness *w)
{
	for (size_t i = 0; i < p->trace->thread_count; i++) {
		const struct thread *t = p->trace->threads[i];

		if (t->process == p && !t->first_thread && t->begin != UNKNOWN)
			w->at[series_before(&r->begin, t->begin)] = true;
	}
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

size_t epochs_find(const struct rounds *r, const struct process *p, size_t **starts)
{
	static void (*const ask[])(const struct rounds *, const struct process *, struct witness *) = {
		ask_evaluations, ask_forks, ask_threads,
	};
	size_t length = ask_held(r, p), count = 0;
	bool ok = true;

	length = agree(length, ask_last_batch(r), r->count, &ok);
	for (size_t i = 0; i < sizeof(ask) / sizeof(ask[0]); i++) {
		struct witness w = witness_new(r->count);
		size_t one;

		ask[i](r, p, &w);
		one = period(&w);
		length = agree(length, one, r->count, &ok);
		free(w.at);
	}
	if (!length || !ok)
		return 0;
	*starts = xcalloc(r->count / length + 2, sizeof(**starts));
	for (size_t i = 0; i < r->count; i += length)
		(*starts)[count++] = i;
	return count;
}
