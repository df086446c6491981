/* SPDX-License-Identifier: MIT */
/*
 * A process's calls as a text: products of matrices by all three dimensions, which the rhythm keeps in pairs; regions
 * and launches as series have them. Messages are no letters: they come when they come.
 */
#include "analysis/iterations_text.h"

#include <stdlib.h>

#include "analysis/model/memory.h"
#include "analysis/model/rhythm.h"

#define SHAPES_MAX	256	/* of products: of more, sizes of batches are not looked for */

/* ---- products ---- */

/* One pair of dimensions of one call. */
struct face {
	int64_t at;
	const struct beat *beat;	/* borrowed */
};

struct faces {
	struct face *list;	/* owned */
	size_t count, capacity;
};

struct shape {
	uint32_t thread;
	uint16_t function, library;
	uint64_t m, n, k;
	uint32_t as;		/* the shape that it stands for */
	bool smaller;		/* than that */
};

struct shapes {
	struct shape *list;	/* owned */
	size_t count, capacity;
};

static int by_call(const void *a, const void *b)
{
	const struct face *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	if (x->beat->thread != y->beat->thread)
		return x->beat->thread < y->beat->thread ? -1 : 1;
	return x->beat->without - y->beat->without;
}

static struct faces faces_of(const struct process *p, int64_t until)
{
	struct faces f = { .count = 0 };

	for (size_t i = 0; i < p->rhythm.count; i++) {
		const struct beat *b = &p->rhythm.beats[i];
		struct series_of times = { .count = 0 };

		if (b->kind == BEAT_BLAS && series_horizon(b) >= until)
			series_add_beat(&times, b);
		for (size_t k = 0; k < times.count && times.at[k] < until; k++) {
			f.list = xgrow(f.list, f.count, &f.capacity, sizeof(*f.list));
			f.list[f.count++] = (struct face){ times.at[k], b };
		}
		free(times.at);
	}
	if (f.count)
		qsort(f.list, f.count, sizeof(*f.list), by_call);
	return f;
}

/* Of two pairs, without different ones; false: too little is known. */
static bool shape_of(const struct face *faces, size_t count, struct shape *s)
{
	const struct beat *first = faces[0].beat;

	*s = (struct shape){ .thread = first->thread, .function = first->function, .library = first->library };
	for (size_t i = 0; i < count; i++) {
		const struct beat *b = faces[i].beat;

		s->m = b->without == 'm' ? s->m : b->a;
		s->n = b->without == 'n' ? s->n : b->without == 'm' ? b->a : b->b;
		s->k = b->without == 'k' ? s->k : b->b;
	}
	return count > 1 && faces[0].beat->without != faces[count - 1].beat->without;
}

static bool is_same(const struct shape *a, const struct shape *b)
{
	return a->thread == b->thread && a->function == b->function && a->library == b->library && a->m == b->m &&
	       a->n == b->n && a->k == b->k;
}

static uint32_t shape_index(struct shapes *all, const struct shape *s)
{
	for (size_t i = 0; i < all->count; i++)
		if (is_same(&all->list[i], s))
			return (uint32_t)i;
	all->list = xgrow(all->list, all->count, &all->capacity, sizeof(*all->list));
	all->list[all->count] = *s;
	all->list[all->count].as = (uint32_t)all->count;
	return (uint32_t)all->count++;
}

static void add_letter(struct text *t, size_t *capacity, int64_t at, size_t what)
{
	t->list = xgrow(t->list, t->count, capacity, sizeof(*t->list));
	t->list[t->count++] = (struct letter){ .at = at, .what = (uint32_t)what };
}

/* ---- batches of other sizes ---- */

static bool has_size(const struct shape *s, uint64_t size)
{
	return s->n == size || s->k == size;
}

/* The shape with another size; NULL: there is none. */
static struct shape *with_size(struct shapes *all, const struct shape *s, uint64_t size, uint64_t other)
{
	struct shape wanted = *s;

