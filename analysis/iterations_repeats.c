/* SPDX-License-Identifier: MIT */
/*
 * Rounds of a process none of whose blocks comes exactly once in each, or whose start-up asks for the same
 * sizes, too: a step allocates the same sizes equally often, each its own number of times. Every so many
 * calls of one size, counted from the end, a round begins; in it everything else must come as often as
 * usual. How many rounds there are is what most sizes say: all their calls, by those of one round.
 *
 * A block's size is one of two neighbours (analysis/model/rhythm.h), which are looked at together. Of
 * sizes that come too often for all their times to be kept it is known how many came within a window of
 * time: good enough to ask them, but no round can begin with one of theirs.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/iterations_calls.h"
#include "analysis/model/memory.h"
#include "analysis/model/times.h"

#define LEAST_ROUNDS	6
#define LEAST_ASKED	5	/* sizes, that of which rounds begin among them */
#define MOST_STRIDE	64	/* calls of that in a round */
#define ANCHORS_MAX	512	/* tried, the most seldom first */
#define IN_MOST		0.7	/* of the rounds: a last batch may have sizes of its own */
#define AS_USUAL	0.8	/* of the rounds in which a size is: as often as usual */
#define EXACT		0.95	/* of the rounds: then how many there are is asked */
#define LEAST_VOTES	3
#define MOST_OTHERS	0.1	/* of those that agree, and one: otherwise */
#define SAY_SO		0.6	/* of the sizes that are in all rounds: there are so many rounds */
#define MANY		50	/* calls in a round: one of so many may be missing */
#define LEAST_FOREIGN	2	/* sizes that only the last round of an epoch has */
#define LEAST_EPOCHS	2	/* whole ones, where the first one is shorter */
#define ALIKE		0.7	/* of these: as often as others in the rounds before */
#define LATE		0.5	/* of all there is, by time: imports have their rhythms, too */
#define PART		0.6	/* of the sizes that tell of other rounds: do so of finer ones */

/* Blocks of one size and caller. */
struct block {
	const struct beat *beat;	/* borrowed; one of them */
	struct tick *ticks;		/* owned; by time */
	uint64_t *before;		/* owned; calls before each tick, and all */
	size_t count;
	uint32_t window;		/* calls at most that are known as one; 1: each is known */
};

struct blocks {
	struct block *list;		/* owned; the most seldom first */
	size_t count, capacity;
};

/* Every `stride` calls of a block. */
struct repeat {
	const struct block *anchor;	/* borrowed; NULL: none */
	size_t stride;
	uint64_t rounds;
	size_t agree, others;		/* sizes that come as often as usual, and those asked that do not */
	size_t votes;			/* sizes that say that there are so many rounds */
	uint32_t parts;			/* equal ones into which all these may be divided: then it is not sure */
};

struct repeats {
	struct repeat *list;		/* owned */
	size_t count, capacity;
};

/* ---- blocks ---- */

static int by_size(const void *a, const void *b)
{
	const struct beat *const *x = a, *const *y = b;
	const struct beat *p = *x, *q = *y;

	if (p->kind != q->kind)
		return p->kind - q->kind;
	if (p->function != q->function)
		return p->function - q->function;
	if (p->library != q->library)
		return p->library - q->library;
	if (p->a != q->a)
		return p->a < q->a ? -1 : 1;
	return (p->hash > q->hash) - (p->hash < q->hash);
}

/* The same caller's, and the same size or the one next to the smallest in the group. */
static bool is_same(const struct beat *first, const struct beat *b)
{
	return first->kind == b->kind && first->function == b->function && first->library == b->library &&
	       b->a - first->a <= (b->kind == BEAT_HEAP);
}

static int by_time(const void *a, const void *b)
{
	const struct tick *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->count > y->count) - (x->count < y->count);
}

static struct block block_of(const struct beat *const *beats, size_t count)
{
	struct block b = { .beat = beats[0], .window = 1 };
	size_t all = 0;

