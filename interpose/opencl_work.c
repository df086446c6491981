/* SPDX-License-Identifier: MIT */
/*
 * OpenCL's commands from the call to the event that tells how long they took. They wait in a ring, in the
 * order of their calls; who takes a place out of it, be it another thread's or a callback, tells it.
 */
#include "opencl_work.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "calls.h"
#include "clock.h"
#include "cupti.h"
#include "guard.h"
#include "opencl.h"
#include "opencl_clock.h"
#include "opencl_queues.h"
#include "process.h"

#define SLOTS		4096	/* a power of 2; commands that may wait at once */
#define REACH		64	/* places that are tried for a command */
#define BEHIND		8	/* queues that a look knows to be busy */
#define GOOD		20000u	/* ns by which a time may be off without waiting for better */
#define HOLD		1000000000u	/* ns after its call for which a command waits for that at most */
#define ACCOUNT		10000000000u	/* ns between two accounts */

/* cl_event_info, cl_profiling_info, CL_COMPLETE */
enum { EVENT_REFERENCES = 0x11d2, EVENT_STATUS = 0x11d3 };
enum { QUEUED = 0x1280, STARTED = 0x1282, ENDED = 0x1283 };
enum { COMPLETE = 0 };

/* dltrace_gpu:gap */
enum { REASON_ACCOUNT = 0, REASON_LOST = 6, REASON_ENDED = 7, KINDS_OPENCL = 64 };

enum { FREE, BUSY, WAITING, HELD };	/* HELD: it has ended, its times are known, the clock is not well */

struct dlt_cl_slot {
	uint32_t state;
	uint32_t correlation;	/* also tells one use of this place from another */
	uint32_t ended;		/* ... and that of the last one whose end a callback told (atomic) */
	void *event;		/* one reference of it is ours */
	const void *handle;	/* of the queue */
	struct dlt_cl_api *api;
	struct dlt_cl_times times;	/* WAITING: only of the call */
	uint64_t size;
	uint32_t caller, kernel, context;
	uint16_t stream;
	uint8_t device, what;
	bool in_order;
	bool called_back;	/* its end will be, or was */
};

static struct dlt_cl_slot slots[SLOTS];
static uint64_t first, next;	/* all that waits lies between, but what REACH could not hold */
static uint32_t correlations;
static bool stopped;		/* the process ends: OpenCL may be taken down already */

/* What becomes of commands; all but `most` only grow. */
static struct {
	uint64_t told, without_time, lost, lost_said, most, said_at;
} account;

/* ---- events ------------------------------------------------------------------------------------ */

static void say_gap(uint8_t reason, uint64_t begin, uint64_t records, const char *text)
{
	uint64_t most = __atomic_load_n(&account.most, __ATOMIC_RELAXED);
	const struct dlt_ev_gpu_gap e = {
		.process = dlt_process.id, .reason = reason, .kinds = KINDS_OPENCL,
		.begin = begin, .end = dlt_clock_ns(), .records = records,
		.clock_error = most > UINT32_MAX ? UINT32_MAX : (uint32_t)most, .text = text,
	};

	dlt_emit_aside(dlt_thread_self(), DLT_EV_GPU_GAP, &e, false);
}

static void say_account(void)
{
	uint64_t told = __atomic_load_n(&account.told, __ATOMIC_RELAXED);
	uint64_t lost = __atomic_load_n(&account.lost, __ATOMIC_RELAXED);
	uint64_t new_lost = lost - __atomic_exchange_n(&account.lost_said, lost, __ATOMIC_RELAXED);
	uint64_t without = __atomic_load_n(&account.without_time, __ATOMIC_RELAXED);
	char text[96];

	if (new_lost)
		say_gap(REASON_LOST, 0, new_lost, "more commands of OpenCL's waited than there was room for");
	snprintf(text, sizeof(text), "%llu commands, and %llu that gave no time", (unsigned long long)told,
		 (unsigned long long)without);
	say_gap(REASON_ACCOUNT, 0, told, text);
}

