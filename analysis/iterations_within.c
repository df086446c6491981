/* SPDX-License-Identifier: MIT */
/*
 * Rounds within epochs whose limits the process says itself (iterations_said.c), where nothing else shows any: a
 * framework that compiles asks for the sizes of its steps' blocks far more often before the first one, and some
 * ask for two or three sizes only. From the first number that is said until the last there are whole epochs. A step
 * begins with every so many blocks of a size that comes equally often in each of these; in it everything else must
 * come as often as usual, but for the last steps of an epoch, whose batch may be smaller: there as much must be
 * done, by blocks of other sizes perhaps.
 */
#include <stdlib.h>

#include "analysis/iterations.h"
#include "analysis/iterations_calls.h"
#include "analysis/model/memory.h"
#include "analysis/model/model.h"
#include "analysis/model/times.h"
#include "analysis/passes.h"

#define LEAST_STEPS	3	/* in an epoch */
#define LAST		2	/* steps of an epoch that a last batch may reach into */
#define LEAST_USUAL	4	/* other steps */
#define MOST_STRIDE	64	/* blocks of the size that steps begin with */
#define ANCHORS_MAX	8	/* tried for each number of steps */
#define WORK_MAX	(1 << 20) /* sizes times steps */
#define LEAST_ASKED	3	/* sizes, or */
#define LEAST_BLOCKS	8	/* in a step */
#define EXPLAINED	0.85	/* of them */
#define DOUBT		0.6	/* of them */
#define ALIKE		0.9	/* of the steps */
#define LESS		0.8	/* as much is done in the last steps, */
#define MORE		1.2	/* and not more */
#define LEAST_TIME	0.5	/* of the time are usual steps: parts of a step come in bursts */
#define SHORTER		0.67	/* of the others: what comes last in each epoch is an evaluation */

/* Blocks of a size between the first and the last moment. */
struct size_of {
	uint64_t size;
	int64_t *at;		/* owned; by time */
	size_t count, capacity;
	size_t each;		/* in an epoch; 0: not always as many */
	size_t before, after;	/* the first and the last moment */
	int64_t first;
	bool often;		/* not all of them are known one by one */
};

struct sizes {
	struct size_of *list;	/* owned */
	size_t count, capacity;
	const int64_t *moments;	/* borrowed */
	size_t epochs;		/* between them */
};

static void sizes_release(struct sizes *s)
{
	for (size_t i = 0; i < s->count; i++)
		free(s->list[i].at);
	free(s->list);
}

static int by_size(const void *a, const void *b)
{
	const struct size_of *x = a, *y = b;

	return (x->size > y->size) - (x->size < y->size);
}

static void add_time(struct size_of *one, int64_t at)
{
	one->at = xgrow(one->at, one->count, &one->capacity, sizeof(*one->at));
	one->at[one->count++] = at;
}

/* ---- sizes ---- */

static struct size_of *size_named(struct sizes *s, uint64_t size)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->list[i].size == size)
			return &s->list[i];
	s->list = xgrow(s->list, s->count, &s->capacity, sizeof(*s->list));
	s->list[s->count] = (struct size_of){ .size = size, .first = INT64_MAX };
	return &s->list[s->count++];
}

static void add_beat(struct sizes *s, const struct beat *b)
{
	struct size_of *one = size_named(s, b->a);

	one->often |= b->shift > 0;
	for (uint32_t i = 0; i < b->used; i++) {
		const struct tick *t = &b->ticks[i];

		one->first = t->at < one->first ? t->at : one->first;
		if (t->at <= s->moments[0])
			one->before += t->count;
		else if (t->at > s->moments[s->epochs])
			one->after += t->count;
		else
			for (uint32_t k = 0; !b->shift && k < t->count; k++)
				add_time(one, t->at);
	}
}

/* A block may be a little larger than the one before: of two neighbours both are it. */
static void join_neighbours(struct sizes *s)
{
	size_t kept = 0;

	if (s->count)
		qsort(s->list, s->count, sizeof(*s->list), by_size);
	for (size_t i = 0; i < s->count; i++) {
		struct size_of *last = kept ? &s->list[kept - 1] : NULL, *one = &s->list[i];

		if (!last || one->size != last->size + 1) {
			s->list[kept++] = *one;
			continue;
		}
		for (size_t k = 0; k < one->count; k++)
			add_time(last, one->at[k]);
		last->often |= one->often;
		last->before += one->before;
		last->after += one->after;
		last->first = one->first < last->first ? one->first : last->first;
		free(one->at);
	}
	s->count = kept;
}

static size_t count_until(const struct size_of *one, int64_t at)
{
	return first_after(one->at, one->count, sizeof(*one->at), at);
}

