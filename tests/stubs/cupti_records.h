/* SPDX-License-Identifier: MIT */
/* Results, and the activity records of CUPTI 12.9 and 13.0 (STUB_CUPTI: 12, 13), as far as the stub fills them. */
#ifndef STUB_CUPTI_RECORDS_H
#define STUB_CUPTI_RECORDS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { OK, INVALID_PARAMETER = 1, INVALID_OPERATION = 7, MAX_LIMIT_REACHED = 12, NOT_COMPATIBLE = 14,
       MULTIPLE_SUBSCRIBERS = 39, UNKNOWN = 999 };
enum { COPY = 1, SET = 2, DRIVER = 4, RUNTIME = 5, KERNEL = 10, SYNC = 38 };

/* CUpti_ActivityKernel9 and 10 as far as they are filled; the rest is zeros. */
struct kernel {
	uint32_t kind;
	uint8_t cache, shared_config;
	uint16_t registers;
	uint32_t requested, executed;
	uint64_t start, end, completed;
	uint32_t device, context, stream;
	int32_t grid[3], block[3], static_shared, dynamic_shared;
	uint32_t local, local_total, correlation;
	int64_t grid_id;
	const char *name;
	void *reserved;
	uint64_t queued, submitted;
	uint8_t launch_type, carveout[2], padding;
	uint32_t shared_executed;
	uint64_t node;
	uint32_t limit, graph;
	char rest[STUB_CUPTI == 12 ? 48 : 56];
} __attribute__((aligned(8)));

/* CUpti_ActivityMemcpy6; Memset4 has the same head. */
struct copy {
	uint32_t kind;
	uint8_t copy_kind, from, to, flags;	/* set: the value */
	uint64_t bytes, start, end;
	uint32_t device, context, stream, correlation;
	char rest[48];
} __attribute__((aligned(8)));

/* CUpti_ActivitySynchronization2 */
struct sync {
	uint32_t kind, type;
	uint64_t start, end;
	uint32_t correlation, context, stream, event;
	char rest[16];
} __attribute__((aligned(8)));

/* CUpti_ActivityAPI */
struct api {
	uint32_t kind, function;
	uint64_t start, end;
	uint32_t process, thread, correlation, result;
};

/* Bytes of a record; user_defined: as its reader has asked for it. */
static inline size_t cupti_record_size(const uint8_t *at, int user_defined)
{
	uint32_t kind;

	memcpy(&kind, at, sizeof(kind));
	if (user_defined)
		return 8;
	switch (kind) {
	case KERNEL:
		return sizeof(struct kernel);
	case COPY:
		return sizeof(struct copy);
	case SET:
		return 88;
	case SYNC:
		return sizeof(struct sync);
	default:
		return sizeof(struct api);
	}
}

/* The number of the function of this name, which lives for ever; 0: none of ours. (cupti_names.c) */
uint32_t cupti_function(int driver, const char *name);

/* Whether there are records of its calls; what each has of its own goes. */
int cupti_wants(int driver, uint32_t function, int kind_is_on);
void cupti_by_kind(int driver);

/* From now on the stub GPU tells what it does. */
void cupti_listens(void);

/* ns: CLOCK_MONOTONIC; CUPTI's clock, or the client's own; that as it was then (cupti_clock.c). */
uint64_t cupti_mono(void);
uint64_t cupti_now(void);
uint64_t cupti_stamp(uint64_t mono);
int cuptiGetCallbackName(int domain, uint32_t function, const char **name);

_Static_assert(sizeof(struct kernel) == (STUB_CUPTI == 12 ? 208 : 216), "a kernel's record");
_Static_assert(sizeof(struct copy) == 96 && sizeof(struct sync) == 56 && sizeof(struct api) == 40,
	       "records");

#endif
