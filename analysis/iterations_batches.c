/* SPDX-License-Identifier: MIT */
/*
 * Rounds by the batches that are put together: whoever reads so many examples puts them into one block, which
 * comes after each so many openings, and after what is left of a pass one that is smaller by as much. That is
 * so for every opening of an example, or nothing is said.
 *
 * The training itself may read, or processes that it forked: then a block of its own, which comes as often and
 * each time after a batch was ready, tells when a round begins; without one, only their number is known.
 * Batches that are only evaluated look alike: where the order of examples allows for such (some are always in
 * the same part of a pass), both parts must last about as long.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/iterations_calls.h"
#include "analysis/model/memory.h"
#include "analysis/model/times.h"
#include "analysis/passes.h"

#define LEAST_EXAMPLES	3	/* in a batch: two may be a picture and what it shows */
#define LEAST_BATCHES	6	/* whole ones */
#define LEAST_PASS	2	/* whole ones, in a pass */
#define ALIKE		0.8	/* of all rounds: half to twice the usual one */
#define DIFFERENT	1.5	/* times the mean: an evaluation is shorter */
#define LEAST_ALIKE	2	/* series that tell when rounds begin */

/* What one process reads and allocates. */
struct reading {
	const struct process *process;
	struct file_open *opens;	/* owned */
	size_t count;
	struct all_series blocks;	/* owned */
	const struct passes *passes;	/* borrowed; NULL: it does not read all itself */
};

struct batches {
	struct batch *list;		/* owned */
	size_t count, capacity;
	size_t whole;			/* of the usual size */
	size_t examples;		/* in these; 0: not known */
};

static void reading_release(struct reading *q)
{
	free(q->opens);
	series_release(&q->blocks);
}

static struct reading reading_of(const struct data_files *d, const struct process *reader, const struct passes *s)
{
	struct reading q = { .process = reader, .passes = s->own ? s : NULL };

	q.count = data_files_opens(d, reader, &q.opens);
	if (q.count)
		series_collect(&q.blocks, reader, SERIES_ALL_BLOCKS, INT64_MAX);
	return q;
}

/* How many examples are opened before that. */
static size_t opened_before(const struct reading *q, int64_t at)
{
	return FIRST_AFTER(q->opens, q->count, at, at);
}

/* After how many examples it comes, each number once; of those after `start`. */
static size_t places_of(const struct reading *q, const struct series_of *s, size_t start, size_t *places)
{
	size_t count = 0;

	for (size_t i = 0; i < s->count; i++) {
		size_t place = opened_before(q, s->at[i]);

		if (place > start && (!count || place != places[count - 1]))
			places[count++] = place;
	}
	return count;
}

static bool has_place(const size_t *places, size_t count, size_t place)
{
	for (size_t i = 0; i < count && places[i] <= place; i++)
		if (places[i] == place)
			return true;
	return false;
}

/* When the block comes for the first time after so many examples. */
static int64_t ready_at(const struct reading *q, const struct series_of *s, size_t place)
{
	size_t i = series_before(s, q->opens[place - 1].at);

	return i < s->count ? s->at[i] : s->at[s->count - 1];
}

/* ---- what is left of a pass ---- */

/* Is it a block for `examples`, where `whole` is one for `all`? */
static bool is_part(const struct beat *b, const struct beat *whole, size_t examples, size_t all)
{
	uint64_t is = b->a * all, expected = whole->a * examples;

	return b->kind == whole->kind && b->function == whole->function && b->library == whole->library &&
	       is + 2 * all >= expected && is <= expected + 2 * all;
}

static uint64_t bytes_of(const struct beat *b)
{
	return b->kind == BEAT_HEAP ? b->a << 5 : b->a;
}

static bool is_border(const struct reading *q, size_t place)
{
	if (place == q->count)
		return true;
	for (size_t i = 0; q->passes && i < q->passes->count; i++)
		if (q->passes->opens[q->passes->begins[i]].at == q->opens[place].at)
			return true;
	return false;
}

