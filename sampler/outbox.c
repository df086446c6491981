/* SPDX-License-Identifier: MIT */
/*
 * Passes on to LTTng what processes have put into their outboxes (tracepoints/box.h has the protocol,
 * interpose/outbox.c the other side): many events in one, but for batches, which are many already.
 *
 * All outboxes are emptied together, in order of time: what a process says of its child comes before what
 * that says itself. Nothing in a box is trusted. A message is copied before it is looked at.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "emit_sample.h"
#include "outbox_layout.h"
#include "sampled.h"
#include "ticks.h"

#define HEAD sizeof(struct dlt_outbox_message)
#define ROOM 3600		/* bytes of events: one fits the smallest sub-buffer, 4 KiB; a larger one goes alone */
#define MAX_GAP 0xffffff	/* ns between two events that a head can say */
#define STUCK 5000000000ull	/* ns: a thread that has begun a message and not finished it was thrown out of it */
#define QUIET (256u << 10)	/* bytes in a tick up to which what is read is given back to the system */
#define GIVEN_BACK (256u << 10)	/* bytes, at once: the system takes them from under the application's CPUs */

#define BREATH (512u << 10)	/* bytes after which LTTng's consumer gets the time to write what it has */
#define PAUSE 1000000		/* ns: enough for a sub-buffer */

/* What is about to be passed on. */
static struct {
	uint64_t begin, last;	/* ns CLOCK_MONOTONIC, of the first and of the last event */
	uint32_t count;
	size_t used;
	uint64_t records[(DLT_OUTBOX_MESSAGE_MOST + 8) / 8];
} bundle;

/*
 * `count` events. Buffers hold some MB for each CPU, and all that we pass on in a round goes through those of
 * one.
 */
static void emit_bytes(enum dlt_event event, const void *data, size_t bytes, uint32_t count)
{
	static const struct timespec pause = { 0, PAUSE };
	static size_t since;

	if (!sample_enabled(event))
		return;
	if (!sample_write(event, data))
		sample_counts->unsaid += count;
	since += bytes;
	if (since < BREATH)
		return;
	since = 0;
	nanosleep(&pause, NULL);
}

static void settle_all(void);

/* What was read before has then been passed on. */
static void send_bundle(void)
{
	struct dlt_ev_outbox_events e = {
		.count = bundle.count, .layout = DLT_OUTBOX_LAYOUT, .begin = bundle.begin, .records = bundle.records,
	};

	memset((char *)bundle.records + bundle.used, 0, -bundle.used & 7);
	e.records_count = (uint32_t)((bundle.used + 7) / 8);
	if (bundle.count)
		emit_bytes(DLT_EV_OUTBOX_EVENTS, &e, 8 * (size_t)e.records_count, e.count);
	bundle.count = 0;
	bundle.used = 0;
	settle_all();
}

static void add_event(enum dlt_event event, uint64_t time, const unsigned char *fields, size_t length)
{
	uint32_t head;

	if (bundle.count && (bundle.used + sizeof(head) + length > ROOM || time < bundle.last ||
			     time - bundle.last > MAX_GAP))
		send_bundle();
	if (!bundle.count++)
		bundle.begin = bundle.last = time;
	head = (uint32_t)event << 24 | (uint32_t)(time - bundle.last);
	memcpy((char *)bundle.records + bundle.used, &head, sizeof(head));
	memcpy((char *)bundle.records + bundle.used + sizeof(head), fields, length);
	bundle.used += sizeof(head) + length;
	bundle.last = time;
}

static uint64_t word64(const unsigned char *from)
{
	uint64_t value;

	memcpy(&value, from, sizeof(value));
	return value;
}

static uint32_t word32(const unsigned char *from)
{
	uint32_t value;

	memcpy(&value, from, sizeof(value));
	return value;
}

