/* SPDX-License-Identifier: MIT */
/* Times at which a process did the same again, within bounds that no split of the trace changes. */
#include "analysis/model/rhythm.h"

#include <string.h>

#include "analysis/model/memory.h"

#define COARSEST	62
#define LEVELS		16	/* as many bits of a hash are of a size alone */

static void beat_release(struct beat *b)
{
	free(b->ticks);
	free(b->head);
	pace_free(b->pace);
}

void rhythm_init(struct rhythm *r)
{
	*r = (struct rhythm){ .work = INT64_MAX };
}

void rhythm_release(struct rhythm *r)
{
	for (size_t i = 0; i < r->count; i++)
		beat_release(&r->beats[i]);
	free(r->beats);
	free(r->samples);
	idmap_release(&r->by_hash);
	rhythm_init(r);
}

/* ---- ticks ---- */

static uint32_t sum32(uint32_t a, uint32_t b)
{
	return a + b < a ? UINT32_MAX : a + b;
}

void beat_head(struct beat *b, int64_t at)
{
	uint32_t i = b->head_used;

	if (!beat_is_early(b, at))
		return;
	if (!b->head)
		b->head = xcheck(malloc(RHYTHM_TICKS * sizeof(*b->head)), RHYTHM_TICKS);
	if (i == RHYTHM_TICKS)
		i--;
	else
		b->head_used++;
	for (; i && b->head[i - 1] > at; i--)
		b->head[i] = b->head[i - 1];
	b->head[i] = at;
}

/* The calls of a tick whose time is exact. */
static void head_of_tick(struct beat *b, const struct tick *t)
{
	for (uint32_t k = 0; k < t->count && k < RHYTHM_TICKS && beat_is_early(b, t->at); k++)
		beat_head(b, t->at);
}

/* Before it goes to the ticks, and only while these do not tell all. */
static void pace_of_tick(const struct beat *b, const struct tick *t)
{
	if (b->pace)
		pace_note(b->pace, b->kind == BEAT_RANGE ? tick_begin(t) : t->at);
}

/* Now its ticks still tell all. */
static void begin_coarse(struct beat *b)
{
	if (b->paced)
		b->pace = pace_new();
	for (uint32_t i = 0; i < b->used; i++) {
		head_of_tick(b, &b->ticks[i]);
		pace_of_tick(b, &b->ticks[i]);
	}
}

/* Those in the same window become one. */
static void coarsen(struct beat *b, uint8_t shift)
{
	uint32_t to = 0;

	if (!b->shift)
		begin_coarse(b);
	for (uint32_t i = 0; i < b->used; i++) {
		const struct tick t = b->ticks[i];

		if (to && b->ticks[to - 1].at >> shift == t.at >> shift) {
			b->ticks[to - 1].count = sum32(b->ticks[to - 1].count, t.count);
			b->ticks[to - 1].time = sum32(b->ticks[to - 1].time, t.time);
		} else {
			b->ticks[to++] = t;
		}
	}
	b->used = to;
	b->shift = shift;
}

/* Neighbours join as soon as the shift takes away the highest bit in which they differ. */
static uint8_t least_shift(const struct beat *b)
{
	uint32_t joining[64 + 1] = { 0 }, left = b->used;
	uint8_t shift = b->shift;

	for (uint32_t i = 1; i < b->used; i++)
		joining[64 - __builtin_clzll((uint64_t)(b->ticks[i].at ^ b->ticks[i - 1].at) | 1)]++;
	while (left > RHYTHM_TICKS && shift < COARSEST)
		left -= joining[++shift];
	return shift;
}

static void bound(struct beat *b)
{
	if (b->used > RHYTHM_TICKS && b->shift < COARSEST)
		coarsen(b, least_shift(b));
}

/* The same window: the earlier time stays. */
static void join(struct tick *into, const struct tick *t)
{
	if (t->at < into->at)
		into->at = t->at;
	into->count = sum32(into->count, t->count);
	into->time = sum32(into->time, t->time);
}

/* Batches of several threads come one after another: a time may lie before the last one. */
void beat_add(struct beat *b, const struct tick *t)
{
	uint32_t i = b->used;

	while (i && b->ticks[i - 1].at >> b->shift > t->at >> b->shift)
		i--;
	if (i && b->ticks[i - 1].at >> b->shift == t->at >> b->shift) {
		join(&b->ticks[i - 1], t);
		return;
	}
	if (b->used == b->capacity) {
		b->capacity = b->capacity ? b->capacity * 2 : 8;
		b->ticks = xcheck(reallocarray(b->ticks, b->capacity, sizeof(*b->ticks)),
				  b->capacity);
	}
	memmove(&b->ticks[i + 1], &b->ticks[i], (b->used - i) * sizeof(*b->ticks));
	b->ticks[i] = *t;
	b->used++;
	bound(b);
}

