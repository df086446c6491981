/* SPDX-License-Identifier: MIT */
/* Call sites, calls in flight, and the end of a call: what all wrappers of functions.tbl share. */
#include "calls.h"

#include <string.h>
#include <sys/mman.h>

#include "box_private.h"
#include "clock.h"
#include "guard.h"
#include "init.h"
#include "log.h"
#include "marks.h"
#include "process.h"
#include "rings.h"
#include "sys.h"
#include "totals.h"

/* ---- call sites ---------------------------------------------------------------------------- */

static struct dlt_calls *calls_of(struct dlt_thread *t)
{
	/* A thread in its last breath has no id: it shares its record with others. */
	if (!t->calls && t->id)
		t->calls = dlt_sys_map(NULL, sizeof(*t->calls), PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS, -1);
	return t->calls;
}

struct dlt_site *dlt_site_make(struct dlt_thread *t, unsigned function, const void *caller)
{
	static __thread struct dlt_site passing;
	struct dlt_calls *calls = calls_of(t);
	struct dlt_site *s = &passing, *other;

	if (calls) {
		/* Two places for each site; dlt_site_of has looked into the first. */
		s = &calls->sites[dlt_site_hash(function, caller)];
		other = &calls->sites[dlt_site_hash(function, caller) ^ 1];
		if (dlt_site_is(other, function, caller))
			return other;
		if (s->caller && (!other->caller || other->generation != dlt_library_now()))
			s = other;
	}
	*s = (struct dlt_site){
		.caller = caller, .function = (uint16_t)function,
		.counts_as = dlt_functions[function].counts_as,
		.library = dlt_library_of(caller), .generation = dlt_library_now(),
	};
	s->real = dlt_target(function, s->library, caller);
	return s;
}

/* ---- names --------------------------------------------------------------------------------- */

static uint8_t announced[DLT_FNS];

static void announce_function(struct dlt_thread *t, uint16_t function)
{
	struct dlt_ev_proc_function e = {
		.process = dlt_process.id, .function = function,
		.layer = dlt_functions[function].layer, .kind = dlt_functions[function].kind,
		.name = dlt_functions[function].name,
	};

	if (!dlt_enabled(DLT_EV_PROC_FUNCTION) ||
	    __atomic_exchange_n(&announced[function], 1, __ATOMIC_RELAXED))
		return;
	dlt_emit(t, DLT_EV_PROC_FUNCTION, &e);
}

/* ---- calls --------------------------------------------------------------------------------- */

/* Publishes the outermost call in flight; the sampler and the last words of a crash read it. */
static void publish(struct dlt_thread *t, uint64_t function, uint64_t since)
{
	if (t->late)
		return;
	if (function)
		__atomic_store_n(&t->slot->since, since, __ATOMIC_RELAXED);
	__atomic_store_n(&t->slot->call, function, __ATOMIC_RELEASE);
}

/*
 * A library that exports a function of this name and passes it on: one call. What MPI calls by the
 * inner names is its own affair, or that of a tool around it; so is what NCCL makes a call of (ncclBcast calls
 * ncclBroadcast, by the name that it exports).
 */
static inline bool is_inside(unsigned outer, const struct dlt_site *site)
{
	return outer == site->counts_as ||
	       (site->function != site->counts_as && outer >= DLT_FN_FIRST_mpi && outer <= DLT_FN_LAST_mpi) ||
	       (outer >= DLT_FN_FIRST_nccl && outer <= DLT_FN_LAST_nccl &&
		site->function >= DLT_FN_FIRST_nccl && site->function <= DLT_FN_LAST_nccl);
}

/*
 * Puts the frame on, all but the time; false: the call is not measured. at: an address in the frame of who measures;
 * top: where that frame begins.
 */
