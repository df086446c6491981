/* SPDX-License-Identifier: MIT */
/*
 * What tracing cost the programs of a trace: operations that the trace counts, times what each of
 * them was measured to take. An estimate, so it has two ends: with all that an operation needs in
 * the caches, and with nothing of it.
 */
#ifndef DLT_ANALYSIS_COST_H
#define DLT_ANALYSIS_COST_H

#include <stddef.h>
#include <stdint.h>

struct trace;

enum cost_kind { COST_HEAP, COST_NOTED, COST_BOXED, COST_SINGLE, COST_WRAPPED, COST_UNTIMED, COST_STACKS, COST_SAMPLES,
		 COST_KINDS };

struct cost {
	uint64_t count[COST_KINDS];
	double low, high;	/* ns of CPU time, in the programs */
	double beside_low, beside_high;	/* in dltrace-sampler, which samples from outside */
	double cpu;		/* ns that the programs used, tracing included; 0: not known */
};

struct cost trace_cost(const struct trace *t);

/* "0.96 to 2.4 %", of `cpu`, which must be known; returns the buffer, of some 40 characters. */
const char *cost_share(const struct cost *c, char *text, size_t size);
/* "1200 heap calls of 2 ns to 5 ns, ..."; returns the buffer, of some 400 characters. */
const char *cost_text(const struct cost *c, char *text, size_t size);

#endif