	for (size_t i = 0; i < count; i++)
		all += beats[i]->used;
	b.ticks = xcalloc(all + 1, sizeof(*b.ticks));
	b.before = xcalloc(all + 1, sizeof(*b.before));
	for (size_t i = 0; i < count; i++) {
		memcpy(b.ticks + b.count, beats[i]->ticks, beats[i]->used * sizeof(*b.ticks));
		b.count += beats[i]->used;
		for (uint32_t k = 0; beats[i]->shift && k < beats[i]->used; k++)
			if (beats[i]->ticks[k].count > b.window)
				b.window = beats[i]->ticks[k].count;
	}
	qsort(b.ticks, b.count, sizeof(*b.ticks), by_time);
	for (size_t i = 0; i < b.count; i++)
		b.before[i + 1] = b.before[i] + b.ticks[i].count;
	return b;
}

static uint64_t calls_of(const struct block *b)
{
	return b->before[b->count];
}

static int by_calls(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	if (calls_of(x) != calls_of(y))
		return calls_of(x) < calls_of(y) ? -1 : 1;
	return by_size(&x->beat, &y->beat);
}

static struct blocks blocks_of(const struct process *p)
{
	const struct beat **beats = xcalloc(p->rhythm.count + 1, sizeof(const struct beat *));
	struct blocks all = { .count = 0 };
	size_t count = 0;

	for (size_t i = 0; i < p->rhythm.count; i++)
		if (p->rhythm.beats[i].kind == BEAT_HEAP || p->rhythm.beats[i].kind == BEAT_MAP)
			beats[count++] = &p->rhythm.beats[i];
	qsort(beats, count, sizeof(const struct beat *), by_size);
	for (size_t first = 0, i = 1; first < count; first = i++) {
		while (i < count && is_same(beats[first], beats[i]))
			i++;
		all.list = xgrow(all.list, all.count, &all.capacity, sizeof(*all.list));
		all.list[all.count++] = block_of(beats + first, i - first);
	}
	free(beats);
	if (all.count)
		qsort(all.list, all.count, sizeof(*all.list), by_calls);
	return all;
}

static void blocks_release(struct blocks *all)
{
	for (size_t i = 0; i < all->count; i++) {
		free(all->list[i].ticks);
		free(all->list[i].before);
	}
	free(all->list);
}

static uint64_t calls_before(const struct block *b, int64_t at)
{
	return b->before[FIRST_FROM(b->ticks, b->count, at, at)];
}

/* When its call of that number was, from 0; only of blocks whose calls are all known. */
static int64_t time_of(const struct block *b, uint64_t number)
{
	size_t low = 0, high = b->count;

	while (low + 1 < high) {
		size_t middle = low + (high - low) / 2;

		if (b->before[middle] <= number)
			low = middle;
		else
			high = middle;
	}
	return b->ticks[low].at;
}

/* ---- rounds that are alike ---- */

/* Begins of so many rounds, the last ones; the caller's. What is missing at the begin is the first call's. */
static int64_t *last_begins(const struct repeat *r, uint64_t rounds)
{
	int64_t *begins = xcalloc(rounds + 1, sizeof(*begins));
	uint64_t calls = calls_of(r->anchor);

	for (uint64_t i = 0; i < rounds; i++) {
		uint64_t back = (rounds - i) * r->stride;

		begins[i] = time_of(r->anchor, back < calls ? calls - back : 0);
	}
	return begins;
}

/* What a block says of whole rounds. */
struct word {
	size_t in;		/* rounds that it is in */
	uint32_t most;		/* times, usually */
	double same;		/* of those that it is in: as often as usual */
};

static bool is_near(const struct block *b, uint32_t a, uint32_t usually)
{
	uint32_t off = a < usually ? usually - a : a - usually;

	/* Of very many a few may come a little early or late: a pool's threads take up work as it comes. */
	return off * MANY <= usually || (b->window > 1 && off <= 2 * b->window);
}

static struct word ask(const struct block *b, const int64_t *begins, size_t rounds, uint32_t *each)
{
	struct word w = { 0 };
	uint64_t before = calls_before(b, begins[0]);
	size_t used = 0, same = 0;

	if ((double)(calls_before(b, begins[rounds]) - before) < IN_MOST * (double)rounds)
		return w;
	for (size_t i = 0; i < rounds; i++) {
		uint64_t until = calls_before(b, begins[i + 1]);

		if (until > before)
			each[used++] = (uint32_t)(until - before);
		before = until;
	}
	w.in = used;
	w.most = usual(each, used);
	for (size_t i = 0; i < used; i++)
		same += is_near(b, each[i], w.most);
	w.same = used ? (double)same / (double)used : 0;
	/* So few calls in a window of time that all that is known is noise. */
	if (b->window > 1 && w.most < 8 * b->window)
		w.in = 0;
	return w;
}

