/* SPDX-License-Identifier: MIT */
/*
 * From names to functions of the tables: for dlsym and dlvsym, which hand out our wrappers, and
 * for cuGetProcAddress. Hook-safe; nanoseconds.
 */
#ifndef DLT_INTERPOSE_LOOKUP_H
#define DLT_INTERPOSE_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "functions.h"

#pragma GCC visibility push(hidden)

/* One bit for each hash of four letters that a name begins with. Generated. */
extern const uint64_t dlt_lookup_prefixes[64];

/* False: no name of the tables begins so. A few nanoseconds, without knowing the name's end. */
static inline bool dlt_lookup_may_be(const char *name)
{
	uint32_t head, h;

	if (!name[0] || !name[1] || !name[2] || !name[3])
		return false;
	memcpy(&head, name, sizeof(head));
	h = head * 0x9e3779b1u >> 20;
	return dlt_lookup_prefixes[h / 64] >> h % 64 & 1;
}

/* The function that is handed out under exactly this name; DLT_FN_NONE: none. */
unsigned dlt_lookup_name(const char *name);

/* A function that is known and has no wrapper: nothing of it is to be seen (rows of `pass`). */
bool dlt_lookup_passes(const char *name);

/*
 * The form of a driver function that cuGetProcAddress gives for a name without _v2 and the like:
 * the newest one that CUDA `version` (13000 is 13.0) has. DLT_FN_NONE: none is known.
 */
unsigned dlt_lookup_form(const char *name, unsigned version, int per_thread);

/* Generated: open hashing, the tag is the hash's lower half; `function` 0: free. */
struct dlt_lookup {
	uint32_t tag;
	uint16_t function;
};

/* A driver function's form; those of one name follow each other, oldest first. */
struct dlt_form {
	uint16_t version;
	uint16_t function, per_thread;
	uint16_t length;	/* of the name that is asked for */
};

extern const struct dlt_lookup dlt_lookup_names[], dlt_lookup_forms[];
extern const struct dlt_form dlt_forms[];
extern const char *const dlt_lookup_passed[];	/* NULL is last */
extern const unsigned dlt_lookup_names_bits, dlt_lookup_forms_bits;
extern const unsigned dlt_lookup_shortest, dlt_lookup_longest;
extern const unsigned dlt_lookup_newest;	/* CUDA version */

#pragma GCC visibility pop

#endif
