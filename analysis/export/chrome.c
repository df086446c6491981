/* SPDX-License-Identifier: MIT */
/*
 * Chrome's trace events (JSON): complete events ("X") by pid and tid, flows, counters. Tracks that
 * are no threads get tids of their own, from a million up.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/export/exporter.h"
#include "analysis/model/memory.h"
#include "analysis/report/escape.h"
#include "analysis/report/format.h"
#include "analysis/report/output.h"

#define TIDS_APART 1000000000	/* above what threads get, within 32 bits */

struct chrome {
	struct output out;
	struct export_pids pids;
	struct idmap tids;	/* of tracks that are no threads */
	struct idmap said;	/* processes whose name is written */
	bool any;
};

static void put_string(FILE *out, const char *text)
{
	uint32_t c;
	size_t n;

	fputc('"', out);
	for (; *text; text += n ? n : 1) {
		n = utf8_next(text, &c);
		if (!n)
			fputs("\\ufffd", out);
		else if (c == '"' || c == '\\')
			fprintf(out, "\\%c", (char)c);
		else if (c >= 0x20 && c < 0x7f)
			fputc((char)c, out);
		else if (c < 0x10000)
			fprintf(out, "\\u%04x", c);
		else
			fprintf(out, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10),
				0xdc00 + ((c - 0x10000) & 0x3ff));
	}
	fputc('"', out);
}

/* Processes without a pid: 0 is the run as a whole. */
static uint32_t pid_of(struct chrome *f, const struct track *t)
{
	const struct process *p = t->thread ? t->thread->process : t->process;

	return p ? export_pid(&f->pids, p) : 0;
}

static uint32_t tid_of(struct chrome *f, const struct track *t)
{
	uint64_t *tid;

	if (t->kind == TRACK_THREAD)
		return export_tid(&f->pids, t->thread);
	tid = idmap_put(&f->tids, t->id);
	if (!*tid)
		*tid = TIDS_APART + f->tids.count;
	return (uint32_t)*tid;
}

static void open_event(struct chrome *f, const struct export_event *e, char phase, int64_t time)
{
	fprintf(f->out.file, "%s{ \"ph\": \"%c\", \"pid\": %" PRIu32 ", \"tid\": %" PRIu32
		", \"ts\": %" PRId64 ".%03d", f->any ? ",\n" : "", phase, pid_of(f, e->track),
		tid_of(f, e->track), time / 1000, (int)(time % 1000));
	f->any = true;
}

static void put_name(struct chrome *f, const struct track *t, const char *what, const char *name)
{
	fprintf(f->out.file, "%s{ \"ph\": \"M\", \"pid\": %" PRIu32 ", \"tid\": %" PRIu32
		", \"name\": \"%s\", \"args\": { \"name\": ", f->any ? ",\n" : "", pid_of(f, t),
		tid_of(f, t), what);
	put_string(f->out.file, name);
	fputs(" } }", f->out.file);
	f->any = true;
}

static void put_track(struct chrome *f, const struct track *t)
{
	const struct process *p = t->thread ? t->thread->process : t->process;
	char name[512];

	if (!*idmap_put(&f->said, pid_of(f, t))) {
		*idmap_put(&f->said, pid_of(f, t)) = 1;
		put_name(f, t, "process_name", p ? export_process_name(p, name, sizeof(name)) : "run");
	}
	if (t->kind == TRACK_VALUES)
		return;
	snprintf(name, sizeof(name), "%s%s%s", t->name, t->kind == TRACK_BESIDE ? " of " : "",
		 t->thread ? export_thread_name(t->thread) : "");
	put_name(f, t, "thread_name", name);
}

static void put_args(struct chrome *f, const struct export_event *e)
{
	for (size_t i = 0; i < e->arg_count; i++) {
		fprintf(f->out.file, "%s\"%s\": ", i ? ", " : ", \"args\": { ", e->args[i].name);
		if (e->args[i].text)
			put_string(f->out.file, e->args[i].text);
		else if (e->args[i].negative && (int64_t)e->args[i].number >= -(INT64_C(1) << 53))
			fprintf(f->out.file, "%" PRId64, (int64_t)e->args[i].number);
		else if (e->args[i].negative)
			fprintf(f->out.file, "\"%" PRId64 "\"", (int64_t)e->args[i].number);
		else if (e->args[i].number >> 53)	/* more than a JSON reader's double holds */
			fprintf(f->out.file, "\"%" PRIu64 "\"", e->args[i].number);
		else
			fprintf(f->out.file, "%" PRIu64, e->args[i].number);
	}
	if (e->arg_count)
		fputs(" }", f->out.file);
}

static void put_flow(struct chrome *f, const struct export_event *e)
{
	open_event(f, e, e->flow_ends ? 'f' : 's', e->begin);
	fprintf(f->out.file, ", \"cat\": \"flow\", \"name\": \"work\", \"id\": \"0x%" PRIx64 "\"%s }",
		e->flow, e->flow_ends ? ", \"bp\": \"e\"" : "");
}

static void put_span(struct chrome *f, const struct export_event *e)
{
	int64_t duration = e->end - e->begin;

	open_event(f, e, e->kind == EXPORT_SPAN ? 'X' : 'i', e->begin);
	if (e->kind == EXPORT_SPAN)
		fprintf(f->out.file, ", \"dur\": %" PRId64 ".%03d", duration / 1000,
			(int)(duration % 1000));
	else
		fputs(", \"s\": \"t\"", f->out.file);
	fputs(", \"cat\": ", f->out.file);
	put_string(f->out.file, *e->category ? e->category : "other");
	fputs(", \"name\": ", f->out.file);
	put_string(f->out.file, e->name);
	put_args(f, e);
	fputs(" }", f->out.file);
	if (e->flow)
		put_flow(f, e);
}

static void put_value(struct chrome *f, const struct export_event *e)
{
	char value[FORMAT_SIZE];

	open_event(f, e, 'C', e->begin);
	fputs(", \"name\": ", f->out.file);
	put_string(f->out.file, e->track->name);
	fputs(", \"args\": { ", f->out.file);
	put_string(f->out.file, e->track->unit);
	fprintf(f->out.file, ": %s } }", format_exact(value, e->value));
}

void chrome_event(void *state, const struct export_event *e, unsigned bit)
{
	struct chrome *f = state;

	if (e->kind == EXPORT_HEAP || e->kind == EXPORT_OPEN)
		return;
	if (!(e->track->said & bit))
		put_track(f, e->track);
	e->track->said |= bit;
	if (e->kind == EXPORT_VALUE)
		put_value(f, e);
	else
		put_span(f, e);
}

int chrome_begin(void **state, const char *path)
{
	struct chrome *f = xcalloc(1, sizeof(*f));
	int err = output_open(&f->out, path);

	if (err) {
		free(f);
		return err;
	}
	fputs("{ \"displayTimeUnit\": \"ns\", \"traceEvents\": [\n", f->out.file);
	*state = f;
	return 0;
}

int chrome_end(void *state, bool keep)
{
	struct chrome *f = state;
	int err;

	fputs("\n] }\n", f->out.file);
	err = output_close(&f->out, keep ? 0 : -ECANCELED);
	export_pids_release(&f->pids);
	idmap_release(&f->tids);
	idmap_release(&f->said);
	free(f);
	return keep ? err : 0;
}
