/* SPDX-License-Identifier: MIT */
/*
 * Handlers around fork, the first that are registered in the process.
 *
 * Prepare handlers run in reverse order of registration, so ours comes last, when everybody else
 * (OpenBLAS joins its worker threads there, whose frees are hooks) is done, and only then LTTng
 * takes its locks. A wrapper around fork() would take them before and deadlock. The preload's
 * constructor is too late to be first: so __register_atfork is wrapped.
 */
#include "fork.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <signal.h>
#include <string.h>

#include "box_private.h"
#include "dlsym.h"
#include "emit.h"
#include "export.h"
#include "guard.h"
#include "init.h"
#include "library.h"
#include "log.h"
#include "outbox.h"
#include "process.h"
#include "real.h"
#include "rings.h"
#include "thread.h"
#include "walk.h"

/* By thread: two may fork at once, and LTTng lets the second wait inside before_fork. */
static __thread bool prepared;
static __thread sigset_t signals;

static __thread bool to_exec;

static bool ust_left;		/* in a child that is to exec, and in what it forks: LTTng is the parent's */
static bool ust_by_others;	/* liblttng-ust-fork.so does LTTng's part: twice would deadlock */

int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
		      void *object);

bool dlt_fork_is_prepared(void)
{
	return prepared;
}

void dlt_fork_to_exec(bool is)
{
	to_exec = is;
}

bool dlt_fork_is_to_exec(void)
{
	return to_exec;
}

static const struct dlt_bridge *ust(void)
{
	const struct dlt_bridge *bridge = dlt_emit_bridge();

	return bridge && bridge->before_fork && !ust_by_others && !ust_left ? bridge : NULL;
}

static void prepare(void)
{
	int saved = errno;
	struct dlt_thread *t = dlt_thread_self();

	dlt_ring_flush(t);
	prepared = true;
	dlt_guard_hold(t);
	if (ust())
		ust()->before_fork(&signals);
	dlt_walk_before_fork();	/* the last thing before the fork itself */
	errno = saved;
}

static void in_parent(void)
{
	int saved = errno;
	struct dlt_thread *t = dlt_thread_self();

	dlt_walk_after_fork(false);
	__atomic_fetch_add(&dlt_box->forks, 1, __ATOMIC_RELAXED);
	if (ust())
		ust()->after_fork_parent(&signals);
	dlt_guard_release(t);
	prepared = false;
	errno = saved;
}

/* The guard stays up until LTTng is the child's own; then the child names itself. */
static void in_child(void)
{
	int saved = errno;
	struct dlt_thread *t;

	dlt_walk_after_fork(true);
	dlt_process_after_fork();
	t = dlt_thread_self();
	if (ust() && to_exec) {
		ust_left = true;
		pthread_sigmask(SIG_SETMASK, &signals, NULL);
	} else if (ust()) {
		ust()->after_fork_child(&signals);
	}
	dlt_heap_started();
	dlt_guard_release(t);
	prepared = false;
	if ((!ust_by_others || dlt_outbox_on) && dlt_process.traced) {
		dlt_process_announce();
		dlt_sampler_start();
	}
	errno = saved;
}

static void register_ours(void)
{
	static bool done;

	if (done || !dlt_real()->__register_atfork)
		return;
	done = true;
	dlt_real()->__register_atfork(prepare, in_parent, in_child, NULL);
}

/* pthread_atfork is this, in every object that uses it. */
DLT_EXPORT int __register_atfork(void (*before)(void), void (*parent)(void), void (*child)(void),
				 void *object)
{
	register_ours();
	return dlt_real()->__register_atfork(before, parent, child, object);
}

static bool is_ust_s(const void *function)
{
	const char *path = function ? dlt_library_path(function) : NULL;

	return path && strstr(path, "liblttng-ust-fork") != NULL;
}

/* LTTng's own wrapper of fork may stand before or behind us. */
static bool fork_is_ust_s(void)
{
	return is_ust_s(dlt_dlsym(RTLD_NEXT, "fork")) || is_ust_s(dlt_dlsym(RTLD_DEFAULT, "fork"));
}

void dlt_fork_init(void)
{
	ust_by_others = fork_is_ust_s();
	if (ust_by_others)
		dlt_log(DLT_LOG_FORK, "liblttng-ust-fork.so is here too: its part is left to it", NULL, 0);
	if (!dlt_process.off)
		register_ours();
}
