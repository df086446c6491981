/* SPDX-License-Identifier: MIT */
/* The way from a hook to LTTng: libdltrace-ust.so's bridge, copied, and the guard around it. */
#include "emit.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/membarrier.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "box_private.h"
#include "clock.h"
#include "descriptors.h"
#include "elf.h"
#include "exists.h"
#include "guard.h"
#include "init.h"
#include "log.h"
#include "lttng_room.h"
#include "outbox.h"
#include "process.h"
#include "real.h"
#include "rings.h"
#include "sys.h"

static const int nobody;
const int *dlt_states[DLT_EVENTS] = { [0 ... DLT_EVENTS - 1] = &nobody };

#define MOST_WORDS 1022		/* of an environment */
#define CLOSE_WAIT 100000000	/* ns: more threads than cores take turns to finish */

#define NOBODY ((struct dlt_thread *)1)	/* points nowhere */

static struct dlt_thread *closed_by;	/* the only one who may still emit, or NOBODY; NULL: all */
static dlt_emit_fn emitters[DLT_EVENTS];
static const struct dlt_bridge *bridge;

/* For its thread if the event names it, so that a report can tell losses by thread; else for all. */
static DLT_HOT void count_event(struct dlt_thread *t, enum dlt_event event)
{
	struct dlt_box_slot *late = dlt_box_slot(0);
	bool of_thread = DLT_EVENTS_OF_THREADS >> event & 1;

	t->events += of_thread;
	if (t->slot != late && of_thread)
		t->slot->events = t->events;
	else
		__atomic_fetch_add(&late->base_events, 1, __ATOMIC_RELAXED);
}

static bool is_closed_to(const struct dlt_thread *t)
{
	const struct dlt_thread *by = __atomic_load_n(&closed_by, __ATOMIC_RELAXED);

	return __builtin_expect(by != NULL, 0) && by != t;
}

static __attribute__((noinline)) void announce(struct dlt_thread *t, enum dlt_event event)
{
	int saved = errno;

	dlt_threads_first_event(t, event);
	errno = saved;
}

/* True: the guard is up, and the caller takes it down. */
static inline __attribute__((always_inline)) bool begin(struct dlt_thread *t, enum dlt_event event)
{
	if (dlt_is_guarded(t) || t->helper || t->vforked || !dlt_process.traced || is_closed_to(t))
		return false;
	if (__builtin_expect(!t->announced, 0))
		announce(t, event);
	/* The guard is up before this is read: dlt_emit_close waits for guards. */
	dlt_guard_up(t);
	if (!is_closed_to(t))
		return true;
	dlt_guard_down(t, 0);
	return false;
}

static inline __attribute__((always_inline)) void end(struct dlt_thread *t)
{
	dlt_guard_down(t, 0);
}

/* The one way or the other; neither, where a forked child got no box that somebody reads. */
static DLT_HOT void pass_on(enum dlt_event event, const void *data)
{
	if (dlt_outbox_on)
		dlt_outbox_put_event(event, data);
	else if (emitters[event])
		emitters[event](data);
}

static DLT_HOT void emit_one(struct dlt_thread *t, enum dlt_event event, const void *data)
{
	/* Before it is emitted, so that an event that tells the count can include itself. */
	count_event(t, event);
	__asm__ volatile("" ::: "memory");
	pass_on(event, data);
}

void dlt_emit(struct dlt_thread *t, enum dlt_event event, const void *data)
{
	int saved = errno;

	if (!begin(t, event))
		return;
	emit_one(t, event, data);
	end(t);
	errno = saved;
}

DLT_HOT void dlt_emit_at(struct dlt_thread *t, enum dlt_event event, const void *data, uint64_t ticks)
{
	int saved;

	if (!begin(t, event))
		return;
	/* What is noted leaves errno alone. */
	if (!(DLT_EVENTS_BATCHED >> event & 1) || !dlt_ring_put(t, event, data, ticks, true)) {
		saved = errno;
		emit_one(t, event, data);
		errno = saved;
	}
	end(t);
}

