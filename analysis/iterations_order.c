/* SPDX-License-Identifier: MIT */
/*
 * Rounds of a process whose layers are alike: then each of its calls comes several times in a round, and what asks each
 * for itself takes a layer for a round. The order of all of them is one word, again and again (iterations_words.h): a
 * way forward through the layers and back through as many.
 *
 * That must take about as long each time, and ask for as much memory: what does something else every few times (an
 * optimiser after some batches) may be the round itself, and then there is doubt. Where calls come too often for all
 * their times to be kept, the first words are read, and all letters must say that there are so many of them.
 */
#include <math.h>
#include <stdlib.h>

#include "analysis/iterations_calls.h"
#include "analysis/iterations_words.h"
#include "analysis/model/memory.h"
#include "analysis/model/times.h"

#define LEAST_ROUNDS	6
#define ALIKE		0.8	/* of the rounds: as much memory */
#define NEARLY		50	/* one block of so many may be missing */
#define MOST_PARTS	8	/* words that may be a round together, */
#define LEAST_OF_PART	4	/* each so many times, */
#define APART		1.3	/* times as long, */
#define SIGMAS		3	/* more often than by chance */

/* How often each letter is in the first `length`; the caller's. */
static uint32_t *times_in(const struct text *t, const struct letter *list, size_t length)
{
	uint32_t *times = xcalloc(t->letters + 1, sizeof(*times));

	for (size_t i = 0; i < length; i++)
		times[list[i].what]++;
	return times;
}

/* ---- is it a round? ---- */

static bool is_block(const struct beat *b)
{
	return b->kind == BEAT_HEAP || b->kind == BEAT_MAP;
}

/* Until when its times are known, and those of the other size that its block may have (analysis/model/rhythm.h). */
static int64_t known_until(const struct process *p, const struct beat *b)
{
	int64_t until = INT64_MAX;

	for (size_t i = 0; i < p->rhythm.count; i++) {
		const struct beat *o = &p->rhythm.beats[i];

		if (o->kind == b->kind && o->function == b->function && o->library == b->library &&
		    o->a + 1 >= b->a && o->a <= b->a + 1 && series_horizon(o) < until)
			until = series_horizon(o);
	}
	return until;
}

/*
 * Large blocks from each begin to the next, of all sizes that are known for some rounds at least; as many rounds as
 * they all are into *rounds. The caller's.
 */
static uint32_t *blocks_in(const struct rounds *r, const struct process *p, size_t *rounds)
{
	uint32_t *blocks = xcalloc(r->count, sizeof(*blocks)), *each = xcalloc(r->count, sizeof(*each));
	int64_t least = r->begin.at[r->count > LEAST_ROUNDS ? LEAST_ROUNDS : r->count - 1], until = INT64_MAX;

	for (size_t i = 0; i < p->rhythm.count; i++) {
		const struct beat *b = &p->rhythm.beats[i];
		struct series_of times = { .count = 0 };
		int64_t known = is_block(b) ? known_until(p, b) : 0;

		if (!is_block(b) || known < least)
			continue;
		until = known < until ? known : until;
		series_add_beat(&times, b);
		if (times.count)
			series_between(&r->begin, &times, each);
		for (size_t k = 0; times.count && k < r->count; k++)
			blocks[k] += each[k];
		free(times.at);
	}
	free(each);
	*rounds = series_before(&r->begin, until);
	return blocks;
}

/* How many ask for as much memory as is usual, 0 to 1; those aside that evaluations follow, the first and the last. */
static double as_much_memory(const struct rounds *r, const struct process *p)
{
	size_t asked = 0, same = 0, rounds;
	uint32_t *blocks = blocks_in(r, p, &rounds), most;

	for (size_t k = 1; k + 1 < rounds; k++)
		if (!r->forward[k])
			blocks[asked++] = blocks[k];
	most = usual(blocks, asked);
	for (size_t k = 0; k < asked; k++) {
		uint32_t off = blocks[k] < most ? most - blocks[k] : blocks[k] - most;

		same += (uint64_t)off * NEARLY <= most;
	}
	free(blocks);
	return asked && most ? (double)same / (double)asked : 0;
}

