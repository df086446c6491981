/* SPDX-License-Identifier: MIT */
/* What only the report knows: lives of processes, phases, epochs, slow iterations, failures, curves. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/export/spans.h"
#include "analysis/report/memory.h"

/* A table whose rows have a time. */
static const struct timed {
	const char *table, *track;
	const char *prefix, *name;	/* of a row: text or number of this column, behind this */
	const char *begin;
	const char *end, *duration;	/* one of them; none: a moment */
	const char *detail;		/* NULL: none */
} timed[] = {
	{ "phases", "phases", "", "phase", "begin_ns", "end_ns", NULL, NULL },
	{ "epochs", "epochs", "epoch ", "epoch", "begin_ns", "end_ns", NULL, NULL },
	{ "slow_iterations", "slow iterations", "iteration ", "iteration", "begin_ns", NULL,
	  "duration_ns", "why" },
	{ "failures", "failures", "", "text", "t_ns", NULL, NULL, "function" },
};

/* The report's number of a process to the model's. */
static void number_processes(const struct model *m, struct idmap *processes)
{
	for (size_t i = 0; i < m->trace_count; i++)
		for (size_t j = 0; j < m->traces[i]->process_count; j++) {
			struct process *p = m->traces[i]->processes[j];

			if (p->report_id && process_shown(p))
				*idmap_put(processes, (uint64_t)p->report_id) = (uintptr_t)p;
		}
}

static void name_row(const struct timed *d, const struct table *t, size_t row, char *name,
		     size_t size)
{
	const struct cell *c = table_get(t, row, d->name);

	if (c->type == CELL_TEXT)
		snprintf(name, size, "%s%s", d->prefix, c->text);
	else
		snprintf(name, size, "%s%.0f", d->prefix, cell_real(c));
}

static int64_t cell_time(const struct cell *c)
{
	return c->type == CELL_UINT ? (int64_t)c->u : c->i;
}

static bool is_whole(const struct cell *c)
{
	return c->type == CELL_INT || (c->type == CELL_UINT && c->u < INT64_MAX / 4);
}

static void give_row(struct spans *s, const struct timed *d, const struct table *t, size_t row,
		     const struct process *p)
{
	const struct cell *begin = table_get(t, row, d->begin);
	const struct cell *end = table_get(t, row, d->end ? d->end : d->duration ? d->duration : d->begin);
	int64_t from = cell_time(begin), to = cell_time(end) + (d->duration ? from : 0);
	struct export_event e = { .kind = d->end || d->duration ? EXPORT_SPAN : EXPORT_MOMENT };
	char name[512];

	if (!is_whole(begin) || !is_whole(end) || to < from)
		return;
	name_row(d, t, row, name, sizeof(name));
	e.name = name;
	e.category = d->track;
	e.track = track_named(&s->tracks, TRACK_PROCESS, p->trace, p, d->track, 0);
	e.begin = track_time(&s->tracks, p->trace, from);
	e.end = track_time(&s->tracks, p->trace, to);
	if (e.kind == EXPORT_SPAN)
		track_fit(&s->tracks, e.track, FIT_APART, &e.begin, &e.end);
	if (d->detail)
		export_text(&e, d->detail, cell_text(table_get(t, row, d->detail)));
	track_give(&s->tracks, &e);
}

static void give_tables(struct spans *s, const struct report *r, const struct idmap *processes)
{
	for (size_t i = 0; i < sizeof(timed) / sizeof(*timed); i++) {
		const struct table *t = report_table(r, timed[i].table);

		for (size_t row = 0; t && row < t->row_count; row++) {
			const struct process *p = idmap_pointer(processes,
						cell_uint(table_get(t, row, "process")));

			if (p)
				give_row(s, &timed[i], t, row, p);
		}
	}
}

static void give_life(struct spans *s, const struct process *p)
{
	int64_t end = p->end != UNKNOWN ? p->end : p->trace->end;
	struct export_event e = { .kind = EXPORT_SPAN, .category = "life", .kept = true };

	if (p->begin == UNKNOWN || end < p->begin)
		return;
	e.track = track_named(&s->tracks, TRACK_PROCESS, p->trace, p, "life", 0);
	e.name = process_name(p);
	e.begin = track_time(&s->tracks, p->trace, p->begin);
	e.end = track_time(&s->tracks, p->trace, end);
	export_text(&e, "host", p->host);
	export_number(&e, "pid", p->pid);
	track_give(&s->tracks, &e);
}

/* Are there machines of which each has it? */
static bool on_hosts(const struct report *r, const struct series *c)
{
	for (size_t i = 0; i < r->series_count; i++) {
		const struct series *o = r->series[i];

		if (o->trace == c->trace && o->process == c->process && !strcmp(o->name, c->name) &&
		    strcmp(o->host, c->host))
			return true;
	}
	return false;
}

static void put_word(FILE *out, const char *before, const char *word)
{
	if (*word)
		fprintf(out, "%s%s", before, word);
}

/* "gpu_library_bytes libtorch.so", "gpu_percent GPU 3", "runnable node7": what tells a curve from others. */
static struct track *curve_track(struct spans *s, const struct model *m, const struct report *r,
				 const struct series *c, const struct process *p)
{
	struct trace *t = m->traces[c->trace];
	struct track *track;
	char *name;
	size_t size;
	FILE *out = text_open(&name, &size);

	fputs(c->name, out);
	put_word(out, " ", c->library);
	put_word(out, " ", c->device);
	put_word(out, " ", !p && on_hosts(r, c) ? c->host : "");
	put_word(out, " of ", !p && m->trace_count > 1 ? t->path : "");
	text_close(out, &name);
	track = track_named(&s->tracks, TRACK_VALUES, t, p, name, 0);
	free(name);
	track->unit = c->unit;
	return track;
}

static void give_series(struct spans *s, const struct model *m, const struct report *r,
			const struct series *c, const struct process *p)
{
	struct export_event e = { .kind = EXPORT_VALUE, .name = c->name, .category = "" };

	if (c->trace >= m->trace_count || !c->point_count)
		return;
	e.track = curve_track(s, m, r, c, p);
	for (size_t i = 0; i < c->point_count; i++) {
		if (!isfinite(c->points[i].value))
			continue;
		e.begin = e.end = track_time(&s->tracks, m->traces[c->trace], c->points[i].t);
		e.value = c->points[i].value;
		track_give(&s->tracks, &e);
	}
}

void spans_report(struct spans *s, const struct model *m, const struct report *r)
{
	struct idmap processes = { 0 };

	number_processes(m, &processes);
	for (size_t i = 0; i < m->trace_count; i++)
		for (size_t j = 0; j < m->traces[i]->process_count; j++)
			if (idmap_get(&processes, (uint64_t)m->traces[i]->processes[j]->report_id))
				give_life(s, m->traces[i]->processes[j]);
	give_tables(s, r, &processes);
	for (size_t i = 0; i < r->series_count; i++)
		give_series(s, m, r, r->series[i], r->series[i]->process < 0 ? NULL :
			    idmap_pointer(&processes, (uint64_t)r->series[i]->process));
	idmap_release(&processes);
}
