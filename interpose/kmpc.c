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
#define A256(a, i) A64(a, i), A64(a, i + 64), A64(a, i + 128), A64(a, i + 192)
#define A1024(a, i) A256(a, i), A256(a, i + 256), A256(a, i + 512), A256(a, i + 768)

/*
 * For more than A256 has, which nobody writes, but a program may that generates another: C has no call of as many
 * arguments as there are. Those before `a` and the first three of it go in registers, the others onto the stack.
 */
void dlt_kmpc_forward(fork_call real, void *location, int count, void *function, void **a)
	__attribute__((visibility("hidden")));

#if defined(__x86_64__)
__asm__(".text\n"
	".balign 16\n"
	".globl dlt_kmpc_forward\n"
	".hidden dlt_kmpc_forward\n"
	".type dlt_kmpc_forward, @function\n"
	"dlt_kmpc_forward:\n"
	"	.cfi_startproc\n"
	"	endbr64\n"
	"	push %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbp, -16\n"
	"	mov %rsp, %rbp\n"
	"	.cfi_def_cfa_register %rbp\n"
	"	mov %rdi, %r10\n"
	"	mov %rsi, %rdi\n"
	"	mov %edx, %esi\n"
	"	mov %rcx, %rdx\n"
	"	mov %r8, %r11\n"
	"	movslq %esi, %rcx\n"
	"	sub $3, %rcx\n"
	"	lea 15(,%rcx,8), %rax\n"
	"	and $-16, %rax\n"
	"	sub %rax, %rsp\n"
	"1:	mov 16(%r11,%rcx,8), %rax\n"	/* the last one first, as a stack grows */
	"	mov %rax, -8(%rsp,%rcx,8)\n"
	"	dec %rcx\n"
	"	jnz 1b\n"
	"	mov (%r11), %rcx\n"
	"	mov 8(%r11), %r8\n"
	"	mov 16(%r11), %r9\n"
	"	xor %eax, %eax\n"
	"	call *%r10\n"
	"	leave\n"
	"	.cfi_def_cfa %rsp, 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size dlt_kmpc_forward, . - dlt_kmpc_forward\n");

#define ROOM(count) (count)
#else
#define ROOM(count) ((count) < 4096 ? 4096 : (count))	/* and no more than those are handed on */

void dlt_kmpc_forward(fork_call real, void *location, int count, void *function, void **a)
{
	real(location, count, function, A1024(a, 0), A1024(a, 1024), A1024(a, 2048), A1024(a, 3072));
}
#endif

static __attribute__((noinline)) void forward_many(fork_call real, void *location, int count, void *function,
						   va_list list)
{
	void **a = __builtin_alloca((size_t)ROOM(count) * sizeof(*a));

	for (int i = 0; i < count; i++)
		a[i] = va_arg(list, void *);
	dlt_kmpc_forward(real, location, count, function, a);
}

static void forward(fork_call real, void *location, int count, void *function, void **a)
{
	if (count <= FEW)
		real(location, count, function, A4(a, 0), A4(a, 4), A4(a, 8));
	else
		real(location, count, function, A256(a, 0));
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

	va_start(list, function);
	if (count > MANY) {
		forward_many((fork_call)found, location, count, function, list);
	} else {
		for (int i = 0; i < count; i++)
			args[i] = va_arg(list, void *);
		memset(args + count, 0, (size_t)((count <= FEW ? FEW : MANY) - count) * sizeof(*args));
		forward((fork_call)found, location, count, function, args);
	}
	va_end(list);
	if (!measured || !dlt_call_end(&call, DLT_EV_CPU_REGION, DLT_MIN_region, true, 0, 0))
		return;
	dlt_call_emit(&call, DLT_EV_CPU_REGION, &(struct dlt_ev_cpu_region){
		.thread = call.thread->id, .function = call.function, .library = call.library,
		.duration = call.duration, .nested = call.nested, .nested_time = call.nested_time,
	});
}
