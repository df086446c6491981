/* SPDX-License-Identifier: MIT */
/* The `state` of dltrace_proc:library, function and object. What is said first is the process's own event. */
#ifndef DLT_TRACEPOINTS_ANNOUNCED_H
#define DLT_TRACEPOINTS_ANNOUNCED_H

enum dlt_announced {
	DLT_ANNOUNCED_FIRST,		/* by its process, at first use */
	DLT_ANNOUNCED_UNLOADED,		/* a library is gone: a sampler saw it */
	DLT_ANNOUNCED_FOUND,		/* a library is there: likewise */
	DLT_ANNOUNCED_AGAIN,		/* whoever says it; as the `reason` of processes and threads */
};

#endif
