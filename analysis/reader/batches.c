/* SPDX-License-Identifier: MIT */
/* Unpacks batches; nothing in them is trusted. */
#include "analysis/reader/batches.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/reader/must.h"
#include "analysis/reader/source.h"

/* ---- what has come -------------------------------------------------------------------------- */

/* The thread's place, or a free one. */
static struct batch_thread *find(const struct batch *b, uint32_t thread)
{
	size_t at = thread * 0x9e3779b1u % b->thread_places;

	while (b->threads[at].thread && b->threads[at].thread != thread)
		at = (at + 1) % b->thread_places;
	return &b->threads[at];
}

static void grow(struct batch *b)
{
	struct batch old = *b;

	b->thread_places = old.thread_places ? 2 * old.thread_places : 64;
	b->threads = must(calloc(b->thread_places, sizeof(*b->threads)));
	for (size_t i = 0; i < old.thread_places; i++)
		if (old.threads[i].thread)
			*find(b, old.threads[i].thread) = old.threads[i];
	free(old.threads);
}

/*
 * A process was killed while it emitted the batch: the recorder found it in the box and could not
 * know that it had gone out. Ordinals wrap.
 */
static bool came_before(struct batch *b, uint32_t thread, uint32_t first, uint32_t count)
{
	struct batch_thread *t;

	if (2 * b->thread_count >= b->thread_places)
		grow(b);
	t = find(b, thread);
	if (t->thread && (int32_t)(first - t->next) < 0)
		return true;
	if (!t->thread) {
		b->thread_count++;
		t->thread = thread;
		t->first = first;
	}
	t->next = first + count;
	return false;
}

int batch_join(struct batch *b, uint32_t thread, uint32_t first, uint32_t next)
{
	return came_before(b, thread, first, next - first) ? -EINVAL : 0;
}

void batch_release(struct batch *b)
{
	free(b->threads);
}

/* ---- giving out ------------------------------------------------------------------------------ */

void batch_begin(struct reader *r, const struct reader_event *event)
{
	const struct dlt_ev_batch_records *e = event->data;
	struct batch *b = &r->batch;

	b->rest.at = NULL;
	if (e->layout == DLT_BATCH_LAYOUT || e->layout == DLT_BATCH_LAYOUT_PLAIN) {
		if (!e->thread || came_before(b, e->thread, e->first, e->count))
			return;
		b->rest = (struct records){
			.at = (const unsigned char *)e->records, .left = (size_t)e->records_count * 8,
			.count = e->count, .thread = e->thread,
			.time = e->begin + (uint64_t)r->info.clock_offset,
			.floor = r->info.begin, .end = event->time,
		};
		if (b->rest.time > b->rest.end)
			b->rest.time = b->rest.end;
		b->count = e->count;
		b->event.thread = e->thread;
		return;
	}
	source_other_layout(r, e->count);
}

int batch_end(struct reader *r)
{
	struct batch *b = &r->batch;

	if (b->rest.count)
		source_problem(r, PROBLEM_CORRUPT, b->rest.count, "a batch holds %u events instead of %u",
			       b->count - b->rest.count, b->count);
	b->rest.at = NULL;
	return 0;
}
