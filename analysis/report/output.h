/* SPDX-License-Identifier: MIT */
/*
 * Reports into files: all or nothing. A file appears under its name when it is complete; what was
 * there before stays until then, and who cannot read that cannot read the new one. What an end before its time
 * would leave is in the list of unfinished.h.
 */
#ifndef DLT_ANALYSIS_REPORT_OUTPUT_H
#define DLT_ANALYSIS_REPORT_OUTPUT_H

#include <limits.h>

#include "analysis/report/writer.h"

/* For formats that are written while the traces are read. */
struct output {
	FILE *file;
	char target[PATH_MAX];
	char *temporary;	/* borrowed from the list of what is unfinished; NULL: written in place */
};

/* "-" is standard output. 0 or a negative errno. */
int output_open(struct output *o, const char *path);
/* Closes it; with an error what was there before stays. That error, or one of the file. */
int output_close(struct output *o, int err);

/*
 * Files that are one output: they take their places together, so that what comes in between leaves nothing of it, or
 * all. All zero is none.
 */
struct outputs {
	struct complete {
		char *target;		/* owned; NULL: a folder that was made */
		char *temporary;	/* as an output's */
	} *list;
	size_t count, capacity;
};

/* Makes the folder, unless it is there. 0 or a negative errno. */
int outputs_folder(struct outputs *l, const char *path);
/* As output_close, but the file appears with the others. */
int outputs_add(struct outputs *l, struct output *o, int err);
/*
 * All appear, or with an error none, and no folder that was made. That error, or one of a file, which `failed`
 * (PATH_MAX bytes; NULL is fine) names then. Releases the list.
 */
int outputs_place(struct outputs *l, int err, char *failed);

/*
 * Writes to "-" (standard output), a file, or, when path ends in "/", one file a page into that
 * folder, which is made; all of them, or none. Figures that an earlier report had and this one has not are removed
 * there, if all are written; whatever else is there stays. 0 or a negative errno; then `failed` (PATH_MAX bytes)
 * names the file.
 */
int output_write(const struct report *r, const struct writer *w, const char *path,
		 const struct writer_options *o, char *failed);

#endif
