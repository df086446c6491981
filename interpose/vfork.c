/* SPDX-License-Identifier: MIT */
/*
 * vfork, which returns twice on one stack.
 *
 * The child runs in the caller's frame and overwrites the stack below it, so the wrapper can keep
 * nothing there between its two returns: the return address waits in a table of ours. While the
 * child has the parent's memory, `vforked` in the thread's record keeps every event back.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "children.h"
#include "export.h"
#include "process.h"
#include "real.h"
#include "sys.h"
#include "thread.h"

#define DEPTH 4			/* vfork children that vfork themselves */

static struct waiting {
	uintptr_t stack;	/* where the return address stood */
	uintptr_t back;		/* the return address */
	pid_t pid;		/* who called: a child may call it from the same place, too */
} waiting[DLT_BOX_SLOTS][DEPTH];

static char becomes[DLT_BOX_SLOTS][128];	/* by the same index: the program last exec'd */

/* The real vfork. Remembers where to return to, unless there is no place for that: then NULL. */
__attribute__((used)) static void *dlt_vfork_enter(uintptr_t back, uintptr_t stack)
{
	struct dlt_thread *t = dlt_thread_self();
	struct waiting *w = waiting[t->index];
	pid_t pid = dlt_sys_pid();

	/* The stack grows down: what lies below belongs to children that are gone, as does what we seem to wait for. */
	while (t->vforked && (w[t->vforked - 1].stack < stack || w[t->vforked - 1].pid == pid))
		t->vforked--;
	if (t->index == 0 || t->vforked == DEPTH || !dlt_process.traced)
		return NULL;
	becomes[t->index][0] = '\0';
	w[t->vforked] = (struct waiting){ stack, back, pid };
	__atomic_store_n(&t->vforked, (uint8_t)(t->vforked + 1), __ATOMIC_RELEASE);
	return (void *)dlt_real()->vfork;
}

__attribute__((used)) static void *dlt_vfork_real(void)
{
	return (void *)dlt_real()->vfork;
}

/* The return address; after the parent's return also its bookkeeping. The child writes nothing. */
__attribute__((used)) static uintptr_t dlt_vfork_leave(pid_t pid, uintptr_t stack)
{
	struct dlt_thread *t = dlt_thread_tls;
	struct waiting *w = waiting[t->index];
	unsigned i = t->vforked - 1u;

	/* The child has the last one; its parent, one that may have been others' since. */
	if (pid != 0) {
		int saved = errno;
		pid_t self = dlt_sys_pid();

		while (i && (w[i].stack != stack || w[i].pid != self))
			i--;
		t->vforked = (uint8_t)i;
		if (i == 0)
			dlt_children_made(DLT_CHILD_VFORK, pid, pid < 0 ? saved : 0,
					  becomes[t->index][0] ? becomes[t->index] : NULL);
		errno = saved;
	}
	return w[i].back;
}

bool dlt_children_is_borrowed(void)
{
	struct dlt_thread *t = dlt_thread_tls;

	return (t && t->vforked) || (!dlt_process.shut_in && dlt_sys_pid() != dlt_process.pid);
}

/* Static memory is the parent's too; the path may lie on the child's stack. */
void dlt_children_vfork_note(const char *path)
{
	struct dlt_thread *t = dlt_thread_tls;

	if (t && t->vforked)
		stpncpy(becomes[t->index], path, sizeof(becomes[0]) - 1);
}

/*
 * At entry the stack is 8 off a multiple of 16 (the ABI), and holds the return address.
 */
__asm__(".text\n"
	".globl vfork\n"
	".type vfork, @function\n"
	"vfork:\n"
	"	.cfi_startproc\n"
	"	movq	(%rsp), %rdi\n"
	"	movq	%rsp, %rsi\n"
	"	subq	$8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	call	dlt_vfork_enter\n"
	"	addq	$8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	testq	%rax, %rax\n"
	"	jz	1f\n"
	/* The call puts its return address where ours stood, for both returns. */
	"	addq	$8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	call	*%rax\n"
	"	subq	$8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	movl	%eax, %edi\n"
	"	movq	%rsp, %rsi\n"
	"	subq	$8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	movl	%eax, (%rsp)\n"
	"	call	dlt_vfork_leave\n"
	"	movq	%rax, %rdx\n"
	"	movl	(%rsp), %eax\n"
	"	addq	$8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	movq	%rdx, (%rsp)\n"
	"	ret\n"
	"1:\n"
	"	subq	$8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	call	dlt_vfork_real\n"
	"	addq	$8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	jmp	*%rax\n"
	"	.cfi_endproc\n"
	".size vfork, .-vfork\n");