static inline bool enter(struct dlt_call *c, struct dlt_thread *t, struct dlt_site *site, uintptr_t at, uintptr_t top)
{
	struct dlt_calls *calls = t->calls;
	uint32_t depth;

	if (dlt_is_guarded(t) || t->helper || !calls)
		return false;
	/* The stack grows down: what lies below the beginning of this call is over, however it was left. */
	for (depth = t->depth; depth && calls->frames[depth - 1].at <= top; depth--)
		;
	if (depth == DLT_CALL_DEPTH)
		return false;
	if (depth && is_inside(calls->frames[depth - 1].function, site))
		return false;
	calls->frames[depth] = (struct dlt_frame){ .at = at, .library = site->library,
						   .function = site->counts_as };
	t->depth = depth + 1;
	c->site = site;
	c->at = at;
	c->depth = depth;
	c->function = site->counts_as;
	c->library = site->library;
	return true;
}

static inline void start(struct dlt_call *c)
{
	c->start = dlt_clock_ticks();
	if (c->depth == 0)
		publish(c->thread, c->function, c->start);
}

DLT_HOT bool dlt_call_enter(struct dlt_call *c, struct dlt_thread *t, struct dlt_site *site, uintptr_t top)
{
	if (!enter(c, t, site, (uintptr_t)c, top))
		return false;
	c->tiny = NULL;
	start(c);
	return true;
}

DLT_HOT bool dlt_call_enter_like(struct dlt_call *c, struct dlt_thread *t, struct dlt_site *site, uintptr_t like,
				 uintptr_t at, uintptr_t top)
{
	if (!enter(c, t, site, at, top))
		return false;
	c->tiny = NULL;
	c->like = like;
	if (like) {
		uint64_t kind = dlt_tiny_kind(site->function, like);

		c->tiny = dlt_tiny_place(t->calls->tiny, site->caller, kind);
		if (dlt_tiny_is(c->tiny, site->caller, kind) && dlt_tiny_skips(c->tiny)) {
			c->tiny->paid++;
			c->start = 0;
			if (c->depth == 0)
				publish(t, c->function, ++t->calls->untimed % DLT_BOX_UNTIMED);
			return true;
		}
	}
	start(c);
	return true;
}

#define FAILURES_TOLD 16	/* of a function, thread and library: events, however short */

struct nested {
	uint64_t time;			/* ticks */
	uint32_t calls;
};

/*
 * Takes the frame off and tells the caller's frame; what was nested in this call. Field by field: a copy
 * of the whole would wait for the stores that enter() made of its parts.
 */
static inline struct nested leave(struct dlt_call *c, uint64_t ticks)
{
	struct dlt_calls *calls = c->thread->calls;
	const struct dlt_frame *frame = &calls->frames[c->depth];
	struct nested n = { frame->nested_time, frame->nested };

	/* Another stack (a coroutine's) took the place: then nothing is known of what nested. */
	if (c->thread->depth <= c->depth || frame->at != c->at)
		return (struct nested){ 0, 0 };
	c->thread->depth = c->depth;
	if (c->depth == 0) {
		publish(c->thread, 0, 0);
	} else {
		calls->frames[c->depth - 1].nested += 1 + n.calls;
		calls->frames[c->depth - 1].nested_time += ticks;
	}
	return n;
}

bool dlt_call_first(const struct dlt_call *c)
{
	const struct dlt_calls *calls = c->thread->calls;
	const char *layer;

	if (c->depth == 0 || c->thread->depth <= c->depth)
		return true;
	layer = dlt_functions[calls->frames[c->depth - 1].function].layer;
	return strcmp(layer, "runtime") != 0 && strcmp(layer, "driver") != 0;
}

/* The site is the one of dlt_call_enter unless a call inside took its place, or forked. */
static struct dlt_box_totals *totals_of(struct dlt_call *c)
{
	struct dlt_site *s = c->site;

	if (s->counts_as != c->function || s->library != c->library ||
	    s->generation != dlt_library_now())
		return dlt_totals_claim(c->thread->id, c->function, c->library);
	if (!s->totals && !s->late) {
		s->totals = dlt_totals_claim(c->thread->id, c->function, c->library);
		s->late = !s->totals;
	}
	return s->totals;
}