static size_t in_each(const struct sizes *s, const struct size_of *one)
{
	size_t each = count_until(one, s->moments[1]);

	for (size_t i = 1; i < s->epochs; i++)
		if (count_until(one, s->moments[i + 1]) != (i + 1) * each)
			return 0;
	return each;
}

static void sizes_collect(struct sizes *s, const struct process *p)
{
	for (size_t i = 0; i < p->rhythm.count; i++)
		if (p->rhythm.beats[i].kind == BEAT_HEAP)
			add_beat(s, &p->rhythm.beats[i]);
	join_neighbours(s);
	for (size_t i = 0; i < s->count; i++) {
		struct size_of *one = &s->list[i];

		if (one->count)
			times_sort(one->at, one->count);
		if (one->often)
			one->count = 0;
		one->each = in_each(s, one);
	}
}

/* ---- steps ---- */

/* Every `stride` blocks of a size a step begins. */
struct steps {
	const struct size_of *anchor;	/* borrowed */
	size_t stride, each;		/* blocks; steps in an epoch */
	int64_t *begins;		/* owned; of all, and the last moment */
	size_t count;
};

static struct steps steps_of(const struct sizes *s, const struct size_of *anchor, size_t each)
{
	struct steps steps = { anchor, anchor->each / each, each, NULL, each * s->epochs };

	steps.begins = xcalloc(steps.count + 1, sizeof(*steps.begins));
	for (size_t i = 0; i < steps.count; i++)
		steps.begins[i] = anchor->at[i * steps.stride];
	steps.begins[steps.count] = s->moments[s->epochs];
	return steps;
}

/* Where the last batch of an epoch does not reach, wherever in a step the anchor is. */
static bool is_usual(const struct steps *steps, size_t i)
{
	return i % steps->each + LAST < steps->each;
}

static size_t count_in(const struct size_of *one, const struct steps *steps, size_t i)
{
	return count_until(one, steps->begins[i + 1] - 1) - count_until(one, steps->begins[i] - 1);
}

/* How many of it come in a usual step; SIZE_MAX: not always as many; 0: none ever. */
static size_t usual_in(const struct size_of *one, const struct steps *steps)
{
	size_t asked = 0, same = 0, in = 0;
	uint32_t *each = xcalloc(steps->count + 1, sizeof(*each)), most;

	for (size_t i = 0; i < steps->count; i++)
		if (is_usual(steps, i))
			each[asked++] = (uint32_t)count_in(one, steps, i);
	most = usual(each, asked);
	for (size_t i = 0; i < asked; i++) {
		same += each[i] == most;
		in += each[i] > 0;
	}
	free(each);
	return (double)same >= ALIKE * (double)asked && (most || !in) ? most : SIZE_MAX;
}

struct agreement {
	size_t asked, agree;	/* sizes */
	size_t blocks;		/* in a usual step */
	bool first;		/* one that comes in each step came as often in the first epoch */
	bool last;		/* one comes once in each step but the last */
};

static struct agreement ask(const struct sizes *s, const struct steps *steps)
{
	struct agreement a = { 0 };

	for (size_t i = 0; i < s->count; i++) {
		const struct size_of *one = &s->list[i];
		size_t most = usual_in(one, steps);

		/* Those that come in the last batch alone, or once in an epoch, tell nothing. */
		if (one->count <= s->epochs || !most)
			continue;
		a.asked++;
		a.agree += most != SIZE_MAX;
		a.blocks += most != SIZE_MAX ? most : 0;
		a.last |= most == 1 && one->each == steps->each - 1;
		a.first |= most != SIZE_MAX && one->each == most * steps->each &&
			   (one->before == one->each || one->after == one->each);
	}
	return a;
}

/*
 * Is as much done in the last steps of each epoch as in others? Less would be an evaluation, more a last batch
 * whose sizes are all its own, or an evaluation.
 */
static bool ends_alike(const struct sizes *s, const struct steps *steps, size_t blocks)
{
	for (size_t epoch = 0; epoch < s->epochs; epoch++) {
		int64_t from = steps->begins[(epoch + 1) * steps->each - LAST];
		size_t done = 0;

		for (size_t i = 0; i < s->count; i++)
			done += count_until(&s->list[i], s->moments[epoch + 1]) - count_until(&s->list[i], from - 1);
		if ((double)done < LESS * (double)(LAST * blocks) || (double)done > MORE * (double)(LAST * blocks))
			return false;
	}
	return true;
}

