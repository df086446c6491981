/* SPDX-License-Identifier: MIT */
/* Memory for the report, which stops with a message when there is none (it works offline). */
#ifndef DLT_ANALYSIS_MODEL_MEMORY_H
#define DLT_ANALYSIS_MODEL_MEMORY_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static inline void *xcheck(void *p, size_t size)
{
	if (!p && size) {
		fprintf(stderr, "dltrace-report: out of memory: %zu bytes were asked for\n", size);
		exit(4);
	}
	return p;
}

static inline void *xcalloc(size_t count, size_t size)
{
	return xcheck(calloc(count, size), size);
}

/* Makes room for one more in a vector of `count`; `capacity` grows by doubling. */
static inline void *xgrow(void *vector, size_t count, size_t *capacity, size_t size)
{
	if (count < *capacity)
		return vector;
	*capacity = *capacity ? *capacity * 2 : 8;
	return xcheck(reallocarray(vector, *capacity, size), *capacity * size);
}

#endif
