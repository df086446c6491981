/* SPDX-License-Identifier: MIT */
/*
 * Who really creates a thread: runtimes that make threads for others are looked behind.
 */
#ifndef DLT_INTERPOSE_CREATOR_H
#define DLT_INTERPOSE_CREATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "thread.h"

/* What is known of a new thread. */
struct dlt_creator {
	uint16_t library;	/* that asked for it */
	uint16_t start_library;	/* that holds its code */
	uint64_t start_offset;	/* of the start routine in it */
	bool helper;		/* LTTng's or ours */
};

/*
 * `caller` is pthread_create's return address. A std::thread is given to the library of its
 * function and not to libstdc++, an OpenMP worker to the library of the parallel region.
 */
struct dlt_creator dlt_creator_of(struct dlt_thread *t, const void *caller, const void *start,
				  const void *argument);

#endif
