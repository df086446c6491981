/* SPDX-License-Identifier: MIT */
/*
 * Calls of functions.tbl: what the generated wrappers do around the real function.
 *
 * A wrapper asks dlt_call_begin, which finds the real function for this call site. If nobody
 * listens (false) it calls that and is done. Otherwise the call is timed, and dlt_call_end adds it
 * to the totals of (thread, function, library) in the black box; if that says so, the wrapper
 * fills the family's event for dlt_call_emit: of an outermost call, and of a launch or copy that is none but
 * lies in no other call of CUDA (dltrace_cuda:inside).
 *
 * Calls in flight stand in a small array of the thread's own, not on the C stack: a frame whose
 * call was left by an exception, longjmp or pthread_exit is recognised by its stack address and
 * dropped, without looking at memory that is gone.
 *
 * Nothing here changes errno.
 */
#ifndef DLT_INTERPOSE_CALLS_H
#define DLT_INTERPOSE_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "captures.h"
#include "emit.h"
#include "flood.h"
#include "functions.h"
#include "library.h"
#include "major.h"
#include "targets.h"
#include "thread.h"
#include "tiny.h"
#include "totals.h"

#define DLT_CALL_DEPTH 32	/* deeper calls pass through */
#define DLT_CALL_REGIONS 8	/* open at a time, in a thread (regions.h) */
#define DLT_CALL_SITE_BITS 9
#define DLT_CALL_SITES (1 << DLT_CALL_SITE_BITS)	/* call sites that a thread remembers */

/* Where a thread calls a function from, and all that need not be found out again. */
struct dlt_site {
	const void *caller;		/* return address; NULL: free */
	void *real;
	struct dlt_box_totals *totals;	/* NULL: not claimed yet, or late */
	uint32_t generation;		/* of the libraries, when this was found */
	uint16_t function, library;
	uint16_t counts_as;		/* the function that it counts as, mostly itself */
	bool late;			/* no entry was left: counts into the late totals */
};

struct dlt_frame {
	uintptr_t at;			/* as its struct dlt_call says */
	uint64_t nested_time;		/* ticks */
	uint32_t nested;		/* calls */
	uint16_t library;		/* the caller's */
	uint16_t function;
};

/* One call. */
struct dlt_call {
	struct dlt_thread *thread;
	struct dlt_site *site;		/* NULL: not looked up, it is known from `tiny` (dlt_call_turn) */
	struct dlt_tiny *tiny;		/* of calls that are alike; NULL: nobody knows of any */
	uintptr_t like;			/* in this */
	uintptr_t at;			/* stack address that it stands for */
	uint64_t start;			/* ticks; of one that is not timed: 0 */
	uint32_t depth;			/* 0: outermost */
	uint16_t function, library;
	/* Filled by dlt_call_end: */
	uint64_t end;			/* ticks */
	/* ... and as events have them: */
	uint32_t duration, nested_time;	/* ns */
	uint8_t nested;			/* 255: that many or more */
};

/* A parallel region that is open between two calls (regions.c). */
struct dlt_region {
	void *end;			/* the function that closes it */
	uint32_t width;
	bool measured;
	struct dlt_call call;		/* only then */
};

/* What a thread has of its calls; owned by the thread's record, reused with it. */
struct dlt_calls {
	uint32_t untimed;		/* calls, see dlt_box_slot.since */
	struct dlt_frame frames[DLT_CALL_DEPTH];
	struct dlt_site sites[DLT_CALL_SITES];
	struct dlt_tiny tiny[DLT_TINY_PLACES];
	struct dlt_flood flood;
	uint32_t open;			/* regions; may be more than stand here */
	struct dlt_region regions[DLT_CALL_REGIONS];
};

static inline unsigned dlt_site_hash(unsigned function, const void *caller)
{
	uintptr_t key = (uintptr_t)caller ^ (uintptr_t)function << 48;

	/* The upper bits: those below the 48th have nothing of the function. */
	return (unsigned)(key * DLT_TINY_GOLDEN >> (64 - DLT_CALL_SITE_BITS));
}

