/* SPDX-License-Identifier: MIT */
/*
 * Copying and filling of our own, for all calls inside libdltrace.so.
 *
 * Other tools that are preloaded wrap the C library's (Scalene samples memcpy, memmove and strcpy): theirs would be
 * called in the middle of our hooks, and in our very first one, which they bring about themselves when they map what
 * they need. Hidden, so nobody else gets these. What is large is left to the processor's own instructions.
 */
#include <emmintrin.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
char *strcpy(char *restrict to, const char *restrict from);
char *stpcpy(char *restrict to, const char *restrict from);

#define STEPS_MOST 128	/* bytes that are copied by 16 */

/* Fewer than 16, by their beginning and their end, which may overlap. */
static inline void copy_few(char *to, const char *from, size_t size)
{
	uint64_t a, b;
	uint32_t c, d;

	if (size >= 8) {
		__builtin_memcpy(&a, from, 8);
		__builtin_memcpy(&b, from + size - 8, 8);
		__builtin_memcpy(to, &a, 8);
		__builtin_memcpy(to + size - 8, &b, 8);
	} else if (size >= 4) {
		__builtin_memcpy(&c, from, 4);
		__builtin_memcpy(&d, from + size - 4, 4);
		__builtin_memcpy(to, &c, 4);
		__builtin_memcpy(to + size - 4, &d, 4);
	} else if (size) {
		char first = from[0], middle = from[size / 2], last = from[size - 1];

		to[0] = first;
		to[size / 2] = middle;
		to[size - 1] = last;
	}
}

static inline void forward(char *to, const char *from, size_t size)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
	char *t = to;
	const char *f = from;

	if (size < 16) {
		copy_few(t, f, size);
	} else if (size > STEPS_MOST) {
		forward(t, f, size);
	} else {
		__m128i last = _mm_loadu_si128((const __m128i *)(f + size - 16));

		for (size_t i = 0; i < size - 16; i += 16) {
			_mm_storeu_si128((__m128i *)(t + i), _mm_loadu_si128((const __m128i *)(f + i)));
			__asm__ volatile("" ::: "memory");	/* else a compiler calls memcpy for the loop */
		}
		_mm_storeu_si128((__m128i *)(t + size - 16), last);
	}
	return to;
}

void *memmove(void *to, const void *from, size_t size)
{
	char *t = to;
	const char *f = from;

	if ((t < f ? f - t : t - f) >= (ptrdiff_t)size)
		return memcpy(to, from, size);
	if (t < f) {
		forward(t, f, size);
	} else {
		t += size - 1;
		f += size - 1;
		__asm__ volatile("std\n\trep movsb\n\tcld" : "+D"(t), "+S"(f), "+c"(size) : : "memory");
	}
	return to;
}

void *memset(void *to, int byte, size_t size)
{
	void *at = to;

	__asm__ volatile("rep stosb" : "+D"(at), "+c"(size) : "a"(byte) : "memory");
	return to;
}

char *stpcpy(char *restrict to, const char *restrict from)
{
	while ((*to = *from++))
		to++;
	return to;
}

char *strcpy(char *restrict to, const char *restrict from)
{
	stpcpy(to, from);
	return to;
}

#pragma GCC visibility pop
