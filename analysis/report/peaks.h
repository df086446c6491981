/* SPDX-License-Identifier: MIT */
/*
 * The most that each trace had at once.
 *
 * A run has no less than each of its processes had, and what these know of themselves is of any moment, where the
 * run's curve has readings; of several processes a higher sum between two readings is not seen.
 */
#ifndef DLT_ANALYSIS_REPORT_PEAKS_H
#define DLT_ANALYSIS_REPORT_PEAKS_H

#include "analysis/report/table.h"

enum peak_kind { PEAK_MEMORY, PEAK_HEAP, PEAK_GPU, PEAK_THREADS };

/* By row of `traces`, in the unit of their series; NAN: not known. The caller's. */
double *report_peaks(const struct report *r, enum peak_kind kind);

#endif
