/* SPDX-License-Identifier: MIT */
/* Communicators and what was done on them. */
#include "analysis/model/comm.h"

#include <stdlib.h>

#include "analysis/model/memory.h"
#include "analysis/model/model.h"

void comms_release(struct comms *c)
{
	for (size_t i = 0; i < c->use_count; i++) {
		free(c->uses[i].leaves);
		tally_release(&c->uses[i].slices);
	}
	free(c->list);
	free(c->uses);
	idmap_release(&c->by_id);
	idmap_release(&c->use_by_key);
}

const struct communicator *comms_find(const struct comms *c, uint32_t id)
{
	const uint64_t *index = idmap_get(&c->by_id, id);

	return index ? &c->list[*index] : NULL;
}

static struct communicator *make(struct comms *c, uint32_t id)
{
	const uint64_t *index = idmap_get(&c->by_id, id);

	if (index)
		return &c->list[*index];
	*idmap_put(&c->by_id, id) = c->count;
	c->list = xgrow(c->list, c->count, &c->capacity, sizeof(*c->list));
	c->list[c->count] = (struct communicator){ .id = id };
	return &c->list[c->count++];
}

static uint64_t value(const struct dlt_ev_proc_object *e, enum dlt_comm_value which)
{
	return which < e->values_count ? e->values[which] : 0;
}

/* A rank that is none is "not known": a trace may say anything. */
void comms_announced(struct comms *c, const struct dlt_ev_proc_object *e)
{
	struct communicator *made = make(c, e->id);
	uint64_t rank = value(e, DLT_COMM_RANK);

	*made = (struct communicator){
		.id = e->id, .handle = e->handle,
		.kind = (enum dlt_comm_kind)(value(e, DLT_COMM_KIND) & 3),
		.role = (enum dlt_comm_role)(value(e, DLT_COMM_ROLE) & 3),
		.ranks = value(e, DLT_COMM_RANKS), .identity = value(e, DLT_COMM_IDENTITY),
		.rank = rank <= INT32_MAX ? (int64_t)rank : -1,
	};
	if (made->ranks > INT32_MAX)
		made->ranks = 0;
}

static struct comm_use *use_of(struct comms *c, uint32_t communicator, uint16_t function)
{
	uint64_t key = (uint64_t)communicator << 16 | function;
	const uint64_t *index = idmap_get(&c->use_by_key, key);

	if (index)
		return &c->uses[*index];
	*idmap_put(&c->use_by_key, key) = c->use_count;
	c->uses = xgrow(c->uses, c->use_count, &c->use_capacity, sizeof(*c->uses));
	c->uses[c->use_count] = (struct comm_use){
		.communicator = communicator, .function = function, .begin = INT64_MAX,
		.slices.most = TALLY_SLICES,
	};
	return &c->uses[c->use_count++];
}

void comms_transfer(struct comms *c, int64_t at, uint64_t duration)
{
	int64_t begin = at - (int64_t)duration;

	if (c->moving && begin <= c->moved_until + TRANSFER_PAUSE)
		begin = c->moved_until;
	if (at <= begin)
		return;
	c->moving += (uint64_t)(at - begin);
	c->moved_until = at;
}

void comms_call(struct comms *c, const struct dlt_ev_comm_call *e, int64_t at, uint64_t duration,
		bool failed)
{
	struct comm_use *use = use_of(c, e->communicator, e->function);

	if (at - (int64_t)duration < use->begin)
		use->begin = at - (int64_t)duration;
	use->end = at;
	if (e->communicator && e->peer < 0)
		leaves_add(&use->leaves, at - (int64_t)duration, at);
	use->calls++;
	use->failed += failed;
	use->bytes += failed ? 0 : e->bytes;
	use->total += duration;
	use->max = duration > use->max ? duration : use->max;
	tally_slice(&use->slices, at, &(struct slice){ 1, duration, 0, failed ? 0 : e->bytes });
}

static void use_adopt(struct comm_use *to, struct comm_use *from)
{
	struct leaves *earlier = from->leaves;

	/* In order of time, where that can be had: mostly it did so before it was known whose it was. */
	if (from->end <= to->begin) {
		leaves_merge(&earlier, to->leaves);
		free(to->leaves);
		to->leaves = earlier;
	} else {
		leaves_merge(&to->leaves, earlier);
		free(earlier);
	}
	from->leaves = NULL;
	to->begin = from->begin < to->begin ? from->begin : to->begin;
	to->end = from->end > to->end ? from->end : to->end;
	to->calls += from->calls;
	to->failed += from->failed;
	to->bytes += from->bytes;
	to->total += from->total;
	to->max = from->max > to->max ? from->max : to->max;
	tally_merge(&to->slices, &from->slices);
	from->calls = from->failed = from->bytes = from->total = from->max = 0;
}

void comms_adopt(struct comms *to, struct comms *from)
{
	for (size_t i = 0; i < from->use_count; i++)
		use_adopt(use_of(to, from->uses[i].communicator, from->uses[i].function), &from->uses[i]);
	to->moving += from->moving;
	to->moved_until = from->moved_until > to->moved_until ? from->moved_until : to->moved_until;
	from->moving = 0;
}

void comms_number(struct process *const *processes, size_t count)
{
	struct idmap numbers = { 0 };
	unsigned last[DLT_COMM_GLOO + 1] = { 0 };

	for (size_t p = 0; p < count; p++)
		for (size_t i = 0; i < processes[p]->comms.count; i++) {
			struct communicator *c = &processes[p]->comms.list[i];
			uint64_t *number;

			if (!c->identity || c->role || c->kind > DLT_COMM_GLOO)
				continue;
			number = idmap_put(&numbers, comm_key(c));
			if (!*number)
				*number = ++last[c->kind];
			c->number = (unsigned)*number;
		}
	idmap_release(&numbers);
}
