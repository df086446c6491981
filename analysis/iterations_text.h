/* SPDX-License-Identifier: MIT */
/*
 * What a process calls, in order: a text, whose letters are calls that cannot be told apart. Products of batches of
 * two sizes are one letter, where all products say that these are sizes of a batch.
 */
#ifndef DLT_ANALYSIS_ITERATIONS_TEXT_H
#define DLT_ANALYSIS_ITERATIONS_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/series.h"

struct letter {
	int64_t at;
	uint32_t what;		/* below the text's `letters` */
	bool product;		/* of matrices, */
	bool smaller;		/* of a batch that is smaller than the others */
};

struct text {
	struct letter *list;	/* owned; by time */
	size_t count;
	size_t letters;		/* there may be */
};

/* Are these calls letters? */
bool text_has(const struct beat *b);
/* Until when all that would be letters is known one by one; INT64_MAX: to the end. */
int64_t text_horizon(const struct process *p, enum series_way way);

/* Of the calls before `until` that are known until then; `s` are their series. To be released. */
void text_collect(struct text *t, const struct process *p, const struct all_series *s, int64_t until);
void text_release(struct text *t);

#endif
