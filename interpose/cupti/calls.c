/* SPDX-License-Identifier: MIT */
/* The last calls by correlation id, and threads by the kernel's id. */
#include "calls.h"

#include <sys/mman.h>

#include "interpose/sys.h"

#define CALLS (1u << 17)	/* a power of 2; as many calls may lie between a call and its work */
#define THREADS 1024		/* a power of 2 */

static struct call *calls;	/* by correlation % CALLS; they count up */
static uint64_t threads[THREADS];	/* tid << 32 | our id, by tid % THREADS */
static bool ended[THREADS];	/* a living one of the same number comes first */

bool calls_init(void)
{
	if (!calls)
		calls = dlt_sys_map(NULL, CALLS * sizeof(*calls), PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
	return calls != NULL;
}

static uint32_t thread_of(const struct dlt_cupti_host *host, uint32_t tid)
{
	uint64_t *place = &threads[tid % THREADS];
	uint64_t seen = __atomic_load_n(place, __ATOMIC_RELAXED);
	uint32_t id;

	if (seen >> 32 == tid && !__atomic_load_n(&ended[tid % THREADS], __ATOMIC_RELAXED))
		return (uint32_t)seen;
	id = host->thread_of(tid, false);
	if (!id) {
		/* It has ended, and noted itself: perhaps since we looked. */
		seen = __atomic_load_n(place, __ATOMIC_ACQUIRE);
		return seen >> 32 == tid ? (uint32_t)seen : 0;
	}
	/* Fails if the thread has ended meanwhile, which noted itself. */
	if (__atomic_compare_exchange_n(place, &seen, (uint64_t)tid << 32 | id, false,
					__ATOMIC_RELAXED, __ATOMIC_RELAXED))
		__atomic_store_n(&ended[tid % THREADS], false, __ATOMIC_RELAXED);
	return id;
}

void calls_thread_ended(uint32_t thread, uint32_t tid)
{
	__atomic_store_n(&threads[tid % THREADS], (uint64_t)tid << 32 | thread, __ATOMIC_RELAXED);
	__atomic_store_n(&ended[tid % THREADS], true, __ATOMIC_RELAXED);
}

void calls_note(const struct dlt_cupti_host *host, uint32_t correlation, uint32_t tid,
		bool by_handle, uint64_t begin, bool query)
{
	struct call *c = &calls[correlation % CALLS];

	/* A driver call inside a runtime call may carry its id: the outer one began earlier. */
	if (c->correlation == correlation && c->begin && c->begin <= begin)
		return;
	c->correlation = correlation;
	c->thread = by_handle ? host->thread_of(tid, true) : thread_of(host, tid);
	c->begin = begin;
	c->query = query;
}

const struct call *calls_find(uint32_t correlation)
{
	const struct call *c = &calls[correlation % CALLS];

	return c->correlation == correlation && c->begin ? c : NULL;
}
