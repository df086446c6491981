/* SPDX-License-Identifier: MIT */
/*
 * How long OpenCL's commands took on their device (--gpu=activity), by the events that OpenCL itself
 * makes for each command, as dltrace_gpu:kernel and copy.
 *
 * Only where it is asked for is OpenCL called by a hook, and then in the application's own threads, at
 * calls of its own, and nothing that waits: a command's event is looked at when the application comes by
 * again, most of all when it has waited. What the application lets go of while it runs is told by a
 * callback of OpenCL's. Queues get CL_QUEUE_PROFILING_ENABLE; who asks them reads what it has set.
 *
 * Without it every function here costs a load and a branch. Nothing takes a lock; errno is kept.
 */
#ifndef DLT_INTERPOSE_OPENCL_WORK_H
#define DLT_INTERPOSE_OPENCL_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dlt_call;
struct dlt_cl_slot;

enum { DLT_CL_KERNEL = 255 };	/* instead of a copy's direction */

/* ---- around a call that gives a device something to do ---------------------------------------- */

/* On the wrapper's stack. */
struct dlt_cl_work {
	struct dlt_cl_slot *slot;	/* NULL: nothing is taken of this call */
	void **theirs, *own;		/* where the application wants the event; else ours */
};

/* Some queue is measured. */
extern bool dlt_cl_measured;

void **dlt_cl_work_take(struct dlt_cl_work *w, const void *queue, void **event);
void dlt_cl_work_put(const struct dlt_cl_work *w, const struct dlt_call *c, bool ok, unsigned what,
		     uint64_t size, const void *kernel);
void dlt_cl_look_slow(void);

/* What to pass to the real function as `event`. */
static inline void **dlt_cl_work_begin(struct dlt_cl_work *w, bool measured, const void *queue, void **event)
{
	w->slot = NULL;
	return __builtin_expect(dlt_cl_measured && measured, 0) ? dlt_cl_work_take(w, queue, event) : event;
}

/* what: DLT_CL_KERNEL (of `kernel`, NULL: of the host) or a copy's direction (of `size` bytes) */
static inline void dlt_cl_work_end(const struct dlt_cl_work *w, const struct dlt_call *c, bool ok,
				   unsigned what, uint64_t size, const void *kernel)
{
	if (__builtin_expect(w->slot != NULL, 0))
		dlt_cl_work_put(w, c, ok, what, size, kernel);
}

/* Tells what is done; after calls that wait. */
static inline void dlt_cl_look(void)
{
	if (__builtin_expect(dlt_cl_measured, 0))
		dlt_cl_look_slow();
}

/* ---- instead of the real function ------------------------------------------------------------- */

void *dlt_cl_create_queue(void *(*real)(void *, void *, unsigned long long, int *), void *context, void *device,
			  unsigned long long properties, int *errcode_ret);
void *dlt_cl_create_queue_by_list(void *(*real)(void *, void *, const void *, int *), void *context,
				  void *device, const void *properties, int *errcode_ret);
int dlt_cl_set_property(int (*real)(void *, unsigned long long, unsigned, unsigned long long *), void *queue,
			unsigned long long properties, unsigned enable, unsigned long long *old);
int dlt_cl_release_queue(int (*real)(void *), void *queue);
int dlt_cl_release_context(int (*real)(void *), void *context);

typedef int (*dlt_cl_info)(void *object, unsigned name, size_t size, void *value, size_t *size_ret);

int dlt_cl_queue_info(dlt_cl_info real, void *queue, unsigned name, size_t size, void *value, size_t *size_ret);
int dlt_cl_event_info(dlt_cl_info real, void *event, unsigned name, size_t size, void *value, size_t *size_ret);
int dlt_cl_profiling_info(dlt_cl_info real, void *event, unsigned name, size_t size, void *value,
			  size_t *size_ret);

/* ---- the process ------------------------------------------------------------------------------- */

/* It ends or becomes another one: what was told, and what was not. Calls nothing of OpenCL's. */
void dlt_cl_end(void);
/* In a forked child, where nothing of the parent's is OpenCL's any more. */
void dlt_cl_after_fork(void);

#endif
