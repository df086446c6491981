/* SPDX-License-Identifier: MIT */
/*
 * What a frame of a call stack is, in one word: kind << 56 | what (dltracefull_stack:frames).
 *
 * In the black box the place of a Python function's frame is its instruction, which tells frames apart; in the
 * trace its line.
 */
#ifndef DLT_TRACEPOINTS_FRAME_KINDS_H
#define DLT_TRACEPOINTS_FRAME_KINDS_H

#include <stdint.h>

enum dlt_frame_kind {
	DLT_FRAME_NATIVE = 1,	/* library << 40 | offset of the call from its base */
	DLT_FRAME_PYTHON,	/* code, an object, << 24 | line (0: not known) */
	DLT_FRAME_UNKNOWN,	/* code that is in no library: made at run time */
	DLT_FRAME_CUT,		/* more than are kept */
};

#define DLT_STACK_HEAP 255	/* dltracefull_stack:alloc, `memory`: no kind of GPU memory (memory_kinds.h) */

#define DLT_FRAME_PLACE ((1ULL << 40) - 1)
#define DLT_FRAME_LINE ((1ULL << 24) - 1)
#define DLT_FRAME_NAME_ENDS '\x1f'	/* in a code's name: the file before, the function behind */

static inline uint64_t dlt_frame_what(unsigned kind, uint16_t library, uint64_t place)
{
	return (uint64_t)kind << 56 | (uint64_t)library << 40 | (place & DLT_FRAME_PLACE);
}

/* The same place, as another kind. */
static inline uint64_t dlt_frame_again(uint64_t what, unsigned kind)
{
	return (what & ~0ULL >> 8) | (uint64_t)kind << 56;
}

static inline uint64_t dlt_frame_python(uint32_t code, uint32_t at)
{
	return (uint64_t)DLT_FRAME_PYTHON << 56 | (uint64_t)code << 24 | (at & DLT_FRAME_LINE);
}

static inline unsigned dlt_frame_kind(uint64_t what)
{
	return (unsigned)(what >> 56);
}

static inline uint16_t dlt_frame_library(uint64_t what)
{
	return (uint16_t)(what >> 40);
}

static inline uint64_t dlt_frame_place(uint64_t what)
{
	return what & DLT_FRAME_PLACE;
}

static inline uint32_t dlt_frame_code(uint64_t what)
{
	return (uint32_t)(what >> 24);
}

/* As the trace has it. */
static inline uint64_t dlt_frame_said(uint64_t what, uint32_t line)
{
	return dlt_frame_kind(what) == DLT_FRAME_PYTHON ? dlt_frame_python(dlt_frame_code(what), line) : what;
}

#endif