static void account_now_and_then(uint64_t now)
{
	uint64_t said = __atomic_load_n(&account.said_at, __ATOMIC_RELAXED);

	if (said && now - said >= ACCOUNT && __atomic_compare_exchange_n(&account.said_at, &said, now, false,
								 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		say_account();
}

static void emit(const struct dlt_cl_slot *s, uint64_t begin, uint64_t duration)
{
	const struct dlt_ev_gpu_kernel kernel = {
		.process = dlt_process.id, .caller = s->caller, .called = s->times.called, .begin = begin,
		.duration = duration, .kernel = s->kernel, .device = s->device, .context = s->context,
		.stream = s->stream, .correlation = s->correlation,
	};
	const struct dlt_ev_gpu_copy copy = {
		.process = dlt_process.id, .caller = s->caller, .called = s->times.called, .begin = begin,
		.duration = duration, .size = s->size, .direction = s->what, .device = s->device,
		.context = s->context, .stream = s->stream, .correlation = s->correlation,
	};

	__atomic_add_fetch(&account.told, 1, __ATOMIC_RELAXED);
	if (s->what == DLT_CL_KERNEL)
		dlt_emit_aside(dlt_thread_self(), DLT_EV_GPU_KERNEL, &kernel, false);
	else
		dlt_emit_aside(dlt_thread_self(), DLT_EV_GPU_COPY, &copy, false);
}

static bool time_of(const struct dlt_cl_slot *s, unsigned name, uint64_t *time)
{
	return s->api->profiling_info(s->event, name, sizeof(*time), time, NULL) == 0;
}

/* False: OpenCL gives no times. */
static bool take_times(struct dlt_cl_slot *s)
{
	struct dlt_cl_times *t = &s->times;

	t->seen = dlt_clock_ns();
	if (time_of(s, QUEUED, &t->queued) && time_of(s, STARTED, &t->started) && time_of(s, ENDED, &t->ended) &&
	    t->started >= t->queued && t->ended >= t->started) {
		dlt_cl_clock_learn(s->device, t);
		return true;
	}
	__atomic_add_fetch(&account.without_time, 1, __ATOMIC_RELAXED);
	return false;
}

/*
 * A command that has ended, whose slot is ours. False: it waits for others to say more of the clock; the
 * first call of all may take long, since it compiles, and leaves much open.
 */
static bool tell(const struct dlt_cl_slot *s, bool now)
{
	uint64_t error, most, begin = dlt_cl_clock_begin(s->device, &s->times, &error);

	if (!now && error > GOOD && dlt_clock_ns() - s->times.returned < HOLD)
		return false;
	most = __atomic_load_n(&account.most, __ATOMIC_RELAXED);
	if (error > most)
		__atomic_store_n(&account.most, error, __ATOMIC_RELAXED);
	emit(s, begin, s->times.ended - s->times.started);
	return true;
}

/* ---- the ring ---------------------------------------------------------------------------------- */

static bool take(struct dlt_cl_slot *s, uint32_t from)
{
	return __atomic_load_n(&s->state, __ATOMIC_RELAXED) == from &&
	       __atomic_compare_exchange_n(&s->state, &from, BUSY, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static void let(struct dlt_cl_slot *s, uint32_t state)
{
	__atomic_store_n(&s->state, state, __ATOMIC_RELEASE);
}

static void raise_to(uint64_t *counter, uint64_t value)
{
	uint64_t seen = __atomic_load_n(counter, __ATOMIC_RELAXED);

	while (seen < value && !__atomic_compare_exchange_n(counter, &seen, value, false, __ATOMIC_RELEASE,
							    __ATOMIC_RELAXED))
		;
}

/*
 * A place is taken before `next` moves behind it: so no look passes over one that is about to wait. It only is one as
 * long as `next` has not moved: behind that, looks may have begun to leave it out.
 */
static struct dlt_cl_slot *new_slot(void)
{
	uint64_t end = __atomic_load_n(&next, __ATOMIC_RELAXED), at = end;

	for (unsigned i = 0; i < REACH; i++, at++) {
		struct dlt_cl_slot *s = &slots[at % SLOTS];

		if (!take(s, FREE))
			continue;
		if (!__atomic_compare_exchange_n(&next, &end, at + 1, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
			let(s, FREE);
			at = end - 1;
			continue;
		}
		__atomic_store_n(&s->correlation, __atomic_add_fetch(&correlations, 1, __ATOMIC_RELAXED),
				 __ATOMIC_RELAXED);
		s->called_back = false;
		return s;
	}
	raise_to(&next, at);
	__atomic_add_fetch(&account.lost, 1, __ATOMIC_RELAXED);
	return NULL;
}

static int status_of(const struct dlt_cl_slot *s)
{
	int status = -1;

	return s->api->event_info(s->event, EVENT_STATUS, sizeof(status), &status, NULL) ? -1 : status;
}

/* Tells what is taken, and frees or holds it. */
static void finish(struct dlt_cl_slot *s, int status)
{
	void *event = s->event;
	struct dlt_cl_api *api = s->api;
	bool timed = status == COMPLETE && take_times(s);

	if (status != COMPLETE)
		__atomic_add_fetch(&account.without_time, 1, __ATOMIC_RELAXED);
	let(s, timed && !tell(s, false) ? HELD : FREE);
	api->release_event(event);
}

static bool has_ended(const struct dlt_cl_slot *s)
{
	return __atomic_load_n(&s->ended, __ATOMIC_RELAXED) == __atomic_load_n(&s->correlation, __ATOMIC_RELAXED);
}

/*
 * Gives back what still ran when it was looked at. A callback that came since has found it taken and will not come
 * again: either it sees the place given back, or we see here what it has left.
 */
static void let_wait(struct dlt_cl_slot *s)
{
	let(s, WAITING);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	while (has_ended(s) && take(s, WAITING)) {
		if (has_ended(s)) {
			int status = status_of(s);

			finish(s, status < COMPLETE ? status : COMPLETE);
			return;
		}
		let(s, WAITING);
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
	}
}

static void look_at_held(struct dlt_cl_slot *s, bool now)
{
	if (take(s, HELD))
		let(s, tell(s, now) ? FREE : HELD);
}

/* In which nothing behind a command that runs can have ended. */
struct behind {
	const void *queues[BEHIND];
	unsigned count;
};

static bool is_behind(const struct behind *b, const struct dlt_cl_slot *s)
{
	for (unsigned i = 0; i < b->count; i++)
		if (b->queues[i] == s->handle)
			return true;
	return false;
}

static void look_at(struct dlt_cl_slot *s, struct behind *b)
{
	int status = COMPLETE + 1;

	look_at_held(s, false);
	if (!take(s, WAITING))
		return;
	if (!dlt_cl_api_is_there(s->api)) {
		__atomic_add_fetch(&account.without_time, 1, __ATOMIC_RELAXED);
		let(s, FREE);
		return;
	}
	if (!is_behind(b, s))
		status = status_of(s);
	if (status <= COMPLETE) {
		finish(s, status);
		return;
	}
	if (s->in_order && b->count < BEHIND && !is_behind(b, s))
		b->queues[b->count++] = s->handle;
	let_wait(s);
}

/* running: after so many that still run the look ends. */
static void look(unsigned running)
{
	uint64_t end = __atomic_load_n(&next, __ATOMIC_ACQUIRE), at = __atomic_load_n(&first, __ATOMIC_RELAXED);
	struct behind behind = { .count = 0 };
	bool all_free = true;
	int saved = errno;

	if (end - at > SLOTS)
		at = end - SLOTS;
	for (; at != end && running; at++) {
		struct dlt_cl_slot *s = &slots[at % SLOTS];
		uint32_t state;

		look_at(s, &behind);
		state = __atomic_load_n(&s->state, __ATOMIC_RELAXED);
		all_free &= state == FREE;
		running -= state == BUSY || state == WAITING;
		if (all_free)
			raise_to(&first, at + 1);
	}
	account_now_and_then(dlt_clock_ns());
	errno = saved;
}

void dlt_cl_look_slow(void)
{
	if (!stopped && !dlt_is_guarded(dlt_thread_self()))
		look(SLOTS);
}

/* ---- around the call --------------------------------------------------------------------------- */

/* Registered after OpenCL was set up, so it runs before that is taken down. */
static void at_exit(void)
{
	dlt_cl_look_slow();
	__atomic_store_n(&stopped, true, __ATOMIC_RELEASE);
}

static void begin_once(void)
{
	static bool registered;

	if (__atomic_load_n(&registered, __ATOMIC_RELAXED) ||
	    __atomic_exchange_n(&registered, true, __ATOMIC_RELAXED))
		return;
	__atomic_store_n(&account.said_at, dlt_clock_ns(), __ATOMIC_RELAXED);
	atexit(at_exit);
}

void **dlt_cl_work_take(struct dlt_cl_work *w, const void *handle, void **event)
{
	const struct dlt_cl_queue *q = dlt_cl_queue(handle);
	struct dlt_cl_slot *s;

	if (stopped || !q || !q->profiled || !(dlt_enabled(DLT_EV_GPU_KERNEL) || dlt_enabled(DLT_EV_GPU_COPY)))
		return event;
	begin_once();
	s = new_slot();
	if (!s)
		return event;
	s->handle = handle;
	s->api = q->api;
	s->in_order = q->in_order;
	s->context = q->context;
	s->stream = q->stream;
	s->device = q->device;
	*w = (struct dlt_cl_work){ .slot = s, .theirs = event };
	return event ? event : &w->own;
}

void dlt_cl_work_put(const struct dlt_cl_work *w, const struct dlt_call *c, bool ok, unsigned what,
		     uint64_t size, const void *kernel)
{
	struct dlt_cl_slot *s = w->slot;
	uint64_t ticks = dlt_clock_ticks();
	int saved = errno;

	s->event = ok ? (w->theirs ? *w->theirs : w->own) : NULL;
	if (!s->event || (w->theirs && s->api->retain_event(s->event))) {
		let(s, FREE);
		return;
	}
	s->times.returned = dlt_clock_ns();
	s->times.called = s->times.returned - dlt_clock_elapsed_ns(ticks - c->start);
	s->caller = c->thread->id;
	s->what = (uint8_t)what;
	s->size = size;
	s->kernel = kernel ? dlt_cl_kernel_id(kernel) : 0;
	let(s, WAITING);
	look(1);
	errno = saved;
}

/* ---- what the application lets go of ------------------------------------------------------------ */

/* A thread of OpenCL's, at any time: the place may be another command's by now. */
static void on_complete(void *event, int status, void *data)
{
	struct dlt_cl_slot *s = &slots[(uintptr_t)data % SLOTS];
	uint32_t correlation = (uint32_t)((uintptr_t)data / SLOTS), seen = __atomic_load_n(&s->ended, __ATOMIC_RELAXED);

	while ((int32_t)(correlation - seen) > 0 &&
	       !__atomic_compare_exchange_n(&s->ended, &seen, correlation, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (!take(s, WAITING))
		return;		/* to who holds it (let_wait) */
	if (s->correlation == correlation && s->event == event)
		finish(s, status);
	else
		let_wait(s);
}

/*
 * What still runs is told when it ends, even if the application never comes by again: it may wait for its
 * context to go, which our references would keep.
 */
static void let_go(const void *queue)
{
	uint64_t end = __atomic_load_n(&next, __ATOMIC_ACQUIRE), at = __atomic_load_n(&first, __ATOMIC_RELAXED);

	for (at = end - at > SLOTS ? end - SLOTS : at; at != end; at++) {
		struct dlt_cl_slot *s = &slots[at % SLOTS];
		uintptr_t id;
		void *event;

		if (s->handle != queue || !take(s, WAITING))
			continue;
		if (s->called_back) {	/* a queue is released as often as it was retained */
			let_wait(s);
			continue;
		}
		s->called_back = true;
		id = (uintptr_t)s->correlation * SLOTS + at % SLOTS;
		event = s->event;
		/* Where the command has ended meanwhile, the callback comes at once: it must find it waiting. */
		s->api->retain_event(event);
		let(s, WAITING);
		s->api->set_callback(event, COMPLETE, on_complete, (void *)id);
		s->api->release_event(event);
	}
}

int dlt_cl_release_queue(int (*real)(void *), void *queue)
{
	if (__builtin_expect(dlt_cl_measured, 0) && dlt_cl_queue(queue)) {
		dlt_cl_look_slow();
		if (!stopped)
			let_go(queue);
	}
	return real(queue);
}

int dlt_cl_release_context(int (*real)(void *), void *context)
{
	dlt_cl_look();
	return real(context);
}

/* Of the references that an event has, one may be ours. */
int dlt_cl_event_info(dlt_cl_info real, void *event, unsigned name, size_t size, void *value, size_t *size_ret)
{
	uint64_t end = __atomic_load_n(&next, __ATOMIC_ACQUIRE), at = __atomic_load_n(&first, __ATOMIC_RELAXED);
	unsigned *references = value;
	int result;

	dlt_cl_look();
	result = real(event, name, size, value, size_ret);
	if (!dlt_cl_measured || result || name != EVENT_REFERENCES || !value || size < sizeof(*references))
		return result;
	for (at = end - at > SLOTS ? end - SLOTS : at; at != end; at++)
		if (__atomic_load_n(&slots[at % SLOTS].state, __ATOMIC_ACQUIRE) == WAITING &&
		    slots[at % SLOTS].event == event && *references > 1)
			(*references)--;
	return result;
}

/* ---- the process ------------------------------------------------------------------------------- */

void dlt_cl_end(void)
{
	uint64_t waiting = 0, since = UINT64_MAX;

	if (!__atomic_load_n(&correlations, __ATOMIC_RELAXED))
		return;
	for (unsigned i = 0; i < SLOTS; i++) {
		if (__atomic_load_n(&slots[i].state, __ATOMIC_ACQUIRE) == FREE)
			continue;
		look_at_held(&slots[i], true);
		if (__atomic_load_n(&slots[i].state, __ATOMIC_ACQUIRE) == FREE)
			continue;
		waiting++;
		since = slots[i].times.called < since ? slots[i].times.called : since;
	}
	if (waiting)
		say_gap(REASON_ENDED, since, waiting, "OpenCL's commands had not ended");
	say_account();
}

void dlt_cl_after_fork(void)
{
	for (unsigned i = 0; correlations && i < SLOTS; i++)
		slots[i].state = slots[i].ended = 0;
	first = next = 0;
	correlations = 0;
	stopped = false;
	dlt_cl_clock_after_fork();
	account = (__typeof__(account)){ .told = 0 };
}
