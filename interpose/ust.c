/* SPDX-License-Identifier: MIT */
/* libdltrace-ust.so: the providers, and what libdltrace.so needs of LTTng, as one table. */
#include "bridge.h"

#include <lttng/ust-fork.h>
#include <stddef.h>

#include "sampler/sampler.h"

/* Since 2.13; an older library is used without it. */
extern void lttng_ust_init_thread(void) __attribute__((weak));

static void thread_init(void)
{
	if (lttng_ust_init_thread)
		lttng_ust_init_thread();
}

static void before_fork(void *sigset)
{
	lttng_ust_before_fork(sigset);
}

static void after_fork_parent(void *sigset)
{
	lttng_ust_after_fork_parent(sigset);
}

static void after_fork_child(void *sigset)
{
	lttng_ust_after_fork_child(sigset);
}

/* Exported; libdltrace.so finds it by dlsym. */
extern const struct dlt_bridge dlt_bridge;

__attribute__((visibility("default"))) const struct dlt_bridge dlt_bridge = {
	.version = DLT_BRIDGE_VERSION,
	.events = DLT_EVENTS,
	.states = dlt_bridge_states,
	.emitters = dlt_bridge_emitters,
	.thread_init = thread_init,
	.before_fork = before_fork,
	.after_fork_parent = after_fork_parent,
	.after_fork_child = after_fork_child,
	.sampler_start = sampler_thread_start,
	.sampler_stop = sampler_thread_stop,
};
