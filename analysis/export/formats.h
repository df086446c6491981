/* SPDX-License-Identifier: MIT */
/* The functions that exporters.c lists. */
#ifndef DLT_ANALYSIS_EXPORT_FORMATS_H
#define DLT_ANALYSIS_EXPORT_FORMATS_H

#include "analysis/export/exporter.h"

int perfetto_begin(void **state, const char *path);
void perfetto_event(void *state, const struct export_event *e, unsigned bit);
int perfetto_end(void *state, bool keep);

int chrome_begin(void **state, const char *path);
void chrome_event(void *state, const struct export_event *e, unsigned bit);
int chrome_end(void *state, bool keep);

int ctf_begin(void **state, const char *path);
void ctf_event(void *state, const struct export_event *e, unsigned bit);
int ctf_end(void *state, bool keep);

#endif