/* What most of those say that are in each of the rounds, which are the last ones; 0: they do not agree. */
static uint64_t most_say(const uint64_t *told, size_t count, size_t *most)
{
	uint64_t best = 0;

	*most = 0;
	for (size_t i = 0; i < count; i++) {
		size_t votes = 0;

		for (size_t k = 0; k < count; k++)
			votes += told[k] == told[i];
		if (votes > *most) {
			*most = votes;
			best = told[i];
		}
	}
	return (double)*most >= SAY_SO * (double)count ? best : 0;
}

static uint32_t common(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Asks all blocks of these rounds; false: they are not alike. */
static bool are_alike(const struct blocks *all, struct repeat *r, const int64_t *begins, size_t rounds)
{
	uint32_t *each = xcalloc(rounds + 1, sizeof(*each));
	uint64_t *told = xcalloc(all->count + 1, sizeof(*told));
	size_t count = 0;

	r->agree = r->others = 0;
	r->parts = 0;
	for (size_t i = 0; i < all->count; i++) {
		const struct block *b = &all->list[i];
		struct word w = ask(b, begins, rounds, each);

		if ((double)w.in < IN_MOST * (double)rounds)
			continue;
		r->others += w.same < AS_USUAL;
		r->agree += w.same >= AS_USUAL;
		if (w.in < rounds || w.same < EXACT)
			continue;
		told[count++] = (calls_of(b) + w.most / 2) / w.most;
		r->parts = b->window == 1 && w.most < MANY ? common(w.most, r->parts) : r->parts;
	}
	r->rounds = most_say(told, count, &r->votes);
	free(told);
	free(each);
	return r->agree >= LEAST_ASKED && r->rounds && r->votes >= LEAST_VOTES &&
	       (double)r->others <= 1 + MOST_OTHERS * (double)r->agree;
}

/* The later half must be alike, then the whole but for the first, which may do more. */
static bool holds(const struct blocks *all, struct repeat *r)
{
	size_t rounds = calls_of(r->anchor) / r->stride, half = rounds / 2 > LEAST_ROUNDS ? rounds / 2 : rounds - 1;
	int64_t *begins = last_begins(r, half + 1);
	bool alike = are_alike(all, r, begins, half);
	uint64_t whole = r->rounds;

	free(begins);
	if (!alike || whole < LEAST_ROUNDS || whole <= half || whole * r->stride >= calls_of(r->anchor) + r->stride)
		return false;
	begins = last_begins(r, whole);
	alike = are_alike(all, r, begins + 1, whole - 2) && r->rounds == whole;
	free(begins);
	return alike;
}

static int64_t last_of(const struct blocks *all)
{
	int64_t last = INT64_MIN;

	for (size_t i = 0; i < all->count; i++)
		if (all->list[i].ticks[all->list[i].count - 1].at > last)
			last = all->list[i].ticks[all->list[i].count - 1].at;
	return last;
}

/* All that hold. */
static struct repeats find_repeats(const struct blocks *all)
{
	struct repeats found = { .count = 0 };
	double late = all->count ? LATE * (double)last_of(all) : 0;
	size_t tried = 0;

	for (size_t i = 0; i < all->count && tried < ANCHORS_MAX; i++) {
		const struct block *b = &all->list[i];

		if (b->window > 1 || calls_of(b) < LEAST_ROUNDS || (double)b->ticks[b->count - 1].at < late)
			continue;
		tried++;
		for (size_t stride = 1; stride <= MOST_STRIDE && stride * LEAST_ROUNDS <= calls_of(b); stride++) {
			struct repeat r = { .anchor = b, .stride = stride };

			if (!holds(all, &r))
				continue;
			found.list = xgrow(found.list, found.count, &found.capacity, sizeof(*found.list));
			found.list[found.count++] = r;
		}
	}
	return found;
}

/* Are several of these rounds one of the others? The first or the last of these need not be whole. */
static bool is_finer(const struct repeat *r, const struct repeat *than)
{
	return r->rounds + 1 >= 2 * than->rounds;
}

/*
 * Finer ones, where they are as even, and tell of as much but for what comes once an epoch. Else what
 * repeats is a part of a step (an image, a word), and any number of these nearly does: the step is told
 * of by most.
 */
static bool is_better(const struct repeat *r, const struct repeat *than)
{
	if (is_finer(r, than))
		return r->others <= than->others && (double)r->votes >= PART * (double)than->votes;
	if (is_finer(than, r))
		return than->others > r->others || (double)than->votes < PART * (double)r->votes;
	return r->rounds == than->rounds ? r->agree > than->agree : r->votes > than->votes;
}

/* Without an anchor: none, or it is not sure. */
static struct repeat find_repeat(const struct blocks *all)
{
	struct repeats found = find_repeats(all);
	struct repeat best = { .anchor = NULL };

	for (size_t i = 0; i < found.count; i++)
		if (!best.anchor || is_better(&found.list[i], &best))
			best = found.list[i];
	for (size_t i = 0; best.anchor && i < found.count; i++)
		if (found.list[i].rounds != best.rounds && !is_better(&best, &found.list[i]))
			best.anchor = NULL;
	free(found.list);
	return best.parts == 1 ? best : (struct repeat){ .anchor = NULL };
}

/* ---- as rounds ---- */

/* The last call that may be of the last round. */
static int64_t last_call(const struct blocks *all, const int64_t *begins, uint64_t rounds)
{
	int64_t last = begins[rounds - 1], length = (last - begins[1]) / (int64_t)(rounds - 2);

	for (size_t i = 0; i < all->count; i++) {
		const struct block *b = &all->list[i];
		uint64_t before = calls_before(b, begins[rounds - 1] + 2 * length);

		if (b->window == 1 && before && time_of(b, before - 1) > last)
			last = time_of(b, before - 1);
	}
	return last;
}

/* With the begins that are there. */
static void set_ends(struct rounds *r, const struct blocks *all)
{
	free(r->ends);
	free(r->forward);
	r->count = r->begin.count;
	r->ends = xcalloc(r->count, sizeof(*r->ends));
	r->forward = xcalloc(r->count, sizeof(*r->forward));
	for (size_t i = 0; i + 1 < r->count; i++)
		r->ends[i] = r->begin.at[i + 1];
	r->ends[r->count - 1] = last_call(all, r->begin.at, r->count);
}

bool rounds_by_repeats(struct rounds *rounds, const struct process *p)
{
	struct blocks all = blocks_of(p);
	struct repeat r = find_repeat(&all);

	*rounds = (struct rounds){ .count = 0 };
	if (r.anchor) {
		series_collect(&rounds->all, p, SERIES_BLOCKS, INT64_MAX);
		rounds->family = (struct family){
			.members = r.agree, .even = (double)r.agree / (double)(r.agree + r.others),
		};
		rounds->begin = (struct series_of){
			.beat = r.anchor->beat, .at = last_begins(&r, r.rounds), .count = r.rounds,
		};
		set_ends(rounds, &all);
	}
	blocks_release(&all);
	return rounds->count > 0;
}

/* ---- a last batch of another size ---- */

/* Blocks that are in most rounds but not in a last one's rest, and those of that alone. */
struct ends_of_epochs {
	size_t length;		/* rounds of an epoch, what is missing aside; 0: they do not end in another batch */
	uint32_t *usual, *last;	/* times in a round, and in the last one's rest; owned */
	size_t usual_count, last_count;
	int64_t *at;		/* owned; the first that only the last does, of each round; INT64_MAX: none */
};

/* In which rounds it is; the last is until all ends. */
static size_t fill(const struct block *b, const struct rounds *r, uint32_t *each)
{
	uint64_t before = calls_before(b, r->begin.at[0]);
	size_t in = 0;

	for (size_t i = 0; i < r->count; i++) {
		uint64_t until = calls_before(b, i + 1 < r->count ? r->begin.at[i + 1] : INT64_MAX);

		each[i] = (uint32_t)(until - before);
		in += until > before;
		before = until;
	}
	return in;
}

/*
 * Rounds in which there is something that is in few: all as far apart, the last one among them; else 0. Where the
 * first epoch is shorter than the others its first rounds are missing.
 */
static size_t period_of(const uint32_t *foreign, size_t rounds)
{
	size_t length = 1;

	while (length < rounds && foreign[rounds - 1 - length] < LEAST_FOREIGN)
		length++;
	for (size_t i = 1; i < rounds; i++)
		if ((foreign[i] >= LEAST_FOREIGN) != ((rounds - 1 - i) % length == 0))
			return 0;
	return length > 1 && (rounds % length == 0 || rounds > LEAST_EPOCHS * length) ? length : 0;
}

/* Not a size of most rounds. */
static bool is_foreign(const struct block *b, const struct rounds *r, size_t in)
{
	return b->window == 1 && in && 2 * in <= r->count;
}

/* When the first of what is foreign is, in each round; its epochs' length. */
static size_t length_of(const struct blocks *all, const struct rounds *r, uint32_t *each, int64_t *first)
{
	uint32_t *foreign = xcalloc(r->count + 1, sizeof(*foreign));
	size_t length;

	for (size_t i = 0; i < all->count; i++) {
		const struct block *b = &all->list[i];

		if (!is_foreign(b, r, fill(b, r, each)))
			continue;
		for (size_t k = 1; k < r->count; k++) {
			int64_t at = each[k] ? time_of(b, calls_before(b, r->begin.at[k])) : INT64_MAX;

			foreign[k] += each[k] > 0;
			first[k] = at < first[k] ? at : first[k];
		}
	}
	length = r->count > 3 ? period_of(foreign, r->count) : 0;
	free(foreign);
	return length;
}

static void look_at_ends(struct ends_of_epochs *e, const struct blocks *all, const struct rounds *r)
{
	uint32_t *each = xcalloc(r->count + 1, sizeof(*each));

	*e = (struct ends_of_epochs){
		.usual = xcalloc(all->count + 1, sizeof(*e->usual)), .last = xcalloc(all->count + 1, sizeof(*e->last)),
		.at = xcalloc(r->count + 1, sizeof(*e->at)),
	};
	for (size_t i = 0; i < r->count; i++)
		e->at[i] = INT64_MAX;
	e->length = length_of(all, r, each, e->at);
	for (size_t i = 0; e->length && i < all->count; i++) {
		size_t in = fill(&all->list[i], r, each);
		uint32_t most = usual(each, r->count), last = each[r->count - 1];
		uint32_t before = each[e->length - 1];	/* the very last may lack what its step begins with */

		/* In each of them: a program ends, and functions are called for the first time, but once. */
		if (is_foreign(&all->list[i], r, in) && last && in == r->count / e->length)
			e->last[e->last_count++] = last;
		else if ((double)in >= IN_MOST * (double)r->count && before == most)
			e->usual[e->usual_count++] = most;
	}
	free(each);
}

/* How many of the one have as many in the other. */
static size_t alike_in(const uint32_t *a, size_t count_a, const uint32_t *b, size_t count_b)
{
	bool *taken = xcalloc(count_b + 1, sizeof(*taken));
	size_t alike = 0;

	for (size_t i = 0; i < count_a; i++)
		for (size_t k = 0; k < count_b; k++)
			if (!taken[k] && a[i] == b[k]) {
				taken[k] = true;
				alike++;
				break;
			}
	free(taken);
	return alike;
}

static void add_begins(struct rounds *r, const struct ends_of_epochs *e)
{
	size_t count = 0;
	int64_t *at = xcalloc(2 * r->count, sizeof(*at));

	for (size_t i = 0; i < r->count; i++) {
		at[count++] = r->begin.at[i];
		if ((i + 1) % e->length == 0)
			at[count++] = e->at[i];
	}
	free(r->begin.at);
	r->begin.at = at;
	r->begin.count = count;
}

bool rounds_with_last(struct rounds *r, const struct process *p)
{
	struct blocks all = blocks_of(p);
	struct ends_of_epochs e;
	bool sure = true;

	look_at_ends(&e, &all, r);
	if (e.length && r->count % e.length) {
		sure = false;
	} else if (e.length) {
		size_t alike = alike_in(e.last, e.last_count, e.usual, e.usual_count);

		bool last = alike >= LEAST_FOREIGN && (double)alike >= ALIKE * (double)e.last_count &&
			    2 * alike >= e.usual_count;

		/* A single one at the very end may have to do with that. */
		sure = last || e.length == r->count;
		if (last) {
			add_begins(r, &e);
			set_ends(r, &all);
		}
	}
	free(e.usual);
	free(e.last);
	free(e.at);
	blocks_release(&all);
	return sure;
}
