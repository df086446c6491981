/* build: -Wno-shadow -Wno-undef -llttng-ust -Wl,-rpath,$ORIGIN/../stubs */
/* SPDX-License-Identifier: MIT */
/* driver_call with a bare tracepoint of the same fields after each launch. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "tests/bench/cuda_bare.h"

#include "driver_call.c"
