/* SPDX-License-Identifier: MIT */
/*
 * Ranges and moments that the program names itself: what NVTX (nvtx.c) and dltrace.h (api.c) share.
 *
 * Each becomes one event, dltrace_mark:range, when it ends; one that never does is told when its
 * thread or its process ends. Names stand in the event itself, cut to DLT_MARK_NAME bytes: a
 * program that makes up new names without end fills no table of ours. While nobody listens a push
 * and its pop only count the depth.
 *
 * Hook-safe: no locks, no allocation but one mapping a thread.
 */
#ifndef DLT_INTERPOSE_MARKS_H
#define DLT_INTERPOSE_MARKS_H

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#include "events.h"

#define DLT_MARK_NAME	104	/* bytes of a name, its 0 included */

/* As in dltrace_mark:range. */
enum dlt_mark_kind {
	DLT_MARK_PUSHED = 1, DLT_MARK_STARTED, DLT_MARK_MOMENT, DLT_MARK_EPOCH, DLT_MARK_STEP, DLT_MARK_SAID,
};
enum dlt_mark_payload { DLT_PAYLOAD_NONE, DLT_PAYLOAD_UNSIGNED, DLT_PAYLOAD_SIGNED, DLT_PAYLOAD_DOUBLE };

/* What the program says of a range. One of name and wide; neither: it has no name. */
struct dlt_mark {
	const char *domain, *category;	/* must stay as they are; NULL: none */
	const char *name;		/* copied */
	const wchar_t *wide;		/* copied as UTF-8 */
	uint64_t payload;
	uint8_t payload_type;		/* enum dlt_mark_payload */
};

/* Ranges of one thread, as a stack for each domain (by address); deeper ones than 31 are left out. */
void dlt_mark_push(const struct dlt_mark *m);
void dlt_mark_pop(const char *domain);

/* Ranges that any thread may end; 0: nobody listens, or 512 are open. */
uint64_t dlt_mark_start(const struct dlt_mark *m);
void dlt_mark_end(uint64_t id);

void dlt_mark_moment(enum dlt_mark_kind kind, const struct dlt_mark *m);

/*
 * An outermost call of functions.tbl has ended on the thread that these are of, after so many ticks:
 * it lies in all ranges that the thread has open.
 */
struct dlt_marks;
void dlt_mark_call(struct dlt_marks *s, enum dlt_event event, uint64_t ticks);

/* Copies a name, cut to `size` bytes at a character's end; `wide` is UTF-32. Returns `to`. */
char *dlt_mark_copy(char *to, size_t size, const char *name);
char *dlt_mark_copy_wide(char *to, size_t size, const wchar_t *wide);

#endif
