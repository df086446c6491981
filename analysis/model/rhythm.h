/* SPDX-License-Identifier: MIT */
/*
 * When a process did the same thing again: for what repeats (iterations, epochs).
 *
 * A *beat* is what cannot be told apart: one thread, function, caller, and shape or size; of each
 * it keeps the times. Products of matrices are kept three times, without one of their dimensions
 * each, since one of them is the batch. Sizes are kept in steps of 32 bytes: the same request may
 * get 16 bytes more.
 *
 * Bounds, none of which depends on how a trace is cut into parts that are merged:
 * - Of more than RHYTHM_BEATS beats of a group (launches, what else works, memory, ranges: a compiler names thousands)
 *   those stay whose hash ends in `level` zeros, the least level that keeps them within the bound. Blocks of one size
 *   stay or go together.
 * - Of more than RHYTHM_TICKS times of a beat, those within the same 2^shift ns are one tick, with
 *   the least shift that keeps them within the bound; the first one's time stays, and how many.
 *   Of these beats the first RHYTHM_TICKS calls' times are kept, too.
 * - Of those of these that compute or copy, how far apart all calls were is summed up (pace.h).
 * - Samples likewise: of those in the same 2^shift ns the last one stays.
 * So up to RHYTHM_TICKS repetitions are known exactly, and of longer runs as many of the first, and
 * all counts, and how long they took in sum.
 */
#ifndef DLT_ANALYSIS_MODEL_RHYTHM_H
#define DLT_ANALYSIS_MODEL_RHYTHM_H

#include <stddef.h>
#include <stdint.h>

#include "events.h"
#include "analysis/model/idmap.h"
#include "analysis/model/pace.h"

#define RHYTHM_BEATS	2048
#define RHYTHM_TICKS	2048
#define RHYTHM_SAMPLES	4096

enum beat_kind {
	BEAT_HEAP,		/* a: size */
	BEAT_FREE,		/* a: size; nothing else is told apart */
	BEAT_MAP,		/* a: size */
	BEAT_BLAS,		/* a, b: two dimensions; without: m, n or k */
	BEAT_REGION,		/* a: width */
	BEAT_LAUNCH,		/* a: shape */
	BEAT_CUDA,		/* other calls of the GPU; a: size or direction */
	BEAT_COMM,		/* a: bytes */
	BEAT_RANGE,		/* a: hash of domain and name */
	BEAT_FILE,		/* a, b: hashes of its path and folder; without: as size_class; in struct input alone */
};

enum beat_group { BEATS_OF_WORK, BEATS_OF_LAUNCHES, BEATS_OF_MEMORY, BEATS_OF_RANGES, BEATS_OF_FILES, BEAT_GROUPS };

/* What the name of a range says that it is; its number, if it has one, makes no difference. */
#define RANGE_STEP	's'
#define RANGE_EPOCH	'e'

struct tick {
	int64_t at;		/* ns since the trace's begin, at the first one's end */
	uint32_t count;
	uint32_t time;		/* of these calls, in units of 1024 ns; saturates */
};

struct beat {
	uint64_t hash;		/* of all that follows until b */
	uint8_t kind;		/* enum beat_kind */
	uint8_t without;	/* BEAT_BLAS: 'm', 'n' or 'k'; BEAT_RANGE: RANGE_*; BEAT_FILE: its size; else 0 */
	uint16_t function, library;
	uint32_t thread;
	uint64_t a, b;
	uint64_t count;
	const char *name;	/* BEAT_RANGE: borrowed; else NULL */
	struct tick *ticks;	/* owned; by time */
	uint32_t used, capacity;
	int64_t *head;		/* owned; once there is a shift: the earliest calls, by time */
	int64_t last;		/* the latest of all */
	uint32_t head_used;
	uint8_t shift;
	bool late;		/* of a fold: those before it had RHYTHM_TICKS calls until `late_from` */
	int64_t late_from;
	bool paced;		/* once there is a shift, it has this: */
	struct pace *pace;	/* owned; from call to call; of ranges: from begin to begin */
};

