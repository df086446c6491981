/* SPDX-License-Identifier: MIT */
/*
 * Conditions of --fail-if: a quantity of a group of runs, compared with a bound or with the baseline.
 *
 *	QUANTITY OPERATOR VALUE [surely]
 *
 *	total>+5%               5 % more than the baseline
 *	rss_peak>+64M           64 MiB more than the baseline
 *	iteration>=20ms         whatever the baseline
 *	function:cudaMalloc*>0ms
 *	calls:cudaFree>+0
 *	share:wait>20%          of the time of all calls
 *
 * QUANTITY is one of facts.h's, NAME a pattern whose matches are summed up. OPERATOR is > >= < <=.
 * VALUE has a sign where it is relative to the baseline, and then may be a percentage of it; a time,
 * a size or a share has its unit. With `surely` the whole 95 % interval has to lie beyond the bound.
 */
#ifndef DLT_ANALYSIS_CONDITIONS_H
#define DLT_ANALYSIS_CONDITIONS_H

#include "analysis/facts.h"
#include "analysis/model/model.h"

struct condition {
	const char *text;		/* borrowed */
	const struct fact_kind *kind;
	char name[256];			/* pattern; "" */
	bool less, equal;		/* the operator */
	enum { BOUND, DIFFERENCE, CHANGE } against;
	double value;			/* in base units; a fraction of the baseline for CHANGE */
	bool surely;
};

#define CONDITIONS_MAX 64

/* Text is kept. 0; or -EINVAL, and one line in `error` that says what is known. */
int condition_parse(struct condition *c, const char *text, char *error, size_t size);

enum condition_result { CONDITION_NOT, CONDITION_HOLDS, CONDITION_UNKNOWN };

/* Over all groups of runs; a line in `line` where the result is not CONDITION_NOT, or nothing has the name; else "". */
enum condition_result condition_check(const struct condition *c, const struct model *m,
				      const struct report *r, char *line, size_t size);

#endif
