/* SPDX-License-Identifier: MIT */
/* Gives out the events that lie packed in a dltrace_outbox:events. */
#ifndef DLT_ANALYSIS_READER_OUTBOX_H
#define DLT_ANALYSIS_READER_OUTBOX_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/reader/reader.h"

#define OUTBOX_SEQUENCES 4	/* of an event */

struct outbox {
	const unsigned char *at;	/* borrowed from the source until its next event; NULL: none */
	size_t left;			/* bytes */
	uint32_t left_count, count;	/* events */
	uint64_t time, end;		/* ns since 1970: of the event before, of the whole */
	void *data;			/* owned: the event that is being looked at */
	uint64_t *words[OUTBOX_SEQUENCES];	/* owned: its sequences */
	size_t words_room[OUTBOX_SEQUENCES];
};

/* `event` is one that the source has just given. */
void outbox_begin(struct reader *r, const struct reader_event *event);

/* 1: the next event; 0: there is none left. */
int outbox_next(struct reader *r, struct reader_event *event);

void outbox_release(struct outbox *o);

#endif
