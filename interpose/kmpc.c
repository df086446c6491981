/* SPDX-License-Identifier: MIT */
/*
 * __kmpc_fork_call, the parallel region of clang's and Intel's OpenMP: by hand, since its arguments are variadic,
 * `count` pointers, which the real function hands on to the region's code. C has no call of as many as there are,
 * so that is done below: those before `a` and the first three of it go in registers, the others onto the stack.
 */
#include <stdarg.h>

#include "calls.h"
#include "export.h"

#define IN_REGISTERS 3	/* of `a`; all are loaded, whether they count or not */

typedef void (*fork_call)(void *, int, void *, ...);

void dlt_kmpc_forward(fork_call real, void *location, int count, void *function, void **a)
	__attribute__((visibility("hidden")));

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
	"	jle 2f\n"
	"	lea 15(,%rcx,8), %rax\n"
	"	and $-16, %rax\n"
	"	sub %rax, %rsp\n"
	"1:	mov 16(%r11,%rcx,8), %rax\n"	/* the last one first, as a stack grows */
	"	mov %rax, -8(%rsp,%rcx,8)\n"
	"	dec %rcx\n"
	"	jnz 1b\n"
	"2:	mov (%r11), %rcx\n"
	"	mov 8(%r11), %r8\n"
	"	mov 16(%r11), %r9\n"
	"	xor %eax, %eax\n"
	"	call *%r10\n"
	"	leave\n"
	"	.cfi_def_cfa %rsp, 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size dlt_kmpc_forward, . - dlt_kmpc_forward\n");

__attribute__((visibility("default"))) void __kmpc_fork_call(void *location, int count,
							       void *function, ...);
DLT_WRAPPER(__kmpc_fork_call);
void __kmpc_fork_call(void *location, int count, void *function, ...)
{
	struct dlt_call call;
	void *found, **args = __builtin_alloca(sizeof(*args) * (size_t)(count > IN_REGISTERS ? count : IN_REGISTERS));
	bool measured = dlt_call_begin_like(&call, DLT_FN___kmpc_fork_call, DLT_EV_CPU_REGION,
					    __builtin_return_address(0), &found, (uintptr_t)function);
	va_list list;

	va_start(list, function);
	for (int i = 0; i < count; i++)
		args[i] = va_arg(list, void *);
	va_end(list);
	dlt_kmpc_forward((fork_call)found, location, count, function, args);
	if (!measured || !dlt_call_end(&call, DLT_EV_CPU_REGION, DLT_MIN_region, true, 0, 0))
		return;
	dlt_call_emit(&call, DLT_EV_CPU_REGION, &(struct dlt_ev_cpu_region){
		.thread = call.thread->id, .function = call.function, .library = call.library,
		.duration = call.duration, .nested = call.nested, .nested_time = call.nested_time,
	});
}
