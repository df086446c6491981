/* SPDX-License-Identifier: MIT */
/*
 * What an event says that only adds to sums: to which, and how much.
 *
 * Nearly all of a trace goes through here, so all of it is to be inlined; where the event's type is
 * known at compile time nothing of the choice is left.
 */
#ifndef DLT_ANALYSIS_MODEL_SIGHT_H
#define DLT_ANALYSIS_MODEL_SIGHT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "box.h"
#include "events.h"
#include "analysis/model/rhythm.h"

#define SIGHT_AT_LEAST UINT32_MAX	/* a duration beyond 32 bits: no event to be folded */
#define CUDA_NOT_READY 600	/* what a query answers while work runs: no failure */

/* What all that are alike have in common, and what each adds. */
struct sight {
	enum beat_kind kind;
	uint32_t what;			/* function << 16 | library */
	uint64_t a, b;			/* as a beat's; of BLAS all three dimensions, m first */
	uint32_t duration, nested;	/* ns */
	uint64_t bytes;
	uint32_t stream;		/* above 65535: it names none */
};

#define NO_STREAM UINT32_MAX

static inline bool is_plain(int16_t result, uint32_t duration)
{
	return (!result || result == CUDA_NOT_READY) && duration != SIGHT_AT_LEAST;
}

static inline uint32_t what(uint16_t function, uint16_t library)
{
	return (uint32_t)function << 16 | library;
}

static inline bool see_other(struct sight *s, const struct dlt_ev_cuda_other *e)
{
	*s = (struct sight){ .kind = BEAT_CUDA, .what = what(e->function, e->library), .duration = e->duration,
			     .nested = e->nested_time, .stream = NO_STREAM };
	return is_plain(e->result, e->duration);
}

static inline bool see_copy(struct sight *s, const struct dlt_ev_cuda_copy *e)
{
	*s = (struct sight){ .kind = BEAT_CUDA, .what = what(e->function, e->library), .a = 1 + e->direction,
			     .duration = e->duration, .nested = e->nested_time, .bytes = e->size,
			     .stream = e->stream };
	return is_plain(e->result, e->duration);
}

static inline bool see_launch(struct sight *s, const struct dlt_ev_cuda_launch *e)
{
	*s = (struct sight){ .kind = BEAT_LAUNCH, .what = what(e->function, e->library), .a = e->shape,
			     .duration = e->duration, .nested = e->nested_time, .stream = e->stream };
	return !e->result && e->duration != SIGHT_AT_LEAST;
}

static inline bool see_region(struct sight *s, const struct dlt_ev_cpu_region *e)
{
	*s = (struct sight){ .kind = BEAT_REGION, .what = what(e->function, e->library), .a = e->width,
			     .duration = e->duration, .nested = e->nested_time, .stream = NO_STREAM };
	return e->duration != SIGHT_AT_LEAST;
}

static inline bool see_blas(struct sight *s, const struct dlt_ev_cpu_blas *e)
{
	*s = (struct sight){ .kind = BEAT_BLAS, .what = what(e->function, e->library), .a = (uint32_t)e->m,
			     .b = (uint64_t)(uint32_t)e->n << 32 | (uint32_t)e->k, .duration = e->duration,
			     .nested = e->nested_time, .stream = NO_STREAM };
	return e->duration != SIGHT_AT_LEAST;
}

static inline bool see_block(struct sight *s, const struct dlt_ev_heap_alloc *e)
{
	*s = (struct sight){ .kind = BEAT_HEAP, .what = what(e->function, e->library), .a = rhythm_size(e->size),
			     .bytes = e->size, .stream = NO_STREAM };
	return e->ptr != 0;
}

static inline bool see_freed(struct sight *s, const struct dlt_ev_heap_free *e)
{
	*s = (struct sight){ .kind = BEAT_FREE, .what = what(e->function, e->library), .a = rhythm_size(e->size),
			     .bytes = e->size, .stream = NO_STREAM };
	return true;
}

/* False: it is none that only adds to sums. */
static inline __attribute__((always_inline)) bool see(struct sight *s, enum dlt_event type, const void *data)
{
	switch (type) {
	case DLT_EV_CUDA_LAUNCH:
		return see_launch(s, data);
	case DLT_EV_CUDA_COPY:
		return see_copy(s, data);
	/* These begin alike; calls.c asserts it. */
	case DLT_EV_CUDA_STREAM:
	case DLT_EV_CUDA_SYNC:
	case DLT_EV_CUDA_OTHER:
		return see_other(s, data);
	case DLT_EV_CPU_BLAS:
		return see_blas(s, data);
	case DLT_EV_CPU_REGION:
		return see_region(s, data);
	case DLT_EV_HEAP_ALLOC:
		return see_block(s, data);
	case DLT_EV_HEAP_FREE:
		return see_freed(s, data);
	default:
		return false;
	}
}

/* dlt_bucket() of any duration of an event: a double has its octave and its eighth in its upper bits. */
static inline unsigned sight_bucket(uint32_t ns)
{
	double exact = ns > 1U << DLT_BUCKET_FIRST ? ns : 1U << DLT_BUCKET_FIRST;
	uint64_t bits;

	memcpy(&bits, &exact, sizeof(bits));
	return (unsigned)(bits >> 49) - ((1023 + DLT_BUCKET_FIRST) << 3);
}

static inline bool sight_computes(enum beat_kind kind)
{
	return kind == BEAT_LAUNCH || kind == BEAT_REGION || kind == BEAT_BLAS;
}

#endif
