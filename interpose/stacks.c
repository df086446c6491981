/* SPDX-License-Identifier: MIT */
/* Walks the calling thread's stack, and puts Python's frames where its interpreter's are. */
#include "stacks.h"

#include <stdbool.h>
#include <sys/mman.h>

#include "clock.h"
#include "guard.h"
#include "process.h"
#include "python.h"
#include "stack_frames.h"
#include "stack_places.h"
#include "sys.h"

#define DEEPEST 192		/* frames of a stack that are kept, the innermost */
#define PYTHONS 128		/* ... of Python's */
#define STACK_MOST (64UL << 20)	/* bytes: a stack that is larger is another one than the thread's */

/* ---- the walk ------------------------------------------------------------------------------ */

struct registers {
	uintptr_t at, rsp, rbp;	/* at: the return address */
};

static bool read_word(const struct registers *r, uintptr_t end, uintptr_t address, uintptr_t *value)
{
	if (address < r->rsp || address > end - sizeof(*value) || address % sizeof(*value))
		return false;
	*value = *(const volatile uintptr_t *)address;
	return true;
}

/* To the caller's frame; nothing is read but what lies between this one and the stack's end. */
static bool step(struct registers *r, struct dlt_cfi_rule rule, uintptr_t end)
{
	uintptr_t cfa = (rule.base == DLT_CFI_RSP ? r->rsp : r->rbp) + (uintptr_t)(intptr_t)rule.cfa, rbp = r->rbp;
	struct registers caller;

	if (rule.base == DLT_CFI_AT_RBP && !read_word(r, end, cfa, &cfa))
		return false;
	if (cfa <= r->rsp || cfa > end || !read_word(r, end, cfa - 8, &caller.at))
		return false;
	if (rule.saved != DLT_CFI_SAME &&
	    !read_word(r, end, (rule.base == DLT_CFI_AT_RBP ? r->rbp : cfa) + (uintptr_t)(intptr_t)rule.saved, &rbp))
		return false;
	*r = (struct registers){ caller.at, cfa, rbp };
	return caller.at != 0;
}

/* Return addresses from this function outwards, the innermost first. whole: it is known that there are no more. */
static __attribute__((noinline)) unsigned walk(uintptr_t end, uintptr_t *to, unsigned most, bool *whole)
{
	struct registers r;
	unsigned count = 0;

	__asm__ volatile("lea 0(%%rip), %0\n\tmov %%rsp, %1\n\tmov %%rbp, %2" : "=r"(r.at), "=r"(r.rsp), "=r"(r.rbp));
	r.at++;
	*whole = false;
	if (r.rsp > end || end - r.rsp > STACK_MOST)
		return 0;
	while (count < most) {
		struct dlt_cfi_rule rule = dlt_place_rule(r.at);

		*whole = rule.base == DLT_CFI_OUTERMOST || r.rsp == end;
		if (*whole)
			break;
		to[count++] = r.at;
		if (rule.base == DLT_CFI_UNKNOWN || !step(&r, rule, end))
			break;
	}
	return count;
}

/* ---- a stack ------------------------------------------------------------------------------- */

/* Where a thread puts together its stack: too much for small stacks. Kept for the record's next thread. */
struct dlt_stack_room {
	bool whole, cut;		/* cut: there is more outside */
	unsigned natives, pythons, used, shown;
	uintptr_t native[DEEPEST];
	uint64_t place[DEEPEST];	/* what each of these is (stack_places.h) */
	struct dlt_python_frame python[PYTHONS];
	uint64_t what[DEEPEST];		/* the innermost first; Python's: its index in `python` */
	struct dlt_stack_news news;
};

static void show(struct dlt_stack_room *s, uint64_t what)
{
	/* Several unknown ones in a row are one. */
	if (dlt_frame_kind(what) == DLT_FRAME_UNKNOWN && s->shown && s->what[s->shown - 1] == what)
		return;
	if (s->shown < DEEPEST)
		s->what[s->shown++] = what;
	else
		s->cut = true;
}

/* All frames that one call of the interpreter runs; it may have none. */
static void show_run(struct dlt_stack_room *s)
{
	bool last = false;

	if (s->used < s->pythons && s->python[s->used].bare) {
		s->python[s->used].bare--;
		return;
	}
	while (s->used < s->pythons && !last) {
		last = s->python[s->used].entry;
		show(s, dlt_frame_what(DLT_FRAME_PYTHON, 0, s->used++));
	}
}

static void join(struct dlt_stack_room *s)
{
	for (unsigned i = 0; i < s->natives; i++) {
		uint64_t what = s->place[i];
		unsigned kind = dlt_frame_kind(what);

		if (kind == PLACE_EVALUATES && s->pythons)
			show_run(s);
		else if (kind != PLACE_OURS && (kind < PLACE_OURS || !s->pythons))
			show(s, kind < PLACE_OURS ? what : dlt_frame_again(what, DLT_FRAME_NATIVE));
	}
	/* Code without .eh_frame is in between: made at run time, or a coroutine's stack. */
	if (!s->whole && s->natives < DEEPEST)
		show(s, dlt_frame_what(DLT_FRAME_UNKNOWN, 0, 0));
	while (s->used < s->pythons)
		show_run(s);
	s->cut |= s->pythons == PYTHONS || s->natives == DEEPEST;
}

static uint32_t intern_all(struct dlt_thread *t, struct dlt_stack_room *s)
{
	uint32_t id = s->cut ? dlt_stack_frame(t, 0, dlt_frame_what(DLT_FRAME_CUT, 0, 0), &s->news) : 0;
	unsigned left = s->shown;

	while (left--) {
		uint64_t what = s->what[left];
		uint32_t inner = dlt_frame_kind(what) == DLT_FRAME_PYTHON ?
			dlt_stack_python(t, id, &s->python[dlt_frame_place(what)], &s->news) :
			dlt_stack_frame(t, id, what, &s->news);

		if (!inner)
			break;
		id = inner;
	}
	dlt_stack_tell(t, &s->news);
	return id;
}

/*
 * NULL: there is no memory, or a stack of this thread is being taken already, by a frame above `here`: a signal's
 * handler came in between. One that is not above has been left by siglongjmp, as in guard.h.
 */
static struct dlt_stack_room *enter(struct dlt_thread *t, uintptr_t here)
{
	if (!t->stack_room)
		t->stack_room = dlt_sys_map(NULL, sizeof(*t->stack_room), PROT_READ | PROT_WRITE,
					    MAP_PRIVATE | MAP_ANONYMOUS, -1);
	if (!t->stack_room || t->stack_taker > here)
		return NULL;
	t->stack_taker = here;
	__asm__ volatile("" ::: "memory");
	return t->stack_room;
}

static void leave(struct dlt_thread *t)
{
	__asm__ volatile("" ::: "memory");
	t->stack_taker = 0;
}

uint32_t dlt_stack_take(struct dlt_thread *t)
{
	struct dlt_stack_room *s = enter(t, DLT_FRAME);
	uint32_t id;

	if (!s)
		return 0;
	s->shown = s->used = s->pythons = 0;
	s->cut = false;
	s->natives = walk(t->stack_end, s->native, DEEPEST, &s->whole);
	/* The interpreter is found by what the places are. */
	for (unsigned i = 0; i < s->natives; i++)
		s->place[i] = dlt_place_what(s->native[i]);
	if (dlt_place_has_python())
		s->pythons = dlt_python_frames(s->python, PYTHONS);
	join(s);
	id = intern_all(t, s);
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
