/* SPDX-License-Identifier: MIT */
/* The processes that one process made. */
#include "analysis/model/children.h"

#include <stdlib.h>

#include "analysis/model/memory.h"

void children_release(struct children *c)
{
	free(c->made);
	free(c->programs);
	idmap_release(&c->since);
}

void children_made(struct children *c, uint32_t pid, int64_t at)
{
	c->count++;
	if (pid)
		*idmap_put(&c->since, pid) = (uint64_t)at;
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

void children_ended(struct children *c, uint32_t pid, int64_t at)
{
	uint64_t since;

	if (!idmap_take(&c->since, pid, &since) || at < (int64_t)since)
		return;
	c->ended++;
	c->lived += (uint64_t)at - since;
}
