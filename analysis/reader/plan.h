/* SPDX-License-Identifier: MIT */
/*
 * How to decode one event class of a trace into its dlt_ev_ structure, worked out once: fields
 * are matched by name (LTTng puts an underscore before each), missing ones stay 0 or "", other
 * widths are converted, unknown ones are passed over, and what lies side by side in both becomes
 * one memcpy. Classes of other providers have plans that only pass over.
 */
#ifndef DLT_ANALYSIS_READER_PLAN_H
#define DLT_ANALYSIS_READER_PLAN_H

#include "analysis/reader/layout.h"
#include "analysis/reader/walk.h"
#include "fields.h"

#define PLAN_SEQUENCES 8	/* of one event; more are not kept */

enum plan_kind {
	PLAN_SKIP,		/* n bytes */
	PLAN_COPY,		/* n bytes to `to` */
	PLAN_LOAD,		/* an integer, converted to `field` */
	PLAN_LENGTH,		/* an integer to a slot */
	PLAN_STRING,		/* to `field`, if any */
	PLAN_LIST,		/* integers, as many as the slot says, to `field`, if any */
	PLAN_ALIGN,		/* to n bytes */
};

struct plan_op {
	enum plan_kind kind;
	uint32_t n;
	size_t to;
	const struct dlt_field *field;	/* NULL: passed over */
	const struct ctf_type *type;	/* of the integer, or of the list's elements */
	int slot;
	unsigned list;			/* which of the state's lists takes it */
	bool in_place;			/* none: it is read as bytes, wherever they lie in the packet */
};

struct plan {
	enum dlt_event type;		/* DLT_EVENTS: somebody else's */
	const struct dlt_event_desc *desc;	/* NULL: somebody else's */
	const struct ctf_stream *stream;
	const struct ctf_event *event;
	struct plan_op *ops;
	size_t op_count;
	bool slow;			/* no ops: it takes a walk */
	bool missing;			/* fields that the trace does not have */
	const struct dlt_field **targets;	/* by field of the event; NULL: passed over */
};

/* What decoding needs besides, shared by all plans of a reader. */
struct plan_state {
	void *spare;			/* borrowed: room for an event that nobody wants */
	struct walk walk;		/* its slots: the largest number that any metadata has */
	struct {
		uint64_t *words;	/* owned */
		size_t capacity;
	} lists[PLAN_SEQUENCES];
};

/* In the metadata's arena. `force_slow` is for tests. */
struct plan *plan_new(struct ctf_metadata *m, const struct ctf_stream *stream,
		      const struct ctf_event *event, bool force_slow);

/*
 * Decodes contexts and fields behind the event's header: from *at, which moves on; `base` is the
 * packet's begin. Strings point into the packet, sequences into the state; both until the next
 * run or the packet's end. 0, or a negative errno when the bytes do not make sense.
 */
int plan_run(const struct plan *p, struct plan_state *s, const uint8_t *base, const uint8_t **at,
	     const uint8_t *end, void *data);

void plan_state_release(struct plan_state *s);

#endif
