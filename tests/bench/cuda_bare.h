/* SPDX-License-Identifier: MIT */
/* Tracepoints with the fields of dltrace_cuda:launch and dltrace_cuda:alloc and nothing else around them. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER bench_cuda
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "tests/bench/cuda_bare.h"

#if !defined(DLT_TESTS_CUDA_BARE_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define DLT_TESTS_CUDA_BARE_H

#include <lttng/tracepoint.h>
#include <stdint.h>

/* What every event of dltrace_cuda begins with. */
#define BARE_ARGS \
	uint32_t, thread, uint16_t, function, uint16_t, library, uint32_t, duration, int16_t, result, uint8_t, nested, \
	uint32_t, nested_time
#define BARE_FIELDS \
	lttng_ust_field_integer(uint32_t, thread, thread) \
	lttng_ust_field_integer(uint16_t, function, function) \
	lttng_ust_field_integer(uint16_t, library, library) \
	lttng_ust_field_integer(uint32_t, duration, duration) \
	lttng_ust_field_integer(int16_t, result, result) \
	lttng_ust_field_integer(uint8_t, nested, nested) \
	lttng_ust_field_integer(uint32_t, nested_time, nested_time)

LTTNG_UST_TRACEPOINT_EVENT(bench_cuda, launch,
	LTTNG_UST_TP_ARGS(BARE_ARGS, uint32_t, shape, uint16_t, stream),
	LTTNG_UST_TP_FIELDS(
		BARE_FIELDS
		lttng_ust_field_integer(uint32_t, shape, shape)
		lttng_ust_field_integer(uint16_t, stream, stream)
	))

LTTNG_UST_TRACEPOINT_EVENT(bench_cuda, memory,
	LTTNG_UST_TP_ARGS(BARE_ARGS, uint64_t, ptr, uint64_t, size),
	LTTNG_UST_TP_FIELDS(
		BARE_FIELDS
		lttng_ust_field_integer_hex(uint64_t, ptr, ptr)
		lttng_ust_field_integer(uint64_t, size, size)
		lttng_ust_field_integer(uint8_t, memory, 0)
		lttng_ust_field_integer(uint8_t, device, 0)
	))

/* For the benches: after each launch, and after each allocation and free. */
#define BARE(result, i) \
	lttng_ust_tracepoint(bench_cuda, launch, 1, 2, 3, (uint32_t)(i), (int16_t)(result), 0, 0, 4, 0)
#define BARE_MEMORY(result, p, size) \
	lttng_ust_tracepoint(bench_cuda, memory, 1, 2, 3, 4, (int16_t)(result), 0, 0, p, size)

#endif

#include <lttng/tracepoint-event.h>
