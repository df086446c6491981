/* SPDX-License-Identifier: MIT */
/*
 * Frequent events, summed before the model sees them.
 *
 * Between two events whose order matters (who is who, samples, failures) lie many that only add to
 * sums: they are folded into cells by thread, function and library, and the cells are applied to the
 * trace right before the next event that cannot do without them. All sums are integers, and ties
 * are broken by value, so a fold may be cut anywhere: applying its parts one after another gives the
 * same model as applying the whole, or each event by itself. Names, and whose thread it is, are
 * asked for only when it is applied; a fold can be filled where no model is (analysis/model/digest.h).
 *
 * What is alike (thread, function, caller, and shape or size) goes one way, its *lane*: where it
 * belongs is looked up once, and the next of its kind finds it there. Sums are made in the lane, so
 * that an event writes to one place; who looks at the fold has them settled first.
 *
 * What is in a fold ended in one slice of time, so that its sums can go into tallies, too.
 *
 * Times are ns since the trace's begin.
 */
#ifndef DLT_ANALYSIS_MODEL_FOLD_H
#define DLT_ANALYSIS_MODEL_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "box.h"
#include "events.h"
#include "analysis/model/checked.h"
#include "analysis/model/rhythm.h"
#include "analysis/model/sums.h"
#include "analysis/model/tally.h"

struct records;
struct trace;

#define FOLD_CELLS	1024	/* of each kind; when they are used up the fold is applied */
#define FOLD_STREAMS	256
#define FOLD_BEATS	3	/* of one event at most */
#define FOLD_LANE_BITS	11	/* as many lanes */
#define FOLD_LANE_TRIES	4	/* places of a lane; where others have them all, one gives way */
#define FOLD_SLOTS	4096	/* a power of two */

/* Calls of one function by one thread through one library. */
struct fold_cell {
	uint64_t key;			/* thread << 32 | function << 16 | library */
	uint64_t calls, total, nested, min, max, bytes;
	uint64_t squares_low, squares_high;
	int64_t begin, end;		/* of the earliest, of the latest */
	uint64_t first;			/* how long the earliest took */
	bool timed;			/* its events carry durations */
	uint16_t slot;
	uint32_t buckets[DLT_BUCKETS];	/* only those of `min` to `max` are in use */
};

/* Launches of one shape or graph by one thread. */
struct fold_launch {
	uint64_t key;			/* thread << 32 | shape */
	uint64_t count, captured, time;
	uint16_t slot;
};

struct fold_thread {
	uint32_t id;
	uint64_t events;		/* that name it */
	int64_t last;			/* when the latest of them was */
	uint64_t works;			/* calls that compute (rhythm.h) */
	int64_t work;			/* when the first of them began */
	struct checked checked;		/* neither samples nor streams */
};

/* A stream that a thread named. */
struct fold_stream {
	uint32_t thread;
	uint16_t stream;
};

/*
 * Where an event is added that is like one before. Its sums are of what came since it was settled,
 * which adds them to the cell, the launch, the thread and the beat.
 */
struct fold_lane {
	uint64_t owner;			/* round << 32 | thread */
	uint64_t key;			/* enum beat_kind << 32 | function << 16 | library */
	uint64_t a, b;			/* as a beat's; of BLAS m, n << 32 | k */
	uint64_t calls, total, nested, bytes;
	uint64_t squares_low, squares_high;
	uint64_t captured;		/* launches */
	int64_t begin;			/* of the earliest */
	uint64_t first;			/* how long that took */
	int64_t last;			/* when the latest of the beat ended */
	int64_t window;			/* until then calls add to `tick`; INT64_MIN: look for the tick */
	struct tick *tick;		/* the beat's last one, */
	uint64_t noted, time;		/* which has so many of `calls`, and not this yet (as a tick's) */
	struct fold_cell *cell;		/* all of these: the fold's */
	struct fold_launch *launch;	/* NULL: it is none */
	struct fold_thread *thread;
	struct beat *beat[FOLD_BEATS];
	uint32_t beats;
	bool windowed;			/* its beat is no other lane's */
	uint32_t stream;		/* of the call before; above 65535: none */
};

