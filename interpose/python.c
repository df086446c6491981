/* SPDX-License-Identifier: MIT */
/*
 * The Python call stack of the calling thread: a walk over structures of CPython whose layout is known by version.
 *
 * Why that is safe in the middle of everything. The chain of frames of a thread is changed by that thread alone, so a
 * hook sees what the interpreter left when it called the allocator:
 *
 * - up to 3.10 frames are objects. PyThreadState.frame is set after the frame was filled in
 *   (_PyEval_EvalFrameDefault), and to f_back before anything of the frame is released;
 * - from 3.11 on they lie on a stack in chunks, or in a generator. _PyEvalFramePushAndInit allocates the chunk and
 *   fills in the frame, whose `previous` is unset then; it is linked later, with `previous` set first. From 3.11.1 on
 *   it is unlinked before it is cleared (gh-99729), before that it was visible with dead contents: 3.11.0 is refused.
 *   f_code, previous, owner and the instruction are set in all frames that are linked;
 * - a frame is linked, but incomplete, until its first RESUME: cells and the generator are made. Those frames
 *   hold a code, but no line;
 * - the state of a thread is filled in before it is put under the thread's key, and the key is emptied
 *   before or right after it is released, without an allocation between (tstate_delete_common, in pystate.c).
 *   The exception is the end of the interpreter, see alive().
 *
 * Without the GIL that is the same: a thread's frames are still its own. Other threads stop it before they look at
 * them, and a hook may go on meanwhile where the thread had let go of the interpreter; but they change nothing that is
 * read here. A frame keeps its code, by a count or since the collector looks for it there (deferred references of
 * 3.14). What others do change at any time is the list of a code's copies: python_copies.c.
 */
#include "python.h"

#include <string.h>

#include "python_layout.h"

/* enum _frameowner of Include/internal/pycore_frame.h (from 3.14: pycore_interpframe_structs.h) */
enum {
	GENERATOR = 1,	/* never incomplete */
	/*
	 * FRAME_OWNED_BY_CSTACK of 3.12, from 3.14 on FRAME_OWNED_BY_INTERPRETER: on the native stack, under the first
	 * frame that a _PyEval_EvalFrameDefault runs. What is above has no code either, and is no entry.
	 */
	SHIM = 3,
};

/* What _PyRuntime says counts, and without that it is refused. */
#define ONLY_DESCRIBED(VERSION) \
	{ .version = VERSION, .instruction = POINTER, .lines = LOCATIONS, .state_frame = NONE, .cframe_frame = NONE, \
	  .frame_code = NONE, .frame_back = NONE, .frame_at = NONE, .cframe_back = NONE, .frame_owner = NONE, \
	  .code_size = NONE, .code_file = NONE, .code_name = NONE, .code_line = NONE, .code_lines = NONE, \
	  .code_bytes = 40, .code_traceable = NONE, .string_ascii = NONE, .string_size = NONE, .finalizing = NONE }

