/* SPDX-License-Identifier: MIT */
/* Threads: pthread_create through a trampoline, their names, their ends. */
#include "threads.h"

#include <linux/seccomp.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>

#include "audited.h"
#include "box_private.h"
#include "children.h"
#include "clock.h"
#include "creator.h"
#include "emit.h"
#include "export.h"
#include "guard.h"
#include "init.h"
#include "library.h"
#include "objects.h"
#include "opencl.h"
#include "opencl_work.h"
#include "process.h"
#include "real.h"
#include "rings.h"
#include "sys.h"

#define CHUNK 4096	/* bytes of hand-overs mapped at once */
#define ABOVE_SELF 4096	/* bytes of a stack that lie above pthread_self(), at most: glibc's struct pthread */

/*
 * What the creating thread hands to the new one. From a pool of our own, because the
 * application's heap must not see it; the new thread gives it back at once.
 */
struct hand_over {
	void *(*start)(void *);
	void *argument;
	size_t stack;		/* bytes that it has, at least, below what glibc keeps of the thread; 0: not known */
	struct dlt_creator by;
	uint32_t creator;	/* thread id */
	uint32_t busy;
	struct hand_over *next;	/* all ever made; never unlinked */
};

static struct hand_over *pool;

static void add_hand_over(struct hand_over *h)
{
	h->next = __atomic_load_n(&pool, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&pool, &h->next, h, false, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		;
}

static bool add_chunk(void)
{
	struct hand_over *chunk = dlt_sys_map(NULL, CHUNK, PROT_READ | PROT_WRITE,
					      MAP_PRIVATE | MAP_ANONYMOUS, -1);

	for (size_t i = 0; chunk && i < CHUNK / sizeof(*chunk); i++)
		add_hand_over(&chunk[i]);
	return chunk != NULL;
}

static struct hand_over *find_hand_over(void)
{
	for (struct hand_over *h = __atomic_load_n(&pool, __ATOMIC_ACQUIRE); h; h = h->next)
		if (!__atomic_load_n(&h->busy, __ATOMIC_RELAXED) &&
		    !__atomic_exchange_n(&h->busy, 1, __ATOMIC_ACQUIRE))
			return h;
	return NULL;
}

static struct hand_over *take_hand_over(void)
{
	struct hand_over *h = find_hand_over();

	return h || !add_chunk() ? h : find_hand_over();
}

bool dlt_threads_starting(void)
{
	for (struct hand_over *h = __atomic_load_n(&pool, __ATOMIC_ACQUIRE); h; h = h->next)
		if (__atomic_load_n(&h->busy, __ATOMIC_RELAXED))
			return true;
	return false;
}

static void give_back(struct hand_over *h)
{
	__atomic_store_n(&h->busy, 0, __ATOMIC_RELEASE);
}

/* ---- announcements ------------------------------------------------------------------------- */

void dlt_threads_announce(struct dlt_thread *t, enum dlt_threads_reason reason, const char *name)
{
	char own[16] = "";
	struct dlt_thread *self = dlt_thread_self();
	struct dlt_ev_proc_thread e = {
		.thread = t->id, .process = dlt_process.id, .tid = t->slot->tid,
		.creator = t->slot->creator, .creator_library = t->slot->creator_library,
		.start_library = t->slot->start_library, .start_offset = t->slot->start_offset,
		.reason = (uint8_t)reason, .by = t == self ? 0 : self->id, .begin = t->slot->begin,
		.name = name ? name : own,
	};

	if (!dlt_enabled(DLT_EV_PROC_THREAD) || t->helper)
		return;
	if (!name)
		dlt_sys(SYS_prctl, PR_GET_NAME, (long)own, 0, 0, 0);
	t->announced = true;
	dlt_emit(self, DLT_EV_PROC_THREAD, &e);
}

/* From the thread's last destructors: what it emits later is in the black box only. */
void dlt_threads_ended(struct dlt_thread *t)
{
	struct dlt_ev_proc_thread_end e = { .thread = t->id, .how = t->how };

	dlt_cupti_thread_ended(t);
	__atomic_store_n(&t->handle, 0, __ATOMIC_RELAXED);
	if (t->helper) {
		__atomic_fetch_sub(&dlt_box->helpers, 1, __ATOMIC_RELAXED);
		return;
	}
	if (!dlt_enabled(DLT_EV_PROC_THREAD_END))
		return;
	if (!t->announced)		/* one that we did not see begin, and that emitted nothing: one event more */
		dlt_threads_first_event(t, DLT_EV_PROC_THREAD_END);
	e.cpu = dlt_clock_of(CLOCK_THREAD_CPUTIME_ID);
	e.events = t->events + dlt_ring_noted(t->slot) + 1;
	dlt_emit(t, DLT_EV_PROC_THREAD_END, &e);
}

/* ---- the trampoline ------------------------------------------------------------------------ */

static void describe(struct dlt_thread *t, const struct hand_over *h)
{
	struct dlt_box_slot *s = t->slot;

	t->how = DLT_END_CANCEL;	/* unless it returns or pthread_exit says otherwise */
	t->helper = h->by.helper;
	if (s != dlt_box_slot(0)) {
		s->creator = h->creator;
		s->creator_library = h->by.library;
		s->start_library = h->by.start_library;
		s->start_offset = h->by.start_offset;
		__atomic_store_n(&s->helper, h->by.helper, __ATOMIC_RELEASE);
	}
	/* Before the name is read: see pthread_setname_np. */
	__atomic_store_n(&t->handle, (uintptr_t)pthread_self(), __ATOMIC_SEQ_CST);
}

/* UST allocates its thread-local storage here and not in a hook, where it would recurse. */
static void prepare_ust(struct dlt_thread *t)
{
	const struct dlt_bridge *bridge = dlt_emit_bridge();
	uintptr_t before;

	if (!bridge || !bridge->thread_init || t->helper || !dlt_process.traced)
		return;
	before = dlt_guard_up(t);
	bridge->thread_init();
	dlt_guard_down(t, before);
}

static void *trampoline(void *data)
{
	struct hand_over h = *(struct hand_over *)data;
	struct dlt_thread *t = dlt_thread_self();
	void *result;

	give_back(data);
	t->stack_begin = (uintptr_t)pthread_self() + ABOVE_SELF - h.stack;
	t->stack_end = DLT_FRAME;
	describe(t, &h);
	prepare_ust(t);
	dlt_threads_announce(t, DLT_THREAD_START, NULL);
	result = h.start(h.argument);
	t->how = DLT_END_RETURN;
	return result;
}

/*
 * With an audit library glibc is given more room for thread-local storage (record/environment.c), which it takes from
 * each thread's stack: a small one would be smaller than the thread asked for, or too small to be made (EINVAL).
 */
static size_t taken_from_stacks;	/* bytes */

static void ask_for_tunable(void)
{
	static const char name[] = "glibc.rtld.optional_static_tls=";
	const char *tunables = dlt_process_env("GLIBC_TUNABLES");
	const char *found = tunables ? strstr(tunables, name) : NULL;

	taken_from_stacks = found ? strtoul(found + sizeof(name) - 1, NULL, 0) : 0;
}

/* The program's own, or a copy that asks for as much more. glibc's are plain: what they point to is not copied. */
static const pthread_attr_t *with_room(const pthread_attr_t *theirs, pthread_attr_t *copy)
{
	void *at;
	size_t size;

	if (!theirs || !dlt_audited_active || !taken_from_stacks || pthread_attr_getstack(theirs, &at, &size))
		return theirs;
	if (!size || (uintptr_t)at + size != 0)		/* none asked for, or memory of the program's own */
		return theirs;
	*copy = *theirs;
	return pthread_attr_setstacksize(copy, size + taken_from_stacks) ? theirs : copy;
}

/* At least so many bytes: a stack that glibc has kept for another use may be larger. 0: not known. */
static size_t stack_size(const pthread_attr_t *attributes)
{
	pthread_attr_t plain;
	size_t size = 0;

	if (!attributes && pthread_attr_init(&plain) == 0)
		attributes = &plain;
	if (attributes)
		pthread_attr_getstacksize(attributes, &size);
	return size;
}

DLT_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			      void *(*start)(void *), void *argument)
{
	struct dlt_thread *t = dlt_thread_self();
	struct hand_over *h = dlt_process.traced ? take_hand_over() : NULL;
	pthread_attr_t copy;
	bool helper;
	int error;

	attributes = with_room(attributes, &copy);
	if (!h)
		return dlt_real()->pthread_create(thread, attributes, start, argument);
	h->start = start;
	h->argument = argument;
	h->stack = stack_size(attributes);
	h->creator = t->id;
	h->by = dlt_creator_of(t, __builtin_return_address(0), (void *)start, argument);
	helper = h->by.helper;
	/* Before it exists: a sample in between would count it for the application's. */
	if (helper)
		__atomic_fetch_add(&dlt_box->helpers, 1, __ATOMIC_RELAXED);
	error = dlt_real()->pthread_create(thread, attributes, trampoline, h);
	if (!error)
		return 0;
	if (helper)
		__atomic_fetch_sub(&dlt_box->helpers, 1, __ATOMIC_RELAXED);
	give_back(h);
	return error;
}