/* How many examples the smaller batch after `start` has; 0: there is none. When it is ready into *at. */
static size_t rest_after(const struct reading *q, const struct series_of *whole, size_t all, size_t start,
			 int64_t *at)
{
	for (size_t rest = 1; rest < all && start + rest <= q->count; rest++) {
		uint64_t size = bytes_of(whole->beat) * rest / all;

		*at = q->opens[start + rest - 1].at;
		/* Of a size of its own; too small to be told; or weights, which are as large as always. */
		for (size_t i = 0; i < q->blocks.count; i++) {
			const struct series_of *s = &q->blocks.list[i];

			if (is_part(s->beat, whole->beat, rest, all) &&
			    opened_before(q, ready_at(q, s, start + rest)) == start + rest) {
				*at = ready_at(q, s, start + rest);
				return rest;
			}
		}
		if (is_border(q, start + rest) && q->passes &&
		    (size < q->process->threshold ||
		     opened_before(q, ready_at(q, whole, start + rest)) == start + rest))
			return rest;
	}
	return 0;
}

/* ---- the whole ---- */

static void add_batch(struct batches *b, int64_t begin, int64_t ready)
{
	b->list = xgrow(b->list, b->count, &b->capacity, sizeof(*b->list));
	b->list[b->count++] = (struct batch){ begin, ready };
}

/* Does the block explain every example from `start` on, `all` in a batch? Then they stand in *b. */
static bool explains(const struct reading *q, const struct series_of *s, size_t start, size_t all,
		     struct batches *b)
{
	size_t *places = xcalloc(s->count + 1, sizeof(*places));
	size_t count = places_of(q, s, start, places), at = start, met = 0, old = b->count, old_whole = b->whole;

	while (at < q->count) {
		bool whole = has_place(places, count, at + all);
		int64_t ready = whole ? ready_at(q, s, at + all) : 0;
		size_t next = whole ? all : rest_after(q, s, all, at, &ready);

		if (!next)
			break;
		add_batch(b, q->opens[at].at, ready);
		at += next;
		b->whole += whole;
		met += has_place(places, count, at);
	}
	free(places);
	if (at == q->count && met == count)
		return true;
	b->count = old;
	b->whole = old_whole;
	return false;
}

/* The usual distance of a block's places. */
static size_t usual_batch(const struct reading *q, const struct series_of *s, size_t start)
{
	size_t *places = xcalloc(s->count + 1, sizeof(*places));
	size_t count = places_of(q, s, start, places), all;
	uint32_t *apart = xcalloc(count + 1, sizeof(*apart));

	for (size_t i = 0; i < count; i++)
		apart[i] = (uint32_t)(places[i] - (i ? places[i - 1] : start));
	all = count ? usual(apart, count) : 0;
	free(places);
	free(apart);
	return all;
}

static size_t least_pass(const struct passes *s)
{
	size_t least = SIZE_MAX;

	for (size_t i = 0; i + 1 < s->count; i++)
		if (s->begins[i + 1] - s->begins[i] < least)
			least = s->begins[i + 1] - s->begins[i];
	return least;
}

/* The smallest batch that explains what it reads, from `start` on; 0: none. */
static size_t smallest(const struct reading *q, size_t start, size_t most)
{
	size_t best = 0;

	for (size_t i = 0; i < q->blocks.count; i++) {
		const struct series_of *s = &q->blocks.list[i];
		struct batches b = { .count = 0 };
		size_t all = usual_batch(q, s, start);

		if (all >= LEAST_EXAMPLES && all <= most && (!best || all < best) &&
		    explains(q, s, start, all, &b) && b.whole)
			best = all;
		free(b.list);
	}
	return best;
}

/* Adds the batches of that size; false: no block explains them. */
static bool add_batches(const struct reading *q, size_t start, size_t all, struct batches *b)
{
	for (size_t i = 0; i < q->blocks.count; i++)
		if (explains(q, &q->blocks.list[i], start, all, b))
			return true;
	return false;
}

/* Of the process itself, perhaps after a look at all files. */
static bool own_batches(const struct process *p, const struct data_files *d, const struct passes *s,
			struct batches *b)
{
	struct reading q = reading_of(d, p, s);
	size_t most = least_pass(s) / LEAST_PASS;

	for (size_t pass = 0; q.count && pass < 2 && pass + 1 < s->count && !b->examples; pass++) {
		size_t start = pass ? opened_before(&q, s->opens[s->begins[pass]].at - 1) : 0;

		b->examples = smallest(&q, start, most);
		if (b->examples)
			add_batches(&q, start, b->examples, b);
	}
	reading_release(&q);
	return b->examples > 0;
}

/* Of all that read for it: of one size. */
static bool others_batches(const struct process *p, const struct data_files *d, const struct passes *s,
			   struct batches *b)
{
	size_t most = least_pass(s) / LEAST_PASS, least = 0;
	bool ok = true;