static const struct layout layouts[] = {
	{ .version = 0x030600f0, .instruction = BYTES, .lines = LNOTAB, .state_frame = 24, .cframe_frame = NONE,
	  .frame_code = 32, .frame_back = 24, .frame_at = 120, .cframe_back = NONE, .frame_owner = NONE,
	  .code_size = 144, .code_file = 96, .code_name = 104, .code_line = 36, .code_lines = 112, .code_bytes = 40,
	  .code_traceable = NONE, .string_ascii = 48, .string_size = 80, .finalizing = 0 },
	{ .version = 0x030700f0, .instruction = BYTES, .lines = LNOTAB, .state_frame = 24, .cframe_frame = NONE,
	  .frame_code = 32, .frame_back = 24, .frame_at = 104, .cframe_back = NONE, .frame_owner = NONE,
	  .code_size = 144, .code_file = 96, .code_name = 104, .code_line = 36, .code_lines = 112, .code_bytes = 40,
	  .code_traceable = NONE, .string_ascii = 48, .string_size = 80, .finalizing = 8 },
	{ .version = 0x030800f0, .instruction = BYTES, .lines = LNOTAB, .state_frame = 24, .cframe_frame = NONE,
	  .frame_code = 32, .frame_back = 24, .frame_at = 104, .cframe_back = NONE, .frame_owner = NONE,
	  .code_size = 176, .code_file = 104, .code_name = 112, .code_line = 40, .code_lines = 120, .code_bytes = 48,
	  .code_traceable = NONE, .string_ascii = 48, .string_size = 80, .finalizing = 16 },
	{ .version = 0x030900f0, .instruction = BYTES, .lines = LNOTAB, .state_frame = 24, .cframe_frame = NONE,
	  .frame_code = 32, .frame_back = 24, .frame_at = 104, .cframe_back = NONE, .frame_owner = NONE,
	  .code_size = 176, .code_file = 104, .code_name = 112, .code_line = 40, .code_lines = 120, .code_bytes = 48,
	  .code_traceable = NONE, .string_ascii = 48, .string_size = 80, .finalizing = 16 },
	{ .version = 0x030a00f0, .instruction = UNITS, .lines = LINETABLE, .state_frame = 24, .cframe_frame = NONE,
	  .frame_code = 32, .frame_back = 24, .frame_at = 96, .cframe_back = NONE, .frame_owner = NONE,
	  .code_size = 176, .code_file = 104, .code_name = 112, .code_line = 40, .code_lines = 120, .code_bytes = 48,
	  .code_traceable = NONE, .string_ascii = 48, .string_size = 80, .finalizing = 16 },
	{ .version = 0x030b01f0, .instruction = POINTER, .lines = LOCATIONS, .state_frame = 56, .cframe_frame = 8,
	  .frame_code = 32, .frame_back = 48, .frame_at = 56, .cframe_back = 16, .frame_owner = 69,
	  .code_size = 184, .code_file = 112, .code_name = 128, .code_line = 72, .code_lines = 136, .code_bytes = 40,
	  .code_traceable = 168, .string_ascii = 48, .string_size = 80, .finalizing = 24 },
	{ .version = 0x030c00f0, .instruction = POINTER, .lines = LOCATIONS, .state_frame = 56, .cframe_frame = 0,
	  .frame_code = 0, .frame_back = 8, .frame_at = 56, .cframe_back = NONE, .frame_owner = 70,
	  .code_size = 192, .code_file = 112, .code_name = 128, .code_line = 68, .code_lines = 136, .code_bytes = 40,
	  .code_traceable = 176, .string_ascii = 40, .string_size = 64, .finalizing = 24 },
	{ .version = 0x030d00f0, .instruction = POINTER, .lines = LOCATIONS, .state_frame = 72, .cframe_frame = NONE,
	  .frame_code = 0, .frame_back = 8, .frame_at = 56, .cframe_back = NONE, .frame_owner = 70,
	  .code_size = 200, .code_file = 112, .code_name = 128, .code_line = 68, .code_lines = 136, .code_bytes = 40,
	  .code_traceable = 184, .string_ascii = 40, .string_size = 64, .finalizing = 608 },
	ONLY_DESCRIBED(0x030e00f0),
	ONLY_DESCRIBED(0x030f00f0),
};

#define COUNT (sizeof(layouts) / sizeof(layouts[0]))

#define SKIPPED 256		/* frames in a row that are not in the list; more are none */

struct dlt_python dlt_python;

static const char *why = "Python was not looked for";

/* ---- versions ------------------------------------------------------------------------------ */

/* PY_VERSION_HEX of the text of Py_GetVersion(): "3.11.2+ (main, ...". 0: no such text. */
static uint32_t parse(const char *text)
{
	unsigned part[3] = { 0 }, level = 0xf;

	for (unsigned i = 0; i < 3; i++) {
		if (*text < '0' || *text > '9')
			return 0;
		while (*text >= '0' && *text <= '9' && part[i] < 256)
			part[i] = part[i] * 10 + (unsigned)(*text++ - '0');
		if (part[i] > 255 || (i < 2 && *text++ != '.'))
			return 0;
	}
	if (*text == 'a' || *text == 'b' || *text == 'r')
		level = *text == 'a' ? 0xa : *text == 'b' ? 0xb : 0xc;
	return part[0] << 24 | part[1] << 16 | part[2] << 8 | level << 4;
}

static bool refuse(const char *reason)
{
	why = reason;
	return false;
}

static bool choose(struct layout *at, uint32_t version)
{
	for (size_t i = 0; i < COUNT; i++) {
		if (layouts[i].version >> 16 != version >> 16)
			continue;
		/* Without the serial number, which the text has not always. */
		if (version >> 4 < layouts[i].version >> 4)
			return refuse("a pre-release of Python, or 3.11.0, which shows frames while it frees them");
		*at = layouts[i];
		at->frame_copy = at->code_copies = NONE;
		at->string_kind = STRING_KIND;
		return true;
	}
	return refuse("not a version of Python from 3.6 to 3.15");
}

/*
 * struct _Py_DebugOffsets: where it says where something is. Include/internal/pycore_runtime.h of 3.13,
 * pycore_debug_offsets.h of 3.14 and 3.15, which have fields more each. code.size is not tp_basicsize: it has padding.
 */
