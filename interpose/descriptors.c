/* SPDX-License-Identifier: MIT */
/* Descriptors that the application must neither close nor overwrite. */
#include "descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "elf.h"
#include "emit.h"
#include "export.h"
#include "init.h"
#include "log.h"
#include "network.h"
#include "process.h"
#include "real.h"
#include "sys.h"
#include "walk.h"

#define NUMBERS 65536		/* above, nothing is kept: LTTng comes nowhere near */
#define HIGHEST_BASE 1536	/* where LTTng's go, if the limit allows; see high_base */
#define TOLD_MOST (1 << 20)	/* what the limit is for LTTng; see getrlimit */
#define WAIT 2000000		/* ns for LTTng to finish what it opens */
#define IS_FILEBUF 0x2000	/* _IO_IS_FILEBUF of glibc's libio/libio.h, which it does not install */

static uint64_t set[NUMBERS / 64];
static int end_of_set;		/* no number from here on was ever in the set */
static uintptr_t holder;	/* the thread that holds the tracker's lock; 0: nobody */
static unsigned depth;		/* ... how often; written by the holder */
static bool connected;		/* ... and has got a connection to a session daemon */
static uintptr_t opener;	/* the thread that is opening LTTng; 0: nobody */
static int told;		/* LTTng's limit, if not the process's; 0: it is that */

/* The tracker's own functions, in liblttng-ust-common. */
static struct {
	int (*add)(int fd);
	void (*del)(int fd);
	void (*lock)(void);
	void (*unlock)(void);
	int (*safe_close)(int fd, int (*close_fn)(int));
} tracker;

/* LTTng's own names, which LTTng's libraries call: wrapped like any others. */
DLT_EXPORT int lttng_ust_add_fd_to_tracker(int fd);
DLT_EXPORT void lttng_ust_delete_fd_from_tracker(int fd);
DLT_EXPORT void lttng_ust_lock_fd_tracker(void);
DLT_EXPORT void lttng_ust_unlock_fd_tracker(void);

static void *find(const struct dlt_elf *e, const char *name)
{
	struct dlt_elf_name n = dlt_elf_name(name);
	const ElfW(Sym) *s = dlt_elf_find(e, &n, NULL);

	return s ? dlt_elf_address(e, s) : NULL;
}

static bool resolve(const struct dlt_elf *e)
{
	void (*lock)(void) = find(e, "lttng_ust_lock_fd_tracker");

	tracker.add = find(e, "lttng_ust_add_fd_to_tracker");
	tracker.del = find(e, "lttng_ust_delete_fd_from_tracker");
	tracker.unlock = find(e, "lttng_ust_unlock_fd_tracker");
	tracker.safe_close = find(e, "lttng_ust_safe_close_fd");
	if (!lock || !tracker.add || !tracker.del || !tracker.unlock || !tracker.safe_close)
		return false;
	/* Last: the mark that all stand. */
	__atomic_store_n(&tracker.lock, lock, __ATOMIC_RELEASE);
	return true;
}

static int resolve_in(struct dl_phdr_info *info, size_t size, void *unused)
{
	static const char soname[] = "liblttng-ust-common.so.";
	struct dlt_elf e;

	(void)size;
	(void)unused;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			return dlt_elf_open(&e, info->dlpi_addr,
					    (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr)) &&
			       e.soname && strncmp(e.soname, soname, sizeof(soname) - 1) == 0 && resolve(&e);
	return 0;
}

/*
 * The first call resolves them, which comes from LTTng's constructor or from one of its threads while
 * the constructor waits for it with the loader's lock held: so the loader can't be asked.
 */
static bool is_resolved(void)
{
	return __atomic_load_n(&tracker.lock, __ATOMIC_ACQUIRE) || dlt_walk(resolve_in, NULL);
}

/* ---- what LTTng tells ---------------------------------------------------------------------- */

static void change(int fd, bool is_in)
{
	uint64_t bit = 1ULL << fd % 64;

	if (fd < 0 || fd >= NUMBERS)
		return;
	if (is_in)
		__atomic_fetch_or(&set[fd / 64], bit, __ATOMIC_SEQ_CST);
	else
		__atomic_fetch_and(&set[fd / 64], ~bit, __ATOMIC_SEQ_CST);
	if (is_in && fd >= end_of_set)
		__atomic_store_n(&end_of_set, fd + 1, __ATOMIC_SEQ_CST);
}

/*
 * Three quarters up, below what select() and the classic limit of 1,024 can take, or HIGHEST_BASE:
 * the kernel copies the table up to the highest number at each fork.
 */