static inline bool dlt_site_is(const struct dlt_site *s, unsigned function, const void *caller)
{
	return s->caller == caller && s->function == function && s->generation == dlt_library_now();
}

struct dlt_site *dlt_site_make(struct dlt_thread *t, unsigned function, const void *caller);
bool dlt_call_enter(struct dlt_call *c, struct dlt_thread *t, struct dlt_site *site, uintptr_t top);
bool dlt_call_enter_like(struct dlt_call *c, struct dlt_thread *t, struct dlt_site *site, uintptr_t like, uintptr_t at,
			 uintptr_t top);

/*
 * Where the frame of the function that this is written in begins: the same for all that are called from one place of
 * the stack, however large their frames are, but for arguments that lie there, of which a frame with a dlt_call has
 * room for ten.
 */
#define DLT_FRAME_TOP ((uintptr_t)__builtin_dwarf_cfa())

static inline struct dlt_site *dlt_site_of(struct dlt_thread *t, unsigned function,
					   const void *caller)
{
	struct dlt_calls *calls = t->calls;
	struct dlt_site *s;

	if (__builtin_expect(calls != NULL, 1)) {
		s = &calls->sites[dlt_site_hash(function, caller)];
		if (__builtin_expect(dlt_site_is(s, function, caller), 1))
			return s;
	}
	return dlt_site_make(t, function, caller);
}

/* Somebody wants calls of the family of this event, or totals, or something is being captured. */
static inline bool dlt_call_heard(enum dlt_event event)
{
	return *dlt_states[DLT_EV_SAMPLE_FUNCTION] | *dlt_states[event] | dlt_capturing();
}

/*
 * Most wrappers are two functions: an exported one of some thirty instructions, which jumps to the real
 * function while nobody listens or counting is all, and the one that does the rest, to which it jumps too.
 * A jump leaves the return address on the stack that the second one takes for the caller's, so both are one
 * where the compiler makes none (configure: DLT_TAIL_CALLS).
 */
#if defined(__has_attribute) && __has_attribute(musttail)
/* For void, too. Without, clang calls where arguments lie on the stack. */
#define DLT_JUMP __attribute__((musttail)) return
#else
#define DLT_JUMP return
#endif

/* The real function, if nobody listens and the thread has called it from here before; NULL: go the long way. */
static inline __attribute__((always_inline)) void *
dlt_call_unheard(enum dlt_fn function, enum dlt_event event, const void *caller)
{
	struct dlt_thread *t = dlt_thread_known();
	struct dlt_calls *calls = t ? t->calls : NULL;
	const struct dlt_site *s;

	if (__builtin_expect(!calls || dlt_call_heard(event) || dlt_handed_over, 0))
		return NULL;
	s = &calls->sites[dlt_site_hash(function, caller)];
	return __builtin_expect(dlt_site_is(s, function, caller), 1) ? s->real : NULL;
}

/* The site, and *real, the function to call; NULL: nobody listens. */
static inline __attribute__((always_inline)) struct dlt_site *
dlt_call_find(struct dlt_call *c, enum dlt_fn function, enum dlt_event event, const void *caller, void **real)
{
	struct dlt_site *s;

	c->thread = dlt_thread_self();
	s = dlt_site_of(c->thread, function, caller);
	*real = s->real;
	c->library = s->library;
	if (__builtin_expect(dlt_handed_over != NULL, 0))
		*real = dlt_handed_take(function, s->real);
	return dlt_call_heard(event) ? s : NULL;
}

/*
 * What is known of outermost calls that are alike, of a kind that was timed from here before and never had another
 * one inside; NULL: not that, or something else is going on in the thread.
 */
static inline __attribute__((always_inline)) struct dlt_tiny *
dlt_call_known(struct dlt_thread *t, enum dlt_fn function, const void *caller, uintptr_t like)
{
	struct dlt_calls *calls = t ? t->calls : NULL;
	struct dlt_tiny *tiny;

	if (__builtin_expect(!calls, 0))
		return NULL;
	tiny = dlt_tiny_find(calls->tiny, caller, dlt_tiny_kind(function, like));
	if (!tiny || !tiny->passes || tiny->generation != dlt_library_now() ||
	    t->depth | t->guard | (uintptr_t)t->marks || dlt_handed_over)
		return NULL;
	return tiny;
}

