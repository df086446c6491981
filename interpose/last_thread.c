/* SPDX-License-Identifier: MIT */
/*
 * The end of a program's last thread.
 *
 * Main may leave by pthread_exit, and a thread that forked is the only one of its child and returns some
 * time: the C library ends the process, as by exit(0), with the last thread that it has. LTTng's
 * listeners and our sampler never end, so it is we who must see when nobody else is left.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "box_private.h"
#include "init.h"
#include "sys.h"
#include "thread.h"
#include "threads.h"

#define TRIES 50		/* of 1 ms: what ends at the same time is gone by then */

static bool asks;		/* a thread that ends is about to find out whether it is the last one */

static bool others_live(const struct dlt_thread *self)
{
	for (struct dlt_thread *t = dlt_thread_next(NULL); t; t = dlt_thread_next(t))
		if (t != self && __atomic_load_n(&t->id, __ATOMIC_SEQ_CST) && !t->helper &&
		    !__atomic_load_n(&t->ends, __ATOMIC_SEQ_CST))
			return true;
	return false;
}

/* The first thread stays until the process ends, as a zombie. */
static bool first_has_ended(void)
{
	char text[128];
	const char *name_end;

	dlt_sys_read_proc("/proc/self/stat", text, sizeof(text));
	name_end = strrchr(text, ')');
	return name_end && strncmp(name_end, ") Z", 3) == 0;
}

/* Threads that no record knows are counted by the kernel; without /proc by nobody. */
static bool is_alone(void)
{
	bool is_first = dlt_sys_pid() == dlt_sys(SYS_gettid, 0, 0, 0, 0, 0);
	uint32_t helpers = __atomic_load_n(&dlt_box->helpers, __ATOMIC_SEQ_CST);
	struct stat tasks;

	if (dlt_sys_stat("/proc/self/task", &tasks))
		return !dlt_threads_starting();
	if (tasks.st_nlink != 2 + helpers + (is_first ? 1 : 2))
		return false;
	return is_first || first_has_ended();
}

/* The process has no other thread; false: somebody lives, or is not known and stays too long. */
static bool becomes_alone(const struct dlt_thread *t, int *tries)
{
	static const struct timespec pause = { 0, 1000000 };

	for (; *tries > 0 && !others_live(t); --*tries) {
		if (is_alone())
			return true;
		dlt_sys(SYS_nanosleep, (long)&pause, 0, 0, 0, 0);
	}
	return false;
}

/* Of two that end at once one goes on to its end, and the other one sees it gone. */
void dlt_last_thread(struct dlt_thread *t)
{
	int tries = TRIES;

	if (t->helper || t->late || !__atomic_load_n(&dlt_box->helpers, __ATOMIC_SEQ_CST))
		return;
	__atomic_store_n(&t->ends, true, __ATOMIC_SEQ_CST);
	while (tries > 0 && !others_live(t)) {
		if (__atomic_exchange_n(&asks, true, __ATOMIC_SEQ_CST))
			return;
		if (becomes_alone(t, &tries))
			exit(EXIT_SUCCESS);
		__atomic_store_n(&asks, false, __ATOMIC_SEQ_CST);
	}
}

void dlt_last_thread_after_fork(void)
{
	asks = false;
}