/* How many of them have failed by now; 0: not known. */
static DLT_HOT uint64_t count(struct dlt_call *c, const struct dlt_totals_call *call)
{
	struct dlt_box_totals *totals = totals_of(c);

	if (totals)
		dlt_totals_add(totals, call);
	else
		dlt_totals_add_late(c->function, call);
	return totals ? totals->sums.failed : 0;
}

static uint32_t saturated(uint64_t value, uint64_t most)
{
	return (uint32_t)(value < most ? value : most);
}

/* The end of a call that was not timed: nothing but the sums. */
static DLT_HOT void end_untimed(struct dlt_call *c, enum dlt_event event, bool ok, uint64_t bytes, uint64_t flops)
{
	const struct dlt_tiny *tiny = c->tiny;
	struct nested nested = leave(c, tiny->ticks);
	struct dlt_box_totals *totals = NULL;

	if (dlt_enabled(DLT_EV_SAMPLE_FUNCTION) && !nested.calls)
		totals = totals_of(c);
	if (totals) {
		dlt_totals_add_untimed(totals, tiny->ns, tiny->bucket, ok ? bytes : 0, ok ? flops : 0, c->depth == 0,
				       ok);
	} else if (dlt_enabled(DLT_EV_SAMPLE_FUNCTION)) {
		struct dlt_totals_call call = {
			.duration = tiny->ns, .nested = dlt_clock_elapsed_ns(nested.time),
			.bytes = ok ? bytes : 0, .flops = ok ? flops : 0, .outer = c->depth == 0, .ok = ok,
			.untimed = true,
		};

		count(c, &call);
	}
	if (c->thread->marks && c->depth == 0)
		dlt_mark_call(c->thread->marks, event, tiny->ticks);
}

/* Pays what those owe that were only jumped to. */
static void pay(struct dlt_tiny *tiny)
{
	uint32_t owed = dlt_tiny_owed(tiny);

	if (owed)
		dlt_totals_add_rest(tiny->totals, tiny->ns, tiny->bucket, owed);
	tiny->paid = (uint8_t)(tiny->paid + owed);
}

/* What the next ones need that are not timed, if they are like this one. */
static void keep_short(struct dlt_call *c, bool nested)
{
	const struct dlt_site *s = c->site;
	struct dlt_tiny *tiny = c->tiny;

	tiny->nests |= nested;
	tiny->generation = dlt_library_now();
	tiny->library = c->library;
	tiny->counts_as = c->function;
	tiny->real = s->real;
	tiny->totals = !dlt_enabled(DLT_EV_SAMPLE_FUNCTION) || s->late || s->counts_as != c->function ||
		s->library != c->library || s->generation != dlt_library_now() ? NULL : s->totals;
	tiny->passes = tiny->totals && !tiny->nests;
}

/* Whether a call of so many ns hardly took longer than timing it. */
static inline bool is_short(const struct dlt_call *c, uint64_t min, uint64_t ns)
{
	return ns < (c->like == DLT_QUICK ? min : min / 2);
}

/*
 * The end of one of dlt_call_turn: true: it was as expected, and its totals are all. Else all that it left out is made
 * up for, and it goes on as any call.
 */
static inline bool turn_ends(struct dlt_call *c, uint64_t min, bool ok, uint64_t flops, uint64_t end)
{
	struct dlt_thread *t = c->thread;
	const struct dlt_frame *frame = t->calls->frames;
	struct dlt_totals_call call = {
		.duration = dlt_clock_elapsed_ns(end - c->start), .flops = flops, .outer = true, .ok = true,
	};
	struct dlt_tiny *tiny = c->tiny;

	if (t->depth != 1 || frame->at != c->at || frame->nested || !ok || !is_short(c, min, call.duration)) {
		c->site = dlt_site_of(t, (unsigned)(tiny->kind >> 48), tiny->caller);
		return false;
	}
	t->depth = 0;
	pay(tiny);
	call.error = dlt_tiny_timed(tiny, tiny->caller, tiny->kind, end - c->start, call.duration, true, c->start);
	dlt_totals_add(tiny->totals, &call);
	return true;
}

