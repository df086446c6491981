/* SPDX-License-Identifier: MIT */
/* Writers stop with a message when memory runs out: they work offline. */
#ifndef DLT_ANALYSIS_REPORT_MEMORY_H
#define DLT_ANALYSIS_REPORT_MEMORY_H

#include <stdio.h>
#include <stdlib.h>

/* What an allocation gave, or the end. */
static inline void *need(void *p)
{
	if (!p) {
		fputs("dltrace-report: out of memory\n", stderr);
		exit(4);
	}
	return p;
}

/* A FILE that writes into *text, which is the caller's after text_close(). */
static inline FILE *text_open(char **text, size_t *size)
{
	*text = NULL;
	return need(open_memstream(text, size));
}

static inline char *text_close(FILE *f, char **text)
{
	if (fclose(f))
		need(NULL);
	return need(*text);
}

#endif
