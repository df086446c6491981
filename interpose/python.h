/* SPDX-License-Identifier: MIT */
/*
 * The Python call stack of the calling thread, read in a hook: CPython 3.6 to 3.15 with its lock (the GIL), from 3.13
 * on without it, too (free-threaded), x86-64.
 *
 * For any thread, with or without the GIL, at any allocation: also while the interpreter sets up a call, frees a
 * frame, collects garbage, starts, ends, and in the child of a fork. No lock, no allocation, no reference count
 * touched, no call into Python but of PyGILState_GetThisThreadState (pthread_getspecific), errno left alone, less
 * than 300 bytes of stack (more where the loader binds lazily, and only at the first call). Only what a frame of the
 * calling thread refers to is read, and objects only after their type was checked. So what is returned may be used
 * as long as the hook runs, and no longer: nothing here is owned.
 *
 * Safe is the time before an allocation, after one, and before a release. After memory was given back (munmap,
 * free) do not look before the hook has returned: the interpreter gives a piece of its frames' stack back before it
 * forgets the frame there.
 */
#ifndef DLT_INTERPOSE_PYTHON_H
#define DLT_INTERPOSE_PYTHON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Addresses as the loader would bind a reference of the interpreter's own: an executable that is linked to
 * libpython may have a copy of the two types, and then the copy is what objects point to. So look in the
 * executable first, then in libpython.
 */
struct dlt_python_symbols {
	void *get_state;		/* PyGILState_GetThisThreadState */
	const void *code_type;		/* PyCode_Type */
	const void *string_type;	/* PyUnicode_Type */
	const void *runtime;		/* _PyRuntime, from 3.7; NULL: not known, what is lost see dlt_python_frames */
	const void *finalizing;		/* _Py_Finalizing, of 3.6 only; NULL: the same */
	const void *evaluate;		/* _PyEval_EvalFrameDefault: what `entry` below is about; not used here */
	unsigned long version_hex;	/* the value of Py_Version, from 3.11; 0: take the next one */
	const char *version;		/* what Py_GetVersion() returned, borrowed during the call */
};

/*
 * Once; other threads may be in hooks already. False: this version or build is not known, and
 * nothing is ever read; dlt_python_why() says why. The types' sizes are compared with what the table has
 * for the version, from 3.13 on _PyRuntime's own description of the layout is used.
 */
bool dlt_python_init(const struct dlt_python_symbols *s);

/* The interpreter is unloaded, and nobody asks any more; another one may come. */
void dlt_python_forget(void);

/* Why the last dlt_python_init failed; NULL: it did not. */
const char *dlt_python_why(void);

#define DLT_PYTHON_SOMEWHERE INT32_MAX

struct dlt_python_frame {
	const void *code;	/* the code object, alive while the frame is */
	/* In bytes from the code's begin, for dlt_python_line; negative: not begun; DLT_PYTHON_SOMEWHERE: not known. */
	int32_t instruction;
	/*
	 * The native frame of _PyEval_EvalFrameDefault that runs this one was entered with it: the native stack has one
	 * such frame for each run of frames that ends with entry = true. Up to 3.10 that is each frame.
	 */
	bool entry;
	/*
	 * Before that, counted from the innermost: so many native frames of _PyEval_EvalFrameDefault (up to 255)
	 * lie between those of the frame before in the list, or the hook, and those of this one, and have no
	 * frame in the list, since they are about to begin with or have ended their only one: a generator is
	 * made, a function's local variables are freed and their finalizers run.
	 */
	uint8_t bare;
};

/*
 * Frames of the calling thread, innermost first, as sys._getframe() and f_back would show them, up to `max`. 0: none,
 * or the thread is not Python's (yet, or any more), or another one ends the interpreter: that frees the states of
 * threads that still run. Where neither _PyRuntime nor _Py_Finalizing is known that cannot be seen; then
 * daemon threads must not be asked for while the main thread is in Py_FinalizeEx.
 *
 * With sub-interpreters: up to 3.11 the state is the first one that the thread had, so while it
 * runs a sub-interpreter's code the frames are those that led there. From 3.12 on it is the one that ran last in
 * this thread: the sub-interpreter's frames, without those that led there.
 *
 * The list and the native stack differ for moments: in the first instructions of _PyEval_EvalFrameDefault and in
 * its last ones an error's text may be made (RecursionError, a bad result), before the frame is linked or after
 * it was unlinked. In 3.9 and 3.10 throw() into a generator that others wait for (`yield from`, await; asyncio
 * cancels so) shows those, too, as entries, which they are not then; in 3.9 nothing further out is shown, as by
 * sys._getframe(). What pushes frames without evaluating them (Cython's when it profiles) looks like an entry up
 * to 3.10. A signal handler that allocates is not covered: it may have come between two stores of the interpreter.
 */
unsigned dlt_python_frames(struct dlt_python_frame *out, unsigned max);

/*
 * Of a code object; the buffers are the caller's and at least one byte each. Text is UTF-8 with an end, cut on a
 * character's border. What cannot be part of UTF-8 (the bytes of a file's name that was not in the
 * file system's encoding) is U+FFFD. Empty: no plain str.
 */
struct dlt_python_code {
	char *file;		/* co_filename */
	size_t file_size;
	char *name;		/* co_qualname, up to 3.10 co_name */
	size_t name_size;
	int first_line;
};

/* False: not a code object. Only for those of frames that are active in the calling thread. */
bool dlt_python_code(const void *code, struct dlt_python_code *c);

/* The line of an instruction as a traceback would have it; -1: none, or not known. The same condition. */
int dlt_python_line(const void *code, int32_t instruction);

/*
 * Tells code objects apart that lie at the same address one after another, with a look at the ends of their texts
 * alone: a cache keyed by the address compares it. 0: not a code object. The same condition.
 */
uint64_t dlt_python_code_mark(const void *code);

#endif
