/* SPDX-License-Identifier: MIT */
/*
 * A text (iterations_text.h) as words. Neither owns the text, which must live as long.
 */
#ifndef DLT_ANALYSIS_ITERATIONS_WORDS_H
#define DLT_ANALYSIS_ITERATIONS_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/iterations_text.h"

struct word {
	const struct letter *list;	/* borrowed: one of them in the text */
	size_t length;
	size_t forward;		/* letters of an evaluation; 0: there is none */
};

/* The text as words. */
struct parse {
	struct word word;
	size_t *begins;		/* owned; of each word, in the text */
	uint32_t *forward;	/* owned; evaluations after each */
	size_t count, start;	/* letters before the first, which are no evaluation */
};

/*
 * The words that the text consists of. False: none. *sure: where they begin is; else there may be one more. To be
 * released in any case.
 */
bool text_read(struct parse *p, const struct text *t, bool *sure);
void parse_release(struct parse *p);

/*
 * Is it a way forward through layers and a way back through as many? An epoch is any number of batches, and of
 * evaluations.
 */
bool word_has_layers(const struct word *w);

/*
 * Words of batches that are smaller than the others: each alone behind some of these, as the last batch of a pass
 * is. 0: there is none, others are smaller, too, or there are evaluations.
 */
size_t words_of_last(const struct parse *p, const struct text *t);

#endif
