/* SPDX-License-Identifier: MIT */
/* OpenCL's queues whose commands are measured, and the functions of the library that they are of. */
#ifndef DLT_INTERPOSE_OPENCL_QUEUES_H
#define DLT_INTERPOSE_OPENCL_QUEUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "opencl_work.h"

/* OpenCL's, in one library; never given back. */
struct dlt_cl_api {
	dlt_cl_info event_info, profiling_info, queue_info;
	int (*retain_event)(void *event);
	int (*release_event)(void *event);
	int (*set_callback)(void *event, int type, void (*notify)(void *, int, void *), void *data);
	uint16_t library;	/* 0: free */
	uint32_t generation;	/* of the libraries, when it was last known to be there */
};

#define DLT_CL_LIST 16

/* A handle that comes again is told anew, so an entry is never taken out. */
struct dlt_cl_queue {
	const void *handle;	/* NULL: free */
	struct dlt_cl_api *api;	/* NULL: it is not measured */
	uint64_t asked[DLT_CL_LIST];	/* the application's own list of properties */
	uint8_t words;		/* of that; 0: none, or it stands as it was asked for */
	uint8_t device;		/* as we number them */
	uint16_t stream;	/* its id */
	uint32_t context;	/* as we number them */
	bool profiled;		/* its commands have times */
	bool hidden;		/* the application did not ask for them */
	bool in_order;
};

#define DLT_CL_CONTEXT 0x80000000u	/* in a context's number: OpenCL's, not CUPTI's */

/* NULL: not known. */
struct dlt_cl_queue *dlt_cl_queue(const void *handle);

/* False: it was unloaded. */
bool dlt_cl_api_is_there(struct dlt_cl_api *api);

#endif
