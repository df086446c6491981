/* SPDX-License-Identifier: MIT */
/* What python.c, python_copies.c and python_code.c share: where things lie in structures of the version that runs. */
#ifndef DLT_INTERPOSE_PYTHON_LAYOUT_H
#define DLT_INTERPOSE_PYTHON_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum instruction {
	BYTES,		/* f_lasti: an int, in bytes */
	UNITS,		/* f_lasti: an int, in code units of two bytes */
	POINTER,	/* a pointer into the code; 3.11, 3.12: to the instruction's last unit, else to its first */
};

enum lines {
	LNOTAB,		/* Objects/lnotab_notes.txt of 3.6 to 3.9 */
	LINETABLE,	/* the same of 3.10 */
	LOCATIONS,	/* Objects/locations.md of 3.11 */
};

#define NONE 0xffff	/* this version does not have it */

/*
 * Offsets in bytes. From the headers of a release of each version, for x86-64, by offsetof; they have not changed
 * between the releases of one version, as PyCodeObject and PyThreadState are part of its ABI.
 */
struct layout {
	uint32_t version;		/* PY_VERSION_HEX, of the first release */
	uint8_t instruction, lines;	/* enum */
	uint8_t head;			/* an object's head is so much larger than with the GIL: FREE_THREADED or 0 */
	uint8_t string_kind;		/* PyASCIIObject.state.kind: its lowest bit */
	/* Include/pystate.h, from 3.8 Include/cpython/pystate.h */
	uint16_t state_frame;		/* PyThreadState.frame; 3.11, 3.12: .cframe; from 3.13: .current_frame */
	uint16_t cframe_frame;		/* _PyCFrame.current_frame */
	uint16_t cframe_back;		/* .previous; needed in 3.11 only */
	/* PyFrameObject, Include/frameobject.h, 3.9: cpython/; _PyInterpreterFrame, internal/pycore_frame.h */
	uint16_t frame_code;		/* f_code; from 3.13: f_executable */
	uint16_t frame_back;		/* f_back; from 3.11: previous */
	uint16_t frame_at;		/* f_lasti; 3.11, 3.12: prev_instr; from 3.13: instr_ptr */
	uint16_t frame_owner;		/* an enum in a char */
	uint16_t frame_copy;		/* tlbc_index, an int; without the GIL from 3.14 on */
	/* PyCodeObject, Include/code.h, from 3.9 Include/cpython/code.h */
	uint16_t code_size;		/* PyCode_Type.tp_basicsize: from 3.11 up to the instructions */
	uint16_t code_file, code_name, code_line;
	uint16_t code_lines;		/* co_lnotab; from 3.10: co_linetable */
	uint16_t code_bytes;		/* another field that is bytes: co_code; from 3.11: co_exceptiontable */
	uint16_t code_traceable;	/* _co_firsttraceable, in units */
	uint16_t code_copies;		/* co_tlbc, as frame_copy */
	/* Include/unicodeobject.h, from 3.9 Include/cpython/unicodeobject.h */
	uint16_t string_ascii;		/* sizeof(PyASCIIObject) */
	uint16_t string_size;		/* PyUnicode_Type.tp_basicsize, sizeof(PyUnicodeObject) */
	/* Include/internal/pystate.h (3.7), pycore_pystate.h (3.8), pycore_runtime.h */
	uint16_t finalizing;		/* in _PyRuntime */
};

/*
 * The same in all versions, with the GIL: object.h, and as above. Without it `head` comes on top of each; with
 * TRACE_REFS there are two words before, too, and that is refused.
 */
enum {
	FREE_THREADED = 16,	/* struct _object has ob_tid, ob_mutex, two counts and more for ob_refcnt */
	OBJECT_TYPE = 8,
	OBJECT_SIZE = 16,
	TYPE_NAME = 24, TYPE_BASIC_SIZE = 32,
	BYTES_DATA = 32,
	STRING_LENGTH = 16, STRING_STATE = 32,
	STRING_KIND = 2, STRING_KIND_FREE_THREADED = 8,	/* the latter from 3.14 on */
};

extern struct dlt_python {
	bool ready;			/* released after all else */
	struct layout at;
	void *(*get_state)(void);
	uintptr_t code_type, string_type;
	const void *finalizing;		/* the state of the thread that ends the interpreter; NULL: not known */
} dlt_python;

/* ---- memory -------------------------------------------------------------------------------- */

static inline uintptr_t word(const void *base, size_t offset)
{
	uintptr_t value;

	__builtin_memcpy(&value, (const char *)base + offset, sizeof(value));
	return value;
}

static inline const void *pointer(const void *base, size_t offset)
{
	return (const void *)word(base, offset);
}

static inline int integer(const void *base, size_t offset)
{
	int value;

	__builtin_memcpy(&value, (const char *)base + offset, sizeof(value));
	return value;
}

static inline unsigned char byte(const void *base, size_t offset)
{
	return ((const unsigned char *)base)[offset];
}

/* From where offsets of OBJECT_TYPE and its kin count. */
static inline const void *body(const void *object)
{
	return (const char *)object + dlt_python.at.head;
}

/* Not what was never set, is a small number or a pattern of a debugging allocator. */
static inline bool plausible(const void *p)
{
	return (uintptr_t)p >= 4096 && (uintptr_t)p < 1ull << 47 && !((uintptr_t)p & 7);
}

static inline bool has_type(const void *object, uintptr_t type)
{
	return plausible(object) && word(body(object), OBJECT_TYPE) == type;
}

static inline bool is_code(const void *object)
{
	return has_type(object, dlt_python.code_type);
}

/* python_copies.c: where a frame is whose instruction does not lie in its code object. */
int32_t dlt_python_in_copy(const void *frame, const void *code);
void dlt_python_forget_copies(void);

static inline bool is_ready(void)
{
	return __atomic_load_n(&dlt_python.ready, __ATOMIC_ACQUIRE);
}

#pragma GCC visibility pop

#endif
