/* SPDX-License-Identifier: MIT */
/*
 * Calls that are over before the clock could be read twice: a framework that computes channel by channel
 * makes hundreds of thousands of tiny matrix products a second, of 50 ns each, or enters as many parallel
 * regions, and a reading of the clock takes half of that. So calls from the same place that are alike (about
 * as much work; the same piece of code) are all timed at first. Once they are known to be short, one of 9 to
 * 24 is, at random, and of 9 to 40 where they have long been: the others count with the time of the last one
 * that was: calls, bytes and operations stay exact, times become a sample whose error is known, as far as the
 * sample tells: what happens to one call in a million may happen to none of those that are timed. More
 * would be left out, if those that are timed did not stand for as many when the machine does something else meanwhile.
 *
 * One that is not timed is counted before it begins and only jumped to (dlt_call_passes): around a product of 50 ns
 * nothing else is cheap enough. Nothing leaves it but by its end; but while it runs nobody sees that it does, and
 * what it calls would be outermost. So that is done where no other call was inside of those that were timed.
 *
 * CUDA's functions that only ask for what is at hand are such calls too: PyTorch asks for the current device
 * 8,000 times for 1,300 launches. Whether they succeed must be known, and they call the driver: they are
 * called, and others can be inside (dlt_quick_begin).
 *
 * Owned by the thread, in struct dlt_calls; nothing here is shared.
 */
#ifndef DLT_INTERPOSE_TINY_H
#define DLT_INTERPOSE_TINY_H

#include <stdbool.h>
#include <stdint.h>

#include "box.h"

#define DLT_TINY_BITS	8	/* two places for each hash */
#define DLT_TINY_PLACES	(1 << DLT_TINY_BITS)
#define DLT_TINY_GOLDEN	0x9e3779b97f4a7c15u	/* 2^64 over the golden ratio: spreads what lies close together */
#define DLT_TINY_FLOPS	(1u << 17)	/* calls with more work are always timed */
#define DLT_TINY_KNOWN	256	/* short ones in a row, nearly, before some are left out */
#define DLT_TINY_LONG_KNOWN (DLT_TINY_KNOWN + 16 * 32)	/* before most are */
#define DLT_TINY_SLOW	8	/* the part of it that one takes which was not short: 3 % keep all of them timed */
#define DLT_TINY_LEAST	8	/* left out between two that are timed */
#define DLT_TINY_SPAN	16	/* and fewer than so many more; one more for 32 that are known, up to 32 */

/* Calls of one function from one place that are alike; one cache line. */
struct dlt_tiny {
	const void *caller;
	uintptr_t like;
	uint64_t ticks;			/* that the last timed one took */
	uint32_t ns;			/* the same */
	uint32_t untimed;		/* since then */
	uint16_t function;
	uint16_t known;			/* up to DLT_TINY_LONG_KNOWN */
	uint8_t bucket;			/* of ns */
	uint8_t skip;			/* not to be timed, from now on */
	bool nests;			/* another call was inside one */
	uint8_t owed;			/* that were jumped to and are not in all totals yet */
	/* What those need that are not timed, of the last timed one's site: */
	uint16_t library, counts_as;
	uint32_t generation;
	void *real;
	struct dlt_box_totals *totals;	/* NULL: late, or nobody listens */
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct dlt_tiny) == 64, "one cache line");

/* What calls with about as many operations share; 0: so many that each is timed. */
static inline uintptr_t dlt_tiny_work(uint64_t flops)
{
	return flops < DLT_TINY_FLOPS ? (uintptr_t)(64 - __builtin_clzll(flops | 1)) : 0;
}

static inline bool dlt_tiny_is(const struct dlt_tiny *t, uint16_t function, const void *caller, uintptr_t like)
{
	return t->caller == caller && t->function == function && t->like == like;
}

/* Where such calls are; else where they would be, in the place of what is less known. */
static inline struct dlt_tiny *dlt_tiny_place(struct dlt_tiny *places, uint16_t function, const void *caller,
					      uintptr_t like)
{
	uintptr_t key = ((uintptr_t)caller ^ (uintptr_t)function << 48) + like;
	uintptr_t hash = key * DLT_TINY_GOLDEN >> (64 - DLT_TINY_BITS);	/* as in dlt_site_hash */
	struct dlt_tiny *first = &places[hash & ~(uintptr_t)1];

	if (__builtin_expect(dlt_tiny_is(first, function, caller, like), 1))
		return first;
	return dlt_tiny_is(first + 1, function, caller, like) || first[1].known < first->known ? first + 1 : first;
}

/* The next call is not timed: it counts as the last one that was. */
static inline bool dlt_tiny_skips(struct dlt_tiny *t, uint16_t function, const void *caller, uintptr_t like)
{
	if (!t->skip || !dlt_tiny_is(t, function, caller, like))
		return false;
	t->skip--;
	t->untimed++;
	return true;
}

/* How many are not timed after one that was. `chance`: as below. */
static inline uint8_t dlt_tiny_left_out(const struct dlt_tiny *t, uint64_t chance)
{
	unsigned span;

	if (t->known < DLT_TINY_KNOWN)
		return 0;
	span = DLT_TINY_SPAN + (t->known - DLT_TINY_KNOWN) / 32u;
	return (uint8_t)(DLT_TINY_LEAST + ((chance >> 4 & 255) * span >> 8));
}

/*
 * One was timed: so many ticks, or ns; `is_short`: hardly longer than timing it. `chance`: any number whose
 * fourth bit and the seven above it nobody can foresee. Returns the variance that the one before brought to the sum by
 * standing for others, in ns^2 >> DLT_BOX_ERROR_SHIFT: w * (w - 1) times its square, where it counts w times.
 */
static inline uint64_t dlt_tiny_timed(struct dlt_tiny *t, uint16_t function, const void *caller,
				      uintptr_t like, uint64_t ticks, uint64_t ns, bool is_short, uint64_t chance)
{
	uint64_t pairs = (uint64_t)t->untimed * (t->untimed + 1);
	uint64_t variance = (uint64_t)((unsigned __int128)((uint64_t)t->ns * t->ns) * pairs >> DLT_BOX_ERROR_SHIFT);

	if (!dlt_tiny_is(t, function, caller, like)) {
		*t = (struct dlt_tiny){ .caller = caller, .function = function, .like = like };
		variance = 0;
	}
	t->ticks = ticks;
	t->ns = ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
	t->bucket = (uint8_t)dlt_bucket(ns);
	t->untimed = 0;
	/* Not after what this one was: a long one stands for those that were not timed, too. */
	t->skip = dlt_tiny_left_out(t, chance);
	if (!is_short)
		t->known -= (t->known + DLT_TINY_SLOW - 1) / DLT_TINY_SLOW;
	else if (t->known < DLT_TINY_LONG_KNOWN)
		t->known++;
	return variance;
}

#endif
