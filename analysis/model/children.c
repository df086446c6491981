/* SPDX-License-Identifier: MIT */
/* The processes that one process made. */
#include "analysis/model/children.h"

#include <stdlib.h>

#include "analysis/model/memory.h"

void children_release(struct children *c)
{
	free(c->list);
	idmap_release(&c->alive);
}

void children_made(struct children *c, const struct child *made)
{
	c->count++;
	/* The number is its own from now on. */
	idmap_take(&c->alive, made->pid, NULL);
	if (c->kept == CHILDREN_KEPT)
		return;
	if (made->pid)
		*idmap_put(&c->alive, made->pid) = c->kept;
	c->list = xgrow(c->list, c->kept, &c->capacity, sizeof(*c->list));
	c->list[c->kept] = *made;
	c->list[c->kept++].end = INT64_MAX;
}

void children_became(struct children *c, uint32_t pid, const char *path)
{
	const uint64_t *place = idmap_get(&c->alive, pid);

	if (place)
		c->list[*place].path = path;
}

void children_ended(struct children *c, uint32_t pid, int64_t at, const char *path)
{
	uint64_t place;

	if (!idmap_take(&c->alive, pid, &place) || at < c->list[place].begin)
		return;
	c->list[place].end = at;
	if (path)
		c->list[place].path = path;
}
