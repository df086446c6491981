/* SPDX-License-Identifier: MIT */
/*
 * Files that a process opened to read (dltrace_file:open): how many, and when each of them again.
 *
 * Bounds are those of rhythm.h: of more than RHYTHM_BEATS files those stay whose hash ends in
 * `files.levels[BEATS_OF_FILES]` zeros. Sums are of all.
 */
#ifndef DLT_ANALYSIS_MODEL_INPUT_H
#define DLT_ANALYSIS_MODEL_INPUT_H

#include <stdint.h>

#include "analysis/model/rhythm.h"
#include "analysis/model/tally.h"

struct input {
	uint64_t opens, bytes;		/* bytes: sizes of the files, each time again */
	struct tally slices;		/* when: calls and bytes of struct slice */
	struct rhythm files;		/* a beat a file: a its hash, b its folder's */
};

void input_init(struct input *in);
void input_release(struct input *in);
/* `from` stays as it is. */
void input_merge(struct input *into, const struct input *from);

#endif
