/* SPDX-License-Identifier: MIT */
/* What of a library's work can be seen (coverage.tbl). */
#ifndef DLT_ANALYSIS_COVERAGE_H
#define DLT_ANALYSIS_COVERAGE_H

#include "analysis/analyses.h"

struct coverage_rule {
	const char *pattern, *kind, *covered, *text;
};

/* NULL for a library that nothing is known of. */
const struct coverage_rule *library_coverage(const char *path);

#endif
