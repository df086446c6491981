/* SPDX-License-Identifier: MIT */
/*
 * Iterations of a process: taken from its own marks or ranges, else from its calls; then what they all have
 * in common: durations, warm-up, slow ones.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/analyses.h"
#include "analysis/frameworks.h"
#include "analysis/iterations.h"
#include "analysis/iterations_calls.h"
#include "analysis/iterations_time.h"
#include "analysis/model/memory.h"

/* Rounds of a long run are others than those known to the end when there are so many more. */
#define FINER		1.02
#define MOST_KNOWN	4	/* unless all but one of so many beats are known to the end */
#define FINER_TIME	1.5	/* times as long: parts of these */
#define FEW		8	/* rounds */
#define MOST_LOST 50		/* one event of so many */
/* By how much calls in runs must be surer than each by itself. */
#define SURER		0.05
/* Of the time in calls that compute: where less is in its rounds, something else may be its iterations. */
#define LEAST_SHARE	0.5

/* ---- which epoch it is ---- */

/* To which epoch each belongs. */
static void join_epochs(struct iterations *it)
{
	uint32_t epoch = 0;

	for (size_t i = 0; i < it->listed && it->epoch_count; i++) {
		epoch = iterations_epoch_at(it, epoch, it->list[i].begin);
		it->list[i].epoch = epoch;
		if (epoch < it->epoch_count)
			it->epochs[epoch].iterations++;
	}
}

static void slow_epochs(struct iterations *it)
{
	uint32_t epoch = 0;

	for (size_t i = 0; i < it->slowest_count && it->epoch_count; i++) {
		epoch = iterations_epoch_at(it, epoch, it->slowest[i].one.begin);
		it->slowest[i].one.epoch = epoch;
	}
}

/* ---- what it calls ---- */

static void epochs_from_calls(const struct process *p, const struct rounds *r, struct iterations *it)
{
	size_t *starts = NULL;

	it->epoch_count = epochs_find(r, p, &starts);
	if (it->epoch_count)
		it->epochs = xcalloc(it->epoch_count, sizeof(*it->epochs));
	for (size_t i = 0; i < it->epoch_count; i++) {
		size_t next = i + 1 < it->epoch_count ? starts[i + 1] : r->count;
		struct epoch *e = &it->epochs[i];

		*e = (struct epoch){
			.number = (int64_t)i + 1, .begin = it->list[starts[i]].begin,
			.end = next < r->count ? it->list[next].begin : r->ends[r->count - 1],
		};
		/* What lies between two epochs (evaluation, workers that start) is no iteration's. */
		it->list[next - 1].end = r->ends[next - 1];
		it->list[next - 1].cut |= r->ends[next - 1] < e->end;
		for (size_t k = starts[i]; k < next; k++)
			e->evaluations += r->forward[k];
	}
	free(starts);
}

/* The last that it calls or asks for: some take long to end after that. */
static int64_t last_of_all(const struct process *p)
{
	int64_t last = INT64_MIN;

	for (size_t i = 0; i < p->rhythm.count; i++)
		if (p->rhythm.beats[i].kind != BEAT_FREE && p->rhythm.beats[i].last > last)
			last = p->rhythm.beats[i].last;
	return last;
}

/* Passes over the files that it reads, or what it says, where there is no list to divide. */
static void epochs_from_rest(const struct process *p, int64_t work, int64_t end, struct iterations *it)
{
	it->epochs_by = "by the files that it reads";
	it->epoch_count = input_passes(p, work, end, &it->epochs);
	it->epochs_timed = it->epoch_count;
	if (!it->epoch_count) {
		it->epochs_by = "by what it says itself";
		it->epoch_count = said_epochs(p, work != UNKNOWN ? work : p->begin, last_of_all(p), &it->epochs);
	}
	/* All epochs are alike. What does not divide is no sure number of iterations, or of epochs. */
	if (it->how && it->epoch_count && it->count % it->epoch_count) {
		free(it->epochs);
		it->epochs = NULL;
		it->epoch_count = 0;
	}
	for (size_t i = 0; it->how && i < it->epoch_count; i++)
		it->epochs[i].iterations = it->count / it->epoch_count;
}