struct described {
	uint16_t finalizing, state_frame;
	uint16_t frame_back, frame_code, frame_at, frame_owner;
	uint16_t frame_copy, code_copies;	/* 0: no version of it has them */
	uint16_t code_file, code_name, code_lines, code_line, code_size;
	uint16_t object_type, bytes_size, bytes_data, string_size, string_state, string_length, string_ascii;
};

static const struct described described_by[] = {
	[13] = {
		.finalizing = 32, .state_frame = 184, .frame_back = 232, .frame_code = 240,
		.frame_at = 248, .frame_owner = 264,
		.code_file = 280, .code_name = 296, .code_lines = 304, .code_line = 312, .code_size = 344,
		.object_type = 360, .bytes_size = 520, .bytes_data = 528,
		.string_size = 536, .string_state = 544, .string_length = 552, .string_ascii = 560,
	},
	[14] = {
		.finalizing = 32, .state_frame = 208, .frame_back = 256, .frame_code = 264,
		.frame_at = 272, .frame_owner = 288, .frame_copy = 304, .code_copies = 392,
		.code_file = 320, .code_name = 336, .code_lines = 344, .code_line = 352, .code_size = 384,
		.object_type = 408, .bytes_size = 600, .bytes_data = 608,
		.string_size = 616, .string_state = 624, .string_length = 632, .string_ascii = 640,
	},
	[15] = {
		.finalizing = 32, .state_frame = 208, .frame_back = 320, .frame_code = 328,
		.frame_at = 336, .frame_owner = 352, .frame_copy = 368, .code_copies = 456,
		.code_file = 384, .code_name = 400, .code_lines = 408, .code_line = 416, .code_size = 448,
		.object_type = 472, .bytes_size = 696, .bytes_data = 704,
		.string_size = 712, .string_state = 720, .string_length = 728, .string_ascii = 736,
	},
};

#define DESCRIBED_VERSION 8
#define DESCRIBED_FREE_THREADED 16

/* Takes an offset that _PyRuntime tells; false: it cannot be one. */
static bool take(uint16_t *offset, const void *runtime, uint16_t where)
{
	uint64_t value = word(runtime, where);

	*offset = (uint16_t)value;
	return value < 4096;
}

static bool tells(const void *runtime, uint16_t where, uint64_t value)
{
	return word(runtime, where) == value;
}

/* What is otherwise, or there at all, only without the GIL; with it the last two are told as 0. */
static bool ask_free_threaded(struct layout *at, const void *runtime, const struct described *d)
{
	at->code_bytes = (uint16_t)(at->code_bytes + FREE_THREADED);
	if (!d->code_copies)
		return true;
	at->string_kind = STRING_KIND_FREE_THREADED;
	return take(&at->frame_copy, runtime, d->frame_copy) && at->frame_copy &&
	       take(&at->code_copies, runtime, d->code_copies) && at->code_copies;
}

/* Replaces what the table has by what _PyRuntime tells of itself. */
static bool ask(struct layout *at, const void *runtime, uint32_t version)
{
	const struct described *d = &described_by[version >> 16 & 0xff];

	if (memcmp(runtime, "xdebugpy", 8) != 0 || word(runtime, DESCRIBED_VERSION) >> 16 != version >> 16)
		return refuse("_PyRuntime does not describe itself as of this version");
	at->head = word(runtime, DESCRIBED_FREE_THREADED) ? FREE_THREADED : 0;
	/* The instructions' offset is known twice, which shows that this is the description that we take it for. */
	if (!tells(runtime, d->object_type, OBJECT_TYPE + at->head) ||
	    !tells(runtime, d->bytes_size, OBJECT_SIZE + at->head) ||
	    !tells(runtime, d->bytes_data, BYTES_DATA + at->head) ||
	    !tells(runtime, d->string_state, STRING_STATE + at->head) ||
	    !tells(runtime, d->string_length, STRING_LENGTH + at->head) ||
	    !take(&at->state_frame, runtime, d->state_frame) ||
	    !take(&at->frame_back, runtime, d->frame_back) || !take(&at->frame_code, runtime, d->frame_code) ||
	    !take(&at->frame_at, runtime, d->frame_at) || !take(&at->frame_owner, runtime, d->frame_owner) ||
	    !take(&at->code_file, runtime, d->code_file) || !take(&at->code_name, runtime, d->code_name) ||
	    !take(&at->code_lines, runtime, d->code_lines) || !take(&at->code_line, runtime, d->code_line) ||
	    !take(&at->code_size, runtime, d->code_size) || !take(&at->string_ascii, runtime, d->string_ascii) ||
	    !take(&at->string_size, runtime, d->string_size) || !take(&at->finalizing, runtime, d->finalizing))
		return refuse("_PyRuntime describes another layout");
	if (at->head && !ask_free_threaded(at, runtime, d))
		return refuse("_PyRuntime describes another layout without the GIL");
	/* int _co_firsttraceable; void *co_extra; [_PyCodeArray *co_tlbc;] char co_code_adaptive[]: cpython/code.h */
	at->code_traceable = (uint16_t)((at->code_copies == NONE ? at->code_size : at->code_copies) - 16);
	return true;
}

