/* SPDX-License-Identifier: MIT */
/* Who waits for whom: time in blocking calls on each communicator of a job, by rank. */
#include <stdlib.h>

#include "analysis/communication.h"
#include "analysis/model/memory.h"

/* A process has a communicator. */
struct comm_place {
	uint64_t key;			/* comm_key() */
	size_t life;			/* of the communicator, from 0: by_life() */
	size_t first, order;		/* by first sight in the job: the communicator's life, this place */
	const struct process *process;
	const struct communicator *own;
};

static int compare(int64_t x, int64_t y)
{
	return (x > y) - (x < y);
}

static int by_begin(const void *a, const void *b)
{
	const struct comm_place *x = a, *y = b;
	const struct process *p = x->process, *q = y->process;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (p->trace != q->trace)
		return compare(p->trace->index, q->trace->index);
	return p->begin != q->begin ? compare(p->begin, q->begin) : compare((int64_t)x->order, (int64_t)y->order);
}

static int by_life(const void *a, const void *b)
{
	const struct comm_place *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->life != y->life ? compare((int64_t)x->life, (int64_t)y->life) :
				    compare((int64_t)x->order, (int64_t)y->order);
}

static int by_first(const void *a, const void *b)
{
	const struct comm_place *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/*
 * Who began when all others of it had ended never met them: a launcher has started all ranks anew, or runs one
 * job after another, and Gloo's identity is the same each time. Clocks of hosts are not compared: the second life
 * on one is the second on all.
 */
static void tell_lives(struct comm_place *places, size_t count)
{
	int64_t until = 0;

	qsort(places, count, sizeof(*places), by_begin);
	for (size_t i = 0; i < count; i++) {
		const struct process *p = places[i].process;
		int64_t end = p->end != UNKNOWN ? p->end : p->last;
		bool same = i && places[i - 1].key == places[i].key && places[i - 1].process->trace == p->trace;

		places[i].life = same ? places[i - 1].life + (p->begin >= until) : 0;
		until = same && until > end ? until : end;
	}
	qsort(places, count, sizeof(*places), by_life);
}

static void add_places(struct comm_walk *w, const struct process *p, size_t *capacity)
{
	for (size_t i = 0; i < p->comms.count; i++) {
		const struct communicator *c = &p->comms.list[i];

		if (!c->identity)
			continue;
		w->places = xgrow(w->places, w->count, capacity, sizeof(*w->places));
		w->places[w->count] = (struct comm_place){ comm_key(c), 0, 0, w->count, p, c };
		w->count++;
	}
}

void comm_walk_begin(struct comm_walk *w, const struct model *m, const struct job *job)
{
	size_t capacity = 0;

	*w = (struct comm_walk){ .count = 0 };
	for (size_t i = 0; i < job->count; i++) {
		const struct trace *t = m->traces[job->traces[i]];

		for (size_t k = 0; k < t->process_count; k++)
			add_places(w, t->processes[k], &capacity);
	}
	if (!w->count)
		return;
	tell_lives(w->places, w->count);
	for (size_t i = 0; i < w->count; i++) {
		const struct comm_place *before = i ? &w->places[i - 1] : NULL, *now = &w->places[i];
		bool same = before && before->key == now->key && before->life == now->life;

		w->places[i].first = same ? before->first : now->order;
	}
	qsort(w->places, w->count, sizeof(*w->places), by_first);
}

struct member {
	const struct process *process;
	int64_t rank;
	double share;			/* first of all ns, then of the time that all take */
};

/* From a process's first blocking call to its last: by its own clock, so it compares between hosts. */
static struct member member_of(const struct comm_place *place, int64_t *longest)
{
	const struct process *p = place->process;
	struct member m = { p, comm_rank(p, place->own), 0 };
	int64_t begin = INT64_MAX, end = 0;

	for (size_t i = 0; i < p->comms.use_count; i++) {
		const struct comm_use *use = &p->comms.uses[i];

		if (use->communicator != place->own->id || !comm_is_blocking(process_function(p, use->function)))
			continue;
		m.share += (double)use->total;
		begin = use->begin < begin ? use->begin : begin;
		end = use->end > end ? use->end : end;
	}
	if (end > begin && end - begin > *longest)
		*longest = end - begin;
	return m;
}

static int by_share(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	return (x->share > y->share) - (x->share < y->share);
}

static double median(const struct member *m, size_t count)
{
	return (m[(count - 1) / 2].share + m[count / 2].share) / 2;
}

static void compare_members(struct member *members, struct comm_balance *b)
{
	for (size_t i = 0; i < b->members; i++)
		members[i].share /= b->time ? (double)b->time : 1;
	if (b->members < 2)
		return;
	qsort(members, b->members, sizeof(*members), by_share);
	b->least = members[0].share;
	b->least_rank = members[0].rank;
	b->least_process = members[0].process;
	b->others = median(members + 1, b->members - 1);
}

bool comm_balance(struct comm_walk *w, struct comm_balance *b)
{
	const struct comm_place *first = &w->places[w->next], *end = w->places + w->count, *p;
	struct member *members;

	if (w->next == w->count) {
		free(w->places);
		return false;
	}
	for (p = first; p < end && p->first == first->first; p++)
		w->next++;
	end = p;
	members = xcalloc((size_t)(end - first), sizeof(*members));
	*b = (struct comm_balance){ .least_rank = -1 };
	comm_name(first->own, b->name, sizeof(b->name));
	for (p = first; p < end; p++)
		/* Others of a process with the same identity are names of it. */
		if (process_shown(p->process) && (p == first || p[-1].process != p->process))
			members[b->members++] = member_of(p, &b->time);
	compare_members(members, b);
	free(members);
	return true;
}