/* ns; evaluations aside. */
static int64_t length_of(const struct rounds *r, size_t k)
{
	return (r->forward[k] ? r->ends[k] : r->begin.at[k + 1]) - r->begin.at[k];
}

/* Of every `parts` rounds, from any first one on, is one as a rule the longest, and by far? */
static bool is_part_longest(const struct rounds *r, size_t parts, int64_t *own, int64_t *others)
{
	for (size_t part = 0; part < parts; part++) {
		size_t groups = 0, longest = 0, count = 0;
		double by_chance, most;

		for (size_t k = 0; k + parts < r->count; k += parts) {
			bool is_longest = true;

			own[groups++] = length_of(r, k + part);
			for (size_t i = 0; i < parts; i++) {
				if (i == part)
					continue;
				others[count++] = length_of(r, k + i);
				is_longest &= others[count - 1] < own[groups - 1];
			}
			longest += is_longest;
		}
		if (groups < LEAST_OF_PART)
			return false;
		by_chance = (double)groups / (double)parts;
		most = by_chance + SIGMAS * sqrt(by_chance * (1 - 1 / (double)parts));
		times_sort(own, groups);
		times_sort(others, count);
		if ((double)longest >= most && (double)own[groups / 2] > APART * (double)others[count / 2])
			return true;
	}
	return false;
}

/* Does one of every so many take longer? Then it may be that these are a round, and not each. */
static bool are_parts(const struct rounds *r)
{
	int64_t *own = xcalloc(r->count + 1, sizeof(*own)), *others = xcalloc(r->count + 1, sizeof(*others));
	bool are = false;

	for (size_t parts = 2; parts <= MOST_PARTS && !are; parts++)
		are = is_part_longest(r, parts, own, others);
	free(own);
	free(others);
	return are;
}

static size_t letters_in(const struct text *t, const struct word *w)
{
	uint32_t *times = times_in(t, w->list, w->length);
	size_t letters = 0;

	for (size_t i = 0; i < t->letters; i++)
		letters += times[i] > 0;
	free(times);
	return letters;
}

static void set_rounds(struct rounds *r, const struct text *t, const struct parse *p)
{
	r->count = p->count;
	r->begin = (struct series_of){ .at = xcalloc(p->count, sizeof(int64_t)), .count = p->count, .work = true };
	r->ends = xcalloc(p->count, sizeof(*r->ends));
	r->forward = xcalloc(p->count, sizeof(*r->forward));
	for (size_t i = 0; i < p->count; i++) {
		r->begin.at[i] = t->list[p->begins[i]].at;
		r->ends[i] = t->list[p->begins[i] + p->word.length - 1].at;
		r->forward[i] = p->forward[i];
	}
}

static enum series_way way_of(const struct process *p)
{
	return series_launches(p) ? SERIES_DEVICE : SERIES_CALLS;
}

/* To be released in any case. */
static void find(struct words *w, const struct process *p, int64_t until)
{
	struct rounds *r = &w->rounds;
	struct parse read;
	struct text t;
	bool sure;

	*w = (struct words){ .what = WORDS_NONE };
	series_collect(&r->all, p, way_of(p), until);
	text_collect(&t, p, &r->all, until);
	if (text_read(&read, &t, &sure)) {
		double even;

		set_rounds(r, &t, &read);
		even = as_much_memory(r, p);
		r->family = (struct family){ .members = letters_in(&t, &read.word), .even = even };
		w->layers = word_has_layers(&read.word);
		w->last_ones = words_of_last(&read, &t);
		w->what = sure && even >= ALIKE && !are_parts(r) ? WORDS_SURE : WORDS_DOUBT;
	}
	text_release(&t);
	parse_release(&read);
}