void beat_clear(struct beat *b)
{
	b->count = 0;
	b->used = b->head_used = 0;
	b->shift = 0;
	b->late = false;
	b->last = INT64_MIN;
}

/* ---- beats ---- */

static inline uint64_t mix(uint64_t h, uint64_t x)
{
	h = (h ^ x) * 0x9e3779b97f4a7c15;
	return h ^ h >> 29;
}

uint64_t beat_hash(const struct beat *b)
{
	uint64_t head = (uint64_t)b->kind << 56 | (uint64_t)b->without << 48 |
			(uint64_t)b->function << 32 | (uint64_t)b->library << 16;

	uint64_t hash = mix(mix(mix(mix(0, head), b->thread), b->a), b->b);

	/* Allocations and frees of a size are looked at together. */
	if (b->kind == BEAT_HEAP || b->kind == BEAT_FREE)
		hash = (hash & ~0xffffULL) | (mix(0, b->a) >> 48);
	return hash;
}

void beats_of_blas(struct beat three[3], const struct dlt_ev_cpu_blas *e)
{
	const struct beat b = {
		.kind = BEAT_BLAS, .function = e->function, .library = e->library, .thread = e->thread,
	};

	three[0] = three[1] = three[2] = b;
	three[0].without = 'k';
	three[0].a = e->m;
	three[0].b = e->n;
	three[1].without = 'n';
	three[1].a = e->m;
	three[1].b = e->k;
	three[2].without = 'm';
	three[2].a = e->n;
	three[2].b = e->k;
}

static inline enum beat_group group_of(uint8_t kind)
{
	static const uint8_t groups[] = {
		[BEAT_HEAP] = BEATS_OF_MEMORY, [BEAT_FREE] = BEATS_OF_MEMORY, [BEAT_MAP] = BEATS_OF_MEMORY,
		[BEAT_LAUNCH] = BEATS_OF_LAUNCHES, [BEAT_RANGE] = BEATS_OF_RANGES, [BEAT_FILE] = BEATS_OF_FILES,
	};

	return groups[kind];	/* else of work */
}

static inline bool is_kept(const struct rhythm *r, enum beat_group group, uint64_t hash)
{
	return !(hash & ((1ULL << r->levels[group]) - 1));
}

/* Drops the beats that the next level of their group leaves out. */
static void next_level(struct rhythm *r, enum beat_group group)
{
	size_t to = 0;

	r->levels[group]++;
	idmap_release(&r->by_hash);
	memset(&r->by_hash, 0, sizeof(r->by_hash));
	for (size_t i = 0; i < r->count; i++) {
		if (group_of(r->beats[i].kind) == group && !is_kept(r, group, r->beats[i].hash)) {
			beat_release(&r->beats[i]);
			r->counts[group]--;
			continue;
		}
		r->beats[to] = r->beats[i];
		*idmap_put(&r->by_hash, r->beats[to].hash) = to;
		to++;
	}
	r->count = to;
}

/* What comes once an iteration is looked for among these. */
static bool is_paced(uint8_t kind)
{
	return group_of(kind) != BEATS_OF_MEMORY && group_of(kind) != BEATS_OF_FILES;
}

/* The beat of that hash, made like `like` when it is new; NULL: its level has left it out. */
static struct beat *find(struct rhythm *r, uint64_t hash, const struct beat *like)
{
	enum beat_group group = group_of(like->kind);
	uint64_t *index;

	if (!is_kept(r, group, hash))
		return NULL;
	index = idmap_get(&r->by_hash, hash);
	if (index)
		return &r->beats[*index];
	r->beats = xgrow(r->beats, r->count, &r->capacity, sizeof(*r->beats));
	r->beats[r->count] = *like;
	r->beats[r->count].hash = hash;
	r->beats[r->count].ticks = NULL;
	r->beats[r->count].head = NULL;
	r->beats[r->count].pace = NULL;
	r->beats[r->count].paced = is_paced(like->kind);
	r->beats[r->count].capacity = 0;
	beat_clear(&r->beats[r->count]);
	*idmap_put(&r->by_hash, hash) = r->count++;
	r->counts[group]++;
	while (r->counts[group] > RHYTHM_BEATS && r->levels[group] < LEVELS)
		next_level(r, group);
	index = idmap_get(&r->by_hash, hash);
	return index ? &r->beats[*index] : NULL;
}

