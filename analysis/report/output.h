/* SPDX-License-Identifier: MIT */
/*
 * Reports into files: all or nothing. A file appears under its name when it is complete; what was
 * there before stays until then.
 */
#ifndef DLT_ANALYSIS_REPORT_OUTPUT_H
#define DLT_ANALYSIS_REPORT_OUTPUT_H

#include "analysis/report/writer.h"

/*
 * Writes to "-" (standard output), a file, or, when path ends in "/", one file a page into that
 * folder, which is made. 0 or a negative errno; then `failed` (PATH_MAX bytes) names the file.
 */
int output_write(const struct report *r, const struct writer *w, const char *path,
		 const struct writer_options *o, char *failed);

#endif
