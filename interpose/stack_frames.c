/* SPDX-License-Identifier: MIT */
/* Interning of frames, in hash tables over what the black box has of them. */
#include "stack_frames.h"

#include <stdbool.h>
#include <string.h>

#include "box_private.h"
#include "emit.h"
#include "frame_kinds.h"
#include "objects.h"
#include "process.h"

#define FRAMES (2 * DLT_BOX_FRAMES)	/* powers of 2 */
#define CODES 16384
#define NAME_MOST 640		/* bytes of a Python function's file and name */

/* ---- frames -------------------------------------------------------------------------------- */

/* index in the box + 1; 0: free. Indices stay true in a forked child, whose box is a copy. */
static uint32_t frames[FRAMES];

void dlt_stack_tell(struct dlt_thread *t, struct dlt_stack_news *n)
{
	struct dlt_ev_full_stack_frames e = {
		.process = dlt_process.id, .frames = n->words, .frames_count = 2 * n->count,
	};

	if (n->count && dlt_enabled(DLT_EV_FULL_STACK_FRAMES))
		dlt_emit(t, DLT_EV_FULL_STACK_FRAMES, &e);
	n->count = 0;
}

struct key {
	uint32_t caller, line;	/* line: of no importance for which frame it is */
	uint64_t what;
};

static bool is_frame(uint32_t id, const struct key *k)
{
	const struct dlt_box_frame *f = dlt_box_frame(id - 1);

	return f->what == k->what && f->caller == k->caller;
}

/* NULL: there are no more. Pages are backed before anybody is given a frame in them. */
static struct dlt_box_frame *claim(uint32_t *id)
{
	uint32_t index = __atomic_load_n(&dlt_box->frames_used, __ATOMIC_RELAXED);
	struct dlt_box_frame *f;

	do {
		f = dlt_box_frame(index);
		if (index >= dlt_box->frames_count || ((uintptr_t)f % 4096 == 0 && !dlt_box_back(f, sizeof(*f))))
			return NULL;
	} while (!__atomic_compare_exchange_n(&dlt_box->frames_used, &index, index + 1, false, __ATOMIC_RELEASE,
					      __ATOMIC_RELAXED));
	*id = index + 1;
	return f;
}

static uint32_t make_frame(const struct key *k)
{
	uint32_t id = 0;
	struct dlt_box_frame *f = claim(&id);

	if (!f)
		return 0;
	f->caller = k->caller;
	f->line = k->line;
	__atomic_store_n(&f->what, k->what, __ATOMIC_RELEASE);
	return id;
}

static uint32_t line_of(const struct dlt_python_frame *f)
{
	int line = f ? dlt_python_line(f->code, f->instruction) : 0;

	return line > 0 ? (uint32_t)line : 0;
}

static void add_news(struct dlt_thread *t, struct dlt_stack_news *n, uint32_t id, const struct key *k)
{
	n->words[2 * n->count] = (uint64_t)id << 32 | k->caller;
	n->words[2 * n->count + 1] = dlt_frame_said(k->what, k->line);
	if (++n->count == DLT_STACK_NEWS)
		dlt_stack_tell(t, n);
}

/* python: what is asked for its line; NULL: it is none. */
static uint32_t intern(struct dlt_thread *t, struct key k, const struct dlt_python_frame *python,
		       struct dlt_stack_news *n)
{
	uint64_t mixed = (k.what ^ (uint64_t)k.caller << 32 ^ k.caller) * 0x9e3779b97f4a7c15u;
	uint32_t made = 0;

	/* A forked child without memory for a box has none of those that its parent has named. */
	if (!dlt_box->frames_count)
		return 0;
	for (uint32_t at = (uint32_t)(mixed >> 32) % FRAMES;; at = (at + 1) % FRAMES) {
		uint32_t seen = __atomic_load_n(&frames[at], __ATOMIC_ACQUIRE);

		if (!seen && !made) {
			k.line = line_of(python);
			made = make_frame(&k);
			if (!made) {
				dlt_missed(DLT_MISSED_STACK);
				return 0;
			}
		}
		if (!seen && __atomic_compare_exchange_n(&frames[at], &seen, made, false, __ATOMIC_RELEASE,
							 __ATOMIC_ACQUIRE)) {
			add_news(t, n, made, &k);
			return made;
		}
		/* Somebody else was quicker: if it is the same, ours stays unused. */
		if (is_frame(seen, &k))
			return seen;
	}
}

/* ---- Python's code ------------------------------------------------------------------------- */

/* Objects by what tells a code object from another that lies at its address later. `key` is written first. */
static struct {
	uint64_t key;		/* 0: free */
	uint32_t object;	/* 0: not known yet */
} codes[CODES];

static uint32_t make_code(uint64_t key, const void *code)
{
	char name[NAME_MOST / 2] = "", text[NAME_MOST] = "";
	struct dlt_python_code c = {
		.file = text, .file_size = sizeof(text) / 2, .name = name, .name_size = sizeof(name),
	};
	char *end;

	if (!dlt_python_code(code, &c))
		return 0;
	end = text + strlen(text);
	*end++ = DLT_FRAME_NAME_ENDS;
	end = stpcpy(end, name);
	return dlt_object_named(DLT_OBJECT_CODE, key, text, (size_t)(end - text));
}

static uint32_t code_id(const void *code)
{
	uint64_t key = (((uintptr_t)code * 0x9e3779b97f4a7c15u) ^ dlt_python_code_mark(code)) | 1;

	for (uint32_t i = 0, at = (uint32_t)(key >> 20) % CODES; i < CODES; i++, at = (at + 1) % CODES) {
		uint64_t seen = __atomic_load_n(&codes[at].key, __ATOMIC_ACQUIRE);
		uint32_t id;

		if (!seen && __atomic_compare_exchange_n(&codes[at].key, &seen, key, false, __ATOMIC_ACQ_REL,
							 __ATOMIC_ACQUIRE)) {
			id = make_code(key, code);
			__atomic_store_n(&codes[at].object, id, __ATOMIC_RELEASE);
			return id;
		}
		if (seen == key) {
			id = __atomic_load_n(&codes[at].object, __ATOMIC_ACQUIRE);
			/* Another thread is about to name it, or could not. */
			return id ? id : make_code(key, code);
		}
	}
	return 0;
}

/* ---- for stacks ---------------------------------------------------------------------------- */

uint32_t dlt_stack_frame(struct dlt_thread *t, uint32_t caller, uint64_t what, struct dlt_stack_news *n)
{
	return intern(t, (struct key){ .caller = caller, .what = what }, NULL, n);
}

uint32_t dlt_stack_python(struct dlt_thread *t, uint32_t caller, const struct dlt_python_frame *f,
			  struct dlt_stack_news *n)
{
	struct key k = { .caller = caller, .what = dlt_frame_python(code_id(f->code), (uint32_t)f->instruction) };

	return intern(t, k, f, n);
}