/* Their number alone is known. */
static void from_number(const struct process *p, const struct rounds *r, struct iterations *it)
{
	it->count = r->count;
	it->end = p->end != UNKNOWN ? p->end : p->trace->end;
	epochs_from_rest(p, UNKNOWN, it->end, it);
	if (it->epoch_count)
		it->begin = it->epochs[0].begin;
}

static void from_all(const struct process *p, const struct rounds *r, struct iterations *it)
{
	it->count = it->listed = r->count;
	it->list = xcalloc(r->count, sizeof(*it->list));
	for (size_t i = 0; i < r->count; i++) {
		it->list[i].begin = r->begin.at[i];
		it->list[i].last = r->ends[i];
		it->list[i].end = i + 1 < r->count ? r->begin.at[i + 1] : r->ends[i];
		it->evaluations += r->forward[i];
	}
	it->list[r->count - 1].cut = true;
	it->begin = it->list[0].begin;
	epochs_from_calls(p, r, it);
	it->end = it->list[it->listed - 1].end;
}

/* Too many to tell one by one. */
static void from_long(const struct process *p, const struct long_run *run, struct iterations *it)
{
	it->how = "calls";
	it->confidence = run->confidence;
	it->count = run->count;
	it->evaluations = run->evaluations;
	it->begin = run->begin;
	it->end = run->end;
	it->median = run->median;
	if (run->beat)
		iterations_time_pace(it, run->beat->pace, run->beat->head, run->beat->head_used);
	epochs_from_rest(p, run->begin, run->end, it);
}

/*
 * Blocks of the size that its steps begin with are the interpreter's, too: what still imports does not train.
 * What is imported when it is first needed makes its first epoch begin a little late.
 */
static int64_t first_begin(const struct process *p, const struct within *w)
{
	int64_t begin = w->first;

	for (size_t i = 0; i < p->package_count; i++)
		if (p->packages[i].t > begin && p->packages[i].t < w->moments[0])
			begin = p->packages[i].t;
	return begin;
}

/* As many in each epoch as in those whose begin and end it says; more than `than` in all, which are known. */
static bool from_epochs(const struct process *p, struct iterations *it, uint64_t than)
{
	int64_t end = p->end != UNKNOWN ? p->end : p->trace->end;
	struct within w;
	bool found = within_find(&w, p) && w.each * w.epochs > than;

	if (found) {
		it->how = "calls";
		it->confidence = w.confidence;
		it->count = w.each * w.epochs;
		it->median = w.median;
		it->epoch_count = w.epochs;
		it->epochs_timed = true;
		it->epochs = xcalloc(w.epochs, sizeof(*it->epochs));
	}
	for (size_t i = 0; i < it->epoch_count; i++)
		it->epochs[i] = (struct epoch){
			.number = (int64_t)i + 1, .iterations = w.each,
			.begin = w.begins ? w.moments[i] : i ? w.moments[i - 1] : first_begin(p, &w),
			.end = !w.begins ? w.moments[i] : i + 1 < w.epochs ? w.moments[i + 1] : end,
		};
	if (found) {
		it->begin = it->epochs[0].begin;
		it->end = it->epochs[w.epochs - 1].end;
	}
	within_release(&w);
	return found;
}

/*
 * What is known to the end need not be what an iteration does, but an epoch: it is believed where
 * there are as many as in the long run's first part alone, and most of what works is known so.
 */
static bool is_fine(const struct rounds *r, const struct long_run *run)
{
	return run->first ? r->count >= run->first : 2 * run->hidden <= run->works;
}

/* What was forked works for another one (it loads data) when it does not compute. */
static bool is_helper(const struct process *p)
{
	return !p->rhythm.works && p->reason == 1;
}

static double sureness(const struct rounds *r)
{
	return r->family.even * (1 - 0.5 / (double)r->family.members);
}

/* Are the epochs in it of one length, the last one too? Where only blocks tell, one may be missing. */
static bool is_complete(const struct rounds *r, const struct process *p)
{
	size_t *starts = NULL, count = epochs_find(r, p, &starts);
	bool complete = count < 2 || r->count % starts[1] == 0;

	free(starts);
	return complete;
}

