/* SPDX-License-Identifier: MIT */
/* The recorder's last line: where the trace is, how long, how many events, how many of them are lost. */
#ifndef DLT_RECORD_SUMMARY_H
#define DLT_RECORD_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

/* Strings are borrowed. */
struct summary {
	const char *output;		/* the trace's folder; "": none on this machine */
	const char *elsewhere;		/* then the session or the relay */
	uint64_t duration;		/* ns */
	bool events_known;
	uint64_t events;
	uint64_t lost, lost_in_boxes;	/* on their way from LTTng; to LTTng */
	bool stalled, gone;		/* gone: somebody has removed the folder */
};

void summary_say(const struct summary *s);

#endif
