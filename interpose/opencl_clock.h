/* SPDX-License-Identifier: MIT */
/*
 * When OpenCL's commands ran, by CLOCK_MONOTONIC. OpenCL tells times of a device's clock; by how much the
 * two differ follows from what must have been so: a command is queued inside the call that asks for it,
 * and has ended before anybody can see that. Each command so says between which two the difference lies,
 * and all together leave the least that any of them leaves, but for what the clocks drift apart meanwhile.
 *
 * Lock-free: who finds a clock in use takes what his own command says.
 */
#ifndef DLT_INTERPOSE_OPENCL_CLOCK_H
#define DLT_INTERPOSE_OPENCL_CLOCK_H

#include <stdint.h>

#define DLT_CL_CLOCKS 64	/* devices that have one of their own */

struct dlt_cl_times {
	uint64_t queued, started, ended;	/* ns, by the device's clock */
	uint64_t called, returned, seen;	/* ns CLOCK_MONOTONIC; seen: it had ended */
};

/* Takes what a command says; again with the same does nothing. */
void dlt_cl_clock_learn(unsigned device, const struct dlt_cl_times *t);

/* When the command began, ns CLOCK_MONOTONIC; *error: ns by which that is off at most. */
uint64_t dlt_cl_clock_begin(unsigned device, const struct dlt_cl_times *t, uint64_t *error);

void dlt_cl_clock_after_fork(void);

#endif
