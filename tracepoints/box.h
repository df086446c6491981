/* SPDX-License-Identifier: MIT */
/*
 * The black box: one mapping a process, written by libdltrace.so, read from outside.
 *
 * Under dltrace-record it is a file, MAP_SHARED, in the private folder that DLTRACE_BOX names
 * ("<folder>/<pid>-<box id>.box"), so totals stay exact after SIGKILL; otherwise it is private
 * memory that the process's own sampling thread reads. Both sides include this header and
 * nothing else of each other.
 *
 * Rules
 * - Every slot and every totals entry has one writer, the thread that owns it; slot 0 and the
 *   `late` totals are shared and are written with atomic adds only.
 * - {bytes, count} pairs are stored and loaded with one 16-byte access, so a reader never sees
 *   half of a step. A reader loads all `freed` pairs before all `allocated` pairs: live >= 0.
 * - Nothing is ever reset. A slot's next owner raises `generation` and adds on top.
 * - A reader trusts nothing: it clamps offsets and counts to the file's real size, and reads
 *   only the entries that the *_used fields name: a touched hole would take room on /dev/shm.
 * - A ring is its slot's owner's, but for what a sampler may do: interpose/rings.h.
 * - The outbox is written by all threads and emptied by the recorder: see struct dlt_box_outbox.
 * - Heap pairs of all slots are summed, a helper's too: blocks wander between threads.
 * - `magic` is stored last (release) and the file gets its final name by rename afterwards.
 */
#ifndef DLT_TRACEPOINTS_BOX_H
#define DLT_TRACEPOINTS_BOX_H

#include <stdint.h>

#define DLT_BOX_MAGIC	0x31786f62746c64ULL	/* "dltbox1" */
#define DLT_BOX_VERSION	17

enum dlt_box_state {
	DLT_BOX_ALIVE = 1,
	DLT_BOX_EXITING,	/* exit, _exit, quick_exit: the exit code is set */
	DLT_BOX_EXEC,		/* about to replace itself; alive again if that fails */
	DLT_BOX_SIGNAL,		/* a fatal signal was seen */
};

/* Why the heap counters cannot be trusted, as dltrace_proc:process says it. */
enum dlt_heap_cover {
	DLT_HEAP_EXACT,
	DLT_HEAP_FOREIGN,
	DLT_HEAP_MIXED,
	DLT_HEAP_UNKNOWN,
};

struct dlt_box_pair {
	uint64_t bytes;
	uint64_t count;
} __attribute__((aligned(16)));

