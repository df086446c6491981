/* SPDX-License-Identifier: MIT */
/*
 * Which runs are repetitions of each other, and which of these groups is compared with which.
 *
 * A job is one run, of as many traces as it has (jobs.h); what could not be read is none. Runs with the same labels
 * are one group; the runs of --baseline are apart from the others, whatever their labels, with those that were given
 * the same labels by somebody. The baseline is what --baseline names, else the group of the first trace, and those that
 * differ from it in model, dataset, batch, size and device only. A group's reference is the baseline with the same of
 * these; where there is none, the only baseline there is.
 */
#ifndef DLT_ANALYSIS_GROUPS_H
#define DLT_ANALYSIS_GROUPS_H

#include "analysis/labels.h"

#define NO_GROUP ((size_t)-1)

/* Whether a library of cuDNN was there, and whether it launched kernels. */
enum dnn_use { DNN_ABSENT, DNN_LOADED, DNN_USED };

struct run {
	const struct trace *trace;	/* borrowed; the first one of the job */
	size_t traces;			/* how many the job has */
	struct labels labels;		/* owned */
	size_t group;
	bool baseline;			/* named as one */
	bool failed;			/* exit status, signal, or nothing could be read: its times tell nothing */
	enum dnn_use cudnn;
};

struct group {
	size_t first, runs, failed;	/* first: index of its first run */
	bool baseline;
	size_t reference;		/* the group it is compared with; NO_GROUP: none */
	char *name;			/* owned; what tells it from the others, "PyTorch 1.13.1 resnet50 batch 8" */
	char *subject;			/* owned; without model, dataset, batch and device: heads a line of a study */
};

struct groups {
	struct run *runs;		/* owned; in the order of their first traces */
	size_t run_count;
	struct group *list;		/* owned; by first sight */
	size_t count;
	bool named;			/* --baseline was given */
};

/* Owned by the caller. */
struct groups groups_of(const struct model *m);
void groups_release(struct groups *g);

/* Of any of its runs: "used", "loaded", "no". */
const char *group_cudnn(const struct groups *g, size_t group);

/* Is it a label of what is done, as against what does it? */
bool group_is_case_key(const char *key);
/* Do both do the same? */
bool group_same_case(const struct groups *g, size_t a, size_t b);
const struct labels *group_labels(const struct groups *g, size_t group);

/* Sets names and subjects, no two groups' alike; of subjects only where the same is done. */
void groups_name(struct groups *g);

#endif
