/* SPDX-License-Identifier: MIT */
/*
 * What of one run can be compared with another: named quantities, one value a run, taken from the
 * report's own tables and series. A job of several traces is one run and has its values at its first
 * trace: times of calls, CPU, memory and counts are sums over them, `total` is the longest of theirs.
 *
 *	total, epoch, iteration, cpu, rss_peak, ...	facts.c lists them, with their meaning
 *	function:NAME layer:NAME library:NAME kind:NAME gpu:NAME share:NAME phase:NAME calls:NAME
 *
 * Times by layer, library and kind are those inside intercepted calls less that of other intercepted
 * calls in them, summed over threads, so nothing counts twice; gpu:NAME is time on the device.
 * A function that a trace does not have took 0; a total that is not known is NAN, and so are all phases of a trace in
 * which none was found.
 */
#ifndef DLT_ANALYSIS_FACTS_H
#define DLT_ANALYSIS_FACTS_H

#include "analysis/report/table.h"

struct fact {
	const char *what;	/* "total", "function", ...: static */
	char *name;		/* owned; "" where `what` says it all */
	enum unit unit;
	double *values;		/* owned; by trace, those of a job at its first one */
};

struct facts {
	struct fact *items;	/* owned; by first sight in the tables */
	size_t count, capacity;
	size_t traces;
};

/* Owned by the caller. */
struct facts facts_of(const struct report *r);
void facts_release(struct facts *f);

struct fact_kind {
	const char *what;
	enum unit unit;
	bool named;		/* WHAT:NAME */
	bool compared;		/* in `comparison`; the others are in `changes` only, or in neither */
	const char *help;
};

extern const struct fact_kind fact_kinds[];
extern const size_t fact_kind_count;

const struct fact_kind *fact_kind(const char *what, size_t length);
/* "ns", "bytes", "count", "fraction" */
const char *fact_unit(enum unit unit);

/*
 * The sum of the facts whose name matches the pattern, for one trace: what --fail-if asks. 0 where
 * nothing matches; NAN where it is not known.
 */
double facts_sum(const struct facts *f, const struct fact_kind *kind, const char *pattern, size_t trace);
/* Whether any name matches. */
bool facts_match(const struct facts *f, const struct fact_kind *kind, const char *pattern);

#endif