/* One 4,096-byte page at offset 0. */
struct dlt_box_header {
	uint64_t magic;
	uint32_t version;
	uint32_t header_size;
	uint64_t size;			/* bytes of the whole box */
	uint64_t id[2];			/* random */
	uint64_t recording;
	uint64_t boottime;		/* ns, CLOCK_BOOTTIME at creation */
	uint64_t begin;			/* ns, CLOCK_MONOTONIC at creation */
	uint64_t pid_namespace;		/* inode of /proc/self/ns/pid; 0: not known */
	uint32_t pid, parent_pid;	/* in that */
	uint32_t process, parent;	/* our ids */
	uint32_t state;			/* enum dlt_box_state */
	int32_t exit_code;		/* status, or the signal */
	uint32_t heap;			/* enum dlt_heap_cover */
	uint32_t helpers;		/* our own and LTTng's threads in this process */
	uint32_t slots_offset, slots_count;
	uint32_t slots_used;		/* slots ever owned, slot 0 included; never falls */
	uint32_t late_offset, late_count;	/* late totals: one an entry of functions.tbl */
	uint32_t late_used;		/* past the last of them that was ever written; never falls */
	uint32_t totals_offset, totals_count;	/* entries that exist */
	uint32_t totals_used;		/* entries claimed so far; never falls */
	uint32_t libraries_offset, libraries_count;	/* by library id; entry 0 is not used */
	uint32_t libraries_used;	/* ids given so far, entry 0 included */
	uint32_t objects_offset, objects_count;
	uint32_t objects_used;
	uint32_t frames_offset, frames_count;	/* of call stacks */
	uint32_t frames_used;
	uint32_t memory_offset, memory_count;	/* the ledger of GPU memory */
	uint32_t memory_used;		/* rows claimed so far; never falls */
	uint32_t rings_offset, rings_count;	/* by slot; the slot says whether its ring is there */
	uint32_t outbox_offset, outbox_count;	/* 1: it is there */
	uint32_t reason;		/* as in dltrace_proc:process */
	uint64_t threshold;		/* bytes */
	uint32_t forks;			/* of this process: others may share its pages since */
	uint32_t counted;		/* 1: DLTRACE_CHILDREN leaves it out, it emits nothing */
	int32_t rank, ranks, local_rank;	/* as in dltrace_proc:process */
	uint64_t job;			/* likewise */
	uint32_t clock_is_tsc;		/* `since` counts TSC ticks, else ns CLOCK_MONOTONIC */
	uint64_t tsc[2];		/* a pair at creation: TSC ticks ... */
	uint64_t tsc_mono[2];		/* ... and ns CLOCK_MONOTONIC; the later pair is [1] */
	struct dlt_box_pair inherited;	/* live heap taken over at the fork */
	struct dlt_box_pair mapped;	/* the application's own mappings alive now (atomic adds) */
	/* Peak of the live heap: written by whoever moves it; own cache line. */
	struct {
		int64_t live;		/* bytes published so far, inherited included */
		int64_t peak;		/* largest `live` published; true peak <= peak + error */
		uint64_t failed;	/* allocations that returned NULL */
	} heap_published __attribute__((aligned(64)));
	/* What it used in all, as it says when it ends or replaces itself: nobody reads /proc in time for each. */
	struct {
		uint64_t user, system;	/* ns of CPU time */
		uint64_t minor_faults, major_faults;
		uint64_t voluntary, involuntary;	/* context switches */
		uint64_t rss_most;	/* bytes: VmHWM */
		uint64_t read_bytes, write_bytes;	/* by read and write and their kin */
	} usage;
	char cause[256];		/* why this box is private memory; "" when it is a file */
};

#define DLT_BOX_PEAK_STEP	65536	/* bytes a thread may move before it publishes */
#define DLT_BOX_SLOTS		4096	/* slot 0 is the shared late one */

#define DLT_BOX_UNTIMED		(1u << 31)	/* no clock reads less a few seconds after the machine started */

/* One thread. 128 bytes, so that no two threads share a cache line or an adjacent pair. */
struct dlt_box_slot {
	struct dlt_box_pair allocated;
	struct dlt_box_pair freed;
	uint64_t call;			/* function id of the outermost call in flight; 0: none */
	uint64_t since;			/* when it began (clock: see clock_is_tsc); below DLT_BOX_UNTIMED: it is not
					 * timed, and another number than the one before has */
	uint64_t events;		/* events naming it that the present owner emitted */
	uint64_t base_events;		/* ... all owners before; slot 0: and those of nobody */
	uint32_t thread;		/* our id of the present owner; 0: free */
	uint32_t tid;
	uint32_t generation;
	uint32_t helper;		/* 1: not the application's, leave it out */
	uint32_t creator;		/* as in dltrace_proc:thread, for announcing it again */
	uint16_t creator_library, start_library;
	uint64_t start_offset;
	uint64_t begin;			/* ns CLOCK_MONOTONIC */
	uint32_t ring;			/* enum dlt_ring_state */
	uint32_t spare;
	uint64_t cpu;			/* ns of CPU time when the process ended, or replaced itself; or 0 */
} __attribute__((aligned(128)));

/* Only a backed ring may be touched. */
enum dlt_ring_state { DLT_RING_UNUSED, DLT_RING_BACKED, DLT_RING_NONE };

