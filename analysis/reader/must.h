/* SPDX-License-Identifier: MIT */
/* Memory, or an end: an offline tool that has none left can only say so. */
#ifndef DLT_ANALYSIS_READER_MUST_H
#define DLT_ANALYSIS_READER_MUST_H

#include <stdio.h>
#include <stdlib.h>

static inline void *must(void *memory)
{
	if (!memory) {
		fputs("dltrace-report: out of memory\n", stderr);
		exit(4);
	}
	return memory;
}

#endif
