/* SPDX-License-Identifier: MIT */
/* The processes that one process made. */
#include "analysis/model/children.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/model/memory.h"

void children_release(struct children *c)
{
	free(c->made);
	free(c->programs);
	free(c->lives);
	idmap_release(&c->since);
	idmap_release(&c->becomes);
}

void children_made(struct children *c, uint32_t pid, int64_t at, const char *path)
{
	c->count++;
	if (pid) {
		*idmap_put(&c->since, pid) = (uint64_t)at;
		*idmap_put(&c->becomes, pid) = (uint64_t)(uintptr_t)path;
	}
	if (c->made_count == CHILDREN_TIMES)
		return;
	c->made = xgrow(c->made, c->made_count, &c->made_capacity, sizeof(*c->made));
	c->made[c->made_count++] = at;
}

void children_became(struct children *c, const char *path)
{
	size_t i = 0;

	while (i < c->program_count && c->programs[i].path != path)
		i++;
	if (i == c->program_count) {
		c->programs = xgrow(c->programs, i, &c->program_capacity, sizeof(*c->programs));
		c->programs[c->program_count++] = (struct child_program){ .path = path };
	}
	c->programs[i].count++;
}

static void add_life(struct children *c, const char *path, int64_t begin, int64_t end)
{
	if (!path || c->life_count == CHILDREN_TIMES)
		return;
	c->lives = xgrow(c->lives, c->life_count, &c->life_capacity, sizeof(*c->lives));
	c->lives[c->life_count++] = (struct child_life){ path, begin, end };
}

void children_ended(struct children *c, uint32_t pid, int64_t at, const char *path)
{
	uint64_t since, becomes = 0;

	idmap_take(&c->becomes, pid, &becomes);
	if (!idmap_take(&c->since, pid, &since) || at < (int64_t)since)
		return;
	c->ended++;
	c->lived += (uint64_t)at - since;
	add_life(c, path ? path : (const char *)(uintptr_t)becomes, (int64_t)since, at);
}

struct child_life *children_unseen(const struct children *c, size_t *count)
{
	struct child_life *all = xcalloc(c->life_count + c->becomes.count + 1, sizeof(*all));
	size_t n = c->life_count;

	if (n)
		memcpy(all, c->lives, n * sizeof(*all));
	/* More of them have ended than are kept. */
	if (n == CHILDREN_TIMES)
		all[n - 1].end = INT64_MAX;
	for (size_t i = 0; i < c->becomes.capacity; i++) {
		const struct idmap_slot *s = &c->becomes.slots[i];

		if (c->becomes.used[i] && s->value)
			all[n++] = (struct child_life){ (const char *)(uintptr_t)s->value,
							(int64_t)*idmap_get(&c->since, s->key), INT64_MAX };
	}
	*count = n;
	return all;
}
