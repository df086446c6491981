/* SPDX-License-Identifier: MIT */
/*
 * Reading /proc and the like inside anybody's process: plain system calls, which nobody wraps,
 * memory of the caller, no descriptor kept open but where proc_keep was called.
 */
#ifndef DLT_SAMPLER_PROC_H
#define DLT_SAMPLER_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "bridge.h"

/* Reads a file into `text` (NUL-terminated, cut at `size` - 1). Bytes read, or -errno. */
long proc_read(const char *path, char *text, size_t size);

/* The same for a symbolic link. */
long proc_link(const char *path, char *text, size_t size);

/* A file that is read again and again. All zero: not open. */
struct proc_file {
	int kept;	/* descriptor + 1; 0: none */
};

/* From now on files stay open between their readings, `most` of them at most: not in somebody else's process. */
void proc_keep(unsigned most);
void proc_file_close(struct proc_file *f);

struct proc_stat {
	char name[32];
	char state;
	uint64_t user, system;		/* ns */
	uint64_t minor_faults, major_faults;
	uint32_t threads;
	uint64_t start;			/* ns since boot, in steps of a clock tick */
};

/* path: /proc/PID/stat or /proc/PID/task/TID/stat. */
bool proc_read_stat(const char *path, struct proc_stat *s);

/* The same, of a process's file that is read again and again. */
bool proc_read_stat_again(struct proc_file *f, pid_t pid, struct proc_stat *s);

/* A process that is there only for its parent. One whose first thread alone has ended is a zombie too, with others. */
bool proc_has_ended(const struct proc_stat *s);

/*
 * The CPU time, to the ns, of one that has ended and that its parent has not waited for: with what it took to end it.
 * latest: ns since boot; one that began later has but the same number. False: it is gone, *s stays as it was.
 */
bool proc_read_end(pid_t pid, uint64_t latest, struct proc_stat *s);

/* Of our own process without a file: all but `name`, `threads` and `start`, which stay as they were. */
void proc_own_stat(struct proc_stat *s);

/* Context switches of all threads of our own process that are and were, less the calling thread's. */
void proc_own_switches(uint64_t *voluntary, uint64_t *involuntary);

struct proc_status {
	uint64_t rss_anon, rss_file, rss_shmem;	/* bytes */
	uint64_t rss_most;			/* VmHWM: of their sum so far */
	uint64_t libraries;			/* VmLib: changes when one comes or goes */
	uint32_t threads;
};

/* False too for a process that is ending and has no memory any more; *s stays as it was. */
bool proc_read_status(const char *path, struct proc_status *s);

/*
 * /proc/PID/FILE, or a thread's where `thread` is not 0. A first thread that has ended has taken with it what
 * /proc/PID knew of the memory, the files and the program; stat, io and task are still the process's.
 */
void proc_path(pid_t pid, pid_t thread, const char *file, char *path, size_t size);

/* Sets *thread to one that has not ended; false: there is none, and *thread stays as it was. */
bool proc_find_thread(pid_t pid, pid_t *thread);

/* The status of a process by its thread *thread, which is another one from then on where that has ended. */
bool proc_read_process(struct proc_file *f, pid_t pid, pid_t *thread, struct proc_status *s);

/* The pid or tid of a status file as the process itself sees it, in the innermost namespace; 0: not known. */
uint32_t proc_innermost(const char *path);

/*
 * The number by which we know a process that calls itself `pid` in this pid namespace (its inode; 0: not known): there
 * it may be somebody else's. 0: there is none, or it is not to be seen from here.
 */
pid_t proc_number_here(uint64_t namespace, pid_t pid);

struct proc_io {
	uint64_t read_bytes, write_bytes;
};

bool proc_read_io(const char *path, struct proc_io *io);

struct proc_thread {
	char state;
	uint64_t cpu;			/* ns; in clock ticks where the kernel has no schedstat */
	uint64_t voluntary, involuntary;
};

/* False when there is no such thread any more; *t stays as it was. */
bool proc_read_thread(pid_t pid, pid_t tid, struct proc_thread *t);

/* Calls `each` for every entry of a folder of numbers (/proc/PID/task). -errno, or how many. */
int proc_numbers(const char *path, void (*each)(void *data, long number), void *data);

/* Reads a file line by line, however long it is; a line over 4 KiB is left out. */
int proc_lines(const char *path, void (*each)(void *data, char *line), void *data);

/* The number behind `key` at the beginning of a line; 0 when there is none. */
uint64_t proc_value(const char *text, const char *key);

/* The GNU build id of an ELF file in hexadecimal; "" when it has none. */
void proc_build_id(const char *path, char *hex, size_t size);

/* The same of the library at `base` in our own memory; false when the loader knows none there. */
bool proc_own_build_id(dlt_walk_fn walk, uint64_t base, char *hex, size_t size);

#endif
