/* SPDX-License-Identifier: MIT */
/*
 * What was different in a slow iteration: the functions that took longer, the time after its last
 * call, the CPU that it got, pages and files that it read. Each is compared with the mean of the
 * other iterations, and told if it is at least a fifth of what the iteration took too long.
 *
 * Of a long run calls are known by stretches of time that hold several iterations: there the ones
 * around the slow one are compared with all others.
 */
#include "analysis/slow.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analyses.h"
#include "analysis/model/times.h"

#define TICK_NS		1024.0	/* unit of struct tick's time */
#define WORTH_TELLING	0.2	/* of the time that was too much */
#define LIBRARY_SHOWN	32
#define FUNCTIONS_TOLD	2

struct reasons {
	char *text;
	size_t size, used;
};

__attribute__((format(printf, 2, 3)))
static void tell(struct reasons *r, const char *form, ...)
{
	va_list args;
	int n;

	if (r->used && r->used + 3 < r->size)
		r->used += (size_t)snprintf(r->text + r->used, r->size - r->used, "; ");
	va_start(args, form);
	n = vsnprintf(r->text + r->used, r->size - r->used, form, args);
	va_end(args);
	r->used += n > 0 ? (size_t)n : 0;
	if (r->used >= r->size)
		r->used = r->size - 1;
}

/* ---- functions ---- */

/* What is compared with the rest: one iteration, or those around it. */
struct around {
	int64_t begin, end;
	double inside, outside;	/* iterations */
};

struct part {
	uint16_t function, library;
	double inside, all;	/* ns in this iteration, in all of them */
	uint64_t calls, all_calls;
};

/* First tick that is not before `at`. */
static uint32_t tick_at(const struct beat *b, int64_t at)
{
	return (uint32_t)FIRST_FROM(b->ticks, b->used, at, at);
}

static void sum_ticks(const struct beat *b, int64_t begin, int64_t end, double *ns, uint64_t *calls)
{
	for (uint32_t i = tick_at(b, begin); i < b->used && b->ticks[i].at < end; i++) {
		*ns += b->ticks[i].time * TICK_NS;
		*calls += b->ticks[i].count;
	}
}

static struct part *part_of(struct part *parts, size_t *count, const struct beat *b)
{
	for (size_t i = 0; i < *count; i++)
		if (parts[i].function == b->function && parts[i].library == b->library)
			return &parts[i];
	parts[*count] = (struct part){ .function = b->function, .library = b->library };
	return &parts[(*count)++];
}

/* The caller's: by function and caller what was spent in them. A product is three beats: one counts. */
static struct part *sum_parts(const struct process *p, const struct iterations *it,
			      const struct around *one, size_t *count)
{
	const struct rhythm *r = &p->rhythm;
	struct part *parts = calloc(r->count + 1, sizeof(*parts));

	*count = 0;
	for (size_t i = 0; parts && i < r->count; i++) {
		const struct beat *b = &r->beats[i];
		struct part *part;

		if ((b->shift && it->listed) || b->kind == BEAT_RANGE || b->kind == BEAT_FREE ||
		    (b->kind == BEAT_BLAS && b->without != 'k'))
			continue;
		part = part_of(parts, count, b);
		sum_ticks(b, one->begin, one->end, &part->inside, &part->calls);
		sum_ticks(b, it->begin, it->end, &part->all, &part->all_calls);
	}
	return parts;
}

/* What it took more than the others did on average. */
static double more_in(const struct part *part, const struct around *a)
{
	return part->inside - (part->all - part->inside) / a->outside * a->inside;
}

static void tell_part(struct reasons *r, const struct process *p, const struct around *a,
		      const struct part *part)
{
	char around[64] = "";

	const struct library *l = process_library(p, part->library);
	double usual = (double)(part->all_calls - part->calls) / a->outside * a->inside;
	char time[32], calls[32], others[32];

	time_text(time, sizeof(time), more_in(part, a));
	if (a->inside > 1)
		snprintf(around, sizeof(around), ", with the %.0f iterations around it", a->inside - 1);
	tell(r, "%s more in %s%s%.*s%s", time, process_function(p, part->function)->name,
	     l ? " from " : "", LIBRARY_SHOWN, l ? base_name(l->path) : "", around);
	if ((double)part->calls > usual * 1.05 + 0.5)
		tell(r, "%s calls of it, else %s", count_text(calls, sizeof(calls), (double)part->calls),
		     count_text(others, sizeof(others), usual));
}

static void tell_functions(struct reasons *r, const struct process *p, const struct iterations *it,
			   const struct around *a, double extra)
{
	size_t count;
	struct part *parts = sum_parts(p, it, a, &count);

	for (int told = 0; told < FUNCTIONS_TOLD; told++) {
		struct part *most = NULL;

		for (size_t i = 0; parts && i < count; i++)
			if (!most || more_in(&parts[i], a) > more_in(most, a))
				most = &parts[i];
		if (!most || more_in(most, a) < WORTH_TELLING * extra)
			break;
		tell_part(r, p, a, most);
		most->inside = most->all = 0;
	}
	free(parts);
}

