/* SPDX-License-Identifier: MIT */
/* By the limits of memory, and by trying. */
#include "lttng_room.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>

#include "real.h"
#include "sys.h"

#define ADDRESSES	(300ull << 20)	/* bytes: up to 250 MB are LTTng's, see dltrace(7) */
#define DATA		(64ull << 20)	/* bytes: stacks, buffers, heaps of its threads */
#define THREADS		2
#define PATIENCE_NS	100000000	/* of one that is held, should nobody let it go */

enum { STATM_SIZE, STATM_DATA = 5 };

/* Bytes, by /proc/self/statm; 0: not known. */
static uint64_t statm(int wanted)
{
	char text[128];
	uint64_t value = 0;
	size_t length = dlt_sys_read_proc("/proc/self/statm", text, sizeof(text));
	int field = 0;

	for (size_t i = 0; i < length && field <= wanted; i++) {
		if (text[i] == ' ')
			field++;
		else if (field == wanted)
			value = value * 10 + (uint64_t)(text[i] - '0');
	}
	return value * (uint64_t)sysconf(_SC_PAGESIZE);
}

static bool is_within(int limit, int used, uint64_t needed)
{
	struct rlimit l;

	/* Nor may LTTng ask (a filter of seccomp's): it asks as it is opened, and aborts the program then. */
	if (dlt_sys_limit(limit, &l))
		return false;
	if (l.rlim_cur == RLIM_INFINITY)
		return true;
	return l.rlim_cur > statm(used) + needed;
}

/* Until it is let go. */
static void *be(void *data)
{
	const struct timespec patience = { 0, PATIENCE_NS };

	while (__atomic_load_n((int *)data, __ATOMIC_ACQUIRE) == 0)
		if (dlt_sys6(SYS_futex, (long)data, FUTEX_WAIT_PRIVATE, 0, (long)&patience, 0, 0) == -ETIMEDOUT)
			break;
	return NULL;
}

/* Both at once: a limit may leave room for one. They take no signal, for which the program might have a handler. */
static bool threads_can_be_made(void)
{
	pthread_t threads[THREADS];
	sigset_t all, before;
	int made = 0, go = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (made < THREADS && dlt_real()->pthread_create(&threads[made], NULL, be, &go) == 0)
		made++;
	__atomic_store_n(&go, 1, __ATOMIC_RELEASE);
	dlt_sys(SYS_futex, (long)&go, FUTEX_WAKE_PRIVATE, THREADS, 0, 0);
	for (int i = 0; i < made; i++)
		pthread_join(threads[i], NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return made == THREADS;
}

bool dlt_lttng_has_room(void)
{
	return is_within(RLIMIT_AS, STATM_SIZE, ADDRESSES) && is_within(RLIMIT_DATA, STATM_DATA, DATA) &&
	       threads_can_be_made();
}
