/* SPDX-License-Identifier: MIT */
/*
 * What a recording came to: gathered from the helpers' last words, written into the label, said in the recorder's last
 * line.
 */
#ifndef DLT_RECORD_SUMMARY_H
#define DLT_RECORD_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct summary {
	uint64_t duration;		/* ns */
	bool events_known;		/* with what was lost on their way to LTTng: the sampler has said so */
	uint64_t events;
	uint64_t lost, lost_in_boxes;	/* on their way from LTTng; to LTTng */
	bool stalled;			/* data never left LTTng's buffers, or nobody knows */
	bool gone, emptied;		/* somebody has removed the folder; what LTTng has written there */
};

/* "DISCARDED LOST_PACKETS STALLED", the keeper's; "EMITTED LOST", the sampler's (keeper.h, helper.h). */
void summary_keeper_says(struct summary *s, const char *text);
void summary_sampler_says(struct summary *s, const char *text);

/* Is what LTTng has written into the trace's folder still there? "": it writes elsewhere. */
void summary_look(struct summary *s, const char *output);

/* label: NULL is none. counted: what was emitted is what the trace should hold. */
void summary_write(const struct summary *s, FILE *label, bool counted);

/* output: as above; elsewhere: then the session or the relay. */
void summary_say(const struct summary *s, const char *output, const char *elsewhere);

#endif