static bool agrees(const struct rounds *r, const struct process *p)
{
	size_t length;

	return input_epochs(r, p, &length) != INPUT_OTHERWISE;
}

static bool tells_epochs(const struct rounds *r, const struct process *p)
{
	size_t length;

	return input_epochs(r, p, &length) == INPUT_EPOCHS;
}

/*
 * By calls that compute; *coarser: what it reads says that there are fewer. What a GPU is given to do is looked at
 * alone, too: compilers in the process and libraries that load code make many calls, in a rhythm of their own.
 */
static bool find_by_work(struct rounds *best, const struct process *p, struct long_run *run, bool *cut,
			 bool *coarser)
{
	static const enum series_way ways[] = { SERIES_CALLS, SERIES_RUNS, SERIES_DEVICE };
	struct long_run device = { 0 };
	bool found = false;

	if (!run->sure && series_launches(p))
		long_find(&device, p, SERIES_DEVICE);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]) && p->rhythm.works; i++) {
		const struct long_run *of = ways[i] == SERIES_DEVICE ? &device : run;
		struct rounds r;
		bool better;

		if (of == &device && !device.works)
			continue;
		better = rounds_find(&r, p, ways[i], INT64_MAX) && is_fine(&r, of) && agrees(&r, p) &&
			 (!found || sureness(&r) > sureness(best) + SURER);
		if (better && input_is_coarser(&r, p)) {
			*coarser = true;
			better = false;
		}
		*cut |= r.all.cut;
		if (better) {
			rounds_release(best);
			*best = r;
			found = true;
		} else {
			rounds_release(&r);
		}
	}
	if (device.sure)
		*run = device;
	return found;
}

static uint64_t evaluations(const struct rounds *r)
{
	uint64_t count = 0;

	for (size_t i = 0; i < r->count; i++)
		count += r->forward[i];
	return count;
}

/*
 * A last batch that is smaller may do so little that it looks like one which only goes forward. Where the
 * batches that are read are as many with it, and are trained on alike, it is one of these.
 */
static void join_last_batches(struct rounds *best, const struct process *p)
{
	struct rounds batches;

	if (!evaluations(best))
		return;
	if (rounds_by_batches(&batches, p) && batches.begin.count &&
	    batches.count == best->count + evaluations(best)) {
		rounds_release(best);
		*best = batches;
		return;
	}
	rounds_release(&batches);
}

/* Few rounds may be epochs: does something repeat within them? */
static bool are_epochs(const struct rounds *r, const struct process *p)
{
	struct rounds fine = { .count = 0 };
	bool epochs = r->count < FEW && rounds_by_repeats(&fine, p) && fine.count >= 2 * r->count;

	rounds_release(&fine);
	return epochs;
}

/* Does nobody but Python itself ask for what tells the rounds? */
static bool is_interpreters(const struct rounds *r, const struct process *p)
{
	const struct series_of *anchor = r->family.anchor;

	for (size_t i = 0; i < r->all.count; i++) {
		const struct series_of *s = &r->all.list[i];

		if (s->count == anchor->count && (s == anchor || series_alternate(anchor, s)) &&
		    !library_is_interpreter(process_library(p, s->beat->library)))
			return false;
	}
	return true;
}

/*
 * A few blocks come evenly in any program: of one that nothing else tells to compute they say nothing. Nor do any
 * number of the interpreter's own, which are modules that it reads, and tables of theirs that grow.
 */
static bool tells_steps(const struct rounds *r, const struct process *p)
{
	return p->rhythm.works || *process_engine(p) || (r->count >= FEW && !is_interpreters(r, p));
}

