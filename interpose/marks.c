/* SPDX-License-Identifier: MIT */
/* Ranges and moments that the program names: open ones by thread, started ones by id, their events. */
#include "marks.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "clock.h"
#include "emit.h"
#include "guard.h"
#include "init.h"
#include "process.h"
#include "sys.h"

#define PUSHED		31	/* ranges that a thread has open at once */
#define STARTED		512	/* ranges that the process has open, by id */
#define TRIES		32	/* places looked at for a free one */

/* As in dltrace_mark:range's `inside`, which has no 0. */
enum { OTHERS = 5, KINDS = 8 };

/* Outermost calls that a thread has made, by kind. */
struct calls {
	uint64_t count[KINDS], ticks[KINDS];
};

struct range {
	uint64_t start;		/* ticks; 0: nobody listened, or it has been told */
	uint64_t payload;
	const char *domain, *category;
	uint32_t thread;	/* that began it */
	uint8_t payload_type;
	char name[DLT_MARK_NAME];
	struct calls before;	/* made by the thread when it began */
};

/* A thread's; owned by its record and reused with it. */
struct dlt_marks {
	uint32_t depth;		/* may be beyond PUSHED */
	struct calls made;	/* since it has named anything */
	struct calls at_epoch, at_step;	/* ... when the last one began */
	struct range pushed[PUSHED];
};

/* `id` is 0 while the place is free and CLAIMED while it is being filled or told. */
static struct started {
	uint64_t id;
	struct range range;
} started[STARTED];

#define CLAIMED 1
#define ID_BITS 16	/* an id's lower bits are its place + 2, so that none is 0 or CLAIMED */

static uint32_t serial;

/* ---- names --------------------------------------------------------------------------------- */

char *dlt_mark_copy(char *to, size_t size, const char *name)
{
	size_t n = strnlen(name, size);

	/* Too long: not in the middle of a UTF-8 character. */
	if (n == size)
		for (n--; n && ((unsigned char)name[n] & 0xc0) == 0x80; n--)
			;
	memcpy(to, name, n);
	to[n] = '\0';
	return to;
}

static char *put_character(char *to, uint32_t c)
{
	if (c < 0x80) {
		*to++ = (char)c;
	} else if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
		*to++ = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		*to++ = (char)(0xe0 | c >> 12);
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
		*to++ = (char)(0x80 | (c & 0x3f));
	} else {
		*to++ = (char)(0xf0 | (c >> 18 & 7));
		*to++ = (char)(0x80 | (c >> 12 & 0x3f));
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
		*to++ = (char)(0x80 | (c & 0x3f));
	}
	return to;
}

char *dlt_mark_copy_wide(char *to, size_t size, const wchar_t *wide)
{
	char *at = to;

	while (*wide && (size_t)(at - to) + 5 <= size)
		at = put_character(at, (uint32_t)*wide++);
	*at = '\0';
	return to;
}

/* ---- events -------------------------------------------------------------------------------- */

static bool is_heard(struct dlt_thread *t)
{
	return dlt_enabled(DLT_EV_MARK_RANGE) && !dlt_is_guarded(t) && !t->helper;
}

static void fill(struct range *r, struct dlt_thread *t, const struct dlt_mark *m)
{
	r->domain = m->domain;
	r->category = m->category;
	r->payload = m->payload;
	r->payload_type = m->payload_type;
	r->thread = t->id;
	if (m->name)
		dlt_mark_copy(r->name, sizeof(r->name), m->name);
	else if (m->wide)
		dlt_mark_copy_wide(r->name, sizeof(r->name), m->wide);
	else
		r->name[0] = '\0';
}

void dlt_mark_call(struct dlt_marks *s, enum dlt_event event, uint64_t ticks)
{
	static const uint8_t kinds[DLT_EVENTS] = {
		[DLT_EV_CUDA_ALLOC] = 1, [DLT_EV_CUDA_FREE] = 1, [DLT_EV_CUDA_COPY] = 2,
		[DLT_EV_CUDA_LAUNCH] = 3, [DLT_EV_CUDA_SYNC] = 4, [DLT_EV_CPU_BLAS] = 6,
		[DLT_EV_CPU_REGION] = 6, [DLT_EV_COMM_CALL] = 7,
	};
	unsigned kind = kinds[event] ? kinds[event] : OTHERS;

	s->made.count[kind]++;
	s->made.ticks[kind] += ticks;
}

