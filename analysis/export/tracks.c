/* SPDX-License-Identifier: MIT */
/* Tracks by what they are of; spans made to fit. */
#include "analysis/export/tracks.h"

#include <string.h>

#include "analysis/demangle.h"
#include "analysis/model/memory.h"

#define TIME_MAX	(INT64_MAX / 4)
#define LANES		32

static void free_values(struct idmap *m)
{
	for (size_t i = 0; i < m->capacity; i++)
		if (m->used[i])
			free((void *)(uintptr_t)m->slots[i].value);
	idmap_release(m);
}

void tracks_release(struct tracks *t)
{
	free_values(&t->by_key);
	free_values(&t->recents);
	idmap_release(&t->plain);
	free(t->ahead);
}

static uint64_t key_of_name(uint64_t key, const char *name)
{
	for (; *name; name++)
		key = export_key(key, (unsigned char)*name);
	return key;
}

static struct track *make(struct tracks *t, uint64_t key, const struct track *like)
{
	uint64_t *slot = idmap_put(&t->by_key, key);
	struct track *track = (struct track *)(uintptr_t)*slot;

	if (track)
		return track;
	track = xcalloc(1, sizeof(*track));
	*slot = (uintptr_t)track;
	*track = *like;
	track->id = key ? key : 1;
	track->zero = t->zero;
	return track;
}

struct track *track_of_thread(struct tracks *t, const struct thread *thread)
{
	uint64_t key = export_thread_key(thread);
	struct track *found = idmap_pointer(&t->by_key, key);

	if (found)
		return found;
	return make(t, key, &(struct track){ .kind = TRACK_THREAD, .trace = thread->process->trace,
					     .process = thread->process, .thread = thread,
					     .name = "" });
}

struct track *track_beside(struct tracks *t, const struct thread *thread, const char *name)
{
	return make(t, key_of_name(export_thread_key(thread), name),
		    &(struct track){ .kind = TRACK_BESIDE, .trace = thread->process->trace,
				     .process = thread->process, .thread = thread, .name = name });
}

struct track *track_named(struct tracks *t, enum track_kind kind, struct trace *trace,
			  const struct process *p, const char *name, uint64_t lane)
{
	uint64_t key = p ? export_process_key(p) : trace->index + 1;

	key = key_of_name(export_key(export_key(key, kind), lane), name);
	return make(t, key, &(struct track){ .kind = kind, .trace = trace, .process = p,
					     .name = trace_keep(trace, name) });
}

int64_t track_time(const struct tracks *t, const struct trace *trace, int64_t at)
{
	int64_t ahead = trace->index < t->ahead_count ? t->ahead[trace->index] : 0;
	int64_t time = (int64_t)(trace->begin - t->zero + (uint64_t)at - (uint64_t)ahead);

	return time < 0 ? 0 : time > TIME_MAX ? TIME_MAX : time;
}

/* ---- fitting ---- */

static struct recent *recent_of(struct tracks *t, const struct track *track)
{
	uint64_t *slot = idmap_put(&t->recents, track->id);

	if (!*slot)
		*slot = (uintptr_t)xcalloc(1, sizeof(struct recent));
	return (struct recent *)(uintptr_t)*slot;
}

static void remember(struct recent *r, int64_t begin, int64_t end)
{
	unsigned i;

	if (r->count == RECENT) {
		r->count = RECENT / 2;
		memmove(r->list, r->list + RECENT / 2, r->count * sizeof(*r->list));
	}
	for (i = r->count++; i && r->list[i - 1].end > end; i--)
		r->list[i] = r->list[i - 1];
	r->list[i] = (struct interval){ begin, end };
}

static void fit_one(const struct interval *old, enum fit fit, int64_t *begin, int64_t *end)
{
	bool around = old->begin <= *begin && old->end >= *end;
	bool within = *begin < old->begin && *end >= old->end;

	if (around || within || old->end <= *begin || old->begin > *end)
		return;
	/*
	 * Of two that begin at once the first one in the file would be around the other; there is nothing before 0,
	 * where all stand that seem to have begun earlier.
	 */
	if (fit == FIT_NEST && old->begin <= *begin && old->begin > 0)
		*begin = old->begin - 1;
	else if (old->begin <= *begin)
		*begin = old->end;
	else
		*end = old->begin - 1;	/* at equal times the file's order counts: it has begun */
}

void track_fit(struct tracks *t, const struct track *track, enum fit fit, int64_t *begin,
	       int64_t *end)
{
	struct recent *r = recent_of(t, track);

	for (unsigned i = r->count; i && r->list[i - 1].end > *begin; i--)
		fit_one(&r->list[i - 1], fit, begin, end);
	remember(r, *begin, *end);
}

static bool is_free(const struct recent *r, int64_t begin, int64_t end)
{
	for (unsigned i = r->count; i && r->list[i - 1].end > begin; i--)
		if (r->list[i - 1].begin < end || r->list[i - 1].begin == begin)
			return false;
	return true;
}

struct track *track_lane(struct tracks *t, const struct process *p, const char *name,
			 int64_t *begin, int64_t *end)
{
	struct track *track = NULL;
	struct recent *r = NULL;

	for (uint64_t lane = 0; lane < LANES; lane++) {
		track = track_named(t, TRACK_PROCESS, p->trace, p, name, lane);
		r = recent_of(t, track);
		if (is_free(r, *begin, *end))
			break;
	}
	track_fit(t, track, FIT_APART, begin, end);
	return track;
}

/* ---- what spans are made of ---- */

const char *track_plain_name(struct tracks *t, struct trace *trace, const char *name)
{
	char plain[512];
	uint64_t *slot;

	if (strncmp(name, "_Z", 2))
		return name;
	slot = idmap_put(&t->plain, (uintptr_t)name);
	if (!*slot)
		*slot = (uintptr_t)trace_keep(trace, demangle(name, plain, sizeof(plain)));
	return (const char *)(uintptr_t)*slot;
}

void track_give(const struct tracks *t, const struct export_event *e)
{
	t->give(t->owner, e);
}

void export_text(struct export_event *e, const char *name, const char *text)
{
	if (text && *text && e->arg_count < EXPORT_ARGS)
		e->args[e->arg_count++] = (struct export_arg){ .name = name, .text = text };
}

void export_number(struct export_event *e, const char *name, uint64_t number)
{
	if (number && e->arg_count < EXPORT_ARGS)
		e->args[e->arg_count++] = (struct export_arg){ .name = name, .number = number };
}

void export_signed(struct export_event *e, const char *name, int64_t number)
{
	if (number && e->arg_count < EXPORT_ARGS)
		e->args[e->arg_count++] = (struct export_arg){
			.name = name, .number = (uint64_t)number, .negative = number < 0,
		};
}
