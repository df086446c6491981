/* SPDX-License-Identifier: MIT */
/*
 * Passes over the files that a process reads, itself or by processes that it forked to read for it:
 * one ends where a file is opened that was opened in it already. A training that reads its examples
 * from files makes one in each epoch, in whatever order.
 *
 * Only what is alike is believed: a pass opens nearly all files that any opens (they are whole), or
 * each as many of a part of them, by chance. Then the next one may begin some opens before it is
 * noticed, so these can only confirm what something else tells. Times are ns since the trace's begin.
 */
#ifndef DLT_ANALYSIS_PASSES_H
#define DLT_ANALYSIS_PASSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/model/model.h"

struct file_open {
	int64_t at;
	uint32_t file;		/* from 0 */
	uint8_t size;		/* of it: four times the binary logarithm of its bytes, cut to a whole number */
};

struct passes {
	struct file_open *opens;	/* owned; by time; of files that are data */
	size_t open_count;
	bool own;		/* the process opened all itself */
	bool all;		/* and none of these is missing */
	size_t files;		/* of those that are known one by one */
	size_t *begins;		/* owned; indices into opens */
	size_t count;		/* 0: what it opens tells of none */
	bool whole;
};

/* To be released in any case. */
void passes_find(struct passes *s, const struct process *p);
void passes_release(struct passes *s);

/* Is it the process itself, or did it, or one before it, fork that one to read for it? */
bool passes_reads_for(const struct process *c, const struct process *p);
/* The files that a process opens, itself or by those that read for it, and which are its data. */
struct data_files {
	struct rhythm all;	/* owned */
	bool *is_data;		/* owned; by beat of `all` */
};

/* Once for all who read for `p`; false: there are none, or not all are known one by one. To be released in any case. */
bool data_files_find(struct data_files *d, const struct process *p);
void data_files_release(struct data_files *d);
/*
 * Every opening of these by `reader`, whether or not it is opened again, by time, into `opens` (owned by the
 * caller); an example that is looked at before it is read counts once.
 */
size_t data_files_opens(const struct data_files *d, const struct process *reader, struct file_open **opens);

#endif
