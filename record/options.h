/* SPDX-License-Identifier: MIT */
/* The command line of dltrace-record. */
#ifndef DLT_RECORD_OPTIONS_H
#define DLT_RECORD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan.h"

#define LABELS_MAX 64

/* All strings are borrowed from argv. Times in ns, sizes in bytes, 0: not asked for. */
struct options {
	enum level level;
	enum gpu gpu;
	const char *output;	/* pattern; NULL: default */
	const char *session;	/* name of a session that the user runs; NULL: one of our own */
	const char *relay;	/* URL; NULL: disk */
	const char *children;	/* as DLTRACE_CHILDREN; NULL: as the environment says */
	const char *threshold;	/* as DLTRACE_THRESHOLD */
	const char *sample;	/* as DLTRACE_SAMPLE */
	const char *debug;	/* as DLTRACE_DEBUG */
	uint64_t delay, duration, rotate, hang;	/* ns */
	bool rotate_asked;	/* else the default */
	uint64_t max_size;	/* bytes; 0: no limit */
	bool audit;		/* LD_AUDIT beside LD_PRELOAD */
	bool stacks;		/* call stacks of who asks for memory */
	bool in_process;	/* no outboxes */
	bool require;		/* no recording, no command */
	bool print;
	bool wait;		/* for processes that outlive the command */
	const char *labels[LABELS_MAX];	/* KEY=VALUE */
	size_t label_count;
	int control_pid;	/* --control: talk to this recording instead of making one */
	char *const *command;	/* NULL-terminated; with --control: what to say */
};

/* Exits with 125 on misuse, with 0 after --help and --version. */
void options_parse(struct options *o, int argc, char **argv);

#endif