DLT_EXPORT void pthread_exit(void *result)
{
	struct dlt_thread *t = dlt_thread_self();

	t->how = DLT_END_EXIT;
	dlt_real()->pthread_exit(result);
	__builtin_unreachable();
}

/* A pthread_t stays valid as long as its thread is not joined: what is found may be used. */
static struct dlt_thread *find_by_handle(uintptr_t handle)
{
	for (struct dlt_thread *t = dlt_thread_next(NULL); t; t = dlt_thread_next(t))
		if (t->id && __atomic_load_n(&t->handle, __ATOMIC_SEQ_CST) == handle)
			return t;
	return NULL;
}

/*
 * LTTng cancels its listeners when the process ends, for which glibc has to load libgcc_s and aborts where it
 * cannot: no descriptor or no memory is left, a chroot, a container with little more than libc. They
 * find out by LTTng's own flag, and the process is gone before that matters.
 */
DLT_EXPORT int pthread_cancel(pthread_t thread)
{
	const struct dlt_thread *t = find_by_handle((uintptr_t)thread);

	return thread && t && t->helper ? 0 : dlt_real()->pthread_cancel(thread);
}

/* ---- names --------------------------------------------------------------------------------- */

DLT_EXPORT int pthread_setname_np(pthread_t thread, const char *name)
{
	int error = dlt_real()->pthread_setname_np(thread, name);
	struct dlt_thread *t;

	if (error || !dlt_enabled(DLT_EV_PROC_THREAD))
		return error;
	/* Not found: it has not begun yet, and will read the name after it can be found. */
	t = find_by_handle((uintptr_t)thread);
	if (t)
		dlt_threads_announce(t, DLT_THREAD_NAMED, name);
	return error;
}

