/* SPDX-License-Identifier: MIT */
/* Compares layout.h with CUPTI's headers where the build finds them: compiles, or stops the build. */
#include <stddef.h>

#include <cuda.h>
#include <cupti_result.h>
#include <cupti_version.h>
#include <cupti_activity.h>
#include <cupti_driver_cbid.h>
#include <cupti_runtime_cbid.h>

#include "layout.h"

#if CUPTI_API_VERSION >= 130500
typedef CUpti_ActivityKernel13 kernel;
typedef CUpti_ActivityMemcpy7 copy;
typedef CUpti_ActivityMemset5 set;
#elif CUPTI_API_VERSION >= 130300
typedef CUpti_ActivityKernel12 kernel;
#elif CUPTI_API_VERSION >= 130100
typedef CUpti_ActivityKernel11 kernel;
#elif CUPTI_API_VERSION >= 130000
typedef CUpti_ActivityKernel10 kernel;
#else
typedef CUpti_ActivityKernel9 kernel;
#endif
#if CUPTI_API_VERSION >= 26
typedef CUpti_ActivitySynchronization2 sync;
#else
typedef CUpti_ActivitySynchronization sync;
#endif
#if CUPTI_API_VERSION < 26
typedef CUpti_ActivityMemcpy5 copy;
#elif CUPTI_API_VERSION < 130500
typedef CUpti_ActivityMemcpy6 copy;
#endif
#if CUPTI_API_VERSION < 130500
typedef CUpti_ActivityMemset4 set;
#endif
typedef CUpti_ActivityMemcpyPtoP4 peer;
typedef CUpti_ActivityAPI call;

#define SAME(record, field, offset, bytes) \
	_Static_assert(offsetof(record, field) == (offset), #record "." #field " lies elsewhere"); \
	_Static_assert(sizeof(((record *)0)->field) == (bytes), #record "." #field " has another size"); \
	_Static_assert((offset) + (bytes) <= BYTES_##record, #record "." #field " is not looked at");
#define BYTES_kernel CUPTI_KERNEL_BYTES
#define BYTES_copy CUPTI_COPY_BYTES
#define BYTES_peer CUPTI_PEER_BYTES
#define BYTES_set CUPTI_SET_BYTES
#define BYTES_sync CUPTI_SYNC_BYTES
#define BYTES_call CUPTI_CALL_BYTES
CUPTI_FIELDS(SAME)

#define SAME_NUMBER(kind, name, number) \
	_Static_assert((int)CUPTI_##kind##_TRACE_CBID_##name == (number), #name " has another number");
CUPTI_QUERIES(SAME_NUMBER)

_Static_assert((int)CUPTI_ACTIVITY_KIND_MEMCPY == (int)CUPTI_COPY &&
	       (int)CUPTI_ACTIVITY_KIND_MEMSET == (int)CUPTI_SET &&
	       (int)CUPTI_ACTIVITY_KIND_DRIVER == (int)CUPTI_DRIVER &&
	       (int)CUPTI_ACTIVITY_KIND_RUNTIME == (int)CUPTI_RUNTIME &&
	       (int)CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL == (int)CUPTI_KERNEL &&
	       (int)CUPTI_ACTIVITY_KIND_MEMCPY2 == (int)CUPTI_PEER &&
	       (int)CUPTI_ACTIVITY_KIND_SYNCHRONIZATION == (int)CUPTI_SYNC, "kinds have other numbers");
_Static_assert(CUPTI_API_VERSION <= 28 || (CUPTI_API_VERSION >= 130000 && CUPTI_API_VERSION <= 130599),
	       "these headers are newer than what layout.h knows: compare, then say so there");
#if CUPTI_API_VERSION >= 130200
_Static_assert((int)CUPTI_ACTIVITY_ATTR_USER_DEFINED_RECORDS == (int)CUPTI_USER_DEFINED_RECORDS,
	       "an attribute has another number");
#endif
