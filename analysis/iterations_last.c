/* SPDX-License-Identifier: MIT */
/*
 * Last batches of another size on a GPU. Libraries take other kernels for them, so that hardly anything of the
 * usual round is in theirs, and they look like batches that are evaluated only, or like nothing. But a round that
 * trains goes forward and back, whatever its size: where as much is launched after the last round of each epoch as in
 * a round, of as many kernels and shapes, it is one. Batches that only go forward launch half of that or less, and
 * where there are many of them, the same things again.
 */
#include <stdlib.h>

#include "analysis/iterations_calls.h"
#include "analysis/model/memory.h"
#include "analysis/model/times.h"

#define AS_MUCH		0.6	/* of a usual round's launches and shapes, at least */
#define LEAST_LAUNCHES	8	/* in a round */
#define ROOM		0.2	/* of a round's launches: less than that are left for evaluations */

struct one_launch {
	int64_t at;
	uint32_t shape;		/* index of its beat */
};

struct all_launches {
	struct one_launch *list;	/* owned; by time */
	size_t count, capacity;
	size_t shapes;
	uint32_t *seen;		/* owned; of each shape, in which piece it was last */
	uint32_t piece;
};

/* Of all launches those from `first` on. */
struct piece {
	size_t first, launches, shapes;
};

