/* SPDX-License-Identifier: MIT */
/* The exporters that a command line asks for, fed from the model's reading and the report. */
#ifndef DLT_ANALYSIS_EXPORT_EXPORT_H
#define DLT_ANALYSIS_EXPORT_EXPORT_H

#include <stdint.h>

#include "analysis/analysis.h"

#define EXPORTS_MAX 16

struct export;

/* Owned by the caller; freed by export_finish. */
struct export *export_new(void);
/* Begins an output in a format of `exporters`. 0 or a negative errno. `path` is borrowed. */
int export_add(struct export *x, const char *format, const char *path);

/* When their clock began, ns since 1970; not said: that of the first trace. Before the first event. */
void export_zero(struct export *x, uint64_t zero);

/*
 * Puts the traces of each job on the clock of its first one, by what a model of them knows of the
 * clocks of hosts (analysis/clocks.h). Before the first event.
 */
void export_clocks(struct export *x, const struct model *m);

/* As model_options.event; `data` is the struct export. */
void export_event(void *data, const struct trace *t, int64_t at, const struct reader_event *e);

/*
 * Completes all of them, and frees `x`. r NULL: there is nothing, and what was there before stays.
 * Calls `failed` for each that could not be written, with a negative errno.
 */
void export_finish(struct export *x, const struct model *m, const struct report *r,
		   void (*failed)(void *data, const char *path, int err), void *data);

#endif