	for (int add = 0; add < 2 && ok; add++)
		for (const struct process *c = p->trace->readers; c && ok; c = c->next_reader) {
			struct reading q;

			if (c == p || !passes_reads_for(c, p))
				continue;
			q = reading_of(d, c, s);
			if (q.count && add)
				ok = add_batches(&q, 0, least, b);
			else if (q.count > least)
				least = smallest(&q, 0, most);
			reading_release(&q);
			ok &= add || least || !q.count;
		}
	b->examples = ok ? least : 0;
	return b->examples > 0;
}

static bool find_batches(const struct process *p, const struct passes *s, struct batches *b)
{
	struct data_files d;
	bool found = data_files_find(&d, p) && (s->own ? own_batches : others_batches)(p, &d, s, b);

	data_files_release(&d);
	return found;
}

/* ---- may some of them be evaluated only? ---- */

/* From each block to the next batch's first example, but for the last: the caller's. */
static int64_t *work_of(const struct batch *list, size_t count, int64_t *middle)
{
	int64_t *work = xcalloc(count + 1, sizeof(*work)), *sorted = xcalloc(count + 1, sizeof(*sorted));

	for (size_t i = 0; i + 1 < count; i++)
		sorted[i] = work[i] = list[i + 1].begin - list[i].ready;
	times_sort(sorted, count - 1);
	*middle = sorted[(count - 1) / 2];
	free(sorted);
	return work;
}

static bool last_alike(const struct batches *b)
{
	int64_t middle, *work = work_of(b->list, b->count, &middle);
	size_t near = 0;

	for (size_t i = 0; i + 1 < b->count; i++)
		near += 2 * work[i] >= middle && work[i] <= 2 * middle;
	free(work);
	return (double)near >= ALIKE * (double)(b->count - 1);
}

/* What the batches at one place of all passes took. */
struct taken {
	double time;
	size_t count;
};

/* By the place of its first example in its pass; the caller's. What takes longer than twice the usual does not. */
static struct taken *taken_at(const struct passes *s, const struct batch *list, size_t count)
{
	struct taken *taken = xcalloc(s->open_count + 1, sizeof(*taken));
	int64_t middle, *work = work_of(list, count, &middle);
	size_t open = 0, pass = 0;

	for (size_t i = 0; i + 1 < count; i++) {
		while (open + 1 < s->open_count && s->opens[open].at < list[i].begin)
			open++;
		while (pass + 1 < s->count && s->begins[pass + 1] <= open)
			pass++;
		taken[open - s->begins[pass]].time += (double)(work[i] > 2 * middle ? 2 * middle : work[i]);
		taken[open - s->begins[pass]].count++;
	}
	free(work);
	return taken;
}

/* The latest place of each file in any pass; the caller's. */
static size_t *latest_places(const struct passes *s)
{
	size_t *latest, files = 0, pass = 0;

	for (size_t i = 0; i < s->open_count; i++)
		files = s->opens[i].file >= files ? s->opens[i].file + 1 : files;
	latest = xcalloc(files + 1, sizeof(*latest));
	for (size_t i = 0; i < s->open_count; i++) {
		size_t *place = &latest[s->opens[i].file];

		if (pass + 1 < s->count && s->begins[pass + 1] == i)
			pass++;
		if (i - s->begins[pass] > *place)
			*place = i - s->begins[pass];
	}
	return latest;
}

/* So many examples that each pass begins with are always the same ones: true in parts[that]; the caller's. */
static bool *parts_of(const struct passes *s, size_t length)
{
	size_t *latest = latest_places(s), reach = 0;
	bool *parts = xcalloc(length + 1, sizeof(*parts));

	for (size_t i = 0; i + 1 < length; i++) {
		size_t place = latest[s->opens[s->begins[0] + i].file];

		reach = place > reach ? place : reach;
		parts[i + 1] = reach == i;
	}
	free(latest);
	return parts;
}

static bool has_parts(const struct passes *s, size_t batch)
{
	size_t length = s->begins[1] - s->begins[0];
	bool *parts = parts_of(s, length), found = false;

	for (size_t i = batch; i + batch <= length; i++)
		found |= parts[i];
	free(parts);
	return found;
}

