/* SPDX-License-Identifier: MIT */
/*
 * Tracks, the exporters' clock, and spans that fit onto a track.
 *
 * A span's begin is its end less its duration, by two clocks: neighbours may overlap by some ns, and a
 * span may seem to begin before what lies around it. Tools that close the innermost open span would
 * then mix them up, so each track remembers its last spans and new ones are made to fit.
 */
#ifndef DLT_ANALYSIS_EXPORT_TRACKS_H
#define DLT_ANALYSIS_EXPORT_TRACKS_H

#include "analysis/export/exporter.h"

#define RECENT 64

struct interval {
	int64_t begin, end;
};

/* The last spans of a track, by end. */
struct recent {
	struct interval list[RECENT];
	unsigned count;
};

enum fit {
	FIT_APART,	/* neighbours: what overlaps in part is cut */
	FIT_NEST,	/* the new one is around what it overlaps in part */
};

struct tracks {
	void (*give)(void *owner, const struct export_event *e);
	void *owner;		/* borrowed */
	bool started;
	uint64_t zero;		/* of the clock, ns since 1970 */
	int64_t *ahead;		/* owned; by trace, ns: how far its host's clock is ahead; NULL: nothing known */
	size_t ahead_count;
	struct idmap by_key;	/* struct track *, owned */
	struct idmap recents;	/* by track: struct recent *, owned */
	struct idmap plain;	/* demangled names by the pool's pointer; both of the pool */
};

void tracks_release(struct tracks *t);

struct track *track_of_thread(struct tracks *t, const struct thread *thread);
struct track *track_beside(struct tracks *t, const struct thread *thread, const char *name);
/* p NULL: of the run. `lane` tells those of equal names apart. */
struct track *track_named(struct tracks *t, enum track_kind kind, struct trace *trace,
			  const struct process *p, const char *name, uint64_t lane);

/* ns since the trace's begin on the exporters' clock. */
int64_t track_time(const struct tracks *t, const struct trace *trace, int64_t at);

void track_fit(struct tracks *t, const struct track *track, enum fit fit, int64_t *begin,
	       int64_t *end);
/* The first lane of that name in which nothing overlaps the span. */
struct track *track_lane(struct tracks *t, const struct process *p, const char *name,
			 int64_t *begin, int64_t *end);

/* A name of the pool, demangled where it is C++'s; of the pool too. */
const char *track_plain_name(struct tracks *t, struct trace *trace, const char *name);

void track_give(const struct tracks *t, const struct export_event *e);
void export_text(struct export_event *e, const char *name, const char *text);	/* "" is left out */
void export_number(struct export_event *e, const char *name, uint64_t number);	/* 0 too */
void export_signed(struct export_event *e, const char *name, int64_t number);	/* likewise */

#endif
