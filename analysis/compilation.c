/* SPDX-License-Identifier: MIT */
/* When a process had code compiled, by the compilers that it ran, or by its framework. */
#include "analysis/compilation.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/frameworks.h"
#include "analysis/model/memory.h"
#include "analysis/model/times.h"

#define BUSY_LEAST	100000000	/* ns: a compiler that is only asked something takes less */
#define WINDOW		500000000	/* ns: several readings, so that none alone decides */
#define GAP_MOST	2		/* windows without it in between */
#define CPU_LEAST	20000000	/* ns of a window: below, a rate means nothing */
#define RATE_LEAST	0.4e6		/* allocations a second of CPU time */
#define RATE_FACTOR	4		/* of that of the steady iterations */
#define PARTS		4	/* of the steady iterations */
#define IMPORTS_LEAST	2		/* packages of a window: a single one may be loaded when it is first needed */

struct span {
	int64_t begin, end;
};

static bool is_compiler(const struct process *p)
{
	static const char *const names[] = {
#include "analysis/compilers.tbl"
	};
	const char *name = process_name(p);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!fnmatch(names[i], name, 0))
			return true;
	return false;
}

/* That of the driver (g++) that runs it; workers that wait for something to compile live longer. */
static int64_t begin_of(const struct process *compiler, const struct process *of)
{
	const struct process *driver = compiler->parent;

	if (driver == of || driver->begin == UNKNOWN || !strcmp(process_name(driver), process_name(of)))
		return compiler->begin;
	return driver->begin;
}

static int by_begin(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

/* Lives of the compilers that began before `until`, by their begin; the caller's. */
static struct span *lives(const struct process *p, int64_t until, size_t *count)
{
	const struct trace *t = p->trace;
	struct span *list = xcalloc(t->process_count + 1, sizeof(*list));

	*count = 0;
	for (size_t i = 0; i < t->process_count; i++) {
		const struct process *one = t->processes[i];

		if (one->begin == UNKNOWN || one->begin >= until || one->merged || !is_compiler(one) ||
		    !process_descends(one, p))
			continue;
		list[(*count)++] = (struct span){
			begin_of(one, p), one->end != UNKNOWN ? one->end : one->last,
		};
	}
	if (*count)
		qsort(list, *count, sizeof(*list), by_begin);
	return list;
}

bool compilation_find(const struct process *p, int64_t until, struct compilation *c)
{
	struct span *list = lives(p, until, &c->compilers);
	int64_t covered = INT64_MIN;

	c->busy = 0;
	for (size_t i = 0; i < c->compilers; i++) {
		int64_t from = list[i].begin > covered ? list[i].begin : covered;

		if (list[i].end <= from)
			continue;
		c->busy += list[i].end - from;
		covered = list[i].end;
	}
	c->begin = c->compilers ? list[0].begin : UNKNOWN;
	c->end = covered < until ? covered : until;
	free(list);
	return c->busy >= BUSY_LEAST && c->end > c->begin;
}

/* ---- inside the process ---- */

static bool compiles(const struct process *p)
{
	static const char *const engines[] = { "JAX", "TensorFlow" };
	struct framework found[FRAMEWORKS_MAX];
	size_t count = process_frameworks(p, found);

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < sizeof(engines) / sizeof(engines[0]); k++)
			if (!strcmp(engines[k], found[i].rule->name) && found[i].state != FRAMEWORK_IMPORTED)
				return true;
	return false;
}

/* The last reading that is not after `at`, else the first one. */
static const struct rhythm_sample *reading(const struct rhythm *r, int64_t at)
{
	size_t after = FIRST_AFTER(r->samples, r->sample_count, at, at);

	return &r->samples[after ? after - 1 : 0];
}

/* Allocations a second of CPU time; 0 where there was hardly any. */
static double rate(const struct rhythm *r, int64_t from, int64_t to)
{
	const struct rhythm_sample *a = reading(r, from), *b = reading(r, to);

	if (b->cpu < a->cpu + CPU_LEAST || b->allocations <= a->allocations)
		return 0;
	return 1e9 * (double)(b->allocations - a->allocations) / (double)(b->cpu - a->cpu);
}

/* Of the parts of the steady iterations in which it works: a batch of another size is compiled among them. */
static double least_rate(const struct rhythm *r, int64_t from, int64_t to)
{
	double least = 0;

	for (int i = 0; i < PARTS; i++) {
		double one = rate(r, from + (to - from) / PARTS * i, from + (to - from) / PARTS * (i + 1));

		least = one > 0 && (least == 0 || one < least) ? one : least;
	}
	return least;
}

/* Whole windows that end there and have no reading, at least one: in a trace that claims years, all at once. */
static int64_t unread(const struct rhythm *r, int64_t at)
{
	int64_t ns = at - reading(r, at)->at;

	return ns > WINDOW ? ns - ns % WINDOW : WINDOW;
}

/* A program's imports: of Python packages, crowds; each reads and runs the code of hundreds of modules. */
static bool imports(const struct process *p, int64_t from, int64_t to)
{
	size_t count = 0;

	for (size_t i = 0; i < p->package_count; i++)
		count += p->packages[i].t >= from && p->packages[i].t < to;
	return count >= IMPORTS_LEAST;
}

bool compilation_inside(const struct process *p, int64_t first, int64_t until, int64_t to, struct compilation *c)
{
	const struct rhythm *r = &p->rhythm;
	double least;
	int64_t gap = 0, step;

	*c = (struct compilation){ .begin = UNKNOWN, .end = UNKNOWN };
	if (!r->sample_count || p->heap_cover || p->begin == UNKNOWN || !compiles(p))
		return false;
	least = RATE_FACTOR * least_rate(r, until, to);
	least = least > RATE_LEAST ? least : RATE_LEAST;
	/*
	 * Imports, which come before, have high rates, too: back from the first iterations until it ends, or until
	 * packages were imported. Within them it may be interrupted: parts of XLA work on what others have allocated.
	 */
	for (int64_t at = until; at - WINDOW > p->begin && at > r->samples[0].at && (gap <= GAP_MOST || at > first);
	     at -= step) {
		step = unread(r, at);
		if (at <= first && imports(p, at - step, at))
			break;
		if (rate(r, at - WINDOW, at) < least) {
			gap += c->end != UNKNOWN ? step / WINDOW : 0;
			continue;
		}
		c->end = c->end != UNKNOWN ? c->end : at;
		c->begin = at - WINDOW;
		c->busy += WINDOW;
		gap = 0;
	}
	return c->busy >= BUSY_LEAST && c->end > c->begin;
}