static long high_base(void)
{
	struct rlimit limit;

	if (dlt_sys_limit(RLIMIT_NOFILE, &limit))
		return -1;
	return limit.rlim_cur >= 2 * 1024 ? HIGHEST_BASE : (long)(limit.rlim_cur / 4 * 3);
}

/* A copy of fd far up; < 0: none. The limit is asked for again when it has changed. */
static int move_up(int fd)
{
	static long base;
	long high;

	if (!base)
		base = high_base();
	high = dlt_sys(SYS_fcntl, fd, F_DUPFD_CLOEXEC, base, 0, 0);
	if (high == -EINVAL) {
		base = high_base();
		high = dlt_sys(SYS_fcntl, fd, F_DUPFD_CLOEXEC, base, 0, 0);
	}
	return (int)high;
}

/* LTTng's only sockets are those to session daemons. */
static bool is_connection(int fd)
{
	struct stat file;

	return dlt_sys_fstat(fd, &file) == 0 && S_ISSOCK(file.st_mode);
}

DLT_EXPORT int lttng_ust_add_fd_to_tracker(int fd)
{
	int high, result;

	if (!is_resolved())
		return -ENOSYS;
	high = move_up(fd);
	/* Beyond its limit LTTng would end the process. */
	result = told && (high >= 0 ? high : fd) >= told ? -EMFILE : tracker.add(high >= 0 ? high : fd);
	if (result >= 0)
		change(result, true);
	if (result >= 0 && is_connection(result))
		connected = true;
	/* On failure the caller closes the one it has. */
	if (high >= 0)
		dlt_sys_close(result >= 0 ? fd : high);
	return result;
}

DLT_EXPORT void lttng_ust_delete_fd_from_tracker(int fd)
{
	change(fd, false);
	if (is_resolved())
		tracker.del(fd);
}

DLT_EXPORT void lttng_ust_lock_fd_tracker(void)
{
	if (!is_resolved())
		return;
	tracker.lock();
	__atomic_store_n(&holder, (uintptr_t)pthread_self(), __ATOMIC_SEQ_CST);
	depth++;
}

DLT_EXPORT void lttng_ust_unlock_fd_tracker(void)
{
	bool news;

	if (!is_resolved())
		return;
	news = --depth == 0 && connected;
	if (news)
		connected = false;
	if (depth == 0)
		__atomic_store_n(&holder, 0, __ATOMIC_SEQ_CST);
	tracker.unlock();
	/* Only now: whoever starts a thread must hold no lock of ours. */
	if (news)
		dlt_sampler_useful();
}

void dlt_descriptors_opening(bool now)
{
	__atomic_store_n(&opener, now ? (uintptr_t)pthread_self() : 0, __ATOMIC_RELAXED);
}

/*
 * LTTng asks once, as it is opened, and writes a bit for each number that may ever be: 128 MiB of memory where there
 * are 2^30, as in Docker's containers where systemd sets no limit.
 */
DLT_EXPORT int getrlimit(__rlimit_resource_t resource, struct rlimit *limit)
{
	int result = dlt_real()->getrlimit(resource, limit);

	if (result == 0 && resource == RLIMIT_NOFILE && limit->rlim_max > TOLD_MOST &&
	    __atomic_load_n(&opener, __ATOMIC_RELAXED) == (uintptr_t)pthread_self())
		limit->rlim_max = told = TOLD_MOST;
	return result;
}

/* ---- what the application may touch -------------------------------------------------------- */

static inline bool is_in_set(int fd)
{
	return fd >= 0 && fd < NUMBERS &&
	       __atomic_load_n(&set[fd / 64], __ATOMIC_RELAXED) >> fd % 64 & 1;
}

static int close_nothing(int fd)
{
	(void)fd;
	return 0;
}

/* While LTTng holds its lock, a descriptor may be open that it has not announced yet. */
static void wait_for_lttng(void)
{
	static const struct timespec pause = { 0, 20000 };
	uint64_t end = dlt_clock_ns() + WAIT;

	while (__atomic_load_n(&holder, __ATOMIC_SEQ_CST) && dlt_clock_ns() < end)
		dlt_sys(SYS_nanosleep, (long)&pause, 0, 0, 0, 0);
}

static bool is_lttng_calling(void)
{
	return __atomic_load_n(&holder, __ATOMIC_RELAXED) == (uintptr_t)pthread_self();
}

