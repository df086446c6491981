/* SPDX-License-Identifier: MIT */
/* The reader's view of events.tbl: each event's name and its fields' place in the structure. */
#ifndef DLT_TRACEPOINTS_FIELDS_H
#define DLT_TRACEPOINTS_FIELDS_H

#include <stddef.h>
#include <stdint.h>

#include "events.h"

enum dlt_field_type {
	DLT_U8, DLT_U16, DLT_U32, DLT_U64, DLT_I16, DLT_I32, DLT_I64, DLT_X64, DLT_STR, DLT_SEQ64,
};

struct dlt_field {
	const char *name;
	enum dlt_field_type type;
	size_t offset;		/* in the event's structure */
	size_t count_offset;	/* of FIELD_count, seq64 only */
	const char *unit;
};

struct dlt_event_desc {
	const char *name;	/* provider:event */
	const struct dlt_field *fields;
	size_t field_count;
	size_t size;		/* of the structure */
};

/* Events that hold others, a bit each: a reader gives what is in them. */
#define DLT_EVENTS_OF_EVENTS (1ULL << DLT_EV_BATCH_RECORDS | 1ULL << DLT_EV_OUTBOX_EVENTS)

extern const struct dlt_event_desc dlt_event_descs[DLT_EVENTS];

#endif
