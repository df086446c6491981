/* build: -Wno-shadow -Wno-undef -llttng-ust -Wl,-rpath,$ORIGIN/../stubs */
/* SPDX-License-Identifier: MIT */
/* driver_call with a bare tracepoint of the same fields after each launch. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "tests/bench/cuda_bare.h"

#define BARE(result, i) \
	lttng_ust_tracepoint(bench_cuda, launch, 1, 2, 3, (uint32_t)(i), (int16_t)(result), 0, 0, 4, 0)

#include "driver_call.c"
