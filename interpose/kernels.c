/* SPDX-License-Identifier: MIT */
/*
 * __cudaGetKernel: CUDA 13's compiler turns a launch into this, once, and __cudaLaunchKernel with
 * the handle that came back. By hand, since only here handle and host function are seen together.
 */
#include "calls.h"
#include "export.h"
#include "objects.h"

__attribute__((visibility("default"))) int __cudaGetKernel(void **kernel, const void *function);
DLT_WRAPPER(__cudaGetKernel);
int __cudaGetKernel(void **kernel, const void *function)
{
	struct dlt_call call;
	void *found;
	bool measured = dlt_call_begin(&call, DLT_FN___cudaGetKernel, DLT_EV_CUDA_OTHER,
				       __builtin_return_address(0), &found);
	int (*real)(void **, const void *) = found;
	int result = real(kernel, function);

	/* Also while nobody listens: a session may begin between this and the launches. */
	if (result == 0)
		dlt_kernel_known(*kernel, function);
	if (measured && dlt_call_end(&call, DLT_EV_CUDA_OTHER, 0, result == 0, 0, 0))
		dlt_call_emit(&call, DLT_EV_CUDA_OTHER, &(struct dlt_ev_cuda_other){
			.thread = call.thread->id, .function = call.function,
			.library = call.library, .duration = call.duration,
			.result = (int16_t)result, .nested = call.nested,
			.nested_time = call.nested_time,
		});
	return result;
}