/* Work for the GPU that is asked for inside a call of NCCL, say: its time is that call's, but it is work. */
static bool is_work_inside(const struct dlt_call *c, enum dlt_event event)
{
	const struct dlt_calls *calls = c->thread->calls;
	unsigned outer;

	if ((event != DLT_EV_CUDA_LAUNCH && event != DLT_EV_CUDA_COPY) || c->thread->depth != c->depth)
		return false;
	outer = calls->frames[c->depth - 1].function;
	return !(outer >= DLT_FN_FIRST_runtime && outer <= DLT_FN_LAST_runtime) &&
	       !(outer >= DLT_FN_FIRST_driver && outer <= DLT_FN_LAST_driver) &&
	       !(outer >= DLT_FN_FIRST_opencl && outer <= DLT_FN_LAST_opencl) && dlt_enabled(DLT_EV_CUDA_INSIDE);
}

static void emit_inside(struct dlt_call *c, enum dlt_event event, const void *data)
{
	const struct dlt_ev_cuda_launch *launch = event == DLT_EV_CUDA_LAUNCH ? data : NULL;
	const struct dlt_ev_cuda_copy *copy = launch ? NULL : data;
	struct dlt_ev_cuda_inside e = {
		.thread = c->thread->id, .function = c->function, .library = c->library, .duration = c->duration,
		.result = launch ? launch->result : copy->result, .shape = launch ? launch->shape : 0,
		.size = launch ? 0 : copy->size, .direction = launch ? UINT8_MAX : copy->direction,
		.stream = launch ? launch->stream : copy->stream,
	};

	dlt_emit(c->thread, DLT_EV_CUDA_INSIDE, &e);
}

/* Too many to tell of each. */
static bool is_flood(struct dlt_thread *t, uint64_t min, uint64_t duration, uint64_t end)
{
	struct dlt_flood *f = &t->calls->flood;
	bool news = dlt_flood_falls(f, t->id, end), held = duration < min << f->doublings;
	struct dlt_ev_proc_flood e = { .thread = t->id };

	news |= !held && dlt_flood_rises(f, end);
	if (news && dlt_enabled(DLT_EV_PROC_FLOOD)) {
		e.least = (uint32_t)(min << f->doublings);
		dlt_emit(t, DLT_EV_PROC_FLOOD, &e);
	}
	return held;
}

DLT_HOT bool dlt_call_end(struct dlt_call *c, enum dlt_event event, uint64_t min, bool ok,
			  uint64_t bytes, uint64_t flops)
{
	struct dlt_totals_call call;
	struct nested nested;
	uint64_t end, ticks, failed = 0;

	if (!c->start) {
		end_untimed(c, event, ok, bytes, flops);
		return false;
	}
	end = dlt_clock_ticks();
	if (!c->site && turn_ends(c, min, ok, flops, end))
		return false;
	ticks = end - c->start;
	nested = leave(c, ticks);
	call = (struct dlt_totals_call){
		.duration = dlt_clock_elapsed_ns(ticks),
		.nested = nested.calls ? dlt_clock_elapsed_ns(nested.time) : 0,
		.bytes = ok ? bytes : 0, .flops = ok ? flops : 0, .outer = c->depth == 0, .ok = ok,
	};

	if (c->tiny) {
		pay(c->tiny);
		call.error = dlt_tiny_timed(c->tiny, c->site->caller, dlt_tiny_kind(c->site->function, c->like), ticks,
					    call.duration, is_short(c, min, call.duration), c->start);
	}
	if (dlt_enabled(DLT_EV_SAMPLE_FUNCTION))
		failed = count(c, &call);
	if (c->tiny)
		keep_short(c, nested.calls);
	if (c->thread->marks && call.outer)
		dlt_mark_call(c->thread->marks, event, ticks);
	if (!dlt_enabled(event) || (c->depth && !is_work_inside(c, event)))
		return false;
	if ((ok || failed > FAILURES_TOLD) && (call.duration < min ||
					       (min && is_flood(c->thread, min, call.duration, end))))
		return false;
	c->end = end;
	c->duration = saturated(call.duration, UINT32_MAX);
	c->nested = (uint8_t)saturated(nested.calls, UINT8_MAX);
	c->nested_time = saturated(call.nested, UINT32_MAX);
	return true;
}