/* Events noted by the slot's owner, until they are emitted as one dltrace_batch:records. */
struct dlt_box_ring {
	uint32_t thread;		/* who noted them */
	uint32_t writing;		/* the owner is at work */
	uint32_t taken;			/* a sampler wants what an idle owner has left */
	uint16_t whole[2];		/* the owner's: see dlt_batch_cut */
	/*
	 * Events in records and their bytes: one word, for a signal's handler that ends the process, or a
	 * SIGKILL, may come between any two.
	 */
	uint64_t fill;
	uint64_t begin;			/* ns CLOCK_MONOTONIC of the first */
	uint64_t sent;			/* ... that went out before, of the slot's present owner */
	uint64_t events;		/* likewise; while a batch is being emitted with those in it */
	uint64_t first, last;		/* the owner's: ticks of the first; ns from it to the last */
	uint64_t ordinal;		/* of the first: `sent` of who noted it */
	uint64_t records[3600 / 8];	/* as in dltrace_batch:records: one fits the smallest sub-buffer, 4 KiB */
	uint64_t unused[52];
} __attribute__((aligned(64)));

static inline uint64_t dlt_ring_fill(uint32_t events, uint32_t bytes)
{
	return (uint64_t)events << 32 | bytes;
}

static inline uint32_t dlt_ring_events_in(uint64_t fill)
{
	return (uint32_t)(fill >> 32);
}

static inline uint32_t dlt_ring_bytes_in(uint64_t fill)
{
	return (uint32_t)fill;
}

/*
 * Events on their way to the recorder, where that passes them on to LTTng (wanted.h): messages one behind the
 * other, in places that are given out by adding to `head`. Places are counted on for ever; where they lie is
 * the count modulo the size. No message lies around the end.
 *
 * What is not given out is zero. A writer stores the message's word as busy, then its content, then the word
 * as done: so one who is killed in between leaves behind a message that can be passed over, and before that
 * nothing but zeros up to the next message. The reader gives back chunk by chunk, zeroed.
 */
#define DLT_OUTBOX_SIZE		(4u << 20)
#define DLT_OUTBOX_CHUNK	(64u << 10)
#define DLT_OUTBOX_MESSAGE_MOST	(16u << 10)	/* bytes, with its head */
#define DLT_OUTBOX_NOTHING	0xffffu		/* `event`: the rest up to the end of the box is not used */

struct dlt_outbox_message {
	uint64_t word;			/* dlt_outbox_word(); 0: not given out, or not begun */
	uint64_t time;			/* ns CLOCK_MONOTONIC */
	unsigned char fields[];		/* as outbox_layout.h packs them */
};

enum dlt_outbox_state { DLT_OUTBOX_BUSY = 1, DLT_OUTBOX_DONE };

/* size: of the whole message, a multiple of 8. */
static inline uint64_t dlt_outbox_word(uint32_t size, unsigned event, enum dlt_outbox_state state)
{
	return (uint64_t)state << 48 | (uint64_t)(event & 0xffff) << 32 | size;
}

static inline enum dlt_outbox_state dlt_outbox_state_in(uint64_t word)
{
	return (enum dlt_outbox_state)(word >> 48);
}

static inline unsigned dlt_outbox_event_in(uint64_t word)
{
	return word >> 32 & 0xffff;
}

static inline uint32_t dlt_outbox_size_in(uint64_t word)
{
	return (uint32_t)word;
}

struct dlt_box_outbox {
	uint64_t head;			/* places given out: bytes, all threads add */
	uint64_t lost __attribute__((aligned(64)));	/* events that found no room */
	uint64_t tail __attribute__((aligned(64)));	/* bytes given back: the reader's, whole chunks */
	uint64_t read;			/* ... and read, for another reader when that one has died */
	unsigned char bytes[DLT_OUTBOX_SIZE] __attribute__((aligned(4096)));
};

/* Durations by eighths of an octave from 32 ns up; the last bucket takes all above. */
#define DLT_BUCKET_FIRST	5	/* log2 ns of the first octave */
#define DLT_BUCKETS		(8 * 28)

