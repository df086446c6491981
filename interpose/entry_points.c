/* SPDX-License-Identifier: MIT */
/*
 * cuGetProcAddress in both its forms: what the driver hands out is our wrapper of it. This is how
 * the CUDA runtime, linked in or static, gets all its driver functions; it asks for
 * cuGetProcAddress itself in the same way. cudaGetDriverEntryPoint asks here in turn.
 */
#include <stdbool.h>

#include "calls.h"
#include "export.h"
#include "lookup.h"
#include "objects.h"

#define PER_THREAD_STREAM 2	/* CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM */

typedef int ask_v1(const char *, void **, int, unsigned long long);
typedef int ask_v2(const char *, void **, int, unsigned long long, int *);

/* One of the two is NULL. */
struct question {
	ask_v1 *v1;
	ask_v2 *v2;
	const char *symbol;
	int version;
	unsigned long long flags;
};

static void *ask_again(const struct question *q, int version)
{
	void *p = NULL;
	int result = q->v1 ? q->v1(q->symbol, &p, version, q->flags)
			   : q->v2(q->symbol, &p, version, q->flags, NULL);

	return result == 0 ? p : NULL;
}

/*
 * A program that is newer than the tables may get a form that they do not know. It is the one that
 * they know if the driver gives the same for the tables' own version: a lookup, it does not touch
 * the device.
 */
static bool is_known(const struct question *q, const void *real)
{
	return q->version <= (int)dlt_lookup_newest ||
	       ask_again(q, (int)dlt_lookup_newest) == real;
}

static void *wrapper_of(const struct question *q, void *real, const void *caller)
{
	unsigned function = q->symbol ? dlt_lookup_form(q->symbol, (unsigned)q->version,
							(q->flags & PER_THREAD_STREAM) != 0)
				      : DLT_FN_NONE;

	if (!real)
		return NULL;
	if (function && is_known(q, real))
		return dlt_target_hand_out(function, caller, real);
	dlt_uncovered(q->symbol);
	return real;
}

static int answer(struct question *q, void **pfn, int *status, struct dlt_call *call,
		  bool measured, const void *caller)
{
	int result = q->v1 ? q->v1(q->symbol, pfn, q->version, q->flags)
			   : q->v2(q->symbol, pfn, q->version, q->flags, status);

	if (result == 0 && pfn)
		*pfn = wrapper_of(q, *pfn, caller);
	if (measured && dlt_call_end(call, DLT_EV_CUDA_OTHER, DLT_MIN_query, result == 0, 0, 0))
		dlt_call_emit(call, DLT_EV_CUDA_OTHER, &(struct dlt_ev_cuda_other){
			.thread = call->thread->id, .function = call->function,
			.library = call->library, .duration = call->duration,
			.result = (int16_t)result, .nested = call->nested,
			.nested_time = call->nested_time,
		});
	return result;
}

DLT_EXPORT int cuGetProcAddress(const char *symbol, void **pfn, int version, unsigned long long flags);
DLT_WRAPPER(cuGetProcAddress);
int cuGetProcAddress(const char *symbol, void **pfn, int version, unsigned long long flags)
{
	const void *caller = __builtin_return_address(0);
	struct dlt_call call;
	void *found;
	bool measured = dlt_call_begin(&call, DLT_FN_cuGetProcAddress, DLT_EV_CUDA_OTHER, caller,
				       &found);
	struct question q = { .v1 = (ask_v1 *)found, .symbol = symbol, .version = version,
			      .flags = flags };

	return answer(&q, pfn, NULL, &call, measured, caller);
}

DLT_EXPORT int cuGetProcAddress_v2(const char *symbol, void **pfn, int version,
				   unsigned long long flags, int *status);
DLT_WRAPPER(cuGetProcAddress_v2);
int cuGetProcAddress_v2(const char *symbol, void **pfn, int version, unsigned long long flags,
			int *status)
{
	const void *caller = __builtin_return_address(0);
	struct dlt_call call;
	void *found;
	bool measured = dlt_call_begin(&call, DLT_FN_cuGetProcAddress_v2, DLT_EV_CUDA_OTHER, caller,
				       &found);
	struct question q = { .v2 = (ask_v2 *)found, .symbol = symbol, .version = version,
			      .flags = flags };

	return answer(&q, pfn, status, &call, measured, caller);
}