/* What was made since `before`, as the event has it; returns the number of words. */
static uint32_t put_inside(uint64_t *words, const struct calls *made, const struct calls *before)
{
	uint32_t n = 0;

	for (uint64_t kind = 1; kind < KINDS; kind++) {
		uint64_t count = made->count[kind] - before->count[kind];

		if (!count)
			continue;
		words[n++] = kind << 56 | count;
		words[n++] = dlt_clock_elapsed_ns(made->ticks[kind] - before->ticks[kind]);
	}
	return n;
}

/* `s`: what the thread has made, NULL: not to be told. */
static void emit(struct dlt_thread *t, const struct range *r, enum dlt_mark_kind kind,
		 uint32_t depth, bool open, const struct dlt_marks *s)
{
	uint64_t inside[2 * KINDS];
	struct dlt_ev_mark_range e = {
		.thread = t->id, .begun_by = r->thread, .kind = (uint8_t)kind,
		.depth = (uint8_t)depth, .open = open, .payload_type = r->payload_type,
		.payload = r->payload, .domain = r->domain ? r->domain : "",
		.category = r->category ? r->category : "", .name = r->name, .inside = inside,
	};

	if (s)
		e.inside_count = put_inside(inside, &s->made, &r->before);

	if (r->start)
		e.duration = dlt_clock_elapsed_ns(dlt_clock_ticks() - r->start);
	dlt_emit(t, DLT_EV_MARK_RANGE, &e);
}

/* ---- pushed and popped --------------------------------------------------------------------- */

static struct dlt_marks *marks_of(struct dlt_thread *t)
{
	/* A thread in its last breath has no id: it shares its record with others. */
	if (!t->marks && t->id)
		t->marks = dlt_sys_map(NULL, sizeof(*t->marks), PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS, -1);
	return t->marks;
}

void dlt_mark_push(const struct dlt_mark *m)
{
	struct dlt_thread *t = dlt_thread_self();
	struct dlt_marks *s = marks_of(t);
	struct range *r;

	if (!s || s->depth++ >= PUSHED)
		return;
	r = &s->pushed[s->depth - 1];
	r->domain = m->domain;
	r->start = 0;
	if (!is_heard(t))
		return;
	fill(r, t, m);
	r->before = s->made;
	r->start = dlt_clock_ticks();
}

void dlt_mark_pop(const char *domain)
{
	struct dlt_thread *t = dlt_thread_self();
	struct dlt_marks *s = t->marks;
	uint32_t at;

	if (!s || !s->depth)
		return;
	if (s->depth > PUSHED) {
		s->depth--;
		return;
	}
	/* Nearly always the last one; domains need not nest in each other. */
	for (at = s->depth; at && s->pushed[at - 1].domain != domain; at--)
		;
	if (!at--)
		return;
	if (s->pushed[at].start && is_heard(t))
		emit(t, &s->pushed[at], DLT_MARK_PUSHED, at, false, s);
	s->depth--;
	memmove(&s->pushed[at], &s->pushed[at + 1], (s->depth - at) * sizeof(s->pushed[0]));
}

/* ---- started and ended --------------------------------------------------------------------- */

uint64_t dlt_mark_start(const struct dlt_mark *m)
{
	struct dlt_thread *t = dlt_thread_self();
	uint64_t number;

	if (!is_heard(t))
		return 0;
	number = __atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < TRIES; i++) {
		uint64_t place = (number + i) % STARTED, nobody = 0;
		struct started *s = &started[place];

		if (!__atomic_compare_exchange_n(&s->id, &nobody, CLAIMED, false, __ATOMIC_ACQUIRE,
						 __ATOMIC_RELAXED))
			continue;
		fill(&s->range, t, m);
		s->range.start = dlt_clock_ticks();
		__atomic_store_n(&s->id, number << ID_BITS | (place + 2), __ATOMIC_RELEASE);
		return number << ID_BITS | (place + 2);
	}
	return 0;
}