/* dltrace_batch:records as it is: thread, first, count, layout; begin; how many words, and these. */
static void add_batch(const unsigned char *fields)
{
	static uint64_t records[DLT_OUTBOX_MESSAGE_MOST / 8];
	struct dlt_ev_batch_records e = {
		.thread = word32(fields), .first = word32(fields + 4), .count = word32(fields + 8),
		.layout = word32(fields + 12), .begin = word64(fields + 16), .records = records,
		.records_count = word32(fields + 24),
	};

	send_bundle();
	memcpy(records, fields + 28, 8 * (size_t)e.records_count);
	emit_bytes(DLT_EV_BATCH_RECORDS, &e, 8 * (size_t)e.records_count, e.count);
}

/* False: it is none. */
static bool take_message(const unsigned char *from, uint32_t size, unsigned event)
{
	static uint64_t copy[DLT_OUTBOX_MESSAGE_MOST / 8];
	const unsigned char *fields = (const unsigned char *)copy + HEAD;
	size_t length;

	if (event >= DLT_EVENTS || size > sizeof(copy) || size < HEAD)
		return false;
	memcpy(copy, from, size);
	length = dlt_outbox_length((enum dlt_event)event, fields, size - HEAD);
	if (!length)
		return false;
	if (event == DLT_EV_BATCH_RECORDS)
		add_batch(fields);
	else
		add_event((enum dlt_event)event, word64((const unsigned char *)copy + 8), fields, length);
	return true;
}

/* ---- places ---------------------------------------------------------------------------------- */

/* Bytes between two places that lie behind each other in memory, too. */
static uint64_t up_to(uint64_t at, uint64_t end)
{
	uint64_t left = DLT_OUTBOX_SIZE - at % DLT_OUTBOX_SIZE;

	return left < end - at ? left : end - at;
}

/*
 * Whole chunks that have been read, zeroed, before anybody gets them. A process with little to say gives
 * its memory back to the system, which takes it a fault a page; one that says much keeps it.
 */
static void give_back(struct sampled_process *p, struct dlt_box_outbox *o)
{
	uint64_t tail = o->tail, end = p->outbox_at & ~(uint64_t)(DLT_OUTBOX_CHUNK - 1);

	tail &= ~(uint64_t)(DLT_OUTBOX_CHUNK - 1);
	if (tail > end || end - tail > DLT_OUTBOX_SIZE)
		tail = end > DLT_OUTBOX_SIZE ? end - DLT_OUTBOX_SIZE : 0;
	while (tail < end) {
		void *from = o->bytes + tail % DLT_OUTBOX_SIZE;
		uint64_t length = up_to(tail, end);

		if (p->outbox_passed > QUIET || p->outbox_given_up || madvise(from, length, MADV_REMOVE) < 0) {
			length = DLT_OUTBOX_CHUNK;
			memset(from, 0, length);
		}
		tail += length;
		__atomic_store_n(&o->tail, tail, __ATOMIC_RELEASE);
	}
}

/*
 * Its thread is writing it, or was thrown out of that: with its process, or by a signal's handler that jumps
 * away. One that is merely held may come back; so while the process lives there must be need.
 */
static bool is_given_up(struct sampled_process *p, uint64_t head, bool gone)
{
	uint64_t now;

	if (gone)
		return true;
	now = ticks_monotonic();
	if (p->outbox_stuck_at != p->outbox_at || !p->outbox_stuck_since) {
		p->outbox_stuck_at = p->outbox_at;
		p->outbox_stuck_since = now;
	}
	if (now - p->outbox_stuck_since <= STUCK || head - p->outbox_at <= DLT_OUTBOX_SIZE / 2)
		return false;
	p->outbox_given_up = true;
	return true;
}

/* A place that is to be read next: what lies there. */
struct place {
	struct sampled_process *process;
	uint64_t head;		/* as it was when the round began */
	uint64_t time;		/* ns CLOCK_MONOTONIC */
	uint32_t size;		/* bytes of the message */
	unsigned event;
};

/* Bytes up to the next word: of messages that were not begun. */
static uint32_t zeros(const unsigned char *from, uint64_t left)
{
	uint32_t count = 8;

	while (count < left && !word64(from + count))
		count += 8;
	return count;
}

