/* SPDX-License-Identifier: MIT */
/* The code of the thunks. r10 and r11 are free at a function's entry, by the x86-64 ABI. */
#include "thunks.h"

#include <stddef.h>

#if defined(__x86_64__)
__asm__(".text\n"
	".balign 16\n"
	".globl dlt_thunks\n"
	".hidden dlt_thunks\n"
	".type dlt_thunks, @function\n"
	"dlt_thunks:\n"
	".set dlt_thunk_index, 0\n"
	".rept 4096\n"
	".balign 16\n"
	"	endbr64\n"
	"	push $dlt_thunk_index\n"
	"	jmp .Ldlt_thunk_common\n"
	".set dlt_thunk_index, dlt_thunk_index + 1\n"
	".endr\n"
	".Ldlt_thunk_common:\n"
	"	pop %r11\n"
	"	shl $5, %r11\n"
	"	lea dlt_handed(%rip), %r10\n"
	"	add %r10, %r11\n"
	"	mov dlt_handed_over@gottpoff(%rip), %r10\n"
	"	mov %r11, %fs:(%r10)\n"
	"	jmp *8(%r11)\n"
	".size dlt_thunks, . - dlt_thunks\n");

_Static_assert(sizeof(struct dlt_handed) == 32, "the thunks multiply by 32");
_Static_assert(offsetof(struct dlt_handed, wrapper) == 8, "the thunks jump through it");
#else
const char dlt_thunks[1];
#endif