/* No place beyond it was ever used: most programs never touch the table, 36 pages. */
static unsigned places_used(void)
{
	uint64_t begun = __atomic_load_n(&serial, __ATOMIC_RELAXED);

	return !begun ? 0 : begun + TRIES < STARTED ? (unsigned)begun + TRIES : STARTED;
}

/* Whoever gets it out of the table tells it, once. */
static void end(struct dlt_thread *t, struct started *s, uint64_t id, bool open)
{
	if (!__atomic_compare_exchange_n(&s->id, &id, CLAIMED, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return;
	if (is_heard(t))
		emit(t, &s->range, DLT_MARK_STARTED, 0, open, NULL);
	__atomic_store_n(&s->id, 0, __ATOMIC_RELEASE);
}

void dlt_mark_end(uint64_t id)
{
	uint64_t place = (id & ((1 << ID_BITS) - 1)) - 2;

	if (place < STARTED && id > CLAIMED)
		end(dlt_thread_self(), &started[place], id, false);
}

/* ---- moments ------------------------------------------------------------------------------- */

/* Where the thread's last epoch or step began, if the event shall say what was made since then. */
static struct calls *boundary_of(struct dlt_thread *t, enum dlt_mark_kind kind)
{
	struct dlt_marks *s = kind == DLT_MARK_MOMENT ? NULL : marks_of(t);

	return !s ? NULL : kind == DLT_MARK_EPOCH ? &s->at_epoch : &s->at_step;
}

void dlt_mark_moment(enum dlt_mark_kind kind, const struct dlt_mark *m)
{
	struct dlt_thread *t = dlt_thread_self();
	struct calls *boundary;
	struct range r;

	if (!is_heard(t))
		return;
	fill(&r, t, m);
	r.start = 0;
	boundary = boundary_of(t, kind);
	if (boundary)
		r.before = *boundary;
	emit(t, &r, kind, t->marks && t->marks->depth < PUSHED ? t->marks->depth : 0, false,
	     boundary ? t->marks : NULL);
	if (boundary)
		*boundary = t->marks->made;
}

/* ---- what never ends ----------------------------------------------------------------------- */

/* `by` tells what `of` has open: itself, or a thread that goes on while the process ends. */
static void tell_open(struct dlt_thread *by, struct dlt_thread *of)
{
	struct dlt_marks *s = of->marks;
	uint32_t depth = s ? __atomic_load_n(&s->depth, __ATOMIC_RELAXED) : 0;

	for (depth = depth < PUSHED ? depth : PUSHED; depth--;) {
		struct range r = s->pushed[depth];

		/* A name may change while it is copied, but it always ends. */
		r.name[sizeof(r.name) - 1] = '\0';
		if (!r.start || r.thread != of->id)
			continue;
		s->pushed[depth].start = 0;
		emit(by, &r, DLT_MARK_PUSHED, depth, true, s);
	}
}

void dlt_marks_thread_end(struct dlt_thread *t)
{
	if (!t->marks)
		return;
	if (is_heard(t))
		tell_open(t, t);
	memset(t->marks, 0, offsetof(struct dlt_marks, pushed));
}

void dlt_marks_exit(void)
{
	struct dlt_thread *self = dlt_thread_self();

	if (!is_heard(self))
		return;
	for (struct dlt_thread *t = dlt_thread_next(NULL); t; t = dlt_thread_next(t))
		if (t->id)
			tell_open(self, t);
	for (unsigned i = 0, used = places_used(); i < used; i++) {
		uint64_t id = __atomic_load_n(&started[i].id, __ATOMIC_ACQUIRE);

		if (id > CLAIMED)
			end(self, &started[i], id, true);
	}
}

/* What was open is the parent's; the child still pops it. */
void dlt_marks_after_fork(void)
{
	struct dlt_marks *s = dlt_thread_self()->marks;

	for (unsigned i = 0; s && i < PUSHED; i++)
		s->pushed[i].start = 0;
	for (struct dlt_thread *t = dlt_thread_next(NULL); t; t = dlt_thread_next(t))
		if (t->marks && t->marks != s)
			t->marks->depth = 0;
	for (unsigned i = 0, used = places_used(); i < used; i++)
		started[i].id = 0;
}