/*
 * Takes this call for one that is not timed and has only to be jumped to (tiny.h). Counts it and returns the function
 * to call; NULL: it is none of those, go the long way. Between two calls the application fills the caches, so what can
 * wait is left to the next one that is timed: to look whether totals are still heard, and to add to more than one line
 * of them.
 */
static inline __attribute__((always_inline)) void *
dlt_call_passes(enum dlt_fn function, const void *caller, uintptr_t like, uint64_t flops)
{
	struct dlt_tiny *tiny = dlt_call_known(dlt_thread_known(), function, caller, like);

	if (!tiny || !dlt_tiny_skips(tiny))
		return NULL;
	dlt_totals_add_first(tiny->totals, tiny->ns, flops);
	return tiny->real;
}

/*
 * The same of one whose turn it is to be timed, of those that are known to be short. It has a frame, in case that
 * another call is inside; what else there is to know is in one line, and looked up only if something is to be told of
 * it (calls.c, turn_ends). As with one that is not timed, nobody sees it while it runs.
 */
static inline __attribute__((always_inline)) bool
dlt_call_turn(struct dlt_call *c, enum dlt_fn function, const void *caller, void **real, uintptr_t like)
{
	struct dlt_thread *t = dlt_thread_known();
	struct dlt_tiny *tiny = dlt_call_known(t, function, caller, like);

	if (!tiny || tiny->skip || tiny->known < DLT_TINY_KNOWN || !*dlt_states[DLT_EV_SAMPLE_FUNCTION])
		return false;
	t->calls->frames[0] = (struct dlt_frame){ .at = (uintptr_t)c, .library = tiny->library,
						  .function = tiny->counts_as };
	t->depth = 1;
	*c = (struct dlt_call){ .thread = t, .tiny = tiny, .like = like, .at = (uintptr_t)c,
				.function = tiny->counts_as, .library = tiny->library };
	*real = tiny->real;
	c->start = dlt_clock_ticks();
	return true;
}

/*
 * Finds *real, the function to call. True: the call is measured and dlt_call_end must follow.
 * `event` is that of the function's family.
 */
static inline __attribute__((always_inline)) bool
dlt_call_begin(struct dlt_call *c, enum dlt_fn function, enum dlt_event event, const void *caller,
	       void **real)
{
	struct dlt_site *s = dlt_call_find(c, function, event, caller, real);

	return s && dlt_call_enter(c, c->thread, s, DLT_FRAME_TOP);
}

/* The same where other calls may be alike in this: the tiny ones are not all timed. 0: this one is. */
static inline __attribute__((always_inline)) bool
dlt_call_begin_like(struct dlt_call *c, enum dlt_fn function, enum dlt_event event, const void *caller,
		    void **real, uintptr_t like)
{
	struct dlt_site *s;

	if (dlt_call_turn(c, function, caller, real, like))
		return true;
	s = dlt_call_find(c, function, event, caller, real);
	return s && dlt_call_enter_like(c, c->thread, s, like, (uintptr_t)c, DLT_FRAME_TOP);
}

/*
 * The same of a function that asks for what is at hand (@quick) and is called by the thousand: its result tells whether
 * it succeeded, and others may be inside, so it is called, and then has a frame. One that never had another inside has
 * none: as above. Few cache lines are touched, since the application has filled the caches meanwhile.
 */
struct dlt_quick {
	struct dlt_thread *thread;
	struct dlt_box_totals *totals;
	struct dlt_frame *frame;	/* NULL: none */
	uintptr_t at;			/* stack address that it stands for; of nothing here: gcc would make no jumps */
	uint64_t ticks;			/* that it counts as */
	uint32_t ns, depth;
};

#define DLT_QUICK 0x100	/* what such calls from one place share: all; no number of operations (tiny.h) */

