/* SPDX-License-Identifier: MIT */
/*
 * `--live`: a running recording, seen through the black boxes of its processes and /proc.
 *
 * Nothing is asked of the application nor of the recorder: boxes are mapped read-only, so watching
 * costs the application at most that its counters' cache lines are shared now and then. Nothing in
 * a box is trusted (sampler/box_view.h); one that is cut while it is read (SIGBUS) is given up.
 * Names reach a screen only through escape.h.
 */
#ifndef DLT_ANALYSIS_LIVE_LIVE_H
#define DLT_ANALYSIS_LIVE_LIVE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "functions.h"
#include "analysis/live/period.h"
#include "analysis/options.h"
#include "analysis/report/grid.h"
#include "sampler/box_view.h"

#define LIVE_HISTORY	60	/* refreshes that a sparkline shows */
#define LIVE_CALLS	32	/* calls in flight that are kept */

/* ---- find.c: recordings that run ---- */

struct live_recording {
	char home[PATH_MAX];	/* its private folder */
	char trace[PATH_MAX];	/* where the trace is; "" not known */
	pid_t recorder;
};

/*
 * what: NULL: the only one; a pid of dltrace-record or of a process that it records; or the folder
 * that is written. 0, or the exit status, after one line on stderr.
 */
int live_find(const char *what, struct live_recording *r);

/* False: it has ended. */
bool live_is_running(const struct live_recording *r);
/* Does one that runs on this machine write to this folder? As far as this user may know. */
bool live_writes_to(const char *trace);

/* ---- watch.c: the processes of one ---- */

/* Sums over threads and callers; times in ns, of outermost calls. */
struct live_function {
	uint64_t calls, failed, time;
};

struct live_process {
	char file[80];		/* of the box */
	pid_t pid;		/* by which we know it; 0: it is not to be seen from here */
	pid_t inner;		/* by which it knows itself, in a pid namespace of its own */
	pid_t thread;		/* the one whose files tell of it, see proc_path */
	uint32_t id, parent;	/* of the recording */
	void *box;		/* mapped; NULL: ended or broken */
	size_t size;
	struct box_view view;
	bool ended, broken;
	uint64_t ended_at;	/* ns CLOCK_MONOTONIC */
	uint32_t state;		/* enum dlt_box_state, as last seen */
	int32_t exit_code, rank;
	char name[64];		/* comm, as it is */
	const char *framework;	/* static; "" not known */
	uint32_t threads;
	uint64_t cpu;		/* ns */
	double cores;
	uint64_t rss;		/* bytes: anonymous, files, shared */
	bool heap_known;
	int64_t heap, peak, gpu;	/* bytes */
	int64_t own;		/* of the heap, without what it was forked with; bytes */
	uint64_t allocations, events;
	double allocations_rate, events_rate;
	struct live_function *now, *before;	/* owned, DLT_FNS each; NULL: ended */
	uint64_t looked;		/* ns; when its libraries were last looked at */
	struct period period;
	int depth;			/* in the tree */
};

/* A call that has not returned. */
struct live_call {
	pid_t pid;
	uint32_t tid;
	uint16_t function;
	uint64_t lasts;		/* ns */
};

struct live_machine {
	unsigned cpus;
	uint64_t busy, total;	/* ticks of the kernel's, summed */
	double cpu;		/* share of the machine, 0 to 1 */
	uint64_t memory, available;	/* bytes */
};

struct live_buried {
	char file[80];
	bool there;
};

struct live_watch {
	const struct live_recording *recording;
	char host[256], level[16];
	char *command;		/* owned; "" not known */
	uint64_t began;		/* ns CLOCK_MONOTONIC; 0 not known */
	struct live_process **list;	/* owned; tree order */
	size_t count, capacity;
	size_t alive, ended, foreign, broken, refused;
	struct live_function *past;	/* of processes that have ended */
	struct live_buried *buried;	/* owned; in `past`, shown no more, and their boxes are there still */
	size_t buried_count, buried_capacity;
	struct live_machine machine;
	struct live_call calls[LIVE_CALLS];
	size_t call_count;
	uint64_t threshold;	/* ns from which a call in flight is shown */
	uint64_t now, before;	/* ns CLOCK_MONOTONIC of the last two refreshes; before 0: none */
	int64_t heap, gpu;	/* bytes, all that live; what forks share once */
	uint64_t events;	/* of all, ended ones too */
	uint64_t past_events;
	double events_rate;
	double heap_history[LIVE_HISTORY], gpu_history[LIVE_HISTORY];
	size_t history;		/* values in them */
};