/* Bytes of the message that begins there, or that can be passed over; 0: it is not finished. */
static uint32_t size_of(struct place *l, struct dlt_box_outbox *o, bool gone)
{
	struct sampled_process *p = l->process;
	const unsigned char *from = o->bytes + p->outbox_at % DLT_OUTBOX_SIZE;
	uint64_t word = __atomic_load_n((const uint64_t *)(const void *)from, __ATOMIC_ACQUIRE), left;
	uint32_t size = dlt_outbox_size_in(word);

	left = DLT_OUTBOX_SIZE - p->outbox_at % DLT_OUTBOX_SIZE;
	if (left > l->head - p->outbox_at)
		left = l->head - p->outbox_at;
	l->event = DLT_OUTBOX_NOTHING;
	if (!word)
		return is_given_up(p, l->head, gone) ? zeros(from, left) : 0;
	if (size < 8 || size % 8 || size > left) {
		p->outbox_odd++;
		return 8;
	}
	if (dlt_outbox_state_in(word) == DLT_OUTBOX_BUSY)
		return is_given_up(p, l->head, gone) ? size : 0;
	if (size >= HEAD && dlt_outbox_event_in(word) != DLT_OUTBOX_NOTHING) {
		l->event = dlt_outbox_event_in(word);
		l->time = word64(from + 8);
	}
	return size;
}

static uint64_t bytes_read;	/* of all outboxes, ever */
static unsigned dirty;		/* processes of which more was read than given back */

/* All that was read of it has been passed on: who comes after us begins behind it. */
static void settle(struct sampled_process *p, struct dlt_box_outbox *o)
{
	__atomic_store_n(&o->read, p->outbox_at, __ATOMIC_RELAXED);
	if (p->outbox_at - box_value(o->tail) >= GIVEN_BACK)
		give_back(p, o);
	dirty -= p->outbox_dirty;
	p->outbox_dirty = false;
}

static void go_on(struct sampled_process *p, uint32_t size)
{
	p->outbox_at += size;
	p->outbox_passed += size;
	bytes_read += size;
	dirty += !p->outbox_dirty;
	p->outbox_dirty = true;
}

