/* SPDX-License-Identifier: MIT */
/*
 * How far the clocks of hosts are apart, from collectives in which all ranks wait for each other.
 *
 * No rank leaves such a call before the last one has entered it. So for each call of two ranks,
 * however long it took: enter(b) - leave(a) <= offset <= leave(b) - enter(a), where the offset is
 * b's clock less a's. That is certain, as long as clocks do not drift; the estimate is the median of
 * leave(b) - leave(a), since all leave at about the same time, or the nearest that is certain.
 */
#ifndef DLT_ANALYSIS_CLOCKS_H
#define DLT_ANALYSIS_CLOCKS_H

#include "analysis/jobs.h"
#include "analysis/model/model.h"

struct host_clock {
	const char *host, *reference;	/* borrowed */
	const char *function;		/* whose calls told it; borrowed */
	uint64_t calls;			/* pairs of calls that were compared; 0: nothing is known */
	int64_t offset;			/* ns: to subtract from the host's times */
	int64_t low, high;		/* certain bounds of it; low > high: the clocks drifted */
	int64_t spread;			/* half the distance of the quartiles */
	double drift;			/* millionths, against the reference; NAN: too few calls to tell */
};

/*
 * Of all hosts of a job but the first, by first sight, the caller's; their number. With --from or --to,
 * or where events were lost, calls cannot be numbered and nothing is known of a host.
 */
size_t host_clocks(const struct model *m, const struct job *job, struct host_clock **clocks);

/* Where a trace's times belong on the one axis of its job. */
struct axis_place {
	int64_t ahead;		/* ns by which its host's clock is ahead of that of the job's first trace */
	int64_t shift;		/* ns to add to its times to count them from that one's begin */
};

/* Of each trace of the job; without anything known of a clock it is believed. */
void job_axis(const struct model *m, const struct job *job, struct axis_place *places);

#endif
