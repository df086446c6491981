/* SPDX-License-Identifier: MIT */
/*
 * The rounds in which a process repeats its calls, as a family of series shows them. Moments are ns since the trace's
 * begin.
 */
#ifndef DLT_ANALYSIS_ITERATIONS_CALLS_H
#define DLT_ANALYSIS_ITERATIONS_CALLS_H

#include "analysis/series.h"

/* Series that come once a round each, always in the same order. */
struct family {
	const struct series_of *anchor;	/* borrowed; the first one in a round; NULL: files tell the rounds */
	size_t members;
	double even;		/* how much of everything else comes equally often in each round */
};

/* By large blocks alone, where no call computes; members 0: nothing that is sure. */
struct family memory_family(const struct all_series *s, const struct process *p);

/*
 * Imports have their rhythms, too: are packages still imported in a quarter of these rounds, and in the later half?
 * What is first needed may be imported in the first of them, and here and there; where they are few, in less than
 * half.
 */
bool still_imports(const struct process *p, const struct series_of *rounds);

struct rounds {
	struct all_series all;	/* owned */
	struct family family;
	size_t count;
	struct series_of begin;	/* the first thing of each round, the family's or not; owned */
	int64_t *ends;		/* owned; the family's last beat of each round */
	uint32_t *forward;	/* owned; batches after each round that only went forward */
	size_t other_last;	/* every so many'th is a last batch of another size; 0: not known */
};

/*
 * By what is known one by one before `until` (INT64_MAX: to the end). False: nothing that is sure.
 * To be released in any case.
 */
bool rounds_find(struct rounds *r, const struct process *p, enum series_way way, int64_t until);
void rounds_release(struct rounds *r);

/*
 * What tells of rounds may come anywhere in a step: then the first step lies before the first of them, and the last of
 * them is a moment. A step begins with what comes first in the last one, of all that comes as often in each.
 */
void rounds_begin_early(struct rounds *r);

/*
 * 0 to 1: how much of the time in calls that compute is that of usual rounds, from the first one's begin on; the rest
 * is in pauses between some. Of rounds whose begins are known.
 */
double rounds_share(const struct rounds *r, const struct process *p);

/* A run of which some beats came too often for all their times to be kept. */
struct long_run {
	uint64_t count, evaluations;
	int64_t begin, end;	/* of the first, of the last */
	double median;		/* ns, of neighbours' means; 0: not known */
	const struct beat *beat;	/* borrowed; comes once in each, how far apart is known; NULL: none */
	double confidence;
	uint64_t first;		/* of them are known one by one; 0: none found */
	size_t works, hidden;	/* beats that work; those not known to the end */
	bool sure;		/* the first rounds are like all others */
};

void long_find(struct long_run *run, const struct process *p, enum series_way way);

enum input_says {
	INPUT_NOTHING,
	INPUT_EPOCHS,		/* so many rounds each */
	INPUT_OTHERWISE,	/* passes, which the rounds do not divide into: they are not what they seem */
};

/* What passes over the files that it reads say of the rounds. */
enum input_says input_epochs(const struct rounds *r, const struct process *p, size_t *length);

/* Does it read files in more batches than there are rounds? */
bool input_is_finer(const struct rounds *r, const struct process *p);

/* Does it read files in fewer batches, which it reads itself one by one, than there are rounds? */
bool input_is_coarser(const struct rounds *r, const struct process *p);

/* Is each example that it opens a step of its own? *sure: 0 to 1. */
struct passes;
bool passes_are_steps(const struct passes *s, const struct process *p, double *sure);

/* The same of all of them, where no batches are told by distances. */
bool input_is_steps(const struct process *p);

/* Rounds by the distances in which files are opened. To be released in any case. */
bool rounds_by_input(struct rounds *r, const struct process *p);

/* Rounds by large blocks that come equally often in each, however often that is. To be released in any case. */
bool rounds_by_repeats(struct rounds *r, const struct process *p);

/* Rounds by the order of all calls, which repeats as a whole. */
struct words {
	/* In doubt: each may be a part of a round, or begin elsewhere. */
	enum { WORDS_NONE, WORDS_DOUBT, WORDS_SURE } what;
	bool layers;		/* each goes forward through layers that are alike, and back */
	size_t last_ones;	/* of a smaller batch, each the last of a pass */
	int64_t last;		/* call of all */
	uint64_t total;		/* of a long run, whose first rounds alone are known; else 0 */
	struct rounds rounds;
};

/* To be released in any case. */
void words_find(struct words *w, const struct process *p);
void words_release(struct words *w);

/*
 * Rounds by blocks may be those of whole batches alone. Where every so many of them something else follows
 * that does as much with blocks of other sizes, it is a last batch, and a round: it becomes one. False: something
 * else follows, but it may as well be an evaluation.
 */
bool rounds_with_last(struct rounds *r, const struct process *p);

/*
 * On a GPU a last batch of another size is worked on by other kernels: where as much is launched after the rounds of
 * each epoch as in one of these, it becomes one.
 */
void rounds_with_last_launched(struct rounds *r, const struct process *p);

/* A batch, from its first example to when all of it is read. */
struct batch {
	int64_t begin, ready;
};

/* Do those that read examples which are always in the same part of a pass take another time than the others? */
bool batches_differ(const struct passes *s, const struct batch *list, size_t count);

/*
 * Rounds by the batches that are put together of what is read, by itself or by others; `begin` stays empty
 * where only their number is known. To be released in any case.
 */
bool rounds_by_batches(struct rounds *r, const struct process *p);

/*
 * Passes as epochs of a process whose single rounds are not known, into `epochs` (owned by the caller);
 * 0: none. What is over when the work begins is none. `to`: the end of the last.
 */
struct epoch;
size_t input_passes(const struct process *p, int64_t work, int64_t to, struct epoch **epochs);

/* Rounds of an epoch as the process counts them itself on its standard output or error; 0: it does not say. */
size_t said_rounds(const struct rounds *r, const struct process *p);

/*
 * The same where single rounds are not known, or there are none: epochs between `from` and `to`, into `epochs`
 * (owned by the caller); 0: it does not say.
 */
size_t said_epochs(const struct process *p, int64_t from, int64_t to, struct epoch **epochs);

/* The moments at which it says that it goes on to the next epoch, from the first on; the caller's; NULL: none. */
int64_t *said_moments(const struct process *p, size_t *count);
/* Does it go on to the next epoch with no more than a round in between? These may be epochs themselves. */
bool said_too_few(const struct rounds *r, const struct process *p);

/* Iterations by what comes equally often between these moments; the first epoch, which compiles, aside. */
struct within {
	size_t each, epochs;
	int64_t *moments;	/* owned; one for each epoch: at its end, or */
	bool begins;		/* at its begin */
	int64_t first;		/* what comes in each came for the first time */
	double median;		/* ns */
	double confidence;
};

/* False: nothing that is sure. To be released in any case. */
bool within_find(struct within *w, const struct process *p);
void within_release(struct within *w);

/* The rounds that each epoch begins with, from 0, into `starts` (owned by the caller); 0: not found. */
size_t epochs_find(const struct rounds *r, const struct process *p, size_t **starts);

#endif