static int by_time(const void *a, const void *b)
{
	const struct one_launch *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

static void add_launch(struct all_launches *l, int64_t at, size_t shape)
{
	l->list = xgrow(l->list, l->count, &l->capacity, sizeof(*l->list));
	l->list[l->count++] = (struct one_launch){ at, (uint32_t)shape };
}

/* As far as they are known one by one. */
static struct all_launches find_launches(const struct process *p)
{
	struct all_launches l = { .shapes = p->rhythm.count, .seen = xcalloc(p->rhythm.count + 1, sizeof(*l.seen)) };

	for (size_t i = 0; i < p->rhythm.count; i++) {
		const struct beat *b = &p->rhythm.beats[i];

		if (b->kind != BEAT_LAUNCH || !series_works(SERIES_DEVICE, p, b))
			continue;
		for (uint32_t k = 0; k < b->head_used; k++)
			add_launch(&l, b->head[k], i);
		for (uint32_t k = 0; !b->shift && k < b->used; k++)
			for (uint32_t n = 0; n < b->ticks[k].count; n++)
				add_launch(&l, b->ticks[k].at, i);
	}
	if (l.count)
		qsort(l.list, l.count, sizeof(*l.list), by_time);
	return l;
}

static void release_launches(struct all_launches *l)
{
	free(l->list);
	free(l->seen);
}

static struct piece piece_of(struct all_launches *l, size_t first, size_t launches)
{
	struct piece p = { .first = first, .launches = launches };

	l->piece++;
	for (size_t i = first; i < first + launches; i++) {
		p.shapes += l->seen[l->list[i].shape] != l->piece;
		l->seen[l->list[i].shape] = l->piece;
	}
	return p;
}

/* From begin to begin; the caller's. */
static struct piece *pieces_of(struct all_launches *l, const struct rounds *r)
{
	struct piece *pieces = xcalloc(r->count, sizeof(*pieces));

	for (size_t i = 0; i < r->count; i++) {
		size_t first = FIRST_FROM(l->list, l->count, at, r->begin.at[i]);
		size_t end = i + 1 < r->count ? FIRST_FROM(l->list, l->count, at, r->begin.at[i + 1]) : l->count;

		pieces[i] = piece_of(l, first, end - first);
	}
	return pieces;
}

static int by_number(const void *a, const void *b)
{
	const size_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Most rounds are not the last of their epoch. */
static struct piece usual_piece(const struct piece *pieces, size_t count)
{
	size_t *launches = xcalloc(2 * count, sizeof(*launches)), *shapes = launches + count;
	struct piece usual;

	for (size_t i = 0; i < count; i++) {
		launches[i] = pieces[i].launches;
		shapes[i] = pieces[i].shapes;
	}
	qsort(launches, count, sizeof(*launches), by_number);
	qsort(shapes, count, sizeof(*shapes), by_number);
	usual = (struct piece){ .launches = launches[count / 2], .shapes = shapes[count / 2] };
	free(launches);
	return usual;
}

/* What follows what is usual in a round, no more than another one of that. */
static struct piece rest_of(struct all_launches *l, const struct piece *whole, const struct piece *usual)
{
	size_t rest = whole->launches > usual->launches ? whole->launches - usual->launches : 0;

	return piece_of(l, whole->first + (whole->launches - rest), rest < usual->launches ? rest : usual->launches);
}

/* Which rounds are followed by as much as a round; the caller's. */
static bool *followed_by_another(struct all_launches *l, const struct piece *pieces, size_t count,
				 const struct piece *usual)
{
	bool *followed = xcalloc(count, sizeof(*followed));

	for (size_t i = 0; i < count; i++) {
		struct piece rest = rest_of(l, &pieces[i], usual);

		followed[i] = (double)rest.launches >= AS_MUCH * (double)usual->launches &&
			      (double)rest.shapes >= AS_MUCH * (double)usual->shapes;
	}
	return followed;
}

/*
 * Rounds from one that is followed by another batch to the next, the last one among them; 0: it is not always so.
 * Around the end of the first epoch code may be loaded, compiled and tried.
 */
static size_t length_of(const bool *followed, size_t rounds)
{
	size_t length = 1;

	while (length < rounds && !followed[rounds - 1 - length])
		length++;
	if (!followed[rounds - 1] || length < 2 || rounds % length)
		return 0;
	for (size_t i = length < rounds ? length + 1 : 0; i < rounds; i++)
		if (followed[i] != ((i + 1) % length == 0))
			return 0;
	return length;
}

/* How often each shape is in these; the caller's. */
static uint32_t *times_in(const struct all_launches *l, const struct piece *p)
{
	uint32_t *times = xcalloc(l->shapes + 1, sizeof(*times));

	for (size_t i = p->first; i < p->first + p->launches; i++)
		times[l->list[i].shape]++;
	return times;
}

/* Batches that only went forward: as often as what is in a usual round once, most of it, is in what is left. */
static uint32_t evaluations(const struct all_launches *l, const struct piece *usual_one, const struct piece *left)
{
	uint32_t *once = times_in(l, usual_one), *times = times_in(l, left);
	size_t *found = xcalloc(l->shapes + 1, sizeof(*found)), count = 0;
	uint32_t result;

	for (size_t i = 0; i < l->shapes; i++)
		if (once[i] == 1 && times[i])
			found[count++] = times[i];
	if (count)
		qsort(found, count, sizeof(*found), by_number);
	result = count ? (uint32_t)found[count / 2] : 0;
	free(once);
	free(times);
	free(found);
	return (double)left->launches >= ROOM * (double)usual_one->launches ? result : 0;
}

/*
 * Each epoch's last batch is a round from where the one before it ends; what the first round of the next epoch
 * has too many of it is that batch's, too.
 */
static void add_rounds(struct rounds *r, const struct all_launches *l, const struct piece *pieces, size_t usual,
		       size_t length)
{
	const struct piece *usual_one = &pieces[r->count - 2];
	size_t count = 0, all = r->count + r->count / length;
	int64_t *begin = xcalloc(all, sizeof(*begin)), *ends = xcalloc(all, sizeof(*ends));
	uint32_t *forward = xcalloc(all, sizeof(*forward));

	for (size_t i = 0; i < r->count; i++) {
		const struct piece *p = &pieces[i];
		size_t more = p->launches > usual ? p->launches - usual : 0, own = more < usual ? more : usual;
		bool last = (i + 1) % length == 0;

		begin[count] = r->begin.at[i];
		ends[count] = r->ends[i];
		forward[count] = last || (double)more < ROOM * (double)usual ? 0 : r->forward[i];
		if (i && i % length == 0 && more) {
			begin[count] = l->list[p->first + more].at;
			ends[count - 1] = l->list[p->first + more - 1].at;
		}
		count++;
		if (!last)
			continue;
		begin[count] = l->list[p->first + usual].at;
		ends[count] = l->list[p->first + usual + own - 1].at;
		forward[count] = evaluations(l, usual_one,
			&(struct piece){ .first = p->first + usual + own, .launches = more - own });
		if (ends[count - 1] > begin[count])
			ends[count - 1] = begin[count];
		count++;
	}
	/* Around the end of the first epoch what is tried out may look like evaluations, too. */
	for (size_t i = length + 2; i-- > 0;)
		if (i + length + 1 < all)
			forward[i] = forward[i + length + 1];
	free(r->begin.at);
	free(r->ends);
	free(r->forward);
	r->begin.at = begin;
	r->begin.count = r->count = count;
	r->ends = ends;
	r->forward = forward;
	r->other_last = length + 1;
}

void rounds_with_last_launched(struct rounds *r, const struct process *p)
{
	struct all_launches l = find_launches(p);
	struct piece *pieces = pieces_of(&l, r), usual = usual_piece(pieces, r->count);
	bool *followed = followed_by_another(&l, pieces, r->count, &usual);
	size_t length = usual.launches >= LEAST_LAUNCHES ? length_of(followed, r->count) : 0;

	/* What is let pass around the end of the first epoch must leave something to be its last batch. */
	if (length && pieces[length - 1].launches > usual.launches)
		add_rounds(r, &l, pieces, usual.launches, length);
	free(followed);
	free(pieces);
	release_launches(&l);
}