/* What a process had used until then. */
struct rhythm_sample {
	int64_t at;
	uint64_t cpu;		/* ns */
	uint64_t minor_faults, major_faults, voluntary, involuntary, read_bytes, write_bytes;
	uint64_t allocations, allocated;	/* of its heap, since its start: how many, bytes */
};

struct rhythm {
	struct beat *beats;	/* owned; by first tick when all has been read */
	size_t count, capacity;
	struct idmap by_hash;	/* index into beats */
	size_t counts[BEAT_GROUPS];
	uint8_t levels[BEAT_GROUPS];
	struct rhythm_sample *samples;	/* owned; by time */
	size_t sample_count, sample_capacity;
	uint8_t sample_shift;
	int64_t work;		/* begin of the first call that computes; INT64_MAX: none */
	uint64_t works;		/* how many of them */
};

/* Usable sizes of one request differ by 16 where a remainder was too small to keep. */
static inline uint64_t rhythm_size(uint64_t size)
{
	return (size - 8) >> 5;
}

/* Without each of the dimensions, as one of them is the batch, and may differ. */
void beats_of_blas(struct beat three[3], const struct dlt_ev_cpu_blas *e);

/* Of what the beat says (kind, without, function, library, thread, a, b): who it is. */
uint64_t beat_hash(const struct beat *b);
/* Ticks of it, in any order; a tick may stand for several calls. */
void beat_add(struct beat *b, const struct tick *t);
/* A call that may be one of the earliest. */
void beat_head(struct beat *b, int64_t at);
/* Empty, with what it owns kept for the next. */
void beat_clear(struct beat *b);

static inline struct tick tick_of(int64_t at, uint64_t duration)
{
	uint64_t time = duration >> 10;

	return (struct tick){ at, 1, time < UINT32_MAX ? (uint32_t)time : UINT32_MAX };
}

/* Of a tick of one call. */
static inline int64_t tick_begin(const struct tick *t)
{
	return t->at - ((int64_t)t->time << 10);
}

/* How far apart all of its calls are; NULL: it has no pace, or some are too near to each other. */
static inline const struct pace *beat_pace(const struct beat *b)
{
	return b->pace && !b->pace->disordered && b->pace->moments == b->count ? b->pace : NULL;
}

/* Once there is a shift: may it be one of the earliest? */
static inline bool beat_is_early(const struct beat *b, int64_t at)
{
	return (!b->late || at < b->late_from) && (b->head_used < RHYTHM_TICKS || at < b->head[RHYTHM_TICKS - 1]);
}

/* What no window keeps of a call: for each one, before it goes to the ticks. */
static inline void beat_seen(struct beat *b, int64_t at)
{
	if (at > b->last)
		b->last = at;
	if (b->shift && beat_is_early(b, at))
		beat_head(b, at);
}

/* One call of a beat; nearly always in the window of the last one, or after it. */
static inline void beat_note(struct beat *b, int64_t at, uint64_t duration)
{
	struct tick *last = b->used ? &b->ticks[b->used - 1] : NULL, t = tick_of(at, duration);

	b->count++;
	beat_seen(b, at);
	if (!last || last->at >> b->shift != at >> b->shift || at < last->at ||
	    last->count == UINT32_MAX || last->time + t.time < t.time) {
		beat_add(b, &t);
		return;
	}
	last->count++;
	last->time += t.time;
}

/* Zeroed, but `work`. */
void rhythm_init(struct rhythm *r);
void rhythm_release(struct rhythm *r);

/* One call of what `beat` says (kind, without, function, library, thread, a, b, name). */
void rhythm_note(struct rhythm *r, const struct beat *beat, int64_t at, uint64_t duration);
void rhythm_sample(struct rhythm *r, const struct rhythm_sample *s);

/* What `from` says of one beat; `from` stays as it is. */
void rhythm_add(struct rhythm *into, const struct beat *from);
/* All has been read: the beats in an order that no split of the trace changes. */
void rhythm_end(struct rhythm *r);

/* What `from` saw of the same process, at other times; `from` stays as it is. */
void rhythm_merge(struct rhythm *into, const struct rhythm *from);

#endif