/* By large blocks; where batches are known that it reads, there are as many rounds. */
static bool find_by_blocks(struct rounds *best, const struct process *p, bool trains, bool *coarser)
{
	struct rounds blocks, batches = { .count = 0 };
	bool known = trains && !*coarser && rounds_by_batches(&batches, p), found;

	found = rounds_find(&blocks, p, SERIES_BLOCKS, INT64_MAX) && is_complete(&blocks, p) &&
		!said_too_few(&blocks, p) && !input_is_finer(&blocks, p) && agrees(&blocks, p) &&
		tells_steps(&blocks, p);
	if (found && input_is_coarser(&blocks, p)) {
		/* Of batches, there is only their word against that of blocks. Steps of one example are the rounds. */
		*coarser = !input_is_steps(p);
		found = false;
	}
	if (found && !known && !tells_epochs(&blocks, p))
		found = !are_epochs(&blocks, p) && rounds_with_last(&blocks, p);
	if (known && (!found || blocks.count != batches.count)) {
		*best = batches;
		rounds_release(&blocks);
		return true;
	}
	*best = blocks;
	rounds_release(&batches);
	return found;
}

/* By what else it does: large blocks, files. To be released in any case. */
static bool find_without_calls(struct rounds *best, const struct process *p, bool trains, bool coarser)
{
	bool found = find_by_blocks(best, p, trains, &coarser);

	if (!found && !coarser && trains) {
		rounds_release(best);
		found = rounds_by_input(best, p);
	}
	if (!found && !coarser && trains) {
		rounds_release(best);
		found = rounds_by_repeats(best, p) && !still_imports(p, &best->begin) && is_complete(best, p) &&
			!said_too_few(best, p) && !input_is_finer(best, p) && agrees(best, p) &&
			!input_is_coarser(best, p) && (tells_epochs(best, p) || rounds_with_last(best, p));
	}
	return found;
}

static bool divide_into_epochs(const struct rounds *r, const struct process *p)
{
	size_t *starts = NULL, count = epochs_find(r, p, &starts);

	free(starts);
	return count > 1;
}

/*
 * Rounds of calls may be what it evaluates, where nothing that it trains with is seen: then they are little of what it
 * computes. What else it does may know fewer rounds, which have all of that, and epochs.
 */
static void doubt_work(struct rounds *best, const struct process *p)
{
	struct rounds other;

	if (!best->begin.count || rounds_share(best, p) >= LEAST_SHARE)
		return;
	if (find_without_calls(&other, p, true, false) && other.begin.count && other.count < best->count &&
	    rounds_share(&other, p) >= LEAST_SHARE && divide_into_epochs(&other, p)) {
		rounds_release(best);
		*best = other;
		return;
	}
	rounds_release(&other);
}

/* Are there more of those rounds than words? */
static bool are_finer(const struct words *w, const struct rounds *r)
{
	const struct series_of *words = &w->rounds.begin;
	int64_t from = words->at[0], to = words->at[words->count - 1];

	return series_before(&r->begin, to) > series_before(&r->begin, from) + words->count;
}

/* Do they take less time, of a run of which no more is known? */
static bool is_finer(const struct words *w, const struct long_run *run)
{
	const struct series_of *words = &w->rounds.begin;
	double each = (double)(words->at[words->count - 1] - words->at[0]) / (double)(words->count - 1);

	return FINER_TIME * (double)(run->end - run->begin) / (double)run->count < each;
}

static void take_words(struct words *w, struct rounds *best, bool *found, struct long_run *run)
{
	run->sure = w->what == WORDS_SURE && w->total;
	*found = w->what == WORDS_SURE && !w->total;
	if (run->sure)
		*run = (struct long_run){
			.sure = true, .count = w->total, .begin = w->rounds.begin.at[0], .end = w->last,
			.confidence = sureness(&w->rounds), .first = w->rounds.count,
		};
	rounds_release(best);
	if (*found) {
		*best = w->rounds;
		w->rounds = (struct rounds){ 0 };
	}
}

/* What only goes forward has nothing but the order of its calls to tell that a last batch, of another size, is one. */
static void join_last_words(struct rounds *best, struct words *w)
{
	if (w->what == WORDS_NONE || w->layers || !w->last_ones || !best->begin.count ||
	    (evaluations(best) && evaluations(best) != w->last_ones) ||
	    w->rounds.count != best->count + w->last_ones)
		return;
	w->rounds.family.even = best->family.even;
	w->rounds.family.members = best->family.members;
	rounds_release(best);
	*best = w->rounds;
	w->rounds = (struct rounds){ 0 };
}

