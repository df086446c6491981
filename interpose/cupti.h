/* SPDX-License-Identifier: MIT */
/*
 * libdltrace.so and libdltrace-cupti.so, which reads CUPTI's activity records: what each has of
 * the other. Only processes that use a GPU load the second one (the driver does, at cuInit, by
 * CUDA_INJECTION64_PATH); it finds libdltrace.so there, or does nothing.
 *
 * Others in the process may use CUPTI too. Their calls pass through libdltrace.so's wrappers of
 * the functions in DLT_CUPTI_CALLS, each to the handler of the same name if that library is there.
 */
#ifndef DLT_INTERPOSE_CUPTI_H
#define DLT_INTERPOSE_CUPTI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "events.h"

struct dlt_thread;

/* CUpti_BuffersCallbackRequestFunc, CUpti_BuffersCallbackCompleteFunc, CUpti_TimestampCallbackFunc */
typedef void (*dlt_cupti_request)(uint8_t **buffer, size_t *size, size_t *most_records);
typedef void (*dlt_cupti_complete)(void *context, uint32_t stream, uint8_t *buffer, size_t size,
				   size_t valid);
typedef uint64_t (*dlt_cupti_timestamp)(void);

/*
 * X(NAME, BEHIND_REAL, ARGUMENTS, CALL_BEHIND_REAL, CALL): what changes who gets which records. All
 * return a CUptiResult. Behind `real`, what the caller would have called, a handler has the same
 * arguments.
 */
#define DLT_CUPTI_KIND_CALL(X, name) \
	X(name, \
	  (void *real, void *subscriber, int kind, void *config), \
	  (void *subscriber, int kind, void *config), \
	  (real, subscriber, kind, config), (subscriber, kind, config))

/* What a profiler does that is there before CUDA begins. */
#define DLT_CUPTI_EARLY_CALLS(X) \
	X(cuptiActivityRegisterCallbacks, \
	  (void *real, dlt_cupti_request request, dlt_cupti_complete complete), \
	  (dlt_cupti_request request, dlt_cupti_complete complete), \
	  (real, request, complete), (request, complete)) \
	X(cuptiActivityEnable, \
	  (void *real, int kind), \
	  (int kind), (real, kind), (kind)) \
	X(cuptiActivityEnableAndDump, \
	  (void *real, int kind), \
	  (int kind), (real, kind), (kind)) \
	X(cuptiActivityDisable, \
	  (void *real, int kind), \
	  (int kind), (real, kind), (kind)) \
	X(cuptiActivityEnableContext, \
	  (void *real, void *context, int kind), \
	  (void *context, int kind), (real, context, kind), (context, kind)) \
	X(cuptiActivityDisableContext, \
	  (void *real, void *context, int kind), \
	  (void *context, int kind), (real, context, kind), (context, kind)) \
	X(cuptiActivityEnableRuntimeApi, \
	  (void *real, uint32_t function, uint8_t enable), \
	  (uint32_t function, uint8_t enable), (real, function, enable), (function, enable)) \
	X(cuptiActivityEnableDriverApi, \
	  (void *real, uint32_t function, uint8_t enable), \
	  (uint32_t function, uint8_t enable), (real, function, enable), (function, enable)) \
	X(cuptiActivityRegisterCallbacks_v2, \
	  (void *real, void *subscriber, void *request, void *complete), \
	  (void *subscriber, void *request, void *complete), \
	  (real, subscriber, request, complete), (subscriber, request, complete)) \
	X(cuptiActivitySetAttribute, \
	  (void *real, int attribute, size_t *size, void *value), \
	  (int attribute, size_t *size, void *value), \
	  (real, attribute, size, value), (attribute, size, value)) \
	X(cuptiUnsubscribe, \
	  (void *real, void *subscriber), \
	  (void *subscriber), (real, subscriber), (subscriber)) \
	X(cuptiFinalize, \
	  (void *real), \
	  (void), (real), ())

