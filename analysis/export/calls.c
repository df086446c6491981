/* SPDX-License-Identifier: MIT */
/* Events of calls read alike. */
#include "analysis/export/calls.h"

#include <fnmatch.h>
#include <string.h>

#include "analysis/frameworks.h"

enum { ALLOCATED = 1, FREED, FAILED };

#define FROM(event, result_of, gpu_work) FROM_ON(event, result_of, gpu_work, 0)
#define FROM_ON(event, result_of, gpu_work, on) do { \
		const struct event *from = e->data; \
		*c = (struct export_call){ \
			.thread = from->thread, .function = from->function, \
			.library = from->library, .duration = from->duration, \
			.nested = from->nested, .result = (result_of), .gpu = (gpu_work), .stream = (on), \
		}; \
		return true; \
	} while (0)

bool export_read_call(const struct reader_event *e, struct export_call *c)
{
	switch (e->type) {
	case DLT_EV_CUDA_ALLOC:
		FROM(dlt_ev_cuda_alloc, from->result, true);
	case DLT_EV_CUDA_FREE:
		FROM(dlt_ev_cuda_free, from->result, false);
	case DLT_EV_CUDA_COPY:
		FROM_ON(dlt_ev_cuda_copy, from->result, true, from->stream);
	case DLT_EV_CUDA_LAUNCH:
		FROM_ON(dlt_ev_cuda_launch, from->result, true, from->stream);
	case DLT_EV_CUDA_STREAM:
		FROM(dlt_ev_cuda_stream, from->result, false);
	case DLT_EV_CUDA_SYNC:
		FROM(dlt_ev_cuda_sync, from->result, false);
	case DLT_EV_CUDA_OTHER:
		FROM(dlt_ev_cuda_other, from->result, true);
	case DLT_EV_CPU_BLAS:
		FROM(dlt_ev_cpu_blas, 0, false);
	case DLT_EV_CPU_REGION:
		FROM(dlt_ev_cpu_region, 0, false);
	case DLT_EV_COMM_CALL:
		FROM_ON(dlt_ev_comm_call, from->result, true, from->stream);
	default:
		return false;
	}
}

bool export_read_heap(const struct reader_event *e, struct export_heap_call *c)
{
	const struct dlt_ev_heap_alloc *alloc = e->data;
	const struct dlt_ev_heap_free *free = e->data;
	const struct dlt_ev_full_heap_call *call = e->data;

	switch (e->type) {
	case DLT_EV_HEAP_ALLOC:
		*c = (struct export_heap_call){ alloc->thread, alloc->function, alloc->library,
						alloc->ptr ? ALLOCATED : FAILED, alloc->size,
						alloc->ptr };
		return true;
	case DLT_EV_HEAP_FREE:
		*c = (struct export_heap_call){ free->thread, free->function, free->library, FREED,
						free->size, free->ptr };
		return true;
	case DLT_EV_FULL_HEAP_CALL:
		*c = (struct export_heap_call){ call->thread, call->function, call->library,
						call->operation, call->size, call->ptr };
		return true;
	default:
		return false;
	}
}

bool export_chosen(const struct process *p, uint16_t function, uint16_t library)
{
	const struct model_options *o = &p->trace->model->options;
	const struct function *f;
	const struct library *l;
	const struct framework_rule *rule;

	if (!o->function && !o->layer && !o->framework)
		return true;
	f = process_function(p, function);
	if ((o->function && fnmatch(o->function, f->name, 0)) ||
	    (o->layer && fnmatch(o->layer, f->layer, 0)))
		return false;
	if (!o->framework)
		return true;
	l = process_library(p, library);
	rule = l ? library_framework(l->path) : NULL;
	return framework_chosen(o->framework, rule ? rule->name : process_engine(p));
}