static inline unsigned dlt_bucket(uint64_t ns)
{
	unsigned octave, b;

	if (ns < (1u << DLT_BUCKET_FIRST))
		return 0;
	octave = 63 - (unsigned)__builtin_clzll(ns);
	b = (octave - DLT_BUCKET_FIRST) * 8 + (unsigned)(ns >> (octave - 3) & 7);
	return b < DLT_BUCKETS ? b : DLT_BUCKETS - 1;
}

/* Smallest duration in ns of a bucket (bucket 0 begins at 0 in truth). */
static inline uint64_t dlt_bucket_floor(unsigned b)
{
	return (8ULL + b % 8) << (b / 8 + DLT_BUCKET_FIRST - 3);
}

/* Sums of one (thread, function, library); times in ns. */
struct dlt_box_sums {
	/* With owner and key one cache line, which is all that a call touches that is not timed (totals.h). */
	uint64_t calls, outer_calls;
	uint64_t total, outer_total, flops;
	uint64_t bytes, failed;
	uint64_t nested;
	uint64_t first, least, max;	/* least: the shortest + 1, since calls of 0 ns exist; 0: no call yet */
	uint64_t squares_low, squares_high;
	uint64_t untimed;		/* of calls: they count as the last timed one of their kind */
	uint64_t error;			/* variance of total by that, in ns^2 >> DLT_BOX_ERROR_SHIFT */
};

#define DLT_BOX_ERROR_SHIFT	10

/* `key` is stored last when an entry is claimed. */
struct dlt_box_totals {
	uint32_t owner;			/* thread id; 0: free for the next thread with this key */
	uint32_t key;			/* function << 16 | library; 0: not claimed yet */
	struct dlt_box_sums sums;
	uint64_t buckets[DLT_BUCKETS];	/* 32 bits are full after an hour of a million tiny calls a second */
} __attribute__((aligned(64)));

/* When no entry is left: one a function, atomic adds, no buckets, caller unknown (min, max kept by CAS). */
struct dlt_box_late {
	struct dlt_box_sums sums;
} __attribute__((aligned(64)));

/*
 * What ids mean, so that the sampler (in the recorder or in the process) can announce it again
 * for sessions that start late and for rotations. `ready` is stored last.
 */
struct dlt_box_library {
	uint64_t base, size;
	uint32_t ready;
	uint32_t flags;			/* library_flags.h; only grow */
	char path[232];
};

struct dlt_box_object {
	uint64_t handle, offset;
	uint32_t id;
	uint16_t library;
	uint8_t type;			/* as in dltrace_proc:object; stored last, 0: not ready */
	uint8_t value_count;
	uint64_t values[8];
	uint32_t name_size;		/* bytes with the NUL; the name fills the entries that follow */
} __attribute__((aligned(64)));

/* An entry with another id is a part of a name. */
static inline uint32_t dlt_box_name_entries(uint32_t size)
{
	return (size + (uint32_t)sizeof(struct dlt_box_object) - 1) / sizeof(struct dlt_box_object);
}

/* A frame of call stacks (frame_kinds.h): its id is its index + 1. */
struct dlt_box_frame {
	uint32_t caller;		/* id of its caller's frame; 0: it has none */
	uint32_t line;			/* of a Python function; 0: not known */
	uint64_t what;			/* stored last, 0: not ready */
};

/*
 * One row of the ledger of GPU memory (tracepoints/memory_kinds.h): by kind, device and asking library.
 * Some threads have a part each that nobody else writes, all others add to the rest atomically: readers add
 * up all, `live` before `allocated`: freed >= 0. What is live: dlt_box_memory_live(). The first part's
 * thread changes `alone` as long as it is that; interpose/ledger_rows.h tells the rest. Rows of the
 * kind "gpu" have live and peak, the sum of what is physical on a device, and what CUDA said of it.
 */
#define DLT_BOX_OWNS 4