void live_watch_init(struct live_watch *w, const struct live_recording *r, uint64_t threshold);
void live_watch_release(struct live_watch *w);
/* Reads everything once more. */
void live_watch_refresh(struct live_watch *w);
/* A look at the heaps of the busiest, every PERIOD_STEP: what iterations are told by. */
void live_watch_glance(struct live_watch *w);

/* ---- process.c ---- */

/* Maps and reads a box; NULL: not one of ours, and *why says so (0: not readable). */
enum live_refusal { LIVE_NO_BOX, LIVE_VERSION, LIVE_PERMISSION };
struct live_process *live_process_new(int folder, const char *file, enum live_refusal *why);
void live_process_free(struct live_process *p);
/* False: it has ended, or its box is broken. elapsed: ns since the last time, 0: the first. */
bool live_process_read(struct live_process *p, uint64_t now, uint64_t elapsed);
/* Its heap now; false when the box broke. */
struct live_heap {
	int64_t live;		/* bytes */
	uint64_t allocations;	/* ever */
};
bool live_process_heap(struct live_process *p, struct live_heap *now);
/* Calls that have lasted for at least `least` ns, longest first, added to what is there. */
void live_process_calls(struct live_process *p, uint64_t now, uint64_t least, struct live_call *calls,
			size_t *count, size_t max);

/* ---- threads.c: those of one process, read only while they are shown ---- */

struct live_thread {
	uint32_t tid;
	uint32_t inner;		/* the same in the process's pid namespace */
	char name[32];
	char state;
	uint64_t cpu;
	double cores;
	uint16_t function;	/* in flight; 0: none */
	uint64_t lasts;
};

struct live_threads {
	pid_t pid;
	uint64_t at;		/* ns CLOCK_MONOTONIC */
	struct live_thread *list;	/* owned; busiest first */
	size_t count, capacity;
};

void live_threads_read(struct live_threads *t, struct live_process *p, uint64_t now);
void live_threads_release(struct live_threads *t);

/* ---- view.c: lines of a screen ---- */

enum live_pane { PANE_FUNCTIONS, PANE_THREADS, PANE_HELP };
enum live_order { ORDER_TREE, ORDER_CPU, ORDER_RSS, ORDER_HEAP, ORDER_GPU, ORDER_THREADS, ORDERS };
enum live_function_order { FUNCTIONS_NOW, FUNCTIONS_RATE, FUNCTIONS_TOTAL, FUNCTION_ORDERS };

struct live_view {
	int width, height;	/* height 0: as many lines as it takes */
	bool unicode, paused, keys;	/* keys: say which there are */
	enum live_pane pane;
	enum live_order order;
	enum live_function_order function_order;
	pid_t cursor, picked;	/* 0: none */
	struct live_threads threads;
};

struct live_line {
	char *text;		/* owned; cleaned, fits the width */
	enum style style;
	bool cursor;
};

struct live_lines {
	struct live_line *list;	/* owned */
	size_t count, capacity;
};

void live_draw(struct live_lines *l, struct live_watch *w, struct live_view *v);
void live_lines_release(struct live_lines *l);
/* The next (step 1) or last (-1) process of those shown becomes the cursor's. */
void live_move(const struct live_watch *w, struct live_view *v, int step);

/* ---- json.c: one line a refresh ---- */

void live_json(FILE *out, const struct live_watch *w);

/* ---- screen.c: a terminal, by curses; all but live_screen_open need it to have opened ---- */

enum live_key {
	PRESSED_NOTHING, PRESSED_QUIT, PRESSED_UP, PRESSED_DOWN, PRESSED_PICK, PRESSED_THREADS,
	PRESSED_FUNCTIONS, PRESSED_PAUSE, PRESSED_HELP, PRESSED_ORDER, PRESSED_FUNCTION_ORDER, PRESSED_REDRAW,
};

/* False: built without curses, or the terminal cannot. */
bool live_screen_open(bool color);
void live_screen_close(void);
void live_screen_size(int *width, int *height);
void live_screen_show(const struct live_lines *l);
enum live_key live_screen_key(void);	/* never waits */

/* ---- live.c ---- */

/* Until the recording ends, or q, or as often as asked for. The exit status. */
int live_run(const struct options *o);

#endif
