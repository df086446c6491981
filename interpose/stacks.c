/* SPDX-License-Identifier: MIT */
/* Walks the calling thread's stack, and puts Python's frames where its interpreter's are. */
#include "stacks.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "clock.h"
#include "guard.h"
#include "library.h"
#include "process.h"
#include "python.h"
#include "stack_frames.h"
#include "stack_places.h"
#include "sys.h"

#define DEEPEST 192		/* frames of a stack that are kept, the innermost */
#define PYTHONS 128		/* ... of Python's */
#define STACK_MOST (64UL << 20)	/* bytes of the first thread's stack: no mapping is so near to its end */

/* ---- the walk ------------------------------------------------------------------------------ */

struct registers {
	uintptr_t at, rsp, rbp;	/* at: the return address */
};

/* By what else than the stack pointer and the return addresses is a frame's caller found? */
#define BY_NOTHING 0
#define BY_MEMORY 1		/* DLT_CFI_AT_RBP */

struct frame {
	struct registers r;
	uintptr_t by;		/* as above, or by rbp, which was read from this address */
};

static bool read_word(const struct registers *r, uintptr_t end, uintptr_t address, uintptr_t *value)
{
	if (address < r->rsp || address > end - sizeof(*value) || address % sizeof(*value))
		return false;
	*value = *(const volatile uintptr_t *)address;
	return true;
}

/* To the caller's frame; nothing is read but what lies between this one and the stack's end. *rbp_at: where rbp was. */
static bool step(struct registers *r, struct dlt_cfi_rule rule, uintptr_t end, uintptr_t *rbp_at)
{
	uintptr_t cfa = (rule.base == DLT_CFI_RSP ? r->rsp : r->rbp) + (uintptr_t)(intptr_t)rule.cfa, rbp = r->rbp;
	struct registers caller;

	if (rule.base == DLT_CFI_AT_RBP && !read_word(r, end, cfa, &cfa))
		return false;
	if (cfa <= r->rsp || cfa > end || !read_word(r, end, cfa - 8, &caller.at))
		return false;
	if (rule.saved != DLT_CFI_SAME) {
		*rbp_at = (rule.base == DLT_CFI_AT_RBP ? r->rbp : cfa) + (uintptr_t)(intptr_t)rule.saved;
		if (!read_word(r, end, *rbp_at, &rbp))
			return false;
	}
	*r = (struct registers){ caller.at, cfa, rbp };
	return caller.at != 0;
}

/*
 * Frames from walk() outwards, the innermost first. Between two allocations of a thread most of its stack stays as it
 * was: of what is kept of the walk before, only the return addresses need to be looked at.
 */
struct walked {
	unsigned count;
	bool whole;			/* it is known that there are no more */
	struct frame frames[DEEPEST];
	uint64_t places[DEEPEST];	/* what each is (stack_places.h) */
};

static uintptr_t word_at(uintptr_t address)
{
	return *(const volatile uintptr_t *)address;
}

/*
 * The first of its frames behind `i`, which is as it was, that is another one by now, or whose caller may be; count:
 * none. A return address alone may have been left where a stack of another layout has a hole. Where rbp was read
 * below frame `i` it is that one's.
 */
static unsigned first_changed(const struct walked *w, unsigned i)
{
	const uintptr_t from = w->frames[i].r.rsp;

	for (i++; i < w->count; i++) {
		const struct frame *f = &w->frames[i];

		if (word_at(f->r.rsp - 8) != f->r.at || f->by == BY_MEMORY ||
		    (f->by >= from && word_at(f->by) != f->r.rbp))
			break;
	}
	return i;
}

/* What is in `former` from its frame `i` on comes behind those that `w` has. */
static void append(struct walked *w, const struct walked *former, unsigned i)
{
	unsigned more = former->count - i;

	w->whole = former->whole && more <= DEEPEST - w->count;
	more = more < DEEPEST - w->count ? more : DEEPEST - w->count;
	memcpy(&w->frames[w->count], &former->frames[i], more * sizeof(*w->frames));
	memcpy(&w->places[w->count], &former->places[i], more * sizeof(*w->places));
	w->count += more;
}