void dlt_threads_named(uint32_t tid, const char *name)
{
	struct dlt_thread *self = dlt_thread_self();

	if (!*name || !dlt_enabled(DLT_EV_PROC_THREAD))
		return;
	if (!self->late && self->slot->tid == tid) {
		dlt_threads_announce(self, DLT_THREAD_NAMED, name);
		return;
	}
	for (struct dlt_thread *t = dlt_thread_next(NULL); t; t = dlt_thread_next(t))
		if (__atomic_load_n(&t->id, __ATOMIC_ACQUIRE) && t->slot && !t->late &&
		    __atomic_load_n(&t->slot->tid, __ATOMIC_RELAXED) == tid) {
			dlt_threads_announce(t, DLT_THREAD_NAMED, name);
			return;
		}
}

DLT_EXPORT int prctl(int option, ...)
{
	unsigned long a[4];
	va_list list;
	bool shuts_in, strictly;
	int result;

	va_start(list, option);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(list, unsigned long);
	va_end(list);
	/* Who may not be given new rights may give itself fewer, in ways that nobody sees here. */
	shuts_in = option == PR_SET_NO_NEW_PRIVS || option == PR_SET_SECCOMP;
	if (shuts_in && dlt_process.traced && !__atomic_load_n(&dlt_process.shut_in, __ATOMIC_RELAXED))
		dlt_uncovered(DLT_SHUT_IN);
	/* All that such a thread may do is to read, to write and to end: it gets SIGSEGV where we look at the TSC. */
	strictly = option == PR_SET_SECCOMP && a[0] == SECCOMP_MODE_STRICT;
	if (strictly) {
		if (dlt_process.traced)
			dlt_uncovered(DLT_SHUT_STRICTLY);
		dlt_guard_hold(dlt_thread_self());
	}
	result = dlt_real()->prctl(option, a[0], a[1], a[2], a[3]);
	if (strictly && result < 0)
		dlt_guard_release(dlt_thread_self());
	if (shuts_in && result == 0)
		__atomic_store_n(&dlt_process.shut_in, true, __ATOMIC_RELAXED);
	if (option == PR_SET_NAME && result == 0)
		dlt_threads_announce(dlt_thread_self(), DLT_THREAD_NAMED, NULL);
	return result;
}

void dlt_threads_first_event(struct dlt_thread *t, int event)
{
	bool forked = t->id == dlt_process.id && dlt_process.reason == DLT_REASON_FORK;

	/* What announces comes first and names itself. */
	if (event == DLT_EV_PROC_PROCESS || event == DLT_EV_PROC_THREAD)
		return;
	t->announced = true;
	dlt_threads_announce(t, forked ? DLT_THREAD_FORK : DLT_THREAD_START, NULL);
}

/* ---- start, fork --------------------------------------------------------------------------- */

void dlt_threads_init(void)
{
	struct dlt_thread *t = dlt_thread_self();

	t->how = DLT_END_PROCESS;
	__atomic_store_n(&t->handle, (uintptr_t)pthread_self(), __ATOMIC_RELAXED);
	ask_for_tunable();
}

/* The forking thread is the child's first; hand-overs of threads that were not copied are free. */
void dlt_threads_after_fork(void)
{
	for (struct hand_over *h = pool; h; h = h->next)
		h->busy = 0;
	dlt_last_thread_after_fork();
	dlt_emit_reopen();
	dlt_cupti_after_fork();
	dlt_cl_after_fork();
	dlt_cl_kernels_after_fork();
	dlt_children_env_after_fork();
}