bool batches_differ(const struct passes *s, const struct batch *list, size_t count)
{
	size_t length = s->begins[1] - s->begins[0];
	struct taken *taken = taken_at(s, list, count), all = { 0, 0 }, before = { 0, 0 };
	bool *parts = parts_of(s, length), differ = false;

	for (size_t i = 0; i < length; i++) {
		all.time += taken[i].time;
		all.count += taken[i].count;
	}
	for (size_t i = 0; i < length; i++) {
		double first = before.count ? before.time / (double)before.count : 0;
		double rest = (all.time - before.time) / (double)(all.count - before.count);

		if (parts[i] && before.count && all.count > before.count)
			differ |= first > DIFFERENT * rest || rest > DIFFERENT * first;
		before.time += taken[i].time;
		before.count += taken[i].count;
	}
	free(taken);
	free(parts);
	return differ;
}

/* ---- rounds ---- */

static int by_ready(const void *a, const void *b)
{
	const struct batch *x = a, *y = b;

	return (x->ready > y->ready) - (x->ready < y->ready);
}

/* It comes once for each batch, after that is ready. */
static bool follows(const struct series_of *s, const struct batches *b)
{
	bool all = s->count == b->count;

	for (size_t i = 0; i < b->count && all; i++)
		all = s->at[i] >= b->list[i].ready;
	return all;
}

static void copy_begins(struct rounds *r, const struct series_of *s)
{
	r->begin.at = xcalloc(s->count, sizeof(*r->begin.at));
	memcpy(r->begin.at, s->at, s->count * sizeof(*s->at));
	r->begin.count = s->count;
}

/* By the training's own blocks, the first of those that alternate; false: none tells. */
static bool begins_of_others(struct rounds *r, const struct process *p, const struct batches *b)
{
	const struct series_of *best = NULL;
	struct all_series all = { .count = 0 };

	series_collect(&all, p, SERIES_BLOCKS, INT64_MAX);
	for (size_t i = 0; i < all.count; i++) {
		size_t alike = 0;

		if (!follows(&all.list[i], b))
			continue;
		for (size_t k = 0; k < all.count; k++)
			alike += follows(&all.list[k], b) && series_alternate(&all.list[i], &all.list[k]);
		if (alike >= LEAST_ALIKE && (!best || all.list[i].at[0] < best->at[0]))
			best = &all.list[i];
	}
	if (best)
		copy_begins(r, best);
	series_release(&all);
	return best != NULL;
}

static void own_begins(struct rounds *r, const struct batches *b)
{
	r->begin.at = xcalloc(b->count, sizeof(*r->begin.at));
	r->begin.count = b->count;
	for (size_t i = 0; i < b->count; i++)
		r->begin.at[i] = b->list[i].begin;
}

/* Nothing tells when the last one ends: it is taken to last as long as the one before. */
static void set_ends(struct rounds *r)
{
	r->ends = xcalloc(r->count, sizeof(*r->ends));
	for (size_t i = 0; i + 1 < r->count; i++)
		r->ends[i] = r->begin.at[i + 1];
	r->ends[r->count - 1] = 2 * r->begin.at[r->count - 1] - r->begin.at[r->count - 2];
}

/* What is read far ahead does not tell to which epoch a round belongs. */
static void set_rounds(struct rounds *r, const struct process *p, const struct batches *b, bool own)
{
	size_t length;

	r->count = b->count;
	r->family = (struct family){ .members = b->count, .even = 1 };
	r->forward = xcalloc(r->count, sizeof(*r->forward));
	if (own)
		own_begins(r, b);
	else if (!begins_of_others(r, p, b))
		return;
	if (own || input_epochs(r, p, &length) == INPUT_EPOCHS) {
		set_ends(r);
		return;
	}
	free(r->begin.at);
	r->begin = (struct series_of){ .count = 0 };
}

bool rounds_by_batches(struct rounds *r, const struct process *p)
{
	struct batches b = { .count = 0 };
	struct passes s;
	bool found;

	*r = (struct rounds){ .count = 0 };
	passes_find(&s, p);
	/* What others read of a part of the files tells of none. */
	found = s.count > 1 && (s.own || s.whole) && find_batches(p, &s, &b) && b.whole >= LEAST_BATCHES;
	if (found && s.own)
		found = s.whole ? !batches_differ(&s, b.list, b.count) : last_alike(&b);
	else if (found)
		found = !has_parts(&s, b.examples);
	if (found) {
		qsort(b.list, b.count, sizeof(*b.list), by_ready);
		set_rounds(r, p, &b, s.own);
	}
	free(b.list);
	passes_release(&s);
	return found;
}
