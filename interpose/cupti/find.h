/* SPDX-License-Identifier: MIT */
/*
 * The libcupti of this process: the one that is loaded, else one that fits the CUDA that is, which
 * is then loaded. Never linked, never loaded by libdltrace.so.
 */
#ifndef DLT_INTERPOSE_CUPTI_FIND_H
#define DLT_INTERPOSE_CUPTI_FIND_H

#include <stddef.h>
#include <stdint.h>

#include "clock.h"
#include "interpose/cupti.h"

/* What we call ourselves. X(NAME, ARGUMENTS) */
#define CUPTI_OWN_CALLS(X) \
	X(cuptiGetVersion, (uint32_t *version)) \
	X(cuptiGetTimestamp, (uint64_t *timestamp)) \
	X(cuptiActivityGetNextRecord, (uint8_t *buffer, size_t valid, uint8_t **record)) \
	X(cuptiActivityGetNumDroppedRecords, (void *context, uint32_t stream, size_t *dropped)) \
	X(cuptiGetThreadIdType, (int *type))

/* Likewise, where they are: older versions have none. */
#define CUPTI_OPTIONAL_CALLS(X) \
	X(cuptiGetCallbackName, (int layer, uint32_t function, const char **name))

struct cupti {
	char path[512];
	uint32_t version;
#define CUPTI_FIELD(name, arguments) int (*name) arguments;
#define CUPTI_FIELD_OF_OTHERS(name, behind_real, arguments, ...) int (*name) arguments;
	CUPTI_OWN_CALLS(CUPTI_FIELD)
	CUPTI_OPTIONAL_CALLS(CUPTI_FIELD)
	DLT_CUPTI_CALLS(CUPTI_FIELD_OF_OTHERS)
#undef CUPTI_FIELD
#undef CUPTI_FIELD_OF_OTHERS
};

/* 0; -ENOENT: none there; -ENOSYS: it lacks a function; -EPROTO: its version is not known. */
int cupti_find(struct cupti *c);

#endif
