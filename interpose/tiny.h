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
 * Those that are timed there look at little more than their own line, too (dlt_call_turn): they are most of what the
 * others cost.
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
	uint64_t kind;			/* dlt_tiny_kind() */
	uint64_t ticks;			/* that the last timed one took */
	uint32_t ns;			/* the same */
	uint16_t known;			/* up to DLT_TINY_LONG_KNOWN */
	uint8_t bucket;			/* of ns */
	bool nests;			/* another call was inside one */
	uint8_t skip;			/* not to be timed, from now on */
	uint8_t given;			/* so many were, after the last timed one */
	uint8_t paid;			/* of those that are over: in all totals; the others were only jumped to */
	bool passes;			/* there are totals, and nothing nests: jumping is enough */
	/* What those need that are not timed, of the last timed one's site: */
	uint32_t generation;
	uint16_t library, counts_as;
	void *real;
	struct dlt_box_totals *totals;	/* NULL: late, or nobody listens */
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct dlt_tiny) == 64, "one cache line");

/* What calls with about as many operations share; 0: so many that each is timed. */
static inline uintptr_t dlt_tiny_work(uint64_t flops)
{
	return flops < DLT_TINY_FLOPS ? (uintptr_t)(64 - __builtin_clzll(flops | 1)) : 0;
}

/* What calls from one place must share to be alike; code lies below 2^48. */
static inline uint64_t dlt_tiny_kind(uint16_t function, uintptr_t like)
{
	return like ^ (uint64_t)function << 48;
}

static inline bool dlt_tiny_is(const struct dlt_tiny *t, const void *caller, uint64_t kind)
{
	return t->caller == caller && t->kind == kind;
}

/* The first of the two places where they can be. */
static inline struct dlt_tiny *dlt_tiny_first(struct dlt_tiny *places, const void *caller, uint64_t kind)
{
	uint64_t hash = ((uintptr_t)caller + kind) * DLT_TINY_GOLDEN >> (64 - DLT_TINY_BITS);

	return &places[hash & ~(uint64_t)1];
}

/* Where such calls are; NULL: nothing is known of any. */
static inline struct dlt_tiny *dlt_tiny_find(struct dlt_tiny *places, const void *caller, uint64_t kind)
{
	struct dlt_tiny *t = dlt_tiny_first(places, caller, kind);

	if (__builtin_expect(dlt_tiny_is(t, caller, kind), 1))
		return t;
	return dlt_tiny_is(t + 1, caller, kind) ? t + 1 : NULL;
}

/* The same; else where they would be, in the place of what is less known. */
static inline struct dlt_tiny *dlt_tiny_place(struct dlt_tiny *places, const void *caller, uint64_t kind)
{
	struct dlt_tiny *found = dlt_tiny_find(places, caller, kind), *first = dlt_tiny_first(places, caller, kind);

	return found ? found : first[1].known < first->known ? first + 1 : first;
}

/* That were not timed since the last one that was; and of them those that are not in all totals yet. */
static inline uint32_t dlt_tiny_untimed(const struct dlt_tiny *t)
{
	return (uint32_t)(t->given - t->skip);
}

static inline uint32_t dlt_tiny_owed(const struct dlt_tiny *t)
{
	return dlt_tiny_untimed(t) - t->paid;
}

/* The next call of this kind is not timed: it counts as the last one that was, by whoever asks. */
static inline bool dlt_tiny_skips(struct dlt_tiny *t)
{
	if (!t->skip)
		return false;
	t->skip--;
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
static inline uint64_t dlt_tiny_timed(struct dlt_tiny *t, const void *caller, uint64_t kind, uint64_t ticks,
				      uint64_t ns, bool is_short, uint64_t chance)
{
	uint64_t untimed = dlt_tiny_untimed(t), pairs = untimed * (untimed + 1);
	uint64_t variance = (uint64_t)((unsigned __int128)((uint64_t)t->ns * t->ns) * pairs >> DLT_BOX_ERROR_SHIFT);

	if (!dlt_tiny_is(t, caller, kind)) {
		*t = (struct dlt_tiny){ .caller = caller, .kind = kind };
		variance = 0;
	}
	t->ticks = ticks;
	t->ns = ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
	t->bucket = (uint8_t)dlt_bucket(ns);
	/* Not after what this one was: a long one stands for those that were not timed, too. */
	t->skip = t->given = dlt_tiny_left_out(t, chance);
	t->paid = 0;
	if (!is_short)
		t->known -= (t->known + DLT_TINY_SLOW - 1) / DLT_TINY_SLOW;
	else if (t->known < DLT_TINY_LONG_KNOWN)
		t->known++;
	return variance;
}

#endif
