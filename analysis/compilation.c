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
#define BUSY_SHARE	0.1		/* of the time from the first until the iterations */
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

struct spans {
	struct span *list;	/* owned */
	size_t count, capacity;
};

/* A program that runs compilers is also asked where a library is: that takes less. */
static bool is_compiler(const char *name, int64_t lived)
{
	static const struct {
		const char *pattern;
		bool runs_them;
	} programs[] = {
#include "analysis/compilers.tbl"
	};

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		if (!fnmatch(programs[i].pattern, name, 0))
			return !programs[i].runs_them || lived >= BUSY_LEAST;
	return false;
}

static void add_life(struct spans *s, const char *name, int64_t begin, int64_t end, int64_t until)
{
	if (begin == UNKNOWN || begin >= until || end <= begin || !is_compiler(name, end - begin))
		return;
	s->list = xgrow(s->list, s->count, &s->capacity, sizeof(*s->list));
	s->list[s->count++] = (struct span){ begin, end };
}

/* Most compilers are only counted: whoever ran them tells of those. */
static void add_children(struct spans *s, const struct children *c, int64_t until)
{
	for (size_t i = 0; i < c->kept; i++) {
		const struct child *one = &c->list[i];

		if (one->unseen && one->path && one->end != INT64_MAX)
			add_life(s, base_name(one->path), one->begin, one->end, until);
	}
}

static int by_begin(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

/* One behind the other: what overlaps is one. */
static void join(struct spans *s)
{
	size_t used = 0;

	qsort(s->list, s->count, sizeof(*s->list), by_begin);
	for (size_t i = 1; i < s->count; i++) {
		struct span *last = &s->list[used];

		if (s->list[i].begin > last->end)
			s->list[++used] = s->list[i];
		else if (s->list[i].end > last->end)
			last->end = s->list[i].end;
	}
	s->count = used + 1;
}

/* When compilers ran for it that began before `until`; the caller's. */
static struct spans compilers_ran(const struct process *p, int64_t until)
{
	const struct trace *t = p->trace;
	struct spans s = { 0 };

	add_children(&s, &p->offspring, until);
	for (size_t i = 0; i < t->process_count; i++) {
		const struct process *one = t->processes[i];

		if (one->merged || !process_descends(one, p))
			continue;
		add_life(&s, process_name(one), one->begin, one->end != UNKNOWN ? one->end : one->last, until);
		add_children(&s, &one->offspring, until);
	}
	if (s.count)
		join(&s);
	return s;
}

bool compilation_find(const struct process *p, int64_t first, int64_t until, struct compilation *c)
{
	struct spans s = compilers_ran(p, until);
	int64_t end = s.count ? s.list[s.count - 1].end : UNKNOWN, busy = 0;

	*c = (struct compilation){ .begin = UNKNOWN, .end = end < until ? end : until };
	/* One that is run at an import is not what the time until the first iteration went into. */
	for (size_t i = s.count; i-- > 0;) {
		busy += s.list[i].end - s.list[i].begin;
		if ((double)busy < BUSY_SHARE * (double)((first > c->end ? first : c->end) - s.list[i].begin))
			continue;
		c->begin = s.list[i].begin;
		c->busy = busy;
	}
	free(s.list);
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