/* As many as where all letters are known: the others alone may be an epoch's. */
static bool are_as_many(const struct rounds *r, const struct rounds *first)
{
	size_t whole = first->count - 1;
	size_t same = series_before(&r->begin, first->begin.at[whole]) - series_before(&r->begin, first->begin.at[0]);

	return same + 1 >= whole && same <= whole + 1;
}

/* ---- longer runs ---- */

/* What one pair of dimensions, one region's width, one kernel of letters is in the word. */
struct share {
	uint32_t what;		/* the letter, if it is one only */
	size_t each;		/* times in a word */
	uint64_t total;		/* in the whole run, what is before the first word aside */
	bool several;
};

static struct share share_of(const struct text *t, const struct rounds *r, const struct beat *b)
{
	struct share s = { .total = b->count };
	struct series_of times = { .count = 0 };
	size_t from, to;

	series_add_beat(&times, b);
	from = times.count ? series_before(&times, r->begin.at[0]) : 0;
	to = times.count ? series_before(&times, r->begin.at[r->count - 1]) : 0;
	s.total -= from;
	s.each = (to - from) / (r->count - 1);
	s.several = (to - from) % (r->count - 1) > 0;
	for (size_t i = from; i < to; i++) {
		size_t at = FIRST_FROM(t->list, t->count, at, times.at[i]);

		s.several |= i > from && t->list[at].what != s.what;
		s.what = t->list[at].what;
	}
	free(times.at);
	return s;
}

/* How often the word comes in the whole run, as all of its letters say; 0: they do not agree, or others come later. */
static uint64_t count_words(const struct text *t, const struct rounds *r, const struct process *p, int64_t *last)
{
	size_t first = FIRST_FROM(t->list, t->count, at, r->begin.at[0]);
	uint32_t *each = times_in(t, t->list + first, FIRST_FROM(t->list, t->count, at, r->ends[0]) + 1 - first);
	uint64_t *totals = xcalloc(t->letters + 1, sizeof(*totals)), count = 0;
	bool agree = true;

	for (size_t i = 0; i < p->rhythm.count; i++) {
		const struct beat *b = &p->rhythm.beats[i];
		struct share s;

		if (!text_has(b) || !series_works(way_of(p), p, b))
			continue;
		s = share_of(t, r, b);
		*last = b->last > *last ? b->last : *last;
		agree &= s.each || s.total < r->count;
		/* Of batches of two sizes the pair that is without the batch comes most often. */
		if (!s.several && s.each && s.each == each[s.what] && s.total > totals[s.what])
			totals[s.what] = s.total;
	}
	for (size_t i = 0; i < t->letters; i++) {
		uint64_t told = totals[i] ? totals[i] / each[i] : 0;

		agree &= !totals[i] || (totals[i] % each[i] == 0 && (!count || told == count));
		count = told ? told : count;
	}
	free(each);
	free(totals);
	return agree ? count : 0;
}

static void find_long(struct words *w, const struct process *p, int64_t until)
{
	struct text t;

	text_collect(&t, p, &w->rounds.all, until);
	if (w->what == WORDS_SURE && w->rounds.count >= LEAST_ROUNDS)
		w->total = count_words(&t, &w->rounds, p, &w->last);
	text_release(&t);
	w->what = w->total ? WORDS_SURE : WORDS_DOUBT;
}

void words_find(struct words *w, const struct process *p)
{
	int64_t until = text_horizon(p, way_of(p));
	struct words first;

	find(w, p, INT64_MAX);
	if (until == INT64_MAX) {
		if (w->rounds.count < LEAST_ROUNDS)
			w->what = WORDS_NONE;
		return;
	}
	find(&first, p, until);
	if (first.what == WORDS_NONE) {
		w->what = WORDS_NONE;
	} else if (w->what != WORDS_NONE && are_as_many(&w->rounds, &first.rounds)) {
		w->what = first.what == WORDS_SURE ? w->what : WORDS_DOUBT;
	} else {
		find_long(&first, p, until);
		words_release(w);
		*w = first;
		return;
	}
	words_release(&first);
}

void words_release(struct words *w)
{
	rounds_release(&w->rounds);
}
