/* SPDX-License-Identifier: MIT */
/*
 * What one image of a process used: by exec a process becomes another in the trace, but for the kernel
 * it is the same, and its counts go on. They are cut where the new image is first read.
 */
#include "analysis/model/images.h"

#define KERNEL_COUNTS(X) \
	X(user) X(system) X(minor_faults) X(major_faults) X(voluntary) X(involuntary) X(read_bytes) X(write_bytes)

static uint64_t above(uint64_t value, uint64_t base)
{
	return value > base ? value - base : 0;
}

/* All that the kernel had counted until the image before was last read. */
static void begin(struct process *p)
{
	struct process *was = p->replaced;

	p->before_known = was->went_on = true;
#define TAKE(field) p->before.field = was->before.field + was->sample.field;
	KERNEL_COUNTS(TAKE)
}

struct dlt_ev_sample_process image_counts(struct process *p, const struct dlt_ev_sample_process *said)
{
	struct dlt_ev_sample_process own = *said;

	if (p->replaced && !p->before_known)
		begin(p);
#define CUT(field) own.field = p->went_on ? p->sample.field : above(said->field, p->before.field);
	KERNEL_COUNTS(CUT)
	return own;
}

uint64_t image_cpu(struct thread *thread, uint64_t cpu)
{
	const struct process *was = thread->process->replaced;
	const struct thread *first;

	if (thread->process->went_on)
		return thread->cpu;
	if (was && thread->first_thread && !thread->cpu_before) {
		first = trace_thread_make(was->trace, was->id);
		thread->cpu_before = first->cpu_before + first->cpu;
	}
	return above(cpu, thread->cpu_before);
}