static bool is_same(const struct registers *a, const struct registers *b)
{
	return a->at == b->at && a->rsp == b->rsp && a->rbp == b->rbp;
}

static uintptr_t found_by(struct dlt_cfi_rule rule, uintptr_t rbp_at)
{
	return rule.base == DLT_CFI_RBP ? rbp_at : rule.base == DLT_CFI_AT_RBP ? BY_MEMORY : BY_NOTHING;
}

/* former: of the same stack, NULL: none. How many frames have no place yet. */
static __attribute__((noinline)) unsigned walk(struct walked *w, const struct walked *former, uintptr_t begin,
					       uintptr_t end)
{
	uintptr_t rbp_at = BY_NOTHING;
	unsigned at = 0, changed = 0;
	struct registers r;

	__asm__ volatile("lea 0(%%rip), %0\n\tmov %%rsp, %1\n\tmov %%rbp, %2" : "=r"(r.at), "=r"(r.rsp), "=r"(r.rbp));
	r.at++;
	w->count = 0;
	w->whole = false;
	if (r.rsp < begin || r.rsp > end)
		return 0;
	while (w->count < DEEPEST) {
		struct dlt_cfi_rule rule;

		while (former && at < former->count && former->frames[at].r.rsp < r.rsp)
			at++;
		if (former && at < former->count && at >= changed && former->frames[at].by != BY_MEMORY &&
		    is_same(&former->frames[at].r, &r)) {
			unsigned fresh = w->count;

			changed = first_changed(former, at);
			if (changed == former->count) {
				append(w, former, at);
				return fresh;
			}
		}
		rule = dlt_place_rule(r.at);
		w->whole = rule.base == DLT_CFI_OUTERMOST || r.rsp == end;
		if (w->whole)
			break;
		w->frames[w->count++] = (struct frame){ r, found_by(rule, rbp_at) };
		if (rule.base == DLT_CFI_UNKNOWN || !step(&r, rule, end, &rbp_at))
			break;
	}
	return w->count;
}

/* ---- a stack ------------------------------------------------------------------------------- */

/* One frame of what is told. */
struct shown {
	uint64_t what, mark;	/* mark: tells code of Python's apart that lies at the same address */
	const void *code;
	int32_t instruction;
	uint32_t id;
};

/* A stack, and what it was put together from. */
struct taken {
	struct walked walked;
	unsigned pythons, count;
	bool cut;		/* there is more outside */
	struct dlt_python_frame python[PYTHONS];
	uint64_t marks[PYTHONS];
	struct shown shown[DEEPEST];	/* the innermost first */
	uint32_t id;
};

/* Where a thread puts together its stacks: too much for small stacks. Kept for the record's next thread. */
struct dlt_stack_room {
	struct taken taken[2];
	uint8_t now;			/* the one that is put together */
	bool known;			/* the other one is a stack ... */
	uintptr_t end;			/* ... that ends here, */
	uint32_t generation;		/* ... and was taken with these libraries */
	unsigned used, bare;		/* Python's frames that are shown; calls of the interpreter before the next */
	struct dlt_stack_news news;
};

static void show(struct taken *s, const struct shown *one)
{
	/* Several unknown ones in a row are one. */
	if (dlt_frame_kind(one->what) == DLT_FRAME_UNKNOWN && s->count && s->shown[s->count - 1].what == one->what)
		return;
	if (s->count < DEEPEST)
		s->shown[s->count++] = *one;
	else
		s->cut = true;
}

static void show_native(struct taken *s, uint64_t what)
{
	show(s, &(struct shown){ .what = what });
}

