/* SPDX-License-Identifier: MIT */
/*
 * The table `study` as papers print it: frameworks by models and data sets, one matrix for each
 * device, batch mode and quantity; made of the report's table, for writers that people read.
 */
#ifndef DLT_ANALYSIS_REPORT_STUDY_H
#define DLT_ANALYSIS_REPORT_STUDY_H

#include "analysis/report/table.h"

struct study_cell {
	bool present;
	double mean, half;	/* ns; half the 95 % interval, NAN: one run */
	uint64_t runs, failed;
};

struct study {
	const char *quantity, *device, *mode;	/* borrowed from the table; "" not known */
	const char **subjects, **models, **datasets;	/* arrays owned: rows; columns, one of each */
	size_t rows, columns;
	struct study_cell *cells;	/* owned; row by row */
	uint64_t least_runs, most_runs;	/* of the cells that have some */
	bool any_half, any_failed, any_dataset;
};

/*
 * Matrices with two cells at least, by first sight in the table. Returns their number; *studies is the
 * caller's.
 */
size_t studies_of(const struct report *r, struct study **studies);
void studies_free(struct study *studies, size_t count);

/* "Seconds per epoch, cpu, SGD"; "12.3 ± 0.4", "failed", "–": in seconds. Both return the buffer. */
const char *study_title(const struct study *s, char *buffer, size_t size);
const char *study_text(const struct study *s, size_t row, size_t column, bool unicode, char *buffer,
		       size_t size);
/* What the numbers are: runs, interval. */
const char *study_note(const struct study *s, bool unicode, char *buffer, size_t size);

#endif