void rhythm_note(struct rhythm *r, const struct beat *beat, int64_t at, uint64_t duration)
{
	struct beat *b = find(r, beat_hash(beat), beat);
	const struct tick t = tick_of(at, duration);

	if (!b)
		return;
	pace_of_tick(b, &t);
	beat_note(b, at, duration);
}

static int by_first_tick(const void *a, const void *b)
{
	const struct beat *x = a, *y = b;

	if (x->ticks[0].at != y->ticks[0].at)
		return x->ticks[0].at < y->ticks[0].at ? -1 : 1;
	return x->hash < y->hash ? -1 : x->hash > y->hash;
}

void rhythm_end(struct rhythm *r)
{
	if (r->count)
		qsort(r->beats, r->count, sizeof(*r->beats), by_first_tick);
	for (size_t i = 0; i < r->count; i++) {
		*idmap_put(&r->by_hash, r->beats[i].hash) = i;
		if (r->beats[i].pace)
			pace_end(r->beats[i].pace);
	}
}

/* ---- samples ---- */

static void bound_samples(struct rhythm *r)
{
	while (r->sample_count > RHYTHM_SAMPLES && r->sample_shift < COARSEST) {
		size_t to = 0;

		r->sample_shift++;
		for (size_t i = 0; i < r->sample_count; i++) {
			if (to && r->samples[to - 1].at >> r->sample_shift ==
				  r->samples[i].at >> r->sample_shift)
				to--;
			r->samples[to++] = r->samples[i];
		}
		r->sample_count = to;
	}
}

void rhythm_sample(struct rhythm *r, const struct rhythm_sample *s)
{
	if (r->sample_count) {
		struct rhythm_sample *last = &r->samples[r->sample_count - 1];

		if (s->at < last->at)
			return;		/* read twice, told in the other order */
		if (last->at >> r->sample_shift == s->at >> r->sample_shift) {
			*last = *s;
			return;
		}
	}
	r->samples = xgrow(r->samples, r->sample_count, &r->sample_capacity, sizeof(*r->samples));
	r->samples[r->sample_count++] = *s;
	bound_samples(r);
}

/* ---- merging ---- */

static void merge_beat(struct beat *into, const struct beat *from)
{
	if (into->shift < from->shift)
		coarsen(into, from->shift);
	for (uint32_t i = 0; i < from->head_used && beat_is_early(into, from->head[i]); i++)
		beat_head(into, from->head[i]);
	if (from->pace)
		pace_merge(into->pace, from->pace);
	for (uint32_t i = 0; i < from->used; i++) {
		if (into->shift && !from->shift)
			head_of_tick(into, &from->ticks[i]);
		if (!from->pace)
			pace_of_tick(into, &from->ticks[i]);
		beat_add(into, &from->ticks[i]);
	}
	if (from->last > into->last)
		into->last = from->last;
	into->count += from->count;
}

void rhythm_add(struct rhythm *into, const struct beat *from)
{
	struct beat *b = find(into, beat_hash(from), from);

	if (b)
		merge_beat(b, from);
}

static void merge_samples(struct rhythm *into, const struct rhythm *from)
{
	struct rhythm_sample *old = into->samples;
	size_t count = into->sample_count, i = 0, j = 0;

	into->samples = NULL;
	into->sample_count = into->sample_capacity = 0;
	if (from->sample_shift > into->sample_shift)
		into->sample_shift = from->sample_shift;
	while (i < count || j < from->sample_count) {
		bool first = j == from->sample_count ||
			     (i < count && old[i].at <= from->samples[j].at);

		rhythm_sample(into, first ? &old[i++] : &from->samples[j++]);
	}
	free(old);
}

void rhythm_merge(struct rhythm *into, const struct rhythm *from)
{
	for (enum beat_group g = 0; g < BEAT_GROUPS; g++)
		while (into->levels[g] < from->levels[g])
			next_level(into, g);
	for (size_t i = 0; i < from->count; i++)
		rhythm_add(into, &from->beats[i]);
	merge_samples(into, from);
	if (from->work < into->work)
		into->work = from->work;
	into->works += from->works;
}
