/* build: -Wno-shadow -Wno-undef -llttng-ust -Ltests/stubs -l:libcudart.so.12 -Wl,-rpath,$ORIGIN/../stubs */
/* SPDX-License-Identifier: MIT */
/* cuda_call with a bare tracepoint of the same fields after each launch: what recording alone costs. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "tests/bench/cuda_bare.h"

#include "cuda_call.c"
