/* SPDX-License-Identifier: MIT */
/*
 * Perfetto's own format: a protocol buffer `Trace` of TracePackets, written by hand from Perfetto's
 * published schema (protos/perfetto/trace). Names are interned once; packets need no order, since
 * trace_processor sorts them.
 */
#include <errno.h>
#include <string.h>

#include "analysis/export/exporter.h"
#include "analysis/export/protobuf.h"
#include "analysis/model/memory.h"
#include "analysis/report/escape.h"
#include "analysis/report/output.h"

/* Numbers of fields, by message. */
enum { TRACE_PACKET = 1 };
enum {
	PACKET_CLOCK_SNAPSHOT = 6, PACKET_TIMESTAMP = 8, PACKET_SEQUENCE = 10, PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED = 12, PACKET_FLAGS = 13, PACKET_TRACK = 60,
};
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS_OF = 3, TRACK_THREAD_OF = 4, TRACK_PARENT = 5,
       TRACK_COUNTER = 8 };
enum { PROCESS_PID = 1, PROCESS_COMMAND = 2, PROCESS_NAME = 6 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum { COUNTER_UNIT = 3, COUNTER_UNIT_NAME = 6 };
enum {
	EVENT_CATEGORY = 3, EVENT_DETAIL = 4, EVENT_TYPE = 9, EVENT_NAME_ID = 10, EVENT_TRACK = 11,
	EVENT_NAME = 23, EVENT_VALUE = 44, EVENT_FLOW = 47, EVENT_FLOW_ENDS = 48,
};
enum { DETAIL_NAME_ID = 1, DETAIL_UINT = 3, DETAIL_INT = 4, DETAIL_TEXT = 6, DETAIL_TEXT_ID = 17 };
enum { CLOCK = 1, CLOCK_ID = 1, CLOCK_TIME = 2 };

enum event_type { SLICE_BEGIN = 1, SLICE_END, INSTANT, COUNTER };
enum unit_code { CODE_COUNT = 2, CODE_BYTES = 3 };
enum clock_id { CLOCK_REALTIME_ID = 1, CLOCK_MONOTONIC_ID = 3, CLOCK_BOOTTIME_ID = 6 };
enum { STATE_CLEARED = 1, STATE_NEEDED = 2 };	/* PACKET_FLAGS */

/* What names are interned as: fields of InternedData. */
enum interned { CATEGORIES = 1, NAMES = 2, DETAIL_NAMES = 3, DETAIL_TEXTS = 29 };
#define KINDS 4
static const enum interned kinds[KINDS] = { CATEGORIES, NAMES, DETAIL_NAMES, DETAIL_TEXTS };

#define SEQUENCE	1		/* there is one writer */
#define FLUSH_BYTES	65536
#define NEW_MAX		(2 * EXPORT_ARGS + 2)

struct perfetto {
	struct output out;
	struct pb packet;
	struct idmap ids[KINDS];	/* by the text's pointer */
	uint64_t count[KINDS];
	struct {
		enum interned kind;
		uint64_t id;
		const char *text;
	} fresh[NEW_MAX];		/* to be told in the packet that uses them */
	size_t fresh_count;
	struct export_pids pids;
	bool begun;
};

/* ---- packets ---- */

/* What is not UTF-8 would make all of a message unreadable for strict parsers. */
static void put_text(struct pb *p, unsigned field, const char *text)
{
	char *valid = text_valid(text);

	pb_string(p, field, valid);
	free(valid);
}

static void open_packet(struct perfetto *f)
{
	pb_open(&f->packet, TRACE_PACKET);
	pb_uint(&f->packet, PACKET_SEQUENCE, SEQUENCE);
	pb_uint(&f->packet, PACKET_FLAGS, f->begun ? STATE_NEEDED : STATE_CLEARED | STATE_NEEDED);
	f->begun = true;
}

static void put_fresh(struct perfetto *f)
{
	if (!f->fresh_count)
		return;
	pb_open(&f->packet, PACKET_INTERNED);
	for (size_t i = 0; i < f->fresh_count; i++) {
		pb_open(&f->packet, f->fresh[i].kind);
		pb_uint(&f->packet, 1, f->fresh[i].id);
		put_text(&f->packet, 2, f->fresh[i].text);
		pb_close(&f->packet);
	}
	pb_close(&f->packet);
	f->fresh_count = 0;
}

/* Errors of the file show when it is closed. */
static void flush(struct perfetto *f)
{
	fwrite(f->packet.data, 1, f->packet.size, f->out.file);
	f->packet.size = 0;
}

static void close_packet(struct perfetto *f)
{
	put_fresh(f);
	pb_close(&f->packet);
	if (f->packet.size >= FLUSH_BYTES)
		flush(f);
}

static uint64_t intern(struct perfetto *f, unsigned kind, const char *text)
{
	uint64_t *id = idmap_put(&f->ids[kind], (uintptr_t)text);

	if (!*id) {
		*id = ++f->count[kind];
		f->fresh[f->fresh_count].kind = kinds[kind];
		f->fresh[f->fresh_count].id = *id;
		f->fresh[f->fresh_count++].text = text;
	}
	return *id;
}

/* ---- tracks ---- */

static void put_command(struct pb *p, const char *command)
{
	for (const char *from = command, *end; *from; from = end + (*end != '\0')) {
		char *one;

		end = from + strcspn(from, "\x1f");
		one = xcheck(strndup(from, (size_t)(end - from)), 1);
		put_text(p, PROCESS_COMMAND, one);
		free(one);
	}
}

static void put_process(struct perfetto *f, const struct process *p)
{
	char name[256];

	open_packet(f);
	pb_open(&f->packet, PACKET_TRACK);
	pb_uint(&f->packet, TRACK_UUID, export_process_key(p));
	pb_open(&f->packet, TRACK_PROCESS_OF);
	pb_uint(&f->packet, PROCESS_PID, export_pid(&f->pids, p));
	put_command(&f->packet, p->command);
	put_text(&f->packet, PROCESS_NAME, export_process_name(p, name, sizeof(name)));
	pb_close(&f->packet);
	pb_close(&f->packet);
	close_packet(f);
}

static void put_counter(struct pb *p, const struct track *t)
{
	pb_open(p, TRACK_COUNTER);
	if (!strcmp(t->unit, "bytes"))
		pb_uint(p, COUNTER_UNIT, CODE_BYTES);
	else if (!strcmp(t->unit, "count"))
		pb_uint(p, COUNTER_UNIT, CODE_COUNT);
	else
		put_text(p, COUNTER_UNIT_NAME, t->unit);
	pb_close(p);
}

static void put_thread(struct perfetto *f, const struct track *t)
{
	pb_open(&f->packet, TRACK_THREAD_OF);
	pb_uint(&f->packet, THREAD_PID, export_pid(&f->pids, t->thread->process));
	pb_uint(&f->packet, THREAD_TID, export_tid(&f->pids, t->thread));
	put_text(&f->packet, THREAD_NAME, export_thread_name(t->thread));
	pb_close(&f->packet);
}

/* The process's and the thread's own tracks are told first, by whichever track of theirs comes first. */
static void put_owner(struct perfetto *f, const struct track *t)
{
	const struct process *p = t->thread ? t->thread->process : t->process;

	if (p && !idmap_get(&f->pids.by_process, export_process_key(p)))
		put_process(f, p);
	if (t->kind != TRACK_BESIDE)
		return;
	open_packet(f);
	pb_open(&f->packet, PACKET_TRACK);
	pb_uint(&f->packet, TRACK_UUID, export_thread_key(t->thread));
	put_thread(f, t);
	pb_close(&f->packet);
	close_packet(f);
}

static uint64_t uuid_of(const struct track *t)
{
	return t->kind == TRACK_THREAD ? export_thread_key(t->thread) : t->id;
}

static void put_track(struct perfetto *f, const struct track *t)
{
	put_owner(f, t);
	open_packet(f);
	pb_open(&f->packet, PACKET_TRACK);
	pb_uint(&f->packet, TRACK_UUID, uuid_of(t));
	if (t->kind == TRACK_THREAD) {
		put_thread(f, t);
	} else {
		put_text(&f->packet, TRACK_NAME, t->name);
		if (t->kind == TRACK_BESIDE)
			pb_uint(&f->packet, TRACK_PARENT, export_thread_key(t->thread));
		else if (t->process)
			pb_uint(&f->packet, TRACK_PARENT, export_process_key(t->process));
	}
	if (t->kind == TRACK_VALUES)
		put_counter(&f->packet, t);
	pb_close(&f->packet);
	close_packet(f);
}

/* ---- events ---- */

static void open_event(struct perfetto *f, const struct export_event *e, int64_t time,
		       enum event_type type)
{
	open_packet(f);
	pb_uint(&f->packet, PACKET_TIMESTAMP, (uint64_t)time);
	pb_open(&f->packet, PACKET_TRACK_EVENT);
	pb_uint(&f->packet, EVENT_TYPE, type);
	pb_uint(&f->packet, EVENT_TRACK, uuid_of(e->track));
}

static void close_event(struct perfetto *f)
{
	pb_close(&f->packet);
	close_packet(f);
}

static void put_details(struct perfetto *f, const struct export_event *e)
{
	for (size_t i = 0; i < e->arg_count; i++) {
		const struct export_arg *a = &e->args[i];
		uint64_t name = intern(f, 2, a->name);

		pb_open(&f->packet, EVENT_DETAIL);
		pb_uint(&f->packet, DETAIL_NAME_ID, name);
		if (a->text && e->kept)
			pb_uint(&f->packet, DETAIL_TEXT_ID, intern(f, 3, a->text));
		else if (a->text)
			put_text(&f->packet, DETAIL_TEXT, a->text);
		else
			pb_uint(&f->packet, a->negative ? DETAIL_INT : DETAIL_UINT, a->number);
		pb_close(&f->packet);
	}
}

static void put_begin(struct perfetto *f, const struct export_event *e, enum event_type type)
{
	open_event(f, e, e->begin, type);
	if (e->kept)
		pb_uint(&f->packet, EVENT_NAME_ID, intern(f, 1, e->name));
	else
		put_text(&f->packet, EVENT_NAME, e->name);
	if (*e->category)
		pb_uint(&f->packet, EVENT_CATEGORY, intern(f, 0, e->category));
	put_details(f, e);
	if (e->flow)
		pb_fixed64(&f->packet, e->flow_ends ? EVENT_FLOW_ENDS : EVENT_FLOW, e->flow);
	close_event(f);
}

/* Other clocks against the one of all packets, so that viewers can show the time of day. */
static void put_clocks(struct perfetto *f, const struct track *t, int64_t time)
{
	static const enum clock_id clocks[] = { CLOCK_BOOTTIME_ID, CLOCK_MONOTONIC_ID, CLOCK_REALTIME_ID };

	open_packet(f);
	pb_open(&f->packet, PACKET_CLOCK_SNAPSHOT);
	for (size_t i = 0; i < sizeof(clocks) / sizeof(*clocks); i++) {
		pb_open(&f->packet, CLOCK);
		pb_uint(&f->packet, CLOCK_ID, clocks[i]);
		pb_uint(&f->packet, CLOCK_TIME, (uint64_t)time + (clocks[i] == CLOCK_REALTIME_ID ? t->zero : 0));
		pb_close(&f->packet);
	}
	pb_close(&f->packet);
	close_packet(f);
}

void perfetto_event(void *state, const struct export_event *e, unsigned bit)
{
	struct perfetto *f = state;

	if (e->kind == EXPORT_HEAP || e->kind == EXPORT_OPEN)
		return;
	if (!f->begun)
		put_clocks(f, e->track, e->begin);
	if (!(e->track->said & bit))
		put_track(f, e->track);
	e->track->said |= bit;
	if (e->kind == EXPORT_VALUE) {
		open_event(f, e, e->begin, COUNTER);
		pb_double(&f->packet, EVENT_VALUE, e->value);
		close_event(f);
		return;
	}
	put_begin(f, e, e->kind == EXPORT_MOMENT ? INSTANT : SLICE_BEGIN);
	if (e->kind == EXPORT_SPAN) {
		open_event(f, e, e->end, SLICE_END);
		close_event(f);
	}
}

int perfetto_begin(void **state, const char *path)
{
	struct perfetto *f = xcalloc(1, sizeof(*f));
	int err = output_open(&f->out, path);

	if (err) {
		free(f);
		return err;
	}
	*state = f;
	return 0;
}

int perfetto_end(void *state, bool keep)
{
	struct perfetto *f = state;
	int err;

	flush(f);
	err = output_close(&f->out, keep ? 0 : -ECANCELED);
	for (int i = 0; i < KINDS; i++)
		idmap_release(&f->ids[i]);
	export_pids_release(&f->pids);
	pb_release(&f->packet);
	free(f);
	return keep ? err : 0;
}