/* All frames that one call of the interpreter runs; it may have none. */
static void show_run(struct dlt_stack_room *room, struct taken *s)
{
	bool last = false;

	if (room->used < s->pythons && room->bare < s->python[room->used].bare) {
		room->bare++;
		return;
	}
	room->bare = 0;
	while (room->used < s->pythons && !last) {
		const struct dlt_python_frame *f = &s->python[room->used];

		show(s, &(struct shown){ dlt_frame_what(DLT_FRAME_PYTHON, 0, 0), s->marks[room->used], f->code,
					 f->instruction, 0 });
		last = f->entry;
		room->used++;
	}
}

static void join(struct dlt_stack_room *room, struct taken *s)
{
	const struct walked *w = &s->walked;

	s->count = room->used = room->bare = 0;
	s->cut = s->pythons == PYTHONS || w->count == DEEPEST;
	for (unsigned i = 0; i < w->count; i++) {
		unsigned kind = dlt_frame_kind(w->places[i]);

		if (kind == PLACE_EVALUATES && s->pythons)
			show_run(room, s);
		else if (kind < PLACE_OURS)
			show_native(s, w->places[i]);
		else if (kind != PLACE_OURS && !s->pythons)
			show_native(s, dlt_frame_again(w->places[i], DLT_FRAME_NATIVE));
	}
	/* Code without .eh_frame is in between: made at run time, or a coroutine's stack. */
	if (!w->whole && w->count < DEEPEST)
		show_native(s, dlt_frame_what(DLT_FRAME_UNKNOWN, 0, 0));
	while (room->used < s->pythons)
		show_run(room, s);
}

static bool is_alike(const struct shown *a, const struct shown *b)
{
	return a->what == b->what && a->code == b->code && a->instruction == b->instruction && a->mark == b->mark;
}

/* From the outermost on: as long as they are those of the stack before, their ids are known. */
static uint32_t intern_all(struct dlt_thread *t, struct dlt_stack_room *room, struct taken *s,
			   const struct taken *former)
{
	uint32_t id = s->cut ? dlt_stack_frame(t, 0, dlt_frame_what(DLT_FRAME_CUT, 0, 0), &room->news) : 0;
	unsigned left = s->count, theirs = former && former->cut == s->cut ? former->count : 0;

	for (; left && theirs && is_alike(&s->shown[left - 1], &former->shown[theirs - 1]); left--, theirs--) {
		s->shown[left - 1].id = former->shown[theirs - 1].id;
		id = s->shown[left - 1].id ? s->shown[left - 1].id : id;
	}
	for (; left; left--) {
		struct shown *one = &s->shown[left - 1];
		struct dlt_python_frame f = { .code = one->code, .instruction = one->instruction };

		one->id = one->code ? dlt_stack_python(t, id, &f, &room->news) :
			  dlt_stack_frame(t, id, one->what, &room->news);
		if (!one->id)
			break;
		id = one->id;
	}
	while (left > 1)
		s->shown[--left - 1].id = 0;
	dlt_stack_tell(t, &room->news);
	return id;
}

static bool has_same_python(const struct taken *a, const struct taken *b)
{
	if (a->pythons != b->pythons)
		return false;
	for (unsigned i = 0; i < a->pythons; i++) {
		const struct dlt_python_frame *f = &a->python[i], *g = &b->python[i];

		if (f->code != g->code || f->instruction != g->instruction || f->entry != g->entry ||
		    f->bare != g->bare || a->marks[i] != b->marks[i])
			return false;
	}
	return true;
}

static bool is_same_stack(const struct taken *a, const struct taken *b)
{
	return a->walked.count == b->walked.count && a->walked.whole == b->walked.whole && has_same_python(a, b) &&
	       memcmp(a->walked.places, b->walked.places, a->walked.count * sizeof(*a->walked.places)) == 0;
}