static bool is_type(const void *type, const char *name, unsigned head, uint16_t size)
{
	const char *its = type ? pointer(type, TYPE_NAME + head) : NULL;

	/* With TRACE_REFS two words come before, so that "its" is a flag, a size, or NULL: nothing to be read. */
	return type && word(type, TYPE_BASIC_SIZE + head) == size && (uintptr_t)its >= 4096 && strcmp(its, name) == 0;
}

static uint32_t version_of(const struct dlt_python_symbols *s)
{
	return s->version_hex ? (uint32_t)s->version_hex : s->version ? parse(s->version) : 0;
}

bool dlt_python_init(const struct dlt_python_symbols *s)
{
	uint32_t version = version_of(s);
	struct layout at;

	if (is_ready())
		return true;
	if (!s->get_state || !s->code_type || !s->string_type)
		return refuse("no CPython that exports PyGILState_GetThisThreadState, PyCode_Type and PyUnicode_Type");
	if (!choose(&at, version))
		return false;
	if (version >= 0x030e0000 && !s->runtime)
		return refuse("no _PyRuntime to ask");
	if (version >= 0x030d0000 && s->runtime && !ask(&at, s->runtime, version))
		return false;
	if (!is_type(s->code_type, "code", at.head, at.code_size) ||
	    !is_type(s->string_type, "str", at.head, at.string_size))
		return refuse("a build of Python with another layout (Py_TRACE_REFS)");
	if (version < 0x03070000)
		dlt_python.finalizing = s->finalizing;
	else
		dlt_python.finalizing = s->runtime ? (const char *)s->runtime + at.finalizing : NULL;
	dlt_python.at = at;
	dlt_python.code_type = (uintptr_t)s->code_type;
	dlt_python.string_type = (uintptr_t)s->string_type;
	memcpy(&dlt_python.get_state, &s->get_state, sizeof(dlt_python.get_state));
	/* Binds what it calls, if the loader does that at the first call. */
	dlt_python.get_state();
	why = NULL;
	__atomic_store_n(&dlt_python.ready, true, __ATOMIC_RELEASE);
	return true;
}

void dlt_python_forget(void)
{
	__atomic_store_n(&dlt_python.ready, false, __ATOMIC_RELEASE);
	dlt_python_forget_copies();
	why = "Python was unloaded";
}

const char *dlt_python_why(void)
{
	return why;
}

/* ---- frames -------------------------------------------------------------------------------- */

/*
 * Py_FinalizeEx frees the states of all other threads (zapthreads in pystate.c) while those that are daemons
 * still run what they do without the GIL; they never get that again. From then on only the thread that does it
 * has frames.
 */
static inline bool alive(const void *state)
{
	const void *ends = dlt_python.finalizing ? pointer(dlt_python.finalizing, 0) : NULL;

	return !ends || ends == state;
}

/*
 * The calling thread's state; NULL: none.
 *
 * PyGILState_GetThisThreadState (pystate.c) looks first if there is a key: autoInterpreterState up to 3.11, which is
 * set after the key was made; PyThread_tss_is_created from 3.12 on. So it may be called at any time, also
 * before Py_Initialize and in the child of a fork, where the key is made anew (_PyGILState_Reinit): a key that
 * was deleted has no values. It is pthread_getspecific, also in 3.6, whose PyThread_get_key_value would take a lock
 * only where a pthread_key_t is no int (thread_pthread.h).
 */
static inline const void *thread_state(void)
{
	const void *state;

	if (!is_ready())
		return NULL;
	state = dlt_python.get_state();
	return plausible(state) && alive(state) ? state : NULL;
}

static inline const void *innermost(const void *state)
{
	const void *frame = pointer(state, dlt_python.at.state_frame);

	if (dlt_python.at.cframe_frame == NONE)
		return frame;
	/* A struct on the native stack of the innermost _PyEval_EvalFrameDefault, or in the state. */
	return plausible(frame) ? pointer(frame, dlt_python.at.cframe_frame) : NULL;
}

