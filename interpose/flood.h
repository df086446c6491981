/* SPDX-License-Identifier: MIT */
/*
 * Families that tell of calls from a microsecond on (functions.tbl, min=) may be called hundreds of thousands of
 * times a second: CNTK enters 4.6 million OpenMP regions of about that in 18 steps. Totals have them all; as
 * events they would be 8 MB a second and each 100 ns. So a thread that emits DLT_FLOOD_EVENTS of them within
 * DLT_FLOOD_TIME tells of those only from twice as long on, until few come: at most some 30,000 a second, and
 * the longest. While that lasts it says so (dltrace_proc:flood), again and again: a session may begin meanwhile.
 *
 * Owned by the thread, in struct dlt_calls; nothing here is shared.
 */
#ifndef DLT_INTERPOSE_FLOOD_H
#define DLT_INTERPOSE_FLOOD_H

#include <stdbool.h>
#include <stdint.h>

#include "clock.h"

#define DLT_FLOOD_EVENTS 4096
#define DLT_FLOOD_FEW	1024		/* in DLT_FLOOD_TIME: one step back */
#define DLT_FLOOD_TIME	128000000	/* ns */
#define DLT_FLOOD_MOST	8		/* doublings; of calls that take so long there is no flood */

struct dlt_flood {
	uint64_t since;			/* ticks */
	uint32_t events;		/* since then */
	uint32_t thread;		/* whose flood it is */
	uint8_t doublings;		/* of the least duration, now */
};

/* Looks at the last DLT_FLOOD_TIME, where that is over; true: what it comes to is to be told. */
static inline bool dlt_flood_falls(struct dlt_flood *f, uint32_t thread, uint64_t end)
{
	if (f->thread != thread)	/* a forked child, or the record's next thread */
		*f = (struct dlt_flood){ .thread = thread };
	if (dlt_clock_elapsed_ns(end - f->since) < DLT_FLOOD_TIME)
		return false;
	if (f->events < DLT_FLOOD_FEW && f->doublings)
		f->doublings--;
	f->since = end;
	f->events = 0;
	return f->doublings != 0;
}

/* One more event; true: they are too many, which is to be told. */
static inline bool dlt_flood_rises(struct dlt_flood *f, uint64_t end)
{
	if (++f->events < DLT_FLOOD_EVENTS || f->doublings == DLT_FLOOD_MOST)
		return false;
	f->doublings++;
	f->since = end;
	f->events = 0;
	return true;
}

#endif
