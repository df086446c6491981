/* SPDX-License-Identifier: MIT */
/*
 * The data of a page: one JSON object that stands inside a <script> and can't end it.
 *
 *	{ "program": "dltrace-report 0.1.0",
 *	  "tables": { NAME: { "title", "columns": [[name, title, unit, help], ...], "rows": [[...], ...],
 *			      "more": rows left out } },
 *	  "series": [ { "name", "title", "unit", "trace", "process", "host", "library",
 *			"device", "t": [us, each relative to the one before], "v": [...] } ],
 *	  "series_left_out": number }
 *
 * It is bounded: tables have so many rows at most, series so many points, whose peaks stay.
 */
#ifndef DLT_ANALYSIS_REPORT_HTML_DATA_H
#define DLT_ANALYSIS_REPORT_HTML_DATA_H

#include <stdio.h>

#include "analysis/report/table.h"

/* 0 or a negative errno; errors of the file are left for the caller's ferror(). */
int html_data_write(const struct report *r, FILE *out);

#endif
