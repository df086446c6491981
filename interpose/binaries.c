/* SPDX-License-Identifier: MIT */
/* Handles of __cudaRegisterFatBinary, in an open hash table, and the wrapper that needs them. */
#include "binaries.h"

#include <stddef.h>
#include <stdint.h>

#include "calls.h"
#include "export.h"
#include "streams.h"

#define HANDLES 4096		/* a power of 2; PyTorch has some 600. What finds no place is as if it were not kept */
#define TRIES 64

/* A place once taken stays its handle's, which may come again. */
static struct binary {
	const void *handle;		/* NULL: free */
	const void *caller;		/* in the library that registered it */
	void *unregister;		/* its runtime's function; stored last */
} binaries[HANDLES];

static struct binary *place_of(const void *handle)
{
	uintptr_t at = (uintptr_t)handle >> 3;

	at ^= at >> 12;
	for (unsigned i = 0; handle && i < TRIES; i++) {
		struct binary *b = &binaries[(at + i) % HANDLES];
		const void *seen = NULL;

		if (__atomic_compare_exchange_n(&b->handle, &seen, handle, false, __ATOMIC_ACQ_REL,
						__ATOMIC_ACQUIRE) || seen == handle)
			return b;
	}
	return NULL;
}

/* Found now and not at exit: then the library may be on its way out of the process. */
void dlt_binary_keep(const void *handle, const void *caller)
{
	struct binary *b = place_of(handle);

	if (!b)
		return;
	b->caller = caller;
	__atomic_store_n(&b->unregister, dlt_target(DLT_FN___cudaUnregisterFatBinary,
						    dlt_library_of(caller), caller), __ATOMIC_RELEASE);
}

DLT_EXPORT void __cudaUnregisterFatBinary(void **handle);
DLT_WRAPPER(__cudaUnregisterFatBinary);
void __cudaUnregisterFatBinary(void **handle)
{
	struct binary *b = place_of(handle);
	void *kept = b ? __atomic_exchange_n(&b->unregister, NULL, __ATOMIC_ACQ_REL) : NULL;
	struct dlt_call call;
	void *found;
	bool measured = dlt_call_begin(&call, DLT_FN___cudaUnregisterFatBinary, DLT_EV_CUDA_OTHER,
				       kept ? b->caller : __builtin_return_address(0), &found);
	void (*real)(void **) = kept ? kept : found;

	real(handle);
	if (!measured || !dlt_call_end(&call, DLT_EV_CUDA_OTHER, 1000, true, 0, 0))
		return;
	dlt_call_emit(&call, DLT_EV_CUDA_OTHER, &(struct dlt_ev_cuda_other){
		.thread = call.thread->id, .function = call.function, .library = call.library,
		.duration = call.duration, .nested = call.nested, .nested_time = call.nested_time,
		.device = (uint8_t)dlt_device(),
	});
}