void dlt_emit_later(struct dlt_thread *t, enum dlt_event event, const void *data, uint64_t ticks)
{
	if (dlt_is_guarded(t) || t->helper || t->vforked || !t->announced || is_closed_to(t))
		return;
	dlt_guard_up(t);
	dlt_ring_put(t, event, data, ticks, false);
	end(t);
}

void dlt_emit_now(enum dlt_event event, const void *data)
{
	pass_on(event, data);
}

void dlt_emit_aside(struct dlt_thread *t, enum dlt_event event, const void *data, bool again)
{
	int saved = errno;
	uintptr_t before;

	if (t->vforked || !dlt_process.traced || !dlt_enabled(event))
		return;
	before = dlt_guard_up(t);
	if (!is_closed_to(t)) {
		if (!again)
			count_event(t, event);
		__asm__ volatile("" ::: "memory");
		pass_on(event, data);
	}
	dlt_guard_down(t, before);
	errno = saved;
}

static void nap(void)
{
	static const struct timespec pause = { 0, 100000 };

	dlt_sys(SYS_nanosleep, (long)&pause, 0, 0, 0, 0);
}

static bool others_exist(const struct dlt_thread *self)
{
	for (struct dlt_thread *t = dlt_thread_next(NULL); t; t = dlt_thread_next(t))
		if (t != self && t->id && !t->helper)
			return true;
	return false;
}

static bool others_emit(const struct dlt_thread *self)
{
	for (struct dlt_thread *t = dlt_thread_next(NULL); t; t = dlt_thread_next(t))
		if (t != self && t->id && __atomic_load_n(&t->guard, __ATOMIC_ACQUIRE))
			return true;
	return false;
}

bool dlt_emit_close(struct dlt_thread *t)
{
	struct dlt_thread *nobody_yet = NULL;
	uint64_t end = dlt_clock_ns() + CLOSE_WAIT;
	bool mine;

	if (!bridge && !dlt_outbox_on)
		return true;
	mine = __atomic_compare_exchange_n(&closed_by, &nobody_yet, t, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_SEQ_CST) || nobody_yet == t;
	/* Makes every thread see it, so that emitting needs no barrier of its own. */
	if (mine && dlt_sys(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0, 0, 0) < 0 &&
	    others_exist(t))
		nap();
	while ((!mine || others_emit(t)) && __atomic_load_n(&closed_by, __ATOMIC_RELAXED) != NOBODY &&
	       dlt_clock_ns() < end)
		nap();
	dlt_log(DLT_LOG_EMIT, "closed, still emitting:", NULL, others_emit(t));
	return mine;
}

void dlt_emit_end(void)
{
	if (!dlt_outbox_on)
		__atomic_store_n(&closed_by, NOBODY, __ATOMIC_SEQ_CST);
}

void dlt_emit_reopen(void)
{
	__atomic_store_n(&closed_by, NULL, __ATOMIC_SEQ_CST);
}

const struct dlt_bridge *dlt_emit_bridge(void)
{
	return bridge;
}

/* A file in the folder of the object that holds this function. */
static bool beside(const char *name, char *path, size_t size)
{
	const char *self = dlt_elf_own_path(), *slash;
	size_t folder, length = strlen(name);

	if (!self)
		return false;
	slash = strrchr(self, '/');
	folder = slash ? (size_t)(slash + 1 - self) : 0;
	if (folder + length >= size)
		return false;
	memcpy(path, self, folder);
	memcpy(path + folder, name, length + 1);
	/* Asked for first: dlopen and dlerror make a long message of what is not there. */
	return dlt_sys(SYS_faccessat, AT_FDCWD, (long)path, R_OK, 0, 0) == 0;
}

/* Whoever is loaded at the start, and its users are the program's own. */
static bool ust_is_theirs(void)
{
	static const char name[] = "/liblttng-ust.so";

	for (const struct link_map *m = _r_debug.r_map; m; m = m->l_next) {
		const char *slash = strrchr(m->l_name, '/');

		if (slash && strncmp(slash, name, sizeof(name) - 1) == 0)
			return true;
	}
	return false;
}