/* Are all of the last `last` steps of all epochs far shorter than all others? */
static bool are_shorter(const struct sizes *s, const struct steps *steps, size_t last)
{
	int64_t longest = 0, shortest = INT64_MAX;

	for (size_t i = 0; i < steps->count; i++) {
		size_t in = i % steps->each;
		int64_t end = in + 1 < steps->each ? steps->begins[i + 1] : s->moments[i / steps->each + 1];
		int64_t length = end - steps->begins[i];

		if (in + last >= steps->each)
			longest = length > longest ? length : longest;
		else
			shortest = length < shortest ? length : shortest;
	}
	return (double)longest < SHORTER * (double)shortest;
}

static bool some_evaluate(const struct sizes *s, const struct steps *steps)
{
	for (size_t last = 2; 2 * last <= steps->each; last++)
		if (are_shorter(s, steps, last))
			return true;
	return false;
}

static double median_of(const struct steps *steps)
{
	int64_t *lengths = xcalloc(steps->count, sizeof(*lengths));
	double median;

	for (size_t i = 0; i < steps->count; i++)
		lengths[i] = steps->begins[i + 1] - steps->begins[i];
	times_sort(lengths, steps->count);
	median = ((double)lengths[(steps->count - 1) / 2] + (double)lengths[steps->count / 2]) / 2;
	free(lengths);
	return median;
}

/*
 * A model of equal parts may look like as many steps: not if they have many blocks, or many sizes, or one part in
 * an epoch has another batch.
 */
static bool is_enough(const struct sizes *s, const struct agreement *a)
{
	if (s->epochs == 1 && (a->asked < LEAST_ASKED || !a->first))
		return false;
	return a->asked >= LEAST_ASKED || a->blocks >= LEAST_BLOCKS || (a->asked > 1 && a->last);
}

/* *doubt: much agrees, so that fewer steps are not believed. */
static bool holds(struct within *w, const struct sizes *s, const struct steps *steps, bool *doubt)
{
	struct agreement a = ask(s, steps);
	double median;

	*doubt |= a.asked > 1 && (double)a.agree >= (a.asked < LEAST_ASKED ? 1 : DOUBT) * (double)a.asked;
	if (!is_enough(s, &a) || (double)a.agree < EXPLAINED * (double)a.asked ||
	    !ends_alike(s, steps, a.blocks) || some_evaluate(s, steps))
		return false;
	median = median_of(steps);
	if (median * (double)steps->count < LEAST_TIME * (double)(s->moments[s->epochs] - s->moments[0]))
		return false;
	w->each = steps->each;
	w->confidence = (double)a.agree / (double)(a.asked + 1);
	w->median = median;
	return true;
}

/* ---- the whole ---- */

/* Is what it begins with there behind the last moment, too? When did it come for the first time? */
static void find_limits(struct within *w, const struct size_of *anchor)
{
	w->begins = 2 * anchor->after >= anchor->each;
	w->first = anchor->first;
}

/* Were several times as many nearly it? */
static bool is_doubtful(const bool *doubt, size_t most, size_t each)
{
	for (size_t i = 2 * each; i <= most; i += each)
		if (doubt[i])
			return true;
	return false;
}

/* As many steps as there can be, each way to begin them. */
static void find_steps(struct within *w, const struct sizes *s)
{
	size_t most = 0;
	bool *doubt;

	for (size_t i = 0; i < s->count; i++)
		most = s->list[i].each > most ? s->list[i].each : most;
	doubt = xcalloc(most + 1, sizeof(*doubt));
	for (size_t each = most; each >= LEAST_STEPS && !w->each; each--)
		for (size_t i = 0, tried = 0; i < s->count && tried < ANCHORS_MAX && !w->each; i++) {
			const struct size_of *one = &s->list[i];
			struct steps steps;

			if (!one->each || one->each % each || one->each / each > MOST_STRIDE ||
			    (each - LAST) * s->epochs < LEAST_USUAL || each * s->epochs * s->count > WORK_MAX)
				continue;
			tried++;
			steps = steps_of(s, one, each);
			if (!is_doubtful(doubt, most, each) && holds(w, s, &steps, &doubt[each]))
				find_limits(w, one);
			free(steps.begins);
		}
	free(doubt);
}

/* Examples that are read from files may have blocks of their own. */
static bool reads_files(const struct process *p)
{
	struct passes s;
	bool reads;

	passes_find(&s, p);
	reads = s.count > 0;
	passes_release(&s);
	return reads;
}

bool within_find(struct within *w, const struct process *p)
{
	struct sizes s = { .count = 0 };

	*w = (struct within){ .each = 0 };
	w->moments = said_moments(p, &w->epochs);
	if (w->epochs < 2 || reads_files(p))
		return false;
	s.moments = w->moments;
	s.epochs = w->epochs - 1;
	sizes_collect(&s, p);
	find_steps(w, &s);
	sizes_release(&s);
	return w->each > 0;
}

void within_release(struct within *w)
{
	free(w->moments);
	w->moments = NULL;
}
