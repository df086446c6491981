/* SPDX-License-Identifier: MIT */
/*
 * Counts by time in bounded memory: how many of several things fell into each stretch of time.
 *
 * As in curve.h, time is cut into buckets of 2^shift ns, and neighbours join when there are too
 * many. Buckets add up, so which there are and what they hold depends neither on the order nor on
 * how the parts were split: two tallies of the same trace merge exactly, by tally_merge().
 */
#ifndef DLT_ANALYSIS_MODEL_TALLY_H
#define DLT_ANALYSIS_MODEL_TALLY_H

#include <stddef.h>
#include <stdint.h>

#define TALLY_WORDS   4
#define TALLY_BUCKETS 128 /* at most, where `most` does not say more */
#define TALLY_SHIFT   26 /* the finest bucket: 67 ms */

struct tally_bucket {
	int64_t at; /* time >> shift */
	uint64_t n[TALLY_WORDS];
};

struct tally {
	struct tally_bucket *buckets; /* owned, by time */
	size_t count, capacity;
	unsigned shift; /* 0: nothing in it yet */
	uint32_t most;	/* buckets allowed, set while it is empty; 0: TALLY_BUCKETS */
};

/* The words of a tally of calls, by when they ended. */
struct slice {
	uint64_t calls, outer, nested, bytes;
};
_Static_assert(sizeof(struct slice) == TALLY_WORDS * sizeof(uint64_t), "a slice is the words of a tally");

#define TALLY_SLICES 2048	/* at most: 67 ms each up to two minutes, then twice as wide, ... */

void tally_release(struct tally *t);
/* One more `word` at that time, or `n` more. */
void tally_add(struct tally *t, int64_t at, unsigned word, uint64_t n);
/* So many more of all words. */
void tally_put(struct tally *t, int64_t at, const uint64_t n[TALLY_WORDS]);
void tally_merge(struct tally *to, const struct tally *from);
/* Calls that ended about `at`. */
void tally_slice(struct tally *t, int64_t at, const struct slice *s);
/* Sums over the buckets that begin within [from, to). */
void tally_sum(const struct tally *t, int64_t from, int64_t to, uint64_t sum[TALLY_WORDS]);
/* When a bucket begins. */
int64_t tally_begin(const struct tally *t, const struct tally_bucket *b);

#endif
