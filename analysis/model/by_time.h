/* SPDX-License-Identifier: MIT */
/* Looking for a time in a list that is in order of time. */
#ifndef DLT_ANALYSIS_MODEL_BY_TIME_H
#define DLT_ANALYSIS_MODEL_BY_TIME_H

#include <stddef.h>
#include <stdint.h>

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

/* The same of a vector and a member that is an int64_t. */
#define FIRST_FROM(list, count, member, at) \
	((count) ? first_from(&(list)->member, (count), sizeof(*(list)), (at)) : 0)

#endif