/*
 * LTTng-UST tells each session where libraries lie, for which it reads all of their files' section
 * headers, some thousand system calls, in the thread that starts and once more in its own: half of what
 * it takes. Our events announce libraries with their build ids, so this is for a program that uses LTTng
 * itself, or for who asks (DLTRACE_STATEDUMP=on). It looks at its environment while it is loaded, so
 * there is a word more for as long.
 */
static void *open_in_silence(const char *path)
{
	static char word[] = "LTTNG_UST_WITHOUT_BADDR_STATEDUMP=1";
	static char *words[MOST_WORDS + 2];
	const char *asked = dlt_process_env("DLTRACE_STATEDUMP");
	char **theirs = environ;
	size_t n = 0;
	void *library;

	if (!dlt_lttng_has_room()) {
		dlt_log(DLT_LOG_EMIT, "its two threads or its addresses are over the process's limits:", path, 0);
		return NULL;
	}
	while (theirs && theirs[n])
		n++;
	/* Another thread might change its environment meanwhile, or load something. */
	if ((asked && strcmp(asked, "on") == 0) || n > MOST_WORDS || others_exist(dlt_thread_self()) || ust_is_theirs())
		return dlopen(path, RTLD_NOW | RTLD_LOCAL);
	memcpy(words, theirs, n * sizeof(*words));
	words[n] = word;
	environ = words;
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	environ = theirs;
	return library;
}

static void *open_plainly(const char *path)
{
	return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* NULL: not there, of another version, or without LTTng. */
static const struct dlt_bridge *open_bridge(const char *name, void *(*open_it)(const char *path))
{
	const struct dlt_bridge *found;
	char path[1024];
	void *library;

	if (!beside(name, path, sizeof(path))) {
		dlt_log(DLT_LOG_EMIT, "not beside libdltrace.so:", name, 0);
		return NULL;
	}
	dlt_exists_pause(true);
	dlt_descriptors_opening(true);
	library = open_it(path);
	dlt_descriptors_opening(false);
	dlt_exists_pause(false);
	found = library ? dlsym(library, "dlt_bridge") : NULL;
	if (!found)
		dlt_log(DLT_LOG_EMIT, "no LTTng:", dlerror(), 0);
	/* Nothing of this is for the application's dlerror(). */
	dlerror();
	if (found && (found->version != DLT_BRIDGE_VERSION || found->events != DLT_EVENTS)) {
		dlt_log(DLT_LOG_EMIT, "another version of", path, (long)found->events);
		return NULL;
	}
	return found;
}

/* What is NULL in both arrays stays as it is. */
static void add_events(const struct dlt_bridge *more)
{
	for (int i = 0; i < DLT_EVENTS; i++) {
		if (!more->states[i] || !more->emitters[i])
			continue;
		emitters[i] = more->emitters[i];
		__atomic_store_n(&dlt_states[i], more->states[i], __ATOMIC_RELEASE);
	}
}

bool dlt_emit_gpu(void)
{
	const struct dlt_bridge *more;

	/* Neither: a child that says nothing. */
	if (dlt_outbox_on || !bridge)
		return dlt_outbox_on;
	more = open_bridge("libdltrace-gpu.so", open_plainly);
	if (more)
		add_events(more);
	return more != NULL;
}

void dlt_emit_after_fork(void)
{
	if (!dlt_outbox_on || dlt_outbox_after_fork())
		return;
	for (int i = 0; i < DLT_EVENTS; i++)
		dlt_states[i] = &nobody;
}

void dlt_emit_init(void)
{
	struct dlt_thread *t = dlt_thread_self();
	uintptr_t before;

	if (dlt_outbox_init(dlt_process_boxes(), dlt_states))
		return;
	before = dlt_guard_up(t);
	bridge = open_bridge("libdltrace-ust.so", open_in_silence);
	if (bridge)
		add_events(bridge);
	if (bridge && bridge->thread_init)
		bridge->thread_init();
	dlt_guard_down(t, before);
}
