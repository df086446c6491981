/* SPDX-License-Identifier: MIT */
/* Lists of times (ns), or of what has one: put in order, and looked for in that order. */
#ifndef DLT_ANALYSIS_MODEL_TIMES_H
#define DLT_ANALYSIS_MODEL_TIMES_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/*
 * The first of `count` items that is not before `at`; count: there is none. `time` is the first
 * one's, and lies in each of them, which are `size` bytes apart.
 */
static inline size_t first_from(const int64_t *time, size_t count, size_t size, int64_t at)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (*(const int64_t *)(const void *)((const char *)time + middle * size) < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static inline size_t first_after(const int64_t *time, size_t count, size_t size, int64_t at)
{
	return at == INT64_MAX ? count : first_from(time, count, size, at + 1);
}

/* The same of a vector and a member that is an int64_t. */
#define FIRST_FROM(list, count, member, at) \
	((count) ? first_from(&(list)->member, (count), sizeof(*(list)), (at)) : 0)
#define FIRST_AFTER(list, count, member, at) \
	((count) ? first_after(&(list)->member, (count), sizeof(*(list)), (at)) : 0)

static inline int times_compare(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The earliest, or the shortest, first. */
static inline void times_sort(int64_t *list, size_t count)
{
	qsort(list, count, sizeof(*list), times_compare);
}

#endif
