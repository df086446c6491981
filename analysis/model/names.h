/* SPDX-License-Identifier: MIT */
/* Strings of a trace, each kept once: equal names are equal pointers. The pool owns them. */
#ifndef DLT_ANALYSIS_MODEL_NAMES_H
#define DLT_ANALYSIS_MODEL_NAMES_H

#include <stddef.h>

struct names {
	const char **slots;	/* owned, and the strings */
	size_t capacity, count;
};

/* Borrowed from the pool; NULL becomes "". */
const char *names_keep(struct names *n, const char *s);
void names_release(struct names *n);

#endif