/* A forked child's LTTng forgets descriptors without a word: then the copy is put right. */
static bool is_tracked(int fd)
{
	int saved = errno, result;

	if (!tracker.safe_close || dlt_sys_pid() != dlt_process.pid)
		return true;
	result = tracker.safe_close(fd, close_nothing);
	errno = saved;
	if (result == 0)
		change(fd, false);
	return result != 0;
}

bool dlt_descriptor_is_ours(int fd)
{
	if (__builtin_expect(__atomic_load_n(&holder, __ATOMIC_RELAXED) == 0, 1)) {
		if (__builtin_expect(!is_in_set(fd), 1))
			return false;
	} else {
		if (is_lttng_calling())
			return false;
		wait_for_lttng();
	}
	return is_in_set(fd) && is_tracked(fd);
}

static int not_open(void)
{
	errno = EBADF;
	return -1;
}

DLT_EXPORT int close(int fd)
{
	if (dlt_descriptor_is_ours(fd))
		return not_open();
	dlt_network_forget((unsigned)fd, (unsigned)fd);
	return dlt_real()->close(fd);
}

/*
 * The stream goes in any case; it may be one whose number was closed behind its back. One in memory (open_memstream)
 * has none: what stands in its place was never written. glibc's own fclose asks so (libio/iofclose.c).
 */
DLT_EXPORT int fclose(FILE *stream)
{
	if (stream->_flags & IS_FILEBUF) {
		if (dlt_descriptor_is_ours(stream->_fileno))
			stream->_fileno = -1;
		dlt_network_forget((unsigned)stream->_fileno, (unsigned)stream->_fileno);
	}
	return dlt_real()->fclose(stream);
}

/* Onto one of ours nothing can go: it would then get LTTng's bytes. */
DLT_EXPORT int dup2(int from, int to)
{
	if (dlt_descriptor_is_ours(from) || dlt_descriptor_is_ours(to))
		return not_open();
	dlt_network_forget((unsigned)to, (unsigned)to);
	return dlt_real()->dup2(from, to);
}

DLT_EXPORT int dup3(int from, int to, int flags)
{
	if (dlt_descriptor_is_ours(from) || dlt_descriptor_is_ours(to))
		return not_open();
	dlt_network_forget((unsigned)to, (unsigned)to);
	return dlt_real()->dup3(from, to, flags);
}

/* Of [first, last] what lies below end_of_set and is not ours, in runs; then what lies above. */
static int close_around(unsigned first, unsigned last, int flags,
			int (*close_run)(unsigned, unsigned, int))
{
	unsigned top = (unsigned)__atomic_load_n(&end_of_set, __ATOMIC_RELAXED);
	unsigned begin = first;
	int result = 0;

	for (unsigned fd = first; result == 0 && fd < top && fd <= last; fd++) {
		if (!dlt_descriptor_is_ours((int)fd))
			continue;
		if (begin < fd)
			result = close_run(begin, fd - 1, flags);
		begin = fd + 1;
	}
	if (result == 0 && begin <= last)
		result = close_run(begin, last, flags);
	return result;
}

/* Marking close-on-exec does LTTng's no harm: they have that mark. */
DLT_EXPORT int close_range(unsigned first, unsigned last, int flags)
{
	if (!dlt_real()->close_range) {
		errno = ENOSYS;
		return -1;
	}
	dlt_network_forget(first, last);
	if (first > last || flags & CLOSE_RANGE_CLOEXEC || is_lttng_calling())
		return dlt_real()->close_range(first, last, flags);
	return close_around(first, last, flags, dlt_real()->close_range);
}

/* Before Linux 5.9 one by one; the last run, without an end, is libc's. */
static int close_run_from(unsigned first, unsigned last, int flags)
{
	if (last == ~0U)
		dlt_real()->closefrom((int)first);
	else if (dlt_sys(SYS_close_range, first, last, flags, 0, 0) < 0)
		for (unsigned fd = first; fd <= last; fd++)
			dlt_sys_close((int)fd);
	return 0;
}

DLT_EXPORT void closefrom(int low)
{
	dlt_network_forget(low > 0 ? (unsigned)low : 0, ~0U);
	if (is_lttng_calling())
		dlt_real()->closefrom(low);
	else
		close_around(low > 0 ? (unsigned)low : 0, ~0U, 0, close_run_from);
}

/* ---- start --------------------------------------------------------------------------------- */

void dlt_descriptors_init(void)
{
	if (!dlt_emit_bridge() || tracker.lock)
		return;
	dlt_log(DLT_LOG_DESCRIPTORS, "not protected:", "LTTng does not tell of its own", 0);
	dlt_sampler_useful();	/* nobody will tell */
}
