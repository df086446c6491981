/* SPDX-License-Identifier: MIT */
/*
 * Call frame information (.eh_frame): how to get from a frame to its caller's, x86-64.
 *
 * A rule says for one place of the code where the frame above begins (the CFA: the value that the stack pointer
 * has when the call has returned), and where the caller's rbp lies. The return address lies right below the CFA.
 * These are all the registers that a stack of compiled code needs: compilers find a frame by rsp, by rbp, or, where
 * they had to align the stack, by an address that lies at rbp.
 *
 * Nothing here waits, allocates or writes: rules are read from the loaded object as the loader has mapped it, and
 * nothing outside of the part of it that its tables lie in, whatever these say.
 * Sources: Linux Standard Base 5.0, chapter 10 (.eh_frame, .eh_frame_hdr); DWARF 4, chapter 6.4.
 */
#ifndef DLT_INTERPOSE_CFI_H
#define DLT_INTERPOSE_CFI_H

#include <stdint.h>

enum dlt_cfi_base {
	DLT_CFI_UNKNOWN,	/* no rule, or none that is told by rsp and rbp alone */
	DLT_CFI_OUTERMOST,	/* nobody called it: the first frame of a thread, or a signal's */
	DLT_CFI_RSP,		/* the CFA is rsp + cfa, */
	DLT_CFI_RBP,		/* ... rbp + cfa, */
	DLT_CFI_AT_RBP,		/* ... what lies at rbp + cfa, and rbp itself lies at rbp + saved */
};

#define DLT_CFI_SAME INT16_MIN	/* `saved`: rbp is the caller's */

/* One word, so that it can be kept beside its address and be read and written in one step with it. */
struct dlt_cfi_rule {
	int32_t cfa;		/* bytes */
	int16_t saved;		/* where the caller's rbp lies: bytes from the CFA (DLT_CFI_AT_RBP: from rbp) */
	uint8_t base;		/* enum dlt_cfi_base */
	uint8_t spare;
};

_Static_assert(sizeof(struct dlt_cfi_rule) == 8, "a word");

/* An object's .eh_frame_hdr (NULL: none), and the part of the object that it and .eh_frame lie in; all borrowed. */
struct dlt_cfi_tables {
	const unsigned char *header, *begin, *end;
};

/*
 * The rule at `pc`, which lies in the object. For a return address ask for the byte before: a call may be the last of
 * its function.
 */
struct dlt_cfi_rule dlt_cfi_find(const struct dlt_cfi_tables *t, uintptr_t pc);

struct dlt_cfi_range {
	uintptr_t begin, end;
};

/* Where the function that holds `pc` lies; false: not known. */
int dlt_cfi_function(const struct dlt_cfi_tables *t, uintptr_t pc, struct dlt_cfi_range *function);

/*
 * The other parts of a function that is entered in this one: compilers lay apart what they take for seldom run
 * ("cold"). At most `most`; how many. A part is told by two things: it does not begin with a frame of a return address
 * alone, as functions do, and it jumps into the middle of this one. `code`: the segment that all of them lie in.
 */
unsigned dlt_cfi_parts(const struct dlt_cfi_tables *t, const struct dlt_cfi_range *function,
		       const struct dlt_cfi_range *code, struct dlt_cfi_range *parts, unsigned most);

#endif
