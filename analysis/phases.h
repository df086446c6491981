/* SPDX-License-Identifier: MIT */
/*
 * The phases of a process: start-up, compilation, warm-up, steady, end; one after another.
 *
 * Those of a process in which iterations, or at least epochs, were found are its own. Its workers, compilers and other
 * descendants have the same ones, as have its launchers: what it is that goes on is said by the
 * process that trains.
 *
 * What is counted by phase: calls that are events, by slices of time (struct slice; a call belongs
 * to the slice in which it ended, the slice to the phase in which its middle lies), so that only
 * what is within half a slice of a border may stand on its other side; counters (CPU time, heap)
 * at the borders by proportion between the readings before and after. All sums over the phases are
 * what the process did as a whole, as far as it is in events (self_time.h has what is not).
 */
#ifndef DLT_ANALYSIS_PHASES_H
#define DLT_ANALYSIS_PHASES_H

#include "analysis/iterations.h"
#include "analysis/model/model.h"

enum phase_id {
	PHASE_START_UP, PHASE_COMPILATION, PHASE_WARM_UP, PHASE_STEADY, PHASE_END,
	PHASES_MAX,
};

struct phase {
	enum phase_id id;
	const char *name;
	int64_t begin, end;	/* ns since the trace's begin */
	uint64_t iterations;	/* that begin in it; 0 where only epochs were found */
	const char *how;	/* why it is believed to begin and end there */
};

/* None where neither iterations nor epochs were found, nor in whom it belongs to. */
struct phases {
	struct phase list[PHASES_MAX];
	size_t count;
	const struct process *of;	/* whose they are; NULL: nobody's */
};

/* Its own, else those of the process that it works for. Never NULL; valid as long as the process. */
const struct phases *phases_around(const struct process *p);

/* The one with iterations or epochs that used most CPU: what the trace is about. NULL: none has any. */
const struct process *trace_busiest(const struct trace *t);

/* Has it phases of its own? */
static inline bool phases_own(const struct phases *ph, const struct process *p)
{
	return ph->of == p;
}

/* The phase at that time; the first one before all, the last one after all. NULL: there are none. */
const struct phase *phase_at(const struct phases *ph, int64_t at);
/* Its name, or "". */
const char *phase_name_at(const struct phases *ph, int64_t at);
/* Is it a name of one? */
bool phase_known(const char *name);
/* They come in this order; of another name: last. */
int phase_order(const char *name);

/* Those of the trace's main process; NULL: it has none. */
const struct phases *trace_phases(const struct model *m, size_t trace);
/* From when to when that phase lasted; nothing lies in it where there is none, ph may be NULL. */
struct time_range phase_range(const struct phases *ph, const char *name);
/*
 * `part` has read the same traces, but for a phase only: iterations, epochs and phases stay what they are
 * in `whole`, which is of no use for these any more.
 */
void phases_keep(struct model *part, struct model *whole);

/* What slices hold by phase, `sums` has room for ph->count. The width of a slice, ns; 0: nothing. */
int64_t phases_slices(const struct phases *ph, const struct tally *slices, struct slice *sums);

/* A curve within a phase, as far as its points tell. */
struct phase_level {
	int64_t begin, end;	/* UNKNOWN: nothing was known before, or until then */
	struct curve_value peak;	/* .t UNKNOWN: there is none */
};

struct phase_level phase_level(const struct phases *ph, size_t index, const struct curve *c);

#endif