#define DLT_CUPTI_OTHER_CALLS(X) \
	X(cuptiSubscribe, \
	  (void *real, void **subscriber, void *callback, void *data), \
	  (void **subscriber, void *callback, void *data), \
	  (real, subscriber, callback, data), (subscriber, callback, data)) \
	X(cuptiSubscribe_v2, \
	  (void *real, void **subscriber, void *callback, void *data, void *parameters), \
	  (void **subscriber, void *callback, void *data, void *parameters), \
	  (real, subscriber, callback, data, parameters), \
	  (subscriber, callback, data, parameters)) \
	X(cuptiActivityFlush, \
	  (void *real, void *context, uint32_t stream, uint32_t flag), \
	  (void *context, uint32_t stream, uint32_t flag), \
	  (real, context, stream, flag), (context, stream, flag)) \
	X(cuptiActivityFlushAll, \
	  (void *real, uint32_t flag), \
	  (uint32_t flag), (real, flag), (flag)) \
	X(cuptiActivityRegisterTimestampCallback, \
	  (void *real, dlt_cupti_timestamp timestamp), \
	  (dlt_cupti_timestamp timestamp), (real, timestamp), (timestamp)) \
	X(cuptiSetThreadIdType, \
	  (void *real, int type), \
	  (int type), (real, type), (type)) \
	X(cuptiActivityEnableAllSyncRecords, \
	  (void *real, uint8_t enable), \
	  (uint8_t enable), (real, enable), (enable)) \
	X(cuptiActivitySetAttribute_v2, \
	  (void *real, void *subscriber, int attribute, size_t *size, void *value), \
	  (void *subscriber, int attribute, size_t *size, void *value), \
	  (real, subscriber, attribute, size, value), (subscriber, attribute, size, value)) \
	DLT_CUPTI_KIND_CALL(X, cuptiActivityEnable_v2) \
	DLT_CUPTI_KIND_CALL(X, cuptiActivityEnableAndDump_v2) \
	DLT_CUPTI_KIND_CALL(X, cuptiActivityDisable_v2)

#define DLT_CUPTI_CALLS(X) DLT_CUPTI_EARLY_CALLS(X) DLT_CUPTI_OTHER_CALLS(X)

struct dlt_cupti_handlers {
#define DLT_CUPTI_HANDLER(name, behind_real, ...) int (*name) behind_real;
	DLT_CUPTI_CALLS(DLT_CUPTI_HANDLER)
#undef DLT_CUPTI_HANDLER
};

/* Another profiler that came before us, at cuInit. */
struct dlt_cupti_early {
	const void *library;		/* where the libcupti begins that it called; NULL: there was none */
	dlt_cupti_request request;	/* what it registered; NULL: nothing */
	dlt_cupti_complete complete;
	uint64_t kinds;			/* that it has enabled, a bit each */
	const void *subscriber;		/* that has callbacks of its own; NULL: none has */
	bool user_defined;		/* records have a layout that it chose */
};

/* Whether CUDA_INJECTION64_PATH of this value leads to libdltrace-cupti.so. */
static inline bool dlt_cupti_is_ours(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && strcmp(slash, "/libdltrace-cupti.so") == 0;
}

/* What libdltrace.so offers; all of it may be called from any thread. */
struct dlt_cupti_host {
	unsigned version;
	uint32_t (*process)(void);
	bool (*enabled)(enum dlt_event event);
	/* Also from our helpers; counted for the process, but for a name that is said again. */
	void (*emit)(enum dlt_event event, const void *data, bool again);
	/* Our id of a living thread by its kernel's id, or by the low half of its pthread_t; 0: none. */
	uint32_t (*thread_of)(uint32_t id, bool by_handle);
	/* +1: until -1, what this thread does is ours: not traced, threads that it makes are helpers. */
	void (*guard)(int step);
	void (*log)(const char *text, const char *detail, long value);
	const struct dlt_cupti_early *early;
};

#define DLT_CUPTI_VERSION 5

/*
 * For dlsym: what its caller gets instead of `real`, which it found under this name; NULL: that.
 * (libdltrace.so)
 */
void *dlt_cupti_hand_out(const char *name, const void *real, const void *caller)
	__attribute__((visibility("hidden")));

/*
 * Device times are wanted (dltrace-record --gpu=activity), and dltrace_gpu's events can be emitted: also
 * where there is no CUDA, whose driver would have loaded our other library. Loads theirs at the first call; to be
 * called where the application may wait for the loader anyway. (libdltrace.so)
 */
bool dlt_cupti_provider(void) __attribute__((visibility("hidden")));

/* What libdltrace-cupti.so exports as `dlt_cupti_bridge`. */
struct dlt_cupti_bridge {
	unsigned version;
	unsigned events;		/* DLT_EVENTS of that library; refused when it differs */
	/* Called at cuInit, once. */
	void (*begin)(const struct dlt_cupti_host *host);
	/* The process ends or becomes another one: what CUPTI holds is fetched, 1 s at most. */
	void (*end)(void);
	/* In a forked child, where CUDA and CUPTI do not work. */
	void (*after_fork)(void);
	void (*thread_ended)(uint32_t thread, uint32_t tid);
	const struct dlt_cupti_handlers *handlers;
};

#endif
