/* SPDX-License-Identifier: MIT */
/* What a process did before its iterations, in them, and after them. */
#include "analysis/phases.h"

#include <math.h>
#include <string.h>

#include "analysis/compilation.h"
#include "analysis/model/memory.h"

#define EPOCH_FACTOR 1.5	/* much of such an epoch is something else than training */
#define CONNECTS 500000000	/* ns: it has connected to LTTng by then; with buffers of its own that takes 200 ms */

static const char *const names[PHASES_MAX] = {
	[PHASE_START_UP] = "start-up", [PHASE_COMPILATION] = "compilation",
	[PHASE_WARM_UP] = "warm-up", [PHASE_STEADY] = "steady", [PHASE_END] = "end",
};

int phase_order(const char *name)
{
	int i = 0;

	while (i < PHASES_MAX && strcmp(names[i], name))
		i++;
	return i;
}

bool phase_known(const char *name)
{
	return phase_order(name) < PHASES_MAX;
}

/* ---- where they begin and end ---- */

static void add_phase(struct phases *ph, enum phase_id id, int64_t begin, int64_t end, const char *how)
{
	if (end > begin)
		ph->list[ph->count++] = (struct phase){ id, names[id], begin, end, 0, how };
}

/*
 * Of iterations that are only counted, those of the first epoch took so much longer than those of the second: which
 * of them did is not known.
 */
static bool is_warmed_by_epoch(const struct iterations *it)
{
	const struct epoch *e = it->epochs;

	if (it->listed || it->mean > 0 || it->warm_up || !it->epochs_timed || it->epoch_count < 2 || !e[0].iterations ||
	    !e[1].iterations)
		return false;
	return (double)(e[0].end - e[0].begin) / (double)e[0].iterations >
	       EPOCH_FACTOR * (double)(e[1].end - e[1].begin) / (double)e[1].iterations;
}

static void count_iterations(struct phases *ph, const struct iterations *it)
{
	for (size_t i = 0; i < it->listed; i++)
		for (size_t k = 0; k < ph->count; k++)
			ph->list[k].iterations += it->list[i].begin >= ph->list[k].begin &&
						  it->list[i].begin < ph->list[k].end;
	for (size_t k = 0; k < ph->count && !it->listed; k++) {
		uint64_t warm_up = is_warmed_by_epoch(it) ? it->epochs[0].iterations : it->warm_up;

		if (ph->list[k].id == PHASE_WARM_UP)
			ph->list[k].iterations = warm_up;
		if (ph->list[k].id == PHASE_STEADY)
			ph->list[k].iterations = it->count - warm_up;
	}
}

/* From when to when it does the same again and again. */
struct work {
	int64_t first, last;
	int64_t warm;		/* when it takes no longer than later */
	int64_t compiled;	/* until then its code may be compiled */
	const char *begins, *warms, *goes_on;
};

/* The first iteration may be what has its code compiled, whether it stands out or not. */
static struct work work_of_iterations(const struct iterations *it)
{
	bool by_epoch = is_warmed_by_epoch(it);
	int64_t warm = by_epoch ? it->epochs[0].end : it->warm_up ? it->warm : it->begin;

	return (struct work){
		.first = it->begin, .last = it->end + 1,	/* its last call, too */
		.warm = warm, .compiled = it->warm_up || !it->listed ? warm : it->list[0].end,
		.begins = "until the first iteration",
		.warms = by_epoch ? "the first epoch, slower than the others: how long each of its iterations took is "
				    "not known" : "first iterations that were slower than the others",
		.goes_on = "iterations",
	};
}

/* Epochs that were found without iterations: the first takes longer where anything does. */
static struct work work_of_epochs(const struct iterations *it)
{
	return (struct work){
		.first = it->epochs[0].begin, .last = it->epochs[it->epoch_count - 1].end,
		.warm = it->epochs[0].end, .compiled = it->epochs[0].end, .begins = "until the first epoch",
		.warms = "the first epoch: iterations were not found",
		.goes_on = "the other epochs, and what comes after them: iterations were not found",
	};
}

/* How the time before the iterations is divided. */
struct before {
	struct compilation c;
	const char *how;	/* NULL: nothing was compiled */
};

static struct before find_before(const struct process *p, const struct work *w)
{
	struct before b = { .how = NULL };
	struct compilation inside;

	if (compilation_find(p, w->first, w->compiled, &b.c))
		b.how = "compilers that it ran, until the first iteration";
	if (!compilation_inside(p, w->first, w->compiled, w->last, &inside))
		return b;
	if (!b.how || inside.begin < b.c.begin)
		b.c.begin = inside.begin;
	if (!b.how || inside.end > b.c.end)
		b.c.end = inside.end;
	b.how = b.how ? b.how : "likely: many times the heap calls a second of CPU time that iterations make";
	return b;
}

