/* SPDX-License-Identifier: MIT */
/* What ids of kernels, shapes and graphs mean, and the launches that named them. */
#include <stdlib.h>
#include <string.h>

#include "analysis/model/memory.h"
#include "analysis/model/model.h"

#define LAUNCH_SLICES 512	/* a program has thousands of shapes */

void launched_release(struct launched *l)
{
	for (size_t i = 0; i < l->count; i++)
		tally_release(&l->list[i].slices);
	free(l->objects);
	free(l->list);
	idmap_release(&l->object_by_id);
	idmap_release(&l->by_id);
}

static uint64_t key_of(unsigned type, uint32_t id)
{
	return (uint64_t)type << 32 | id;
}

static void take_larger(uint64_t *values, const struct dlt_ev_proc_object *e)
{
	for (size_t i = 0; i < e->values_count && i < DLT_MISSED_KINDS; i++)
		values[i] = e->values[i] > values[i] ? e->values[i] : values[i];
}

bool process_object(struct process *p, const struct dlt_ev_proc_object *e)
{
	struct launched *l = &p->launched;
	uint64_t *index = idmap_get(&l->object_by_id, key_of(e->type, e->id));
	struct object *o;

	if (index) {
		o = &l->objects[*index];
		/* The name may have become known, or lost: the longer one stays. */
		if (!*o->name && *e->name)
			o->name = trace_keep(p->trace, e->name);
		if (o->type == DLT_OBJECT_MISSED)	/* grows; who says so may be late */
			take_larger(o->values, e);
		return false;
	}
	*idmap_put(&l->object_by_id, key_of(e->type, e->id)) = l->object_count;
	l->objects = xgrow(l->objects, l->object_count, &l->object_capacity, sizeof(*o));
	o = &l->objects[l->object_count++];
	*o = (struct object){
		.type = e->type, .library = e->library, .id = e->id, .handle = e->handle,
		.offset = e->offset, .name = trace_keep(p->trace, e->name),
	};
	for (size_t i = 0; i < e->values_count && i < sizeof(o->values) / sizeof(o->values[0]); i++)
		o->values[i] = e->values[i];
	return true;
}

const struct object *process_find_object(const struct process *p, enum dlt_object type, uint32_t id)
{
	for (int generation = 0; p && generation < 64; p = p->parent, generation++) {
		uint64_t *index = idmap_get(&p->launched.object_by_id, key_of(type, id));

		if (index)
			return &p->launched.objects[*index];
	}
	return NULL;
}

/* The name that it got last. */
static const char *name_of_handle(const struct process *p, enum dlt_object type, uint64_t handle)
{
	const char *name = NULL;

	for (size_t i = 0; i < p->launched.object_count; i++)
		if (p->launched.objects[i].type == type && p->launched.objects[i].handle == handle)
			name = p->launched.objects[i].name;
	return name;
}

const char *process_stream_name(const struct process *p, uint16_t stream)
{
	const struct object *o = process_find_object(p, DLT_OBJECT_STREAM, stream & ~LAUNCH_CAPTURED);

	return o ? name_of_handle(p, DLT_OBJECT_STREAM_NAME, o->handle) : NULL;
}

const char *process_device_name(const struct process *p, unsigned device)
{
	return name_of_handle(p, DLT_OBJECT_DEVICE_NAME, device);
}

static struct launches *launches_of(struct launched *l, uint32_t id)
{
	uint64_t *index = idmap_get(&l->by_id, id);

	if (!index) {
		index = idmap_put(&l->by_id, id);
		*index = l->count;
		l->list = xgrow(l->list, l->count, &l->capacity, sizeof(*l->list));
		l->list[l->count++] = (struct launches){ .id = id, .slices.most = LAUNCH_SLICES };
	}
	return &l->list[*index];
}

void process_launches(struct process *p, uint32_t id, int64_t at, uint64_t count, uint64_t captured,
		      uint64_t time)
{
	struct launches *s = launches_of(&p->launched, id);

	s->time += time;
	s->count += count;
	s->captured += captured;
	tally_slice(&s->slices, at, &(struct slice){ count, time, captured, 0 });
}

void launched_adopt(struct process *to, const struct process *from)
{
	for (size_t i = 0; i < from->launched.count; i++) {
		const struct launches *l = &from->launched.list[i];
		struct launches *s = launches_of(&to->launched, l->id);

		s->time += l->time;
		s->count += l->count;
		s->captured += l->captured;
		tally_merge(&s->slices, &l->slices);
	}
}