/* The event's duration is "at least": this one, right before it, tells when the call began. */
static void emit_long(struct dlt_call *c)
{
	uint64_t now = dlt_clock_ns();
	struct dlt_ev_sample_thread e = {
		.thread = c->thread->id, .time = now,
		.events = c->thread->events + dlt_ring_events(c->thread->slot) + 1,
		.function = c->function,
		.since = now - dlt_clock_elapsed_ns(dlt_clock_ticks() - c->start),
	};

	if (dlt_enabled(DLT_EV_SAMPLE_THREAD))
		dlt_emit(c->thread, DLT_EV_SAMPLE_THREAD, &e);
}

DLT_HOT void dlt_call_emit(struct dlt_call *c, enum dlt_event event, const void *data)
{
	if (__builtin_expect(!__atomic_load_n(&announced[c->function], __ATOMIC_RELAXED), 0))
		announce_function(c->thread, c->function);
	if (__builtin_expect(c->depth != 0, 0)) {
		emit_inside(c, event, data);
		return;
	}
	if (__builtin_expect(c->duration == UINT32_MAX, 0)) {
		emit_long(c);
		dlt_emit(c->thread, event, data);
		return;
	}
	dlt_emit_at(c->thread, event, data, c->end);
}

uint16_t dlt_calls_library(struct dlt_thread *t)
{
	struct dlt_calls *calls = t->calls;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	uint32_t depth = calls ? t->depth : 0;

	while (depth && calls->frames[depth - 1].at <= here)
		depth--;
	return depth ? calls->frames[depth - 1].library : 0;
}

/* ---- life cycle ---------------------------------------------------------------------------- */

static void pay_all(struct dlt_calls *calls)
{
	for (struct dlt_tiny *tiny = calls->tiny; tiny < calls->tiny + DLT_TINY_PLACES; tiny++)
		pay(tiny);
}

void dlt_calls_exit(void)
{
	struct dlt_thread *t = dlt_thread_known();

	if (t && t->calls)
		pay_all(t->calls);
}

void dlt_calls_thread_end(struct dlt_thread *t)
{
	if (!t->calls)
		return;
	pay_all(t->calls);
	dlt_totals_release(t->id);
	memset(t->calls, 0, sizeof(*t->calls));
	t->depth = 0;
}

/* The parent pays. What other threads had in flight, whose records come to new ones, is not here. */
static void forget_parent(struct dlt_thread *t, bool others)
{
	struct dlt_calls *calls = t->calls;

	/* And the first one that the child makes is timed. */
	for (struct dlt_tiny *tiny = calls->tiny; tiny < calls->tiny + DLT_TINY_PLACES; tiny++)
		if (tiny->given)
			tiny->given = tiny->skip = tiny->paid = 0;
	if (others && t->depth | calls->open)
		t->depth = calls->open = 0;
}

void dlt_calls_after_fork(void)
{
	memset(announced, 0, sizeof(announced));
	for (struct dlt_thread *t = dlt_thread_next(NULL); t; t = dlt_thread_next(t))
		if (t->calls)
			forget_parent(t, t != dlt_thread_tls);
	/* Sites point to totals of the parent's box. */
	dlt_targets_after_fork(__atomic_fetch_add(&dlt_library_generation, 1, __ATOMIC_RELAXED));
}