static void read_python(struct taken *s)
{
	s->pythons = dlt_place_has_python() ? dlt_python_frames(s->python, PYTHONS) : 0;
	for (unsigned i = 0; i < s->pythons; i++)
		s->marks[i] = dlt_python_code_mark(s->python[i].code);
}

static uint32_t take(struct dlt_thread *t, struct dlt_stack_room *room)
{
	struct taken *s = &room->taken[room->now], *former = &room->taken[!room->now];
	unsigned fresh;

	if (!room->known || room->end != t->stack_end || room->generation != dlt_library_now())
		former = NULL;
	room->known = false;
	/* Of one that was cut it is not known what is behind. */
	fresh = walk(&s->walked, former && former->walked.count < DEEPEST ? &former->walked : NULL,
		     t->stack_begin, t->stack_end);
	/* The interpreter is found by what the places are. */
	for (unsigned i = 0; i < fresh; i++)
		s->walked.places[i] = dlt_place_what(s->walked.frames[i].r.at);
	read_python(s);
	if (!former || !is_same_stack(s, former)) {
		join(room, s);
		s->id = intern_all(t, room, s, former);
		room->now = !room->now;
	}
	room->end = t->stack_end;
	room->generation = dlt_library_now();
	room->known = true;
	return room->taken[!room->now].id;
}

/*
 * NULL: there is no memory, or a stack of this thread is being taken already: a signal's handler came in between. A
 * taker that was left by siglongjmp does not count, as in guard.h.
 */
static struct dlt_stack_room *enter(struct dlt_thread *t, uintptr_t here)
{
	if (!t->id)		/* one that several share in their last breath (thread.h) */
		return NULL;
	if (!t->stack_room)
		t->stack_room = dlt_sys_map(NULL, sizeof(*t->stack_room), PROT_READ | PROT_WRITE,
					    MAP_PRIVATE | MAP_ANONYMOUS, -1);
	if (!t->stack_room || (t->stack_taker && !dlt_guard_left(t->stack_taker, here)))
		return NULL;
	__atomic_store_n(&t->stack_taker, here, __ATOMIC_RELAXED);
	__asm__ volatile("" ::: "memory");
	return t->stack_room;
}

static void leave(struct dlt_thread *t)
{
	__atomic_store_n(&t->stack_taker, 0, __ATOMIC_RELEASE);
}

#define NO_END 1	/* lies below every stack: nothing is walked */

/* Threads that pthread_create made know it (threads.c), and the first one. */
static void find_end(struct dlt_thread *t)
{
	uintptr_t end = dlt_process_stack_end();

	t->stack_begin = end > STACK_MOST ? end - STACK_MOST : NO_END;
	t->stack_end = end ? end : NO_END;
}

uint32_t dlt_stack_take(struct dlt_thread *t)
{
	struct dlt_stack_room *room = enter(t, DLT_FRAME);
	uint32_t id;

	if (!room)
		return 0;
	if (!t->stack_end)
		find_end(t);
	id = take(t, room);
	leave(t);
	return id;
}

/* ---- events -------------------------------------------------------------------------------- */

void dlt_stack_allocated(struct dlt_thread *t, const struct dlt_stack_block *b)
{
	struct dlt_ev_full_stack_alloc e = {
		.thread = t->id, .stack = b->stack, .memory = b->memory, .device = b->device,
		.size = b->size, .ptr = b->ptr,
	};

	dlt_emit_at(t, DLT_EV_FULL_STACK_ALLOC, &e, dlt_clock_ticks());
}

void dlt_stack_freed(struct dlt_thread *t, const struct dlt_stack_block *b)
{
	struct dlt_ev_full_stack_free e = {
		.thread = t->id, .stack = b->stack, .memory = b->memory, .device = b->device,
		.size = b->size, .ptr = b->ptr,
	};

	if (dlt_enabled(DLT_EV_FULL_STACK_FREE))
		dlt_emit_at(t, DLT_EV_FULL_STACK_FREE, &e, dlt_clock_ticks());
}