/* ---- what the samples say ---- */

static const struct { size_t offset; const char *name; double least; } counters[] = {
	{ offsetof(struct rhythm_sample, major_faults), "pages read from disk", 1 },
	{ offsetof(struct rhythm_sample, minor_faults), "page faults", 1000 },
	{ offsetof(struct rhythm_sample, involuntary), "times another task took its core", 5 },
};

/* The counter at that time, between samples by proportion. */
static double counter_at(const struct rhythm *r, size_t offset, int64_t at)
{
	size_t i = 0;
	double a, b, part;

	while (i + 1 < r->sample_count && r->samples[i + 1].at <= at)
		i++;
	a = (double)*(const uint64_t *)((const char *)&r->samples[i] + offset);
	if (i + 1 == r->sample_count || at <= r->samples[i].at)
		return a;
	b = (double)*(const uint64_t *)((const char *)&r->samples[i + 1] + offset);
	part = (double)(at - r->samples[i].at) / (double)(r->samples[i + 1].at - r->samples[i].at);
	return a + (b - a) * part;
}

/* In the iteration, and on average in the others. */
static double counted(const struct rhythm *r, const struct iterations *it,
		      const struct iteration *one, size_t offset, double *others)
{
	double in = counter_at(r, offset, one->end) - counter_at(r, offset, one->begin);
	double all = counter_at(r, offset, it->end) - counter_at(r, offset, it->begin);

	*others = (all - in) / (double)(it->count - 1);
	return in;
}

static void tell_samples(struct reasons *r, const struct process *p, const struct iterations *it,
			 const struct iteration *one, double extra)
{
	const struct rhythm *rhythm = &p->rhythm;
	double others, cpu, apart;
	char time[32], number[32], usual[32];

	if (rhythm->sample_count < 3)
		return;
	/* Samples that are further apart than it lasted say nothing about it. */
	apart = (double)(rhythm->samples[rhythm->sample_count - 1].at - rhythm->samples[0].at) /
		(double)(rhythm->sample_count - 1);
	if ((double)(one->end - one->begin) < 2 * apart)
		return;
	cpu = counted(rhythm, it, one, offsetof(struct rhythm_sample, cpu), &others) - others;
	if (cpu <= 0)
		tell(r, "it waited (no more CPU time than the others)");
	else if (cpu < WORTH_TELLING * extra)
		tell(r, "it waited: only %s more CPU time", time_text(time, sizeof(time), cpu));
	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
		double in = counted(rhythm, it, one, counters[i].offset, &others);

		if (in >= counters[i].least && in > 2 * others)
			tell(r, "%s %s, else %s", count_text(number, sizeof(number), in), counters[i].name,
			     count_text(usual, sizeof(usual), fmax(others, 0)));
	}
}

/* ---- the whole ---- */

/* Mean of what others took between their last call and the next one's first; 0: of none it is known. */
static double usual_tail(const struct iterations *it, const struct iteration *but)
{
	double sum = 0;
	size_t count = 0;

	for (size_t i = 0; i < it->listed; i++)
		if (it->list[i].begin != but->begin && !it->list[i].cut) {
			sum += (double)(it->list[i].end - it->list[i].last);
			count++;
		}
	return count ? sum / (double)count : 0;
}

/* The stretches of all that is known of calls, and the iterations that lie in them. */
static struct around widened(const struct process *p, const struct iterations *it, const struct iteration *one)
{
	struct around a;
	uint8_t shift = 0;
	double part;

	for (size_t i = 0; i < p->rhythm.count; i++)
		if (p->rhythm.beats[i].shift > shift)
			shift = p->rhythm.beats[i].shift;
	a.begin = one->begin >> shift << shift;
	a.end = ((one->end >> shift) + 1) << shift;
	/* Those of usual length, but for the slow one. */
	part = (double)((a.end - a.begin) - (one->end - one->begin)) / it->median;
	a.inside = 1 + (part > 0 ? floor(part) : 0);
	a.outside = (double)it->count - a.inside;
	return a;
}

const char *slow_why(const struct process *p, const struct iterations *it, const struct iteration *one, char *why,
		     size_t size)
{
	struct around a = { one->begin, one->end, 1, (double)it->count - 1 };
	double extra = (double)(one->end - one->begin) - it->median, tail = 0;
	struct reasons r = { why, size, 0 };
	char time[32];

	*why = '\0';
	if (!it->listed)
		a = widened(p, it, one);
	if (a.outside < 1)
		return why;
	tell_functions(&r, p, it, &a, extra);
	if (one->last != UNKNOWN)
		tail = (double)(one->end - one->last) - usual_tail(it, one);
	if (tail > WORTH_TELLING * extra)
		tell(&r, "%s more after its %s (loading data, the program itself)",
		     time_text(time, sizeof(time), tail), strcmp(it->how, "ranges") ? "last call" : "range");
	tell_samples(&r, p, it, one, extra);
	return why;
}
