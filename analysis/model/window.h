/* SPDX-License-Identifier: MIT */
/*
 * Records into the order of their time, for what needs it: a heap that holds what may still be
 * overtaken, and never more than WINDOW_RECORDS.
 *
 * What comes too late for its place is given out at once, with the time of the one before: `late`
 * counts these and `late_most` is how far the worst was moved.
 */
#ifndef DLT_ANALYSIS_MODEL_WINDOW_H
#define DLT_ANALYSIS_MODEL_WINDOW_H

#include <stddef.h>
#include <stdint.h>

#define WINDOW_NS	1000000000	/* events of a batch come up to half of that late */
#define WINDOW_RECORDS	2000000		/* 128 MB */

struct window_record {
	int64_t time;		/* ns */
	uint32_t sequence;	/* equal times keep their order */
	uint16_t type;		/* the owner's, as all below; smaller ones first at equal times */
	uint16_t extra;
	uint64_t thread, a, b, c;
};

struct window {
	struct window_record *heap;	/* owned */
	size_t count, capacity;
	uint32_t sequence;
	int64_t given;		/* time of the last one given out */
	uint64_t late;
	int64_t late_most;	/* ns */
	void (*give)(void *owner, const struct window_record *r);
	void *owner;		/* borrowed */
};

void window_init(struct window *w, void (*give)(void *owner, const struct window_record *r),
		 void *owner);
void window_release(struct window *w);

void window_add(struct window *w, const struct window_record *r);
/* Nothing before `time` less WINDOW_NS will come any more, or hardly. */
void window_pass(struct window *w, int64_t time);
/* All that is left. */
void window_flush(struct window *w);

#endif
