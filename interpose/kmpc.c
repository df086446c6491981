/* SPDX-License-Identifier: MIT */
/*
 * __kmpc_fork_call, the parallel region of clang's and Intel's OpenMP: by hand, since its arguments
 * are variadic. They are `count` pointers, which the real function reads by their number, so it
 * may be given more of them than there are.
 */
#include <stdarg.h>
#include <string.h>

#include "calls.h"
#include "export.h"

#define FEW 12
#define MANY 256

typedef void (*fork_call)(void *, int, void *, ...);

#define A4(a, i) a[i], a[i + 1], a[i + 2], a[i + 3]
#define A16(a, i) A4(a, i), A4(a, i + 4), A4(a, i + 8), A4(a, i + 12)
#define A64(a, i) A16(a, i), A16(a, i + 16), A16(a, i + 32), A16(a, i + 48)

/* More than anybody captures: hands on the whole frame. */
#if defined(__clang__)
#define FORWARD_ANY(real, count)
#else
#define FORWARD_ANY(real, count) \
	__builtin_apply((void (*)(void))(real), __builtin_apply_args(), 64 + 8 * (size_t)(count))
#endif

static void forward(fork_call real, void *location, int count, void *function, void **a)
{
	if (count <= FEW)
		real(location, count, function, A4(a, 0), A4(a, 4), A4(a, 8));
	else
		real(location, count, function, A64(a, 0), A64(a, 64), A64(a, 128), A64(a, 192));
}

__attribute__((visibility("default"))) void __kmpc_fork_call(void *location, int count,
							       void *function, ...);
DLT_WRAPPER(__kmpc_fork_call);
void __kmpc_fork_call(void *location, int count, void *function, ...)
{
	struct dlt_call call;
	void *found, *args[MANY];
	bool measured = dlt_call_begin_like(&call, DLT_FN___kmpc_fork_call, DLT_EV_CPU_REGION,
					    __builtin_return_address(0), &found, (uintptr_t)function);
	va_list list;

	if (count > MANY) {
		FORWARD_ANY(found, count);
		if (measured)
			dlt_call_end(&call, DLT_EV_CPU_REGION, DLT_MIN_region, true, 0, 0);
		return;
	}
	va_start(list, function);
	for (int i = 0; i < count; i++)
		args[i] = va_arg(list, void *);
	va_end(list);
	memset(args + count, 0, (size_t)((count <= FEW ? FEW : MANY) - count) * sizeof(*args));
	forward((fork_call)found, location, count, function, args);
	if (!measured || !dlt_call_end(&call, DLT_EV_CPU_REGION, DLT_MIN_region, true, 0, 0))
		return;
	dlt_call_emit(&call, DLT_EV_CPU_REGION, &(struct dlt_ev_cpu_region){
		.thread = call.thread->id, .function = call.function, .library = call.library,
		.duration = call.duration, .nested = call.nested, .nested_time = call.nested_time,
	});
}
