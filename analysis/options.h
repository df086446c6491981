/* SPDX-License-Identifier: MIT */
/* What the command line of dltrace-report asks for. Strings are borrowed from it. */
#ifndef DLT_ANALYSIS_OPTIONS_H
#define DLT_ANALYSIS_OPTIONS_H

#include "analysis/analysis.h"
#include "analysis/conditions.h"
#include "analysis/reader/reader.h"
#include "analysis/report/writer.h"

enum report_status {
	STATUS_OK = 0,
	STATUS_PARTLY = 1,	/* something could not be read; the rest is reported */
	STATUS_USAGE = 2,	/* or not available yet */
	STATUS_FAIL_IF = 3,
	STATUS_NOTHING = 4,	/* nothing could be read */
	STATUS_UNWRITTEN = 5,	/* an output could not be written */
};

enum verify {
	VERIFY_NO,
	VERIFY_YES,
	VERIFY_FULL,	/* by both sources */
};

struct output_file {
	const char *path;	/* "-": standard output; "NAME/": a folder of pages */
	const struct writer *writer;
};

#define OUTPUTS_MAX 64

struct options {
	char **traces;
	int trace_count;
	struct output_file outputs[OUTPUTS_MAX];
	int output_count;
	struct writer_options writing;
	struct model_options model;
	struct condition conditions[CONDITIONS_MAX];
	size_t condition_count;
	enum reader_source source;
	bool dump;		/* events as text instead of a report */
	bool live;		/* a running recording; `traces` has at most one: a pid or a folder */
	bool live_plain;	/* text blocks, even on a terminal */
	uint64_t live_count;	/* refreshes; 0: until it ends */
	uint64_t live_interval, live_hang;	/* ns between refreshes; of calls in flight that are shown */
	enum verify verify;	/* a certificate instead of a report */
	bool color_always;	/* in files too */
	bool quiet, verbose;
};

/* Fills all of it. A command line that is wrong ends the program with STATUS_USAGE. */
void options_parse(struct options *o, int argc, char **argv);

#endif