/* Goes to the next message. False: none is left, or it is not finished. */
static bool find_message(struct place *l, bool gone)
{
	struct sampled_process *p = l->process;
	struct dlt_box_outbox *o = box_view_outbox(&p->box);

	while (o && p->outbox_at < l->head) {
		l->size = size_of(l, o, gone);
		if (!l->size)
			return false;
		if (l->event != DLT_OUTBOX_NOTHING)
			return true;
		go_on(p, l->size);
	}
	return false;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static struct sampled_process *first;	/* all whose outboxes are read, by outbox_next */
static struct sampled_process *reading;	/* whose box is being touched */
static struct place *places;		/* owned; the earliest message on top */
static size_t place_count, place_room;

void outbox_enter(struct sampled_process *p)
{
	const struct dlt_box_outbox *o = box_view_outbox(&p->box);

	if (o)
		p->outbox_at = box_value(o->read) & ~(uint64_t)7;
	p->outbox_next = first;
	first = p;
}

void outbox_leave(struct sampled_process *p)
{
	struct sampled_process **at = &first;

	while (*at && *at != p)
		at = &(*at)->outbox_next;
	if (*at)
		*at = p->outbox_next;
	if (reading == p)
		reading = NULL;
	dirty -= p->outbox_dirty;
	p->outbox_dirty = false;
}

struct sampled_process *outbox_reading(void)
{
	return reading;
}

static void sift_down(size_t i)
{
	for (size_t child; (child = 2 * i + 1) < place_count; i = child) {
		struct place moved = places[i];

		if (child + 1 < place_count && places[child + 1].time < places[child].time)
			child++;
		if (moved.time <= places[child].time)
			return;
		places[i] = places[child];
		places[child] = moved;
	}
}

/* False: there is no memory, and it waits for the next round. */
static bool push(const struct place *l)
{
	size_t i = place_count;

	if (place_count == place_room) {
		struct place *more = realloc(places, (2 * place_room + 16) * sizeof(*places));

		if (!more)
			return false;
		places = more;
		place_room = 2 * place_room + 16;
	}
	for (place_count++; i && l->time < places[(i - 1) / 2].time; i = (i - 1) / 2)
		places[i] = places[(i - 1) / 2];
	places[i] = *l;
	return true;
}

static void enter_all(const struct sampled_process *gone)
{
	place_count = 0;
	for (struct sampled_process *p = first; p; p = p->outbox_next) {
		struct place l = { .process = p };
		struct dlt_box_outbox *o;

		if (p->outbox_closed)
			continue;
		reading = p;
		o = box_view_outbox(&p->box);
		l.head = o ? __atomic_load_n(&o->head, __ATOMIC_ACQUIRE) : p->outbox_at;
		/* Nonsense: what is there is nobody's. */
		if (l.head - p->outbox_at > DLT_OUTBOX_SIZE) {
			p->outbox_odd++;
			p->outbox_at = l.head &= ~(uint64_t)7;
		}
		if (find_message(&l, p == gone))
			push(&l);
	}
}

static void settle_all(void)
{
	struct sampled_process *before = reading;

	for (struct sampled_process *p = dirty ? first : NULL; p; p = p->outbox_next) {
		struct dlt_box_outbox *o = p->outbox_dirty ? box_view_outbox(&p->box) : NULL;

		reading = p;
		if (o)
			settle(p, o);
	}
	reading = before;
}

static void pass_on_earliest(const struct sampled_process *gone)
{
	struct place *l = places;
	struct dlt_box_outbox *o;

	reading = l->process;
	o = box_view_outbox(&l->process->box);
	if (!o || !take_message(o->bytes + l->process->outbox_at % DLT_OUTBOX_SIZE, l->size, l->event))
		l->process->outbox_odd++;
	go_on(l->process, l->size);
	if (!o || !find_message(l, l->process == gone))
		places[0] = places[--place_count];
	sift_down(0);
}

/* Nothing is there, or it has been read. */
static bool is_empty(const struct sampled_process *p)
{
	const struct dlt_box_outbox *o = box_view_outbox(&p->box);

	return !o || __atomic_load_n(&o->head, __ATOMIC_ACQUIRE) == p->outbox_at;
}

/* As many events as a message says that it has, if it can. */
static uint64_t events_in(const struct place *l)
{
	const unsigned char *from = box_view_outbox(&l->process->box)->bytes + l->process->outbox_at % DLT_OUTBOX_SIZE;
	uint32_t count = l->event == DLT_EV_BATCH_RECORDS && l->size >= HEAD + 12 ? word32(from + HEAD + 8) : 1;

	return count < l->size ? count : 1;
}

void outbox_give_up(struct sampled_process *p)
{
	struct place l = { .process = p };
	uint64_t at = p->outbox_at;

	if (p->access != SAMPLED_TAKES || p->outbox_closed || is_empty(p) || sample_has_room() ||
	    !sample_enabled(DLT_EV_OUTBOX_EVENTS))
		return;
	reading = p;
	l.head = __atomic_load_n(&box_view_outbox(&p->box)->head, __ATOMIC_ACQUIRE);
	while (l.head - p->outbox_at <= DLT_OUTBOX_SIZE && find_message(&l, true)) {
		sample_counts->unsaid += events_in(&l);
		go_on(p, l.size);
	}
	reading = NULL;
	/* Who lives on may still be writing there: it is left as it is. */
	p->outbox_at = at;
	p->outbox_closed = true;
}

uint64_t outbox_bytes(void)
{
	return bytes_read;
}

bool outbox_pass_on(struct sampled_process *p, bool gone)
{
	uint64_t head;

	if (p->access != SAMPLED_TAKES || is_empty(p))
		return true;
	/* It waits until somebody can have it; or it stays lost, also if there is room a moment later. */
	if (!sample_enabled(DLT_EV_OUTBOX_EVENTS) || p->outbox_closed)
		return p->outbox_closed;
	head = __atomic_load_n(&box_view_outbox(&p->box)->head, __ATOMIC_ACQUIRE);
	enter_all(gone ? p : NULL);
	while (place_count && sample_has_room())
		pass_on_earliest(gone ? p : NULL);
	send_bundle();
	reading = NULL;
	if (gone)
		outbox_give_up(p);
	return p->outbox_at >= head || p->outbox_closed;
}
