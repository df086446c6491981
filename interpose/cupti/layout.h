/* SPDX-License-Identifier: MIT */
/*
 * The few fields that are read of CUPTI's activity records, by offset and size.
 *
 * From CUPTI 12.0 to 13.5 the records have grown (CUpti_ActivityKernel9 to 13, Memcpy5 to 7,
 * Memset4 and 5, Synchronization and 2), but these fields have kept their places: compared with the
 * headers of 12.0, 12.2, 12.4, 12.6, 12.8, 12.9, 13.0, 13.1, 13.3 and 13.5; where the build finds
 * headers it compares them again (layout_check.c). The version that counts is that of the libcupti
 * in the process, as cuptiGetVersion tells it; one that is not known here is not used.
 */
#ifndef DLT_INTERPOSE_CUPTI_LAYOUT_H
#define DLT_INTERPOSE_CUPTI_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* CUpti_ActivityKind */
enum cupti_kind {
	CUPTI_COPY = 1, CUPTI_SET = 2, CUPTI_DRIVER = 4, CUPTI_RUNTIME = 5, CUPTI_KERNEL = 10,
	CUPTI_PEER = 22, CUPTI_SYNC = 38,
};

/* CUpti_ActivityAttribute, since 13.2: records have the fields that their owner chose. */
#define CUPTI_USER_DEFINED_RECORDS 11

/* A call of cuptiActivitySetAttribute says whether they do: *value. */
static inline bool cupti_chooses_layout(int attribute, const size_t *size, const void *value)
{
	return attribute == CUPTI_USER_DEFINED_RECORDS && size && *size && value;
}

/* More than any CUPTI has functions in a layer, the runtime or the driver. */
#define CUPTI_FUNCTIONS 2048

/* X(RECORD, FIELD, OFFSET, BYTES) */
#define CUPTI_FIELDS(X) \
	X(kernel, start, 16, 8) X(kernel, end, 24, 8) X(kernel, deviceId, 40, 4) \
	X(kernel, contextId, 44, 4) X(kernel, streamId, 48, 4) X(kernel, correlationId, 92, 4) \
	X(kernel, name, 104, 8) X(kernel, graphId, 156, 4) \
	X(copy, copyKind, 4, 1) X(copy, bytes, 8, 8) X(copy, start, 16, 8) X(copy, end, 24, 8) \
	X(copy, deviceId, 32, 4) X(copy, contextId, 36, 4) X(copy, streamId, 40, 4) \
	X(copy, correlationId, 44, 4) X(copy, graphId, 72, 4) \
	X(peer, bytes, 8, 8) X(peer, start, 16, 8) X(peer, end, 24, 8) X(peer, deviceId, 32, 4) \
	X(peer, contextId, 36, 4) X(peer, streamId, 40, 4) X(peer, correlationId, 60, 4) \
	X(peer, graphId, 80, 4) \
	X(set, bytes, 8, 8) X(set, start, 16, 8) X(set, end, 24, 8) X(set, deviceId, 32, 4) \
	X(set, contextId, 36, 4) X(set, streamId, 40, 4) X(set, correlationId, 44, 4) \
	X(set, graphId, 72, 4) \
	X(sync, type, 4, 4) X(sync, start, 8, 8) X(sync, end, 16, 8) X(sync, correlationId, 24, 4) \
	X(sync, contextId, 28, 4) X(sync, streamId, 32, 4) \
	X(call, cbid, 4, 4) X(call, start, 8, 8) X(call, end, 16, 8) X(call, threadId, 28, 4) \
	X(call, correlationId, 32, 4)

/*
 * Calls that ask whether something is done: CUPTI tells of them as of synchronisations, and nothing waits.
 * X(KIND, NAME, NUMBER): as in cupti_runtime_cbid.h and cupti_driver_cbid.h, where numbers stay what they are.
 */
#define CUPTI_QUERIES(X) \
	X(RUNTIME, cudaStreamQuery_v3020, 132) X(RUNTIME, cudaStreamQuery_ptsz_v7000, 240) \
	X(RUNTIME, cudaEventQuery_v3020, 138) \
	X(DRIVER, cuStreamQuery, 125) X(DRIVER, cuStreamQuery_ptsz, 439) X(DRIVER, cuEventQuery, 120)

/* Bytes of a record that are looked at. */
#define CUPTI_KERNEL_BYTES 160
#define CUPTI_COPY_BYTES 76
#define CUPTI_PEER_BYTES 84
#define CUPTI_SET_BYTES 76
#define CUPTI_SYNC_BYTES 36
#define CUPTI_CALL_BYTES 36

/* Up to 12.9 a count, since 13.0 major * 10000 + minor * 100 + update. */
static inline bool cupti_version_is_known(uint32_t version)
{
	return (version >= 18 && version <= 28) || (version >= 130000 && version <= 130599);
}

#define CUPTI_GETTER(record, field, offset, bytes) \
	static inline uint64_t cupti_##record##_##field(const uint8_t *at) \
	{ \
		uint64_t value = 0; \
		memcpy(&value, at + (offset), bytes); \
		return value; \
	}
CUPTI_FIELDS(CUPTI_GETTER)
#undef CUPTI_GETTER

#endif
