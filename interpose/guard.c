/* SPDX-License-Identifier: MIT */
/* Guards whose owners are gone, and guards that are held. */
#include "guard.h"

#include <signal.h>

#include "log.h"
#include "outbox.h"
#include "rings.h"
#include "sys.h"

#define STACK_MOST (64u << 20)	/* bytes; what is farther above lies on another stack */

/*
 * A handler that runs on a stack of its own, while the event that it came into the middle of waits on the thread's.
 * With SS_AUTODISARM the system denies that, and the distance has to do.
 */
static bool is_other_stack(uintptr_t guard, uintptr_t here)
{
	stack_t own;

	if (here - guard > STACK_MOST || dlt_sys(SYS_sigaltstack, 0, (long)&own, 0, 0, 0) < 0)
		return true;
	return (own.ss_flags & SS_ONSTACK) && guard - (uintptr_t)own.ss_sp > own.ss_size;
}

bool dlt_guard_left(uintptr_t owner, uintptr_t here)
{
	return here >= owner && !is_other_stack(owner, here);
}

__attribute__((noinline, cold)) bool dlt_guard_stands(struct dlt_thread *t, uintptr_t here)
{
	if (!dlt_guard_left(t->guard, here))
		return true;
	dlt_log(DLT_LOG_GUARD, "left by a jump out of a signal's handler", "", (long)t->id);
	dlt_outbox_abandon(t);
	dlt_ring_abandon(t);
	dlt_guard_down(t, 0);
	return false;
}

void dlt_guard_hold(struct dlt_thread *t)
{
	t->held++;
	if (!dlt_is_guarded(t))
		t->guard = DLT_GUARD_HELD;
	__asm__ volatile("" ::: "memory");
}

void dlt_guard_release(struct dlt_thread *t)
{
	__asm__ volatile("" ::: "memory");
	if (!--t->held && t->guard == DLT_GUARD_HELD)
		t->guard = 0;
}