struct dlt_box_own {
	uint64_t kept;			/* bytes in row->live that are not; above them the number of changes */
	uint64_t allocated;
	uint64_t allocations, frees;
} __attribute__((aligned(128)));

/* What everybody reads and what everybody may write have a cache line each. */
struct dlt_box_memory {
	uint64_t key;			/* dlt_box_memory_key(); stored last */
	uint32_t sum;			/* the writer's: index of the device's row "gpu" + 1 */
	uint32_t shared;		/* several threads have used the row */
	uint32_t owners[DLT_BOX_OWNS];	/* our ids of the threads whose parts these are; 0: nobody's */
	int64_t largest;		/* bytes of the largest block */
	uint64_t told_free, told_total;	/* bytes, what the application last heard of CUDA */
	uint64_t refused_at;		/* ns CLOCK_MONOTONIC, see refused */
	int64_t live __attribute__((aligned(64)));	/* bytes, with what threads keep */
	int64_t alone;			/* ... and those of the first part's thread, before the row was shared */
	int64_t peak;
	uint64_t allocated;		/* bytes */
	uint64_t allocations, frees;
	uint64_t failed;		/* allocations that were refused */
	uint64_t refused;		/* bytes asked for by the last of them */
	struct dlt_box_own own[DLT_BOX_OWNS];
} __attribute__((aligned(128)));

static inline uint32_t dlt_box_kept(uint64_t kept)
{
	return (uint32_t)kept;
}

/*
 * Bytes that are live: what each part had when `live` was read, for none of them has changed around it. A
 * writer that never lets one look (it would have to be hostile) gets a sum that no moment had.
 */
static inline int64_t dlt_box_memory_live(const struct dlt_box_memory *row)
{
	uint64_t seen[DLT_BOX_OWNS], changed = 1;
	int64_t live = 0;

	for (unsigned tries = 0; changed && tries < 1000; tries++) {
		for (unsigned i = 0; i < DLT_BOX_OWNS; i++)
			seen[i] = __atomic_load_n(&row->own[i].kept, __ATOMIC_ACQUIRE);
		live = (int64_t)((uint64_t)__atomic_load_n(&row->live, __ATOMIC_ACQUIRE) +
				 (uint64_t)__atomic_load_n(&row->alone, __ATOMIC_ACQUIRE));
		changed = 0;
		for (unsigned i = 0; i < DLT_BOX_OWNS; i++) {
			changed |= seen[i] ^ __atomic_load_n(&row->own[i].kept, __ATOMIC_ACQUIRE);
			live = (int64_t)((uint64_t)live - dlt_box_kept(seen[i]));
		}
	}
	return live;
}

#define DLT_BOX_MEMORY_WORDS 12		/* in this order, as dltrace_sample:process says them */

static inline uint64_t dlt_box_memory_key(unsigned memory, unsigned device, unsigned library)
{
	return 1ULL << 32 | (uint64_t)memory << 24 | (uint64_t)(device & 255) << 16 | (library & 65535);
}

#define DLT_BOX_MEMORY		512
#define DLT_BOX_OTHERS		0xffffu	/* in place of the library: all those that found no row of their own */
#define DLT_BOX_LIBRARIES	1024
#define DLT_BOX_OBJECTS		16384
#define DLT_BOX_FRAMES		65536

_Static_assert(sizeof(struct dlt_box_header) <= 4096, "the header is one page");
_Static_assert(sizeof(struct dlt_box_ring) == 4096, "a page");
_Static_assert(sizeof(struct dlt_box_outbox) == 4096 + DLT_OUTBOX_SIZE, "a page and the messages");
_Static_assert(sizeof(struct dlt_box_slot) == 128, "a slot is two cache lines");
_Static_assert(sizeof(struct dlt_box_totals) == 1920, "an entry is thirty cache lines");
_Static_assert(sizeof(struct dlt_box_memory) == 640, "a row is ten cache lines");
_Static_assert(sizeof(struct dlt_box_library) == 256, "the path takes what is left");

#endif