/* Of a beat in the folds before. */
struct fold_known {
	uint64_t hash, count;
	int64_t last;			/* of its calls, the latest */
	uint8_t shift;
};

/* Of each kind by first sight: that is the order in which the model learns of them. */
struct fold {
	int64_t from, to;		/* what lies outside is only counted */
	int64_t slice;			/* of all that is in it, fold_slice() */
	uint64_t filtered, filtered_timed;	/* as in model.h */
	uint32_t cell_count, launch_count, thread_count, beat_count, stream_count;
	uint16_t cell_slots[FOLD_SLOTS], launch_slots[FOLD_SLOTS];	/* index + 1, as these: */
	uint16_t beat_slots[FOLD_SLOTS], thread_slots[FOLD_SLOTS];
	struct fold_thread *thread;	/* of the event before; NULL: none */
	uint64_t round;			/* from 1; when it was cleared another begins: lanes are of one */
	struct fold_lane lanes[1 << FOLD_LANE_BITS];
	uint16_t lanes_used[1 << FOLD_LANE_BITS];	/* of this round */
	uint32_t lane_count;
	struct fold_cell cells[FOLD_CELLS];
	struct fold_launch launches[FOLD_CELLS];
	struct fold_thread threads[FOLD_CELLS];
	struct beat beats[FOLD_CELLS];	/* each of one thread, BEAT_FREE too; their ticks: owned, kept */
	uint16_t beat_places[FOLD_CELLS], thread_places[FOLD_CELLS];	/* their slots */
	struct fold_stream streams[FOLD_STREAMS];
	struct fold_known known[FOLD_CELLS];	/* each of the last beat with these bits of its hash */
};

/*
 * Owned by the caller; everything from `from` to before `to` is summed. What it held once was told to the
 * same model as what it will hold, and before it.
 */
struct fold *fold_new(int64_t from, int64_t to);
/* NULL is fine. */
void fold_free(struct fold *f);

static inline struct fold_known *fold_known(struct fold *f, uint64_t hash)
{
	return &f->known[hash >> 40 & (FOLD_CELLS - 1)];
}

static inline bool fold_is_empty(const struct fold *f)
{
	return !f->thread_count;
}

static inline int64_t fold_slice(int64_t at)
{
	return at >> TALLY_SHIFT;
}

/* Is there room for one more event of that time, whatever it is? Else it has to be emptied first. */
static inline bool fold_has_room(const struct fold *f, int64_t at)
{
	return (fold_is_empty(f) || fold_slice(at) == f->slice) && f->cell_count < FOLD_CELLS &&
	       f->launch_count < FOLD_CELLS && f->thread_count < FOLD_CELLS && f->stream_count < FOLD_STREAMS &&
	       f->beat_count + FOLD_BEATS <= FOLD_CELLS;
}

/* Takes the event; false: it is none that only adds to sums. There must be room. */
bool fold_add(struct fold *f, enum dlt_event type, int64_t at, const void *data);

/*
 * May the model take this event, which was not folded, before the fold that was there before it?
 * It adds to sums and to curves of its own, and neither tells who is who nor asks what was summed.
 */
bool fold_may_wait(enum dlt_event type);

/*
 * Takes records of a batch as long as they only add to sums and there is room: how many. Times less
 * `begin` (ns since 1970) are the fold's; those taken are counted in `by_type`.
 */
uint32_t fold_records(struct fold *f, struct records *rest, uint64_t begin, uint64_t by_type[DLT_EVENTS]);

/* All into cells, launches, threads, beats and streams, which nothing else is to be read from before. */
void fold_settle(struct fold *f);
void fold_clear(struct fold *f);
/* Into the model; the fold is empty afterwards. */
void fold_apply(struct fold *f, struct trace *t);

#endif
