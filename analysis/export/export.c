/* SPDX-License-Identifier: MIT */
/* Runs exporters: one stream of spans, any number of files. */
#include "analysis/export/export.h"

#include <errno.h>

#include "analysis/clocks.h"
#include "analysis/export/exporter.h"
#include "analysis/export/spans.h"
#include "analysis/model/memory.h"

struct export {
	struct spans spans;
	struct {
		const struct exporter *how;
		const char *path;	/* borrowed */
		void *state;
	} list[EXPORTS_MAX];
	size_t count;
};

/* What was said of a track is said again when more is known: a thread's name, its process. */
static void look_again(struct track *t)
{
	const char *name;

	if (!t->thread)
		return;
	name = export_thread_name(t->thread);
	if (t->process == t->thread->process && t->thread_name == name)
		return;
	t->process = t->thread->process;
	t->thread_name = name;
	t->said = 0;
}

static void give(void *owner, const struct export_event *e)
{
	struct export *x = owner;

	look_again(e->track);
	for (size_t i = 0; i < x->count; i++)
		x->list[i].how->event(x->list[i].state, e, 1u << i);
}

struct export *export_new(void)
{
	struct export *x = xcalloc(1, sizeof(*x));

	x->spans.tracks.give = give;
	x->spans.tracks.owner = x;
	return x;
}

int export_add(struct export *x, const char *format, const char *path)
{
	const struct exporter *how = exporter_by_name(format);
	int err;

	if (!how)
		return -ENOSYS;
	if (x->count == EXPORTS_MAX)
		return -E2BIG;
	err = how->begin(&x->list[x->count].state, path);
	if (err)
		return err;
	x->list[x->count].how = how;
	x->list[x->count++].path = path;
	return 0;
}

void export_zero(struct export *x, uint64_t zero)
{
	x->spans.tracks.zero = zero;
	x->spans.tracks.started = true;
}

void export_clocks(struct export *x, const struct model *m)
{
	struct axis_place *places = xcalloc(m->trace_count + 1, sizeof(*places));
	const struct jobs *jobs = jobs_of(m);

	free(x->spans.tracks.ahead);
	x->spans.tracks.ahead = xcalloc(m->trace_count + 1, sizeof(int64_t));
	x->spans.tracks.ahead_count = m->trace_count;
	for (size_t i = 0; i < jobs->count; i++) {
		job_axis(m, &jobs->list[i], places);
		for (size_t k = 0; k < jobs->list[i].count; k++)
			x->spans.tracks.ahead[jobs->list[i].traces[k]] = places[k].ahead;
	}
	free(places);
}

void export_event(void *data, const struct trace *t, int64_t at, const struct reader_event *e)
{
	struct export *x = data;

	spans_event(&x->spans, t, at, e);
}

void export_finish(struct export *x, const struct model *m, const struct report *r,
		   void (*failed)(void *data, const char *path, int err), void *data)
{
	if (!x)
		return;
	if (r) {
		spans_end(&x->spans, m);
		spans_report(&x->spans, m, r);
	}
	for (size_t i = 0; i < x->count; i++) {
		int err;

		model_alive(m);
		err = x->list[i].how->end(x->list[i].state, r != NULL);
		if (err)
			failed(data, x->list[i].path, err);
	}
	spans_release(&x->spans);
	free(x);
}