/*
 * Where layers are alike, any of them looks like a round to what asks each call: the order of all of them is believed
 * more. In doubt nothing is that has more rounds.
 */
static void believe_words(struct rounds *best, bool *found, struct long_run *run, const struct process *p)
{
	struct words w;

	words_find(&w, p);
	if (w.what != WORDS_NONE && w.layers && agrees(&w.rounds, p) && !said_too_few(&w.rounds, p) &&
	    !input_is_coarser(&w.rounds, p) &&
	    (*found ? are_finer(&w, best) : !run->sure || is_finer(&w, run)))
		take_words(&w, best, found, run);
	else if (*found)
		join_last_words(best, &w);
	words_release(&w);
}

/*
 * The first way that tells something sure, or a later one that is surer by far; *cut: some calls came
 * too often for all their times to be kept. To be released in any case.
 */
static bool find_rounds(struct rounds *best, const struct process *p, struct long_run *run, bool *cut)
{
	bool coarser = false, found = find_by_work(best, p, run, cut, &coarser);
	/* Any program may read files again and again: here it is known to train. */
	bool trains;

	if (p->rhythm.works)
		believe_words(best, &found, run, p);
	trains = (p->rhythm.works || *process_engine(p)) && !run->sure;
	if (found && trains)
		doubt_work(best, p);
	if (found) {
		join_last_batches(best, p);
	} else {
		rounds_release(best);
		found = find_without_calls(best, p, trains, coarser);
	}
	if (found && best->begin.count) {
		rounds_with_last_launched(best, p);
		rounds_begin_early(best);
	}
	return found;
}

static void set_why_not(const struct process *p, struct iterations *it, bool cut)
{
	if (p->rhythm.works)
		it->why_not = cut ? "not found: its beginning does not tell how the rest goes on" :
				    "not found: what it calls does not repeat evenly";
	else if (*process_engine(p))
		it->why_not = "not found: no call of it that computes is seen, and its large blocks of "
			      "memory repeat unevenly, or while it imports";
}

/* What repeats in the rest may be the gaps. */
static bool is_full_of_gaps(const struct process *p)
{
	return process_lost(p) > p->read / MOST_LOST;
}

static bool from_calls(const struct process *p, struct iterations *it)
{
	struct long_run run = { 0 };
	struct rounds r = { 0 };
	bool found, cut = false;

	if (is_helper(p))
		return false;
	if (is_full_of_gaps(p)) {
		it->why_not = "not found: too many of its events were emitted and not read";
		return false;
	}
	if (p->rhythm.works)
		long_find(&run, p, SERIES_CALLS);
	found = find_rounds(&r, p, &run, &cut);
	if (run.sure && (!found || (MOST_KNOWN * run.hidden > run.works &&
				    (double)run.count > FINER * (double)r.count))) {
		from_long(p, &run, it);
	} else if (!p->rhythm.works && *process_engine(p) && from_epochs(p, it, r.count)) {
		;
	} else if (found) {
		it->how = "calls";
		it->confidence = sureness(&r);
		if (r.begin.count)
			from_all(p, &r, it);
		else
			from_number(p, &r, it);
	} else {
		set_why_not(p, it, cut);
		if (*process_engine(p))
			epochs_from_rest(p, UNKNOWN, p->end != UNKNOWN ? p->end : p->trace->end, it);
	}
	rounds_release(&r);
	return it->how != NULL;
}

/* ---- the whole ---- */

static struct iterations *find(const struct process *p)
{
	struct iterations *it = xcalloc(1, sizeof(*it));

	it->begin = it->end = it->warm = UNKNOWN;
	if (!iterations_from_marks(p, it) && !iterations_from_ranges(p, it) && !from_calls(p, it))
		return it;
	join_epochs(it);
	if (it->listed)
		iterations_time_list(it);
	slow_epochs(it);
	return it;
}

const struct iterations *process_iterations(const struct process *p)
{
	/* Analyses only look; what they find for the first time is kept where it is about. */
	struct process *owner = (struct process *)(uintptr_t)p;

	if (!owner->iterations) {
		owner->iterations = find(p);
		model_alive(p->trace->model);
	}
	return owner->iterations;
}