/*
 * The trace's time begins with its first event, which a process can only emit when it has connected to LTTng, some
 * 300 us after it began. What was recorded later while it ran began before 0.
 */
static int64_t begin_of(const struct process *p)
{
	bool with_trace = p->begin == UNKNOWN || (p->begin < 0 && p->begin > -CONNECTS);

	return with_trace ? 0 : p->begin;
}

static struct phases own(const struct process *p)
{
	const struct iterations *it = process_iterations(p);
	const struct work w = it->how ? work_of_iterations(it) : work_of_epochs(it);
	int64_t begin = begin_of(p), end = p->end != UNKNOWN ? p->end : p->trace->end, first = w.first;
	struct before b = find_before(p, &w);
	struct phases ph = { .of = p };

	if (b.how) {
		first = b.c.end > first ? b.c.end : first;
		add_phase(&ph, PHASE_START_UP, begin, b.c.begin, "until compiling begins");
		add_phase(&ph, PHASE_COMPILATION, b.c.begin > begin ? b.c.begin : begin, first, b.how);
	} else {
		add_phase(&ph, PHASE_START_UP, begin, first, w.begins);
	}
	add_phase(&ph, PHASE_WARM_UP, first, w.warm, w.warms);
	add_phase(&ph, PHASE_STEADY, w.warm > first ? w.warm : first, w.last, w.goes_on);
	add_phase(&ph, PHASE_END, w.last, end, "after the last iteration");
	if (it->how)
		count_iterations(&ph, it);
	return ph;
}

/* ---- of those who help ---- */

/* What divides a process. Workers read the same data as who trains, so epochs count where nobody has iterations. */
typedef bool (*divides_fn)(const struct iterations *it);

static bool by_iterations(const struct iterations *it)
{
	return it->how && it->begin != UNKNOWN;
}

static bool by_epochs(const struct iterations *it)
{
	return it->epochs_timed && it->epoch_count > 1;
}

static const divides_fn divides[] = { by_iterations, by_epochs };

/* The one of the trace that did most: a launcher waits for it. */
static const struct process *find_busiest(const struct trace *t, divides_fn is_divided)
{
	const struct process *best = NULL;

	for (size_t i = 0; i < t->process_count; i++) {
		const struct process *p = t->processes[i];

		if (p->merged || process_foreign(p) || !is_divided(process_iterations(p)))
			continue;
		if (!best || p->sample.user + p->sample.system > best->sample.user + best->sample.system)
			best = p;
	}
	return best;
}

/* Asked for each of many processes, found once. */
const struct process *trace_busiest(const struct trace *t)
{
	struct trace *owner = (struct trace *)(uintptr_t)t;

	for (size_t i = 0; i < sizeof(divides) / sizeof(divides[0]) && !owner->busiest && !t->busiest_known; i++)
		owner->busiest = find_busiest(t, divides[i]);
	owner->busiest_known = true;
	return t->busiest;
}

static struct phases find(const struct process *p)
{
	const struct process *busiest = trace_busiest(p->trace);

	for (size_t i = 0; i < sizeof(divides) / sizeof(divides[0]); i++) {
		const struct process *one = p;

		for (int depth = 0; one && depth < DEPTH_MOST; depth++, one = one->parent)
			if (divides[i](process_iterations(one)))
				return one == p ? own(p) : *phases_around(one);
		if (busiest && divides[i](process_iterations(busiest)))
			return *phases_around(busiest);
	}
	return (struct phases){ .count = 0 };
}

const struct phases *phases_around(const struct process *p)
{
	/* Analyses only look; what they find for the first time is kept where it is about. */
	struct process *owner = (struct process *)(uintptr_t)p;

	if (!owner->phases) {
		struct phases ph = find(p);

		owner->phases = xcalloc(1, sizeof(ph));
		*owner->phases = ph;
	}
	return owner->phases;
}

const struct phase *phase_at(const struct phases *ph, int64_t at)
{
	const struct phase *found = ph->count ? &ph->list[0] : NULL;

	for (size_t i = 1; i < ph->count; i++)
		if (at >= ph->list[i].begin)
			found = &ph->list[i];
	return found;
}

const char *phase_name_at(const struct phases *ph, int64_t at)
{
	const struct phase *one = at != UNKNOWN ? phase_at(ph, at) : NULL;

	return one ? one->name : "";
}

/* ---- what was called in them ---- */

/* Exact at both ends, so that parts add up. */
static uint64_t up_to(uint64_t n, double share)
{
	return share < 1 ? (uint64_t)((double)n * share + 0.5) : n;
}

