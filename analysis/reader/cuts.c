/* SPDX-License-Identifier: MIT */
/* Where to cut a trace so that its parts have about as many bytes. */
#include "analysis/reader/cuts.h"

#include <stdlib.h>

#include "analysis/reader/must.h"

void cuts_weigh(void *context, uint64_t begin, uint64_t end, uint64_t bytes)
{
	struct cuts *c = context;

	if (c->count == c->room) {
		c->room = c->room ? 2 * c->room : 256;
		c->list = must(realloc(c->list, c->room * sizeof(*c->list)));
	}
	c->list[c->count++] = (struct cuts_packet){ begin, end, bytes };
	c->bytes += bytes;
	if (begin < c->begin)
		c->begin = begin;
}

void cuts_release(struct cuts *c)
{
	free(c->list);
}

static int by_end(const void *a, const void *b)
{
	const struct cuts_packet *x = a, *y = b;

	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

/* Each time at which another part's bytes have ended; between two ends it is a guess. */
size_t cuts_find(struct cuts *c, size_t parts, uint64_t *cuts)
{
	uint64_t done = 0, last = c->begin, least = c->begin + 1;
	size_t count = 0;

	if (c->count)
		qsort(c->list, c->count, sizeof(*c->list), by_end);
	for (size_t i = 0; i < c->count; i++) {
		const struct cuts_packet *p = &c->list[i];

		for (; count + 1 < parts; count++) {
			uint64_t wanted = (uint64_t)((__uint128_t)c->bytes * (count + 1) / parts), time;

			if (wanted > done + p->bytes)
				break;
			time = last + (uint64_t)((__uint128_t)(p->end - last) * (wanted - done) / p->bytes);
			cuts[count] = time < least ? least : time;
			least = cuts[count] + 1;
		}
		done += p->bytes;
		last = p->end;
	}
	return count;
}
