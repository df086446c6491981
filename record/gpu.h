/* SPDX-License-Identifier: MIT */
/*
 * GPUs through NVML, where libnvidia-ml.so.1 is there: opened at run time, in dltrace-sampler, never
 * in the application. Without it nothing happens.
 */
#ifndef DLT_RECORD_GPU_H
#define DLT_RECORD_GPU_H

#include <stdint.h>

/* Looks for them in a thread of its own: the driver may take seconds to open, in which others wait to be served. */
void gpu_init(void);

/* Emits dltrace_record:gpu, and once a second dltrace_record:gpu_process. now: ns CLOCK_MONOTONIC. */
void gpu_tick(uint64_t now);

#endif
