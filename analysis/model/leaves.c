/* SPDX-License-Identifier: MIT */
/* The first and the last calls of one function on one communicator. */
#include "analysis/model/leaves.h"

#include "analysis/model/memory.h"

void leaves_add(struct leaves **l, int64_t begin, int64_t end)
{
	const struct leave leave = { begin, end };

	if (!*l)
		*l = xcalloc(1, sizeof(**l));
	if ((*l)->count < LEAVES_KEPT)
		(*l)->first[(*l)->count] = leave;
	(*l)->last[(*l)->count % LEAVES_KEPT] = leave;
	(*l)->count++;
}

const struct leave *leaves_get(const struct leaves *l, uint64_t i)
{
	if (!l || i >= l->count)
		return NULL;
	if (i < LEAVES_KEPT)
		return &l->first[i];
	return i + LEAVES_KEPT >= l->count ? &l->last[i % LEAVES_KEPT] : NULL;
}

void leaves_merge(struct leaves **to, const struct leaves *later)
{
	uint64_t before;

	if (!later || !later->count)
		return;
	if (!*to)
		*to = xcalloc(1, sizeof(**to));
	before = (*to)->count;
	(*to)->count += later->count;
	for (uint64_t i = 0; i < LEAVES_KEPT && i < later->count; i++) {
		if (before + i < LEAVES_KEPT)
			(*to)->first[before + i] = later->first[i];
		(*to)->last[(before + i) % LEAVES_KEPT] = later->first[i];
	}
	/* Those of the later end that its beginning does not have. */
	for (uint64_t i = later->count > LEAVES_KEPT ? later->count - LEAVES_KEPT : later->count;
	     i < later->count; i++)
		(*to)->last[(before + i) % LEAVES_KEPT] = later->last[i % LEAVES_KEPT];
}
