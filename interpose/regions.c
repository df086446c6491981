/* SPDX-License-Identifier: MIT */
/* Parallel regions that are open between two calls (regions.h); they stand in the thread's struct dlt_calls. */
#include "regions.h"

#include "calls.h"
#include "export.h"

DLT_HOT void *dlt_region_open(enum dlt_fn function, const void *caller, uintptr_t bottom, unsigned arguments,
			      uintptr_t like, uint32_t width)
{
	uintptr_t at = bottom + arguments;
	struct dlt_call call;
	void *real;
	struct dlt_site *site = dlt_call_find(&call, function, DLT_EV_CPU_REGION, caller, &real);
	struct dlt_thread *t = call.thread;
	struct dlt_calls *calls = t->calls;
	struct dlt_region *r;

	if (!site || !calls)
		return real;
	/* As frames are: what was opened at or below this place on the stack is over. */
	while (calls->open && calls->regions[calls->open - 1].call.at <= at)
		calls->open--;
	if (calls->open == DLT_CALL_REGIONS)
		return real;
	r = &calls->regions[calls->open];
	r->call.thread = t;
	r->bottom = bottom;
	r->width = width;
	if (dlt_call_enter_like(&r->call, t, site, like, at))
		calls->open++;
	return real;
}

static DLT_HOT void closed(struct dlt_region *r)
{
	struct dlt_call *c = &r->call;

	c->thread->calls->open = (uint32_t)(r - c->thread->calls->regions);
	if (!dlt_call_end(c, DLT_EV_CPU_REGION, DLT_MIN_region, true, 0, 0))
		return;
	dlt_call_emit(c, DLT_EV_CPU_REGION, &(struct dlt_ev_cpu_region){
		.thread = c->thread->id, .function = c->function, .library = c->library, .duration = c->duration,
		.nested = c->nested, .nested_time = c->nested_time, .width = (uint16_t)r->width,
	});
}

/*
 * The region that a call from there closes. The caller's stack is as it was when it opened it, or already gone where
 * its last call is a jump. One from below closes a region that is not measured.
 */
static inline struct dlt_region *region_at(const struct dlt_thread *t, uintptr_t bottom)
{
	struct dlt_calls *calls = t->calls;

	if (!calls || !calls->open || bottom < calls->regions[calls->open - 1].bottom)
		return NULL;
	return &calls->regions[calls->open - 1];
}

DLT_EXPORT void GOMP_parallel_end(void);
DLT_WRAPPER(GOMP_parallel_end);
void GOMP_parallel_end(void)
{
	struct dlt_thread *t = dlt_thread_self();
	struct dlt_site *site = dlt_site_of(t, DLT_FN_GOMP_parallel_end, __builtin_return_address(0));
	struct dlt_region *r = region_at(t, (uintptr_t)__builtin_dwarf_cfa());
	void *found = site->real;
	void (*real)(void);

	if (__builtin_expect(dlt_handed_over != NULL, 0))
		found = dlt_handed_take(DLT_FN_GOMP_parallel_end, found);
	real = found;
	if (!r) {
		real();
		return;
	}
	real();
	closed(r);
}
