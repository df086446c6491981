/* SPDX-License-Identifier: MIT */
/* Counts by time in bounded memory. */
#include "analysis/model/tally.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/model/memory.h"

void tally_release(struct tally *t)
{
	free(t->buckets);
	*t = (struct tally){.most = t->most};
}

static void join(struct tally_bucket *to, const struct tally_bucket *from)
{
	for (int i = 0; i < TALLY_WORDS; i++)
		to->n[i] += from->n[i];
}

static void coarsen(struct tally *t)
{
	size_t n = 0;

	t->shift++;
	for (size_t i = 0; i < t->count; i++) {
		struct tally_bucket b = t->buckets[i];

		b.at >>= 1;
		if (n && t->buckets[n - 1].at == b.at)
			join(&t->buckets[n - 1], &b);
		else
			t->buckets[n++] = b;
	}
	t->count = n;
}

static void insert(struct tally *t, const struct tally_bucket *b)
{
	size_t i = t->count;

	while (i && t->buckets[i - 1].at >= b->at)
		i--;
	if (i < t->count && t->buckets[i].at == b->at) {
		join(&t->buckets[i], b);
		return;
	}
	t->buckets = xgrow(t->buckets, t->count, &t->capacity, sizeof(*t->buckets));
	memmove(&t->buckets[i + 1], &t->buckets[i], (t->count - i) * sizeof(*t->buckets));
	t->buckets[i] = *b;
	t->count++;
	while (t->count > (t->most ? t->most : TALLY_BUCKETS))
		coarsen(t);
}

void tally_put(struct tally *t, int64_t at, const uint64_t n[TALLY_WORDS])
{
	struct tally_bucket b;

	if (!t->shift)
		t->shift = TALLY_SHIFT;
	b.at = at >> t->shift;
	memcpy(b.n, n, sizeof(b.n));
	insert(t, &b);
}

void tally_add(struct tally *t, int64_t at, unsigned word, uint64_t n)
{
	uint64_t one[TALLY_WORDS] = {0};

	one[word] = n;
	tally_put(t, at, one);
}

void tally_slice(struct tally *t, int64_t at, const struct slice *s)
{
	const uint64_t words[TALLY_WORDS] = { s->calls, s->outer, s->nested, s->bytes };

	tally_put(t, at, words);
}

void tally_merge(struct tally *to, const struct tally *from)
{
	if (!from->count)
		return;
	if (!to->shift) {
		to->shift = from->shift;
		to->most = from->most;
	}
	while (to->shift < from->shift)
		coarsen(to);
	for (size_t i = 0; i < from->count; i++) {
		struct tally_bucket b = from->buckets[i];

		b.at >>= to->shift - from->shift;
		insert(to, &b);
	}
}

int64_t tally_begin(const struct tally *t, const struct tally_bucket *b)
{
	return (int64_t)((uint64_t)b->at << t->shift);
}

void tally_sum(const struct tally *t, int64_t from, int64_t to, uint64_t sum[TALLY_WORDS])
{
	memset(sum, 0, TALLY_WORDS * sizeof(*sum));
	for (size_t i = 0; i < t->count; i++) {
		int64_t begin = tally_begin(t, &t->buckets[i]);

		for (int w = 0; w < TALLY_WORDS && begin >= from && begin < to; w++)
			sum[w] += t->buckets[i].n[w];
	}
}