/* From 3.14 on a _PyStackRef, whose lowest two bits are a tag (Py_TAG_BITS of pycore_stackref.h). */
static inline const void *code_of(const void *frame)
{
	return (const void *)(word(frame, dlt_python.at.frame_code) & ~(uintptr_t)3);
}

/* Where a frame from 3.11 on is, in bytes; far outside of the code: -1. */
static inline int32_t distance(const void *frame, const void *code)
{
	intptr_t bytes = (intptr_t)(word(frame, dlt_python.at.frame_at) - ((uintptr_t)code + dlt_python.at.code_size));

	if (dlt_python.at.frame_copy != NONE && (uintptr_t)bytes >= word(body(code), OBJECT_SIZE) * 2)
		return dlt_python_in_copy(frame, code);
	return bytes == (int32_t)bytes ? (int32_t)bytes : -1;
}

static inline int32_t object_at(const void *frame)
{
	int32_t lasti = integer(frame, dlt_python.at.frame_at);

	return dlt_python.at.instruction == BYTES || lasti < 0 ? lasti : lasti * 2;
}

/* _PyFrame_IsIncomplete, of pycore_frame.h: it has not come to its first RESUME, which is before all lines. */
static inline bool is_complete(const void *code, int32_t at, unsigned char owner)
{
	return owner == GENERATOR || at >= integer(code, dlt_python.at.code_traceable) * 2;
}

/* What is written so far. */
struct list {
	struct dlt_python_frame *out;
	unsigned count, max;
	bool runs;		/* a frame of this run is in the list */
	uint8_t bare;
};

static inline void add(struct list *l, const void *code, int32_t at)
{
	l->out[l->count++] = (struct dlt_python_frame){ .code = code, .instruction = at, .bare = l->bare };
	l->bare = 0;
	l->runs = true;
}

/* A native frame was entered here. */
static inline void end_run(struct list *l)
{
	if (l->runs)
		l->out[l->count - 1].entry = true;
	else if (l->bare < UINT8_MAX)
		l->bare++;
	l->runs = false;
}

/* Up to 3.10. */
static void walk_objects(struct list *l, const void *frame)
{
	for (unsigned skipped = 0; plausible(frame) && l->count < l->max && skipped < SKIPPED;
	     frame = pointer(frame, dlt_python.at.frame_back)) {
		const void *code = code_of(frame);

		if (is_code(code))
			add(l, code, object_at(frame));
		else
			skipped++;
		end_run(l);
	}
}

/*
 * 3.11: the frame that the next _PyEval_EvalFrameDefault further out runs; `*cframe` becomes that one's. The
 * frames' own is_entry is not to be trusted: throw() goes into a generator that another one waits for (_gen_throw
 * in genobject.c), and links the other one's frame as well, which had been entered, and is not now.
 */
static inline const void *outer_frame(const void **cframe)
{
	*cframe = plausible(*cframe) ? pointer(*cframe, dlt_python.at.cframe_back) : NULL;
	return plausible(*cframe) ? pointer(*cframe, dlt_python.at.cframe_frame) : NULL;
}

/* From 3.11 on. A run ends before the next native frame's in 3.11, with a shim from then on. */
static void walk(struct list *l, const void *state)
{
	bool shims = dlt_python.at.cframe_back == NONE;
	const void *cframe = shims ? NULL : pointer(state, dlt_python.at.state_frame), *back;
	const void *outer = shims ? NULL : outer_frame(&cframe);
	unsigned skipped = 0;

	for (const void *frame = innermost(state); plausible(frame) && skipped < SKIPPED; frame = back) {
		unsigned char owner = byte(frame, dlt_python.at.frame_owner);
		const void *code = owner < SHIM ? code_of(frame) : NULL;
		int32_t at = is_code(code) ? distance(frame, code) : -1;

		if (!is_code(code) || !is_complete(code, at, owner)) {
			skipped++;
		} else if (l->count == l->max) {
			return;
		} else {
			skipped = 0;
			add(l, code, at);
		}
		back = pointer(frame, dlt_python.at.frame_back);
		if (shims ? owner == SHIM : back == outer) {
			end_run(l);
			outer = shims ? NULL : outer_frame(&cframe);
		}
	}
}

unsigned dlt_python_frames(struct dlt_python_frame *out, unsigned max)
{
	struct list l = { .out = out, .max = max };
	const void *state = thread_state();

	if (!state)
		return 0;
	if (dlt_python.at.instruction == POINTER)
		walk(&l, state);
	else
		walk_objects(&l, innermost(state));
	return l.count;
}
