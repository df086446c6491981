/* SPDX-License-Identifier: MIT */
/*
 * Events through a pipe: from a child that decodes to the process that asks for them.
 *
 * Both ends are the same program, but the reading end trusts nothing: a child may have been
 * overwritten by a hostile trace.
 */
#ifndef DLT_ANALYSIS_READER_FRAMES_H
#define DLT_ANALYSIS_READER_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/reader/reader.h"

enum frame_kind {
	FRAME_OPENED,		/* struct frame_opened: the trace can be read */
	FRAME_FAILED,		/* text: it cannot; the last frame */
	FRAME_EVENT,
	FRAME_ALIVE,		/* nothing to tell, but still at work */
	FRAME_PROBLEM,		/* text: kind "corrupt" */
	FRAME_END,		/* struct frame_end; the last frame */
};

struct frame {
	uint32_t size;		/* of what follows */
	uint16_t kind;
	uint16_t type;		/* FRAME_EVENT: enum dlt_event */
	uint64_t time;		/* FRAME_EVENT: ns since 1970 */
};

struct frame_opened {
	int64_t clock_offset;
	uint64_t begin;
	char host[256];
};

struct frame_end {
	uint64_t foreign, discarded, discarded_packets;
};

struct frame_writer {
	int fd;			/* borrowed */
	uint8_t *buffer;	/* owned */
	size_t used, capacity;
};

/* Buffered. When the other side is gone the process ends. */
void frame_put(struct frame_writer *w, enum frame_kind kind, const void *content, size_t size);
void frame_put_event(struct frame_writer *w, const struct reader_event *event);
void frame_flush(struct frame_writer *w);

#define FRAME_SEQUENCES 8
#define FRAME_MAX (256U << 20)

struct frame_reader {
	int fd;			/* borrowed */
	uint8_t *buffer;	/* owned */
	size_t at, used, capacity;
	uint64_t *words[FRAME_SEQUENCES];	/* owned: an event's sequences */
};

/*
 * The next frame; its content stays until the next call. 1; 0: the other side is gone;
 * -ETIMEDOUT: it said nothing for so long; -EPROTO: it talks nonsense.
 */
int frame_get(struct frame_reader *r, int timeout_ms, struct frame *frame, const uint8_t **content);

/* Makes the dlt_ev_ structure of an event's frame. 0 or -EPROTO. */
int frame_event(struct frame_reader *r, const struct frame *frame, const uint8_t *content,
		void *data);
void frame_reader_release(struct frame_reader *r);

#endif
