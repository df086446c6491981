/* SPDX-License-Identifier: MIT */
/* Keeps what --verify looks at. */
#include "analysis/model/checked.h"

#include <math.h>
#include <string.h>

#include "analysis/model/memory.h"

#define CAPTURED 0x8000		/* in the stream of an event */
#define SET	 5		/* as a copy's direction */

enum { ALLOCATED = 1, FREED, FAILED };	/* dltracefull_heap:call's operation */

/* ---- the line through both clocks ---- */

/* The same sums, counted from (-x0, -y0) before: (x + x0)^2 = x^2 + 2 x x0 + x0^2. */
static void shift(struct clock_fit *f, i128 x0, i128 y0)
{
	i128 n = (i128)f->n;

	f->xx += 2 * x0 * f->x + n * x0 * x0;
	f->yy += 2 * y0 * f->y + n * y0 * y0;
	f->xy += x0 * f->y + y0 * f->x + n * x0 * y0;
	f->x += n * x0;
	f->y += n * y0;
}

static void fit_add(struct clock_fit *f, uint64_t tick, uint64_t ns)
{
	i128 x, y;

	if (!f->n) {
		f->tick0 = tick;
		f->ns0 = ns;
	}
	x = (i128)tick - f->tick0;
	y = (i128)ns - f->ns0;
	f->n++;
	f->x += x;
	f->y += y;
	f->xx += x * x;
	f->xy += x * y;
	f->yy += y * y;
	f->tick1 = tick;
	f->ns1 = ns;
}

static void fit_merge(struct clock_fit *f, const struct clock_fit *later)
{
	struct clock_fit other = *later;

	if (!later->n)
		return;
	if (!f->n) {
		*f = *later;
		return;
	}
	shift(&other, (i128)later->tick0 - f->tick0, (i128)later->ns0 - f->ns0);
	f->n += other.n;
	f->x += other.x;
	f->y += other.y;
	f->xx += other.xx;
	f->xy += other.xy;
	f->yy += other.yy;
	f->tick1 = later->tick1;
	f->ns1 = later->ns1;
}

/* Squares of an hour in ticks have 84 bits, and what is looked for is nanoseconds of it. */
bool clock_fit_line(const struct clock_fit *f, double *rate, double *residual)
{
	__float128 n = f->n, sxx, sxy, syy, rest;

	if (f->n < 3)
		return false;
	sxx = (__float128)f->xx - (__float128)f->x * f->x / n;
	sxy = (__float128)f->xy - (__float128)f->x * f->y / n;
	syy = (__float128)f->yy - (__float128)f->y * f->y / n;
	if (sxx <= 0 || sxy <= 0)
		return false;
	rest = (syy - sxy * sxy / sxx) / n;
	*rate = (double)(sxx / sxy * 1000000000);
	*residual = rest > 0 ? sqrt((double)rest) : 0;
	return true;
}

/* ---- samples ---- */

/* b after a: does anything go backwards? */
#define FELL(a, b, field) ((b).field < (a).field)

static void seam(struct checked *c, const struct checked *b)
{
	c->falling += FELL(c->last, b->first, allocated) || FELL(c->last, b->first, freed) ||
		      FELL(c->last, b->first, allocations) || FELL(c->last, b->first, frees);
	c->backwards += FELL(c->last, b->first, time) ||
			(c->last.tsc && b->first.tsc && FELL(c->last, b->first, tsc));
}

void checked_sample(struct checked *c, const struct dlt_ev_sample_process *e, int64_t at, int64_t time)
{
	int64_t live = (int64_t)(e->allocated - e->freed);
	struct checked one = {
		.samples = 1, .least = live, .above_peak = live - (int64_t)e->heap_peak,
		.early = at < time,
		.first = { e->allocated, e->freed, e->allocations, e->frees, e->time, e->tsc },
	};

	one.last = one.first;
	if (e->tsc && e->time)
		fit_add(&one.clock, e->tsc, e->time);
	checked_merge(c, &one);
}

void checked_heap_call(struct checked *c, const struct dlt_ev_full_heap_call *e)
{
	c->heap_events++;
	if (e->operation == ALLOCATED) {
		c->allocations++;
		c->allocated += e->size;
	} else if (e->operation == FREED) {
		c->frees++;
		c->freed += e->size;
	} else if (e->operation == FAILED) {
		c->failed++;
	}
}

/* ---- calls of CUDA ---- */

void checked_stream(struct checked *c, uint16_t stream)
{
	stream &= CHECKED_STREAMS - 1;
	if (!stream)
		return;
	if (!c->streams)
		c->streams = xcalloc(1, CHECKED_STREAMS / 8);
	c->streams[stream / 8] |= (uint8_t)(1u << stream % 8);
}

void checked_copy(struct checked *c, const struct dlt_ev_cuda_copy *e)
{
	if (e->result || e->stream & CAPTURED)
		return;
	if (!e->size)
		c->without_bytes++;
	else if (e->direction == SET)
		c->sets++;
	else
		c->copies++;
}

/* ---- parts ---- */

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static void merge_samples(struct checked *c, const struct checked *later)
{
	if (!later->samples)
		return;
	if (!c->samples) {
		c->least = later->least;
		c->above_peak = later->above_peak;
		c->first = later->first;
	} else {
		seam(c, later);
		c->least = smaller(c->least, later->least);
		c->above_peak = -smaller(-c->above_peak, -later->above_peak);
	}
	c->samples += later->samples;
	c->falling += later->falling;
	c->backwards += later->backwards;
	c->early += later->early;
	c->last = later->last;
	fit_merge(&c->clock, &later->clock);
}

void checked_merge(struct checked *c, const struct checked *later)
{
	merge_samples(c, later);
	c->heap_events += later->heap_events;
	c->allocations += later->allocations;
	c->frees += later->frees;
	c->failed += later->failed;
	c->allocated += later->allocated;
	c->freed += later->freed;
	c->copies += later->copies;
	c->sets += later->sets;
	c->without_bytes += later->without_bytes;
	if (!later->streams)
		return;
	if (!c->streams)
		c->streams = xcalloc(1, CHECKED_STREAMS / 8);
	for (size_t i = 0; i < CHECKED_STREAMS / 8; i++)
		c->streams[i] |= later->streams[i];
}

void checked_release(struct checked *c)
{
	free(c->streams);
	c->streams = NULL;
}