	wanted.n = s->n == size ? other : s->n;
	wanted.k = s->k == size ? other : s->k;
	for (size_t i = 0; i < all->count; i++)
		if (is_same(&all->list[i], &wanted))
			return &all->list[i];
	return NULL;
}

/* Is each product of that size one of the other size, too, and is it never a result's rows? */
static bool are_all(struct shapes *all, uint64_t size, uint64_t other)
{
	for (size_t i = 0; i < all->count; i++) {
		const struct shape *s = &all->list[i];

		if (s->m == size || s->m == other)
			return false;
		if (has_size(s, size) && !with_size(all, s, size, other))
			return false;
	}
	return true;
}

/* Where each is one of the other's, the smaller one. */
static bool is_batch(struct shapes *all, uint64_t size, uint64_t other)
{
	return are_all(all, size, other) && (size < other || !are_all(all, other, size));
}

static void join(struct shape *s, const struct shape *to, bool smaller)
{
	s->as = to->as;
	s->smaller = smaller;
}

/* A batch that is smaller, as the last one, or what is evaluated, is told by all its products. */
static void join_batches(struct shapes *all)
{
	for (size_t i = 0; i < all->count && all->count <= SHAPES_MAX; i++) {
		struct shape *s = &all->list[i];

		for (size_t k = 0; k < all->count && s->as == i; k++) {
			const struct shape *o = &all->list[k];

			if (o->n != s->n && o == with_size(all, s, s->n, o->n) && is_batch(all, s->n, o->n))
				join(s, o, s->n < o->n);
			else if (o->k != s->k && o == with_size(all, s, s->k, o->k) && is_batch(all, s->k, o->k))
				join(s, o, s->k < o->k);
		}
	}
}

static void add_products(struct text *t, size_t *capacity, const struct process *p, int64_t until)
{
	struct faces f = faces_of(p, until);
	struct shapes all = { .count = 0 };

	for (size_t first = 0, i; first < f.count; first = i) {
		struct shape s;

		for (i = first + 1; i < f.count && f.list[i].at == f.list[first].at &&
				    f.list[i].beat->thread == f.list[first].beat->thread;)
			i++;
		if (!shape_of(f.list + first, i - first, &s))
			continue;
		add_letter(t, capacity, f.list[first].at, shape_index(&all, &s));
	}
	join_batches(&all);
	for (size_t i = 0; i < t->count; i++) {
		t->list[i].product = true;
		t->list[i].smaller = all.list[t->list[i].what].smaller;
		t->list[i].what = all.list[t->list[i].what].as;
	}
	t->letters = all.count;
	free(f.list);
	free(all.list);
}

/* ---- the whole ---- */

static int by_time(const void *a, const void *b)
{
	const struct letter *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->what > y->what) - (x->what < y->what);
}

bool text_has(const struct beat *b)
{
	return b->kind == BEAT_BLAS || b->kind == BEAT_REGION || b->kind == BEAT_LAUNCH;
}

int64_t text_horizon(const struct process *p, enum series_way way)
{
	int64_t until = INT64_MAX;

	for (size_t i = 0; i < p->rhythm.count; i++) {
		const struct beat *b = &p->rhythm.beats[i];

		if (text_has(b) && series_works(way, p, b) && series_horizon(b) < until)
			until = series_horizon(b);
	}
	return until;
}

void text_collect(struct text *t, const struct process *p, const struct all_series *s, int64_t until)
{
	size_t capacity = 0;

	*t = (struct text){ .count = 0 };
	add_products(t, &capacity, p, until);
	for (size_t i = 0; i < s->count; i++) {
		const struct series_of *one = &s->list[i];

		for (size_t k = 0; one->beat->kind != BEAT_BLAS && text_has(one->beat) && k < one->count; k++)
			add_letter(t, &capacity, one->at[k], t->letters + i);
	}
	t->letters += s->count;
	if (t->count)
		qsort(t->list, t->count, sizeof(*t->list), by_time);
}

void text_release(struct text *t)
{
	free(t->list);
	*t = (struct text){ .count = 0 };
}