static void add_part(struct slice *sum, const uint64_t n[TALLY_WORDS], double before, double until)
{
	uint64_t part[TALLY_WORDS];

	for (int w = 0; w < TALLY_WORDS; w++)
		part[w] = up_to(n[w], until) - up_to(n[w], before);
	sum->calls += part[0];
	sum->outer += part[1];
	sum->nested += part[2];
	sum->bytes += part[3];
}

/* Calls of the slice next to it. */
static double beside(const struct tally *t, size_t i, int step)
{
	size_t next = i + (size_t)step;

	return next < t->count && t->buckets[next].at == t->buckets[i].at + step ? (double)t->buckets[next].n[0] : 0;
}

/*
 * Of a slice that a border cuts, each phase has as much as lies in it, by what goes on in the slices before and after:
 * a phase that begins with the first launch leaves none to the one before. Whole calls, so that none has the time of
 * no call.
 */
static void share(const struct phases *ph, const struct tally *t, size_t at, int64_t width, struct slice *sums)
{
	const uint64_t *n = t->buckets[at].n;
	int64_t from = tally_begin(t, &t->buckets[at]), to = from + width;
	double before = beside(t, at, -1), after = beside(t, at, 1), even = before + after > 0 ? 0 : 1;
	double part[PHASES_MAX] = { 0 }, all = 0, reached = 0, done = 0;
	size_t last = (size_t)(phase_at(ph, from + width / 2) - ph->list);

	for (size_t i = 0; i < ph->count; i++) {
		int64_t begin = ph->list[i].begin > from ? ph->list[i].begin : from;
		int64_t end = ph->list[i].end < to ? ph->list[i].end : to;

		if (end <= begin)
			continue;
		part[i] = (double)(end - begin) * (even + (begin > from ? after : 0) + (end < to ? before : 0));
		all += part[i];
		last = i;
	}
	for (size_t i = 0; i < last; i++) {
		double until;

		reached += part[i];
		until = all > 0 ? reached / all : 0;
		if (n[0])
			until = floor((double)n[0] * until + 0.5) / (double)n[0];
		add_part(&sums[i], n, done, until);
		done = until;
	}
	add_part(&sums[last], n, done, 1);
}

int64_t phases_slices(const struct phases *ph, const struct tally *t, struct slice *sums)
{
	int64_t width = t->count ? (int64_t)(1ULL << t->shift) : 0;

	memset(sums, 0, ph->count * sizeof(*sums));
	for (size_t i = 0; i < t->count && ph->count; i++)
		share(ph, t, i, width, sums);
	return width;
}

/* What it was before the phase goes on until something else is known. */
struct phase_level phase_level(const struct phases *ph, size_t index, const struct curve *c)
{
	int64_t from = index ? ph->list[index].begin : INT64_MIN;
	int64_t to = index + 1 < ph->count ? ph->list[index].end : INT64_MAX;
	struct phase_level level = { UNKNOWN, UNKNOWN, { UNKNOWN, 0 } };

	for (size_t i = 0; i < c->count; i++) {
		struct curve_value points[3];
		size_t count = curve_points(&c->buckets[i], points);

		for (size_t k = 0; k < count && points[k].t < to; k++) {
			level.end = points[k].value;
			if (points[k].t < from)
				level.begin = points[k].value;
			else if (level.peak.t == UNKNOWN || points[k].value > level.peak.value)
				level.peak = points[k];
		}
	}
	if (level.begin != UNKNOWN && (level.peak.t == UNKNOWN || level.begin > level.peak.value))
		level.peak = (struct curve_value){ from, level.begin };
	return level;
}

/* ---- one of them alone ---- */

const struct phases *trace_phases(const struct model *m, size_t trace)
{
	const struct process *p = trace < m->trace_count ? trace_busiest(m->traces[trace]) : NULL;

	return p ? phases_around(p) : NULL;
}

struct time_range phase_range(const struct phases *ph, const char *name)
{
	for (size_t i = 0; ph && i < ph->count; i++)
		if (!strcmp(ph->list[i].name, name))
			return (struct time_range){ i ? ph->list[i].begin : INT64_MIN,
						    i + 1 < ph->count ? ph->list[i].end : INT64_MAX };
	return (struct time_range){ INT64_MAX, INT64_MIN };
}

void phases_keep(struct model *part, struct model *whole)
{
	for (size_t i = 0; i < part->trace_count && i < whole->trace_count; i++) {
		const struct trace *to = part->traces[i], *from = whole->traces[i];

		for (size_t k = 0; k < to->process_count && k < from->process_count; k++) {
			iterations_free(to->processes[k]->iterations);
			to->processes[k]->iterations = from->processes[k]->iterations;
			from->processes[k]->iterations = NULL;
		}
	}
}
