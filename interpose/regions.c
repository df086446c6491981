/* SPDX-License-Identifier: MIT */
/* Parallel regions that are open between two calls (regions.h); they stand in the thread's struct dlt_calls. */
#include "regions.h"

#include "calls.h"
#include "export.h"

/* What closes a region that is opened from there. */
static void *end_of(struct dlt_thread *t, const void *caller)
{
	return dlt_site_of(t, DLT_FN_GOMP_parallel_end, caller)->real;
}

DLT_HOT void *dlt_region_open(enum dlt_fn function, const void *caller, uintptr_t bottom, unsigned arguments,
			      uintptr_t like, uint32_t width)
{
	struct dlt_call call;
	void *real, *counted = dlt_call_passes(function, caller, like, 0);
	void *end = end_of(dlt_thread_self(), caller);	/* first: it may take the place of the other site */
	struct dlt_site *site = dlt_call_find(&call, function, DLT_EV_CPU_REGION, caller, &real);
	struct dlt_thread *t = call.thread;
	uintptr_t at = bottom + arguments;
	struct dlt_region *r;

	if (!t->calls)
		return real;
	r = &t->calls->regions[t->calls->open];
	if (t->calls->open++ >= DLT_CALL_REGIONS)
		return real;
	r->end = end;
	r->width = width;
	r->call.thread = t;
	r->measured = site && !counted && dlt_call_enter_like(&r->call, t, site, like, at, at);
	return real;
}

static DLT_HOT void closed(struct dlt_region *r)
{
	struct dlt_call *c = &r->call;

	if (!dlt_call_end(c, DLT_EV_CPU_REGION, DLT_MIN_region, true, 0, 0))
		return;
	dlt_call_emit(c, DLT_EV_CPU_REGION, &(struct dlt_ev_cpu_region){
		.thread = c->thread->id, .function = c->function, .library = c->library, .duration = c->duration,
		.nested = c->nested, .nested_time = c->nested_time, .width = (uint16_t)r->width,
	});
}

/* The thread's innermost region, which is open no more; NULL: it was not kept. */
static inline struct dlt_region *innermost(struct dlt_calls *calls)
{
	if (!calls || !calls->open || --calls->open >= DLT_CALL_REGIONS)
		return NULL;
	return &calls->regions[calls->open];
}

DLT_EXPORT void GOMP_parallel_end(void);
DLT_WRAPPER(GOMP_parallel_end);
void GOMP_parallel_end(void)
{
	struct dlt_thread *t = dlt_thread_self();
	struct dlt_region *r = innermost(t->calls), closing;
	void *found = r ? r->end : end_of(t, __builtin_return_address(0));
	void (*real)(void);

	if (__builtin_expect(dlt_handed_over != NULL, 0))
		found = dlt_handed_take(DLT_FN_GOMP_parallel_end, found);
	real = found;
	if (!r || !r->measured) {
		real();
		return;
	}
	closing = *r;	/* a task that runs while the others are waited for may open another one */
	real();
	closed(&closing);
}
