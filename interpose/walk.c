/* SPDX-License-Identifier: MIT */
/* Walks over the loaded objects and forks, told apart by two counters. */
#include "walk.h"

#include "clock.h"
#include "sys.h"

/*
 * ns that one waits for the other. On a busy machine a thread may be out of turn for 100 ms in the
 * middle of a walk; a fork that does not wait for it leaves its child a lock that nobody opens.
 */
#define MOST 1000000000u

static unsigned walking, forking;
static bool inherited;		/* the loader's lock, from a parent, and nobody has had it since */
static __thread unsigned depth;

/* Until *counter is 0, or for too long. */
static void wait_for(const unsigned *counter)
{
	uint64_t begin = dlt_clock_ns();

	while (__atomic_load_n(counter, __ATOMIC_SEQ_CST) && dlt_clock_ns() - begin < MOST)
		dlt_sys(SYS_sched_yield, 0, 0, 0, 0, 0);
}

/* Each says first that it comes, and looks at the other then: at least one of them sees it. */
static void enter(void)
{
	__atomic_add_fetch(&walking, 1, __ATOMIC_SEQ_CST);
	if (__builtin_expect(!__atomic_load_n(&forking, __ATOMIC_SEQ_CST), 1))
		return;
	__atomic_sub_fetch(&walking, 1, __ATOMIC_SEQ_CST);
	wait_for(&forking);
	__atomic_add_fetch(&walking, 1, __ATOMIC_SEQ_CST);
}

int dlt_walk(int (*each)(struct dl_phdr_info *info, size_t size, void *data), void *data)
{
	int result;

	if (depth++ == 0)
		enter();
	result = dl_iterate_phdr(each, data);
	__atomic_store_n(&inherited, false, __ATOMIC_RELAXED);
	if (--depth == 0)
		__atomic_sub_fetch(&walking, 1, __ATOMIC_SEQ_CST);
	return result;
}

bool dlt_walk_returns(void)
{
	return !__atomic_load_n(&inherited, __ATOMIC_RELAXED);
}

int dlt_walk_or_not(int (*each)(struct dl_phdr_info *info, size_t size, void *data), void *data)
{
	return dlt_walk_returns() ? dlt_walk(each, data) : 0;
}

void dlt_walk_before_fork(void)
{
	__atomic_add_fetch(&forking, 1, __ATOMIC_SEQ_CST);
	if (!depth)
		wait_for(&walking);
}

void dlt_walk_after_fork(bool child)
{
	if (child) {
		walking = depth ? 1 : 0;
		forking = 0;
		inherited = true;
	} else {
		__atomic_sub_fetch(&forking, 1, __ATOMIC_SEQ_CST);
	}
}