/* The function to call, after which dlt_quick_end must follow; NULL: this one is timed, or nobody listens. */
static inline __attribute__((always_inline)) void *
dlt_quick_begin(struct dlt_quick *q, enum dlt_fn function, const void *caller, uintptr_t at)
{
	struct dlt_thread *t = dlt_thread_known();
	struct dlt_calls *calls = t ? t->calls : NULL;
	struct dlt_frame *outer;
	struct dlt_tiny *tiny;
	uint32_t depth;

	if (__builtin_expect(!calls, 0))
		return NULL;
	tiny = dlt_tiny_find(calls->tiny, caller, dlt_tiny_kind(function, DLT_QUICK));
	depth = t->depth;
	outer = calls->frames + depth - 1;	/* not there, where depth is 0 */
	if (!tiny || !tiny->totals || tiny->generation != dlt_library_now() || depth == DLT_CALL_DEPTH ||
	    (depth && (outer->at <= at || outer->function == tiny->counts_as)) ||
	    t->guard | (uintptr_t)t->marks || dlt_handed_over || !dlt_tiny_skips(tiny))
		return NULL;
	q->totals = tiny->totals;
	q->frame = NULL;
	if (depth)
		dlt_totals_add_inner(q->totals, tiny->ns);
	else
		dlt_totals_add_first(q->totals, tiny->ns, 0);
	if (tiny->nests) {
		q->thread = t;
		q->frame = outer + 1;
		q->at = at;
		q->ticks = tiny->ticks;
		q->ns = tiny->ns;
		q->depth = depth;
		*q->frame = (struct dlt_frame){ .at = at, .library = tiny->library, .function = tiny->counts_as };
		t->depth = depth + 1;
	} else if (depth) {
		outer->nested++;
		outer->nested_time += tiny->ticks;
	}
	return tiny->real;
}

/* Takes the frame off. */
static inline void dlt_quick_leave(const struct dlt_quick *q)
{
	const struct dlt_frame *frame = q->frame;

	/* Another stack took the place (calls.c, leave). */
	if (__builtin_expect(q->thread->depth <= q->depth || frame->at != q->at, 0))
		return;
	q->thread->depth = q->depth;
	if (frame->nested) {	/* a sample, too: the sum must not be more than the whole */
		uint64_t nested = dlt_clock_elapsed_ns(frame->nested_time);

		q->totals->sums.nested += nested < q->ns ? nested : q->ns;
	}
	if (q->depth) {
		q->frame[-1].nested += 1 + frame->nested;
		q->frame[-1].nested_time += q->ticks;
	}
}

static inline __attribute__((always_inline)) void dlt_quick_end(const struct dlt_quick *q, bool ok)
{
	if (__builtin_expect(!ok, 0))
		q->totals->sums.failed++;
	if (q->frame)
		dlt_quick_leave(q);
}

/*
 * min: ns below which a call is only counted. True: the family's event shall be emitted.
 * bytes, flops: for the totals.
 */
bool dlt_call_end(struct dlt_call *c, enum dlt_event event, uint64_t min, bool ok, uint64_t bytes,
		  uint64_t flops);

/* Before dlt_call_end: the call is inside no other one of CUDA's. */
bool dlt_call_first(const struct dlt_call *c);

/* Emits the family's event; before it, what names the function and a duration over 32 bits. */
void dlt_call_emit(struct dlt_call *c, enum dlt_event event, const void *data);

/* Operations of a matrix product: each of m * n results takes k times `each`. */
static inline uint64_t dlt_flops(long m, long n, long k, unsigned each)
{
	return m > 0 && n > 0 && k > 0 ? (uint64_t)m * (uint64_t)n * (uint64_t)k * each : 0;
}

/* The same of groups of products: sizes[i] of them are alike. */
static inline uint64_t dlt_flops_of_groups(int groups, const int *m, const int *n, const int *k, const int *sizes,
					   unsigned each)
{
	uint64_t sum = 0;

	for (int i = 0; i < groups; i++)
		sum += sizes[i] > 0 ? dlt_flops(m[i], n[i], k[i], each) * (uint64_t)sizes[i] : 0;
	return sum;
}

/* The thread has ended: its totals may go to the next thread. Called once, before its slot goes. */
void dlt_calls_thread_end(struct dlt_thread *t);

/* Child side of fork, after the new box is in place: sites and totals begin anew. */
void dlt_calls_after_fork(void);

#endif
