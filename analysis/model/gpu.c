/* SPDX-License-Identifier: MIT */
/* dltrace_gpu: what the GPU did, by process. */
#include "analysis/model/model.h"

/* These events name the process that they are of; a thread of CUPTI's or ours emits them. */
static struct process *emitted(struct trace *t, uint32_t process, int64_t at)
{
	struct process *p = trace_process_make(t, process);

	p->read++;
	p->last = at;
	return p;
}

static void on_kernel(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_gpu_kernel *e = data;

	emitted(t, e->process, at);
}

static void on_copy(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_gpu_copy *e = data;

	emitted(t, e->process, at);
}

static void on_sync(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_gpu_sync *e = data;

	emitted(t, e->process, at);
}

static void on_gap(struct trace *t, int64_t at, const void *data)
{
	const struct dlt_ev_gpu_gap *e = data;

	emitted(t, e->process, at);
}

const event_fn gpu_handlers[DLT_EVENTS] = {
	[DLT_EV_GPU_KERNEL] = on_kernel,
	[DLT_EV_GPU_COPY] = on_copy,
	[DLT_EV_GPU_SYNC] = on_sync,
	[DLT_EV_GPU_GAP] = on_gap,
};
