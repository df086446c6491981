/* SPDX-License-Identifier: MIT */
/*
 * The hidden thread: samples its own process where no recorder does. One cheap test a second
 * while nobody listens. Whoever calls start or stop has its guard up, so that what they do is ours.
 *
 * A process that ends does the last tick itself where it safely can: on a busy machine the thread
 * would have to wait for its turn, and the process for the thread.
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "box_view.h"
#include "sampled.h"
#include "sampler.h"
#include "ticks.h"

#define STACK	(288 * 1024)	/* events may need 10 KiB, ours 70; the rest is glibc's TLS */
#define DEEP	(1024 * 1024)	/* bytes in use of the first thread's stack: too much to add ours to it */
#define SECOND	1000000000ull
#define FIRST	20000000ull	/* ns from the start to the first tick */

enum turn { TURN_FREE, TURN_THREAD, TURN_TAKEN };	/* taken: by the thread that ends the process */

static struct {
	const void *box;
	uint64_t size;
	dlt_walk_fn walk;
	struct sampled_process *process;	/* of whose turn it is; NULL before the first tick */
	pthread_t thread;
	pid_t tid;	/* of the thread, as soon as it runs */
	enum turn turn;
	int stop;	/* a futex: 1 asks the thread to end */
	pid_t owner;	/* of the thread: a forked child has none */
} hidden;

extern void *__libc_stack_end;

static bool is_time_to_end(void)
{
	return __atomic_load_n(&hidden.stop, __ATOMIC_ACQUIRE);
}

/* True when it is time to end. */
static bool rest(uint64_t ns)
{
	struct timespec limit = { .tv_sec = (time_t)(ns / SECOND), .tv_nsec = (long)(ns % SECOND) };

	if (!is_time_to_end())
		syscall(SYS_futex, &hidden.stop, FUTEX_WAIT_PRIVATE, 0, &limit, NULL, 0);
	return is_time_to_end();
}

static bool take_turn(enum turn turn)
{
	enum turn free = TURN_FREE;

	return __atomic_compare_exchange_n(&hidden.turn, &free, turn, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static void end_turn(void)
{
	__atomic_store_n(&hidden.turn, TURN_FREE, __ATOMIC_RELEASE);
}

static void tick(bool final)
{
	uint64_t now = ticks_monotonic();

	if (!sampler_wanted())
		return;
	if (!hidden.process)
		hidden.process = sampled_process_new(getpid(), hidden.box, hidden.size, SAMPLED_OWN);
	if (hidden.process) {
		hidden.process->walk = hidden.walk;
		hidden.process->hidden = __atomic_load_n(&hidden.tid, __ATOMIC_RELAXED);
		sampled_process_tick(hidden.process, now, final);
	}
	/* One process says it for all of its tree, unless somebody waits for our end. */
	if (!box_value(((const struct dlt_box_header *)hidden.box)->parent) && !final)
		sampled_machine_tick(now, false);
}

/* The first tick waits: one of the many processes that end at once does all that is due at its end. */
static void *run(void *data)
{
	uint64_t period, pause = FIRST;

	(void)data;
	__atomic_store_n(&hidden.tid, gettid(), __ATOMIC_RELAXED);
	prctl(PR_SET_NAME, "dltrace-sampler");
	while (!rest(pause)) {
		if (take_turn(TURN_THREAD)) {
			tick(false);
			end_turn();
		}
		/* At full seconds of the clock, so that all processes sample together. */
		period = sampler_wanted() ? sampler_period() : SECOND;
		pause = period - ticks_monotonic() % period;
	}
	tick(true);
	sampled_process_free(hidden.process);
	hidden.process = NULL;
	return NULL;
}

int sampler_thread_start(void *box, uint64_t size, dlt_walk_fn walk)
{
	pthread_attr_t attr;
	sigset_t all, before;
	int err;

	if (hidden.owner == getpid() && hidden.turn == TURN_TAKEN) {	/* the process goes on: exec failed */
		end_turn();
		return 0;
	}
	hidden.process = NULL;
	hidden.turn = TURN_FREE;
	hidden.box = box;
	hidden.size = size;
	hidden.walk = walk;
	hidden.stop = 0;
	hidden.tid = 0;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK > PTHREAD_STACK_MIN ? STACK : PTHREAD_STACK_MIN);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&hidden.thread, &attr, run, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	hidden.owner = err ? 0 : getpid();
	return -err;
}

/* Is it the first thread, with plenty of stack left? Not a coroutine of its, either. */
static bool has_room(void)
{
	const char *here = __builtin_frame_address(0), *end = __libc_stack_end;
	struct rlimit limit;

	return gettid() == getpid() && here < end && end - here < DEEP && !getrlimit(RLIMIT_STACK, &limit) &&
	       limit.rlim_cur >= 2 * DEEP;
}

/* The thread sleeps on until the process has ended. */
static bool tick_instead(void)
{
	sigset_t all, before;

	if (!has_room() || !take_turn(TURN_TAKEN))
		return false;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	tick(true);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return true;
}

void sampler_thread_stop(void)
{
	struct timespec limit;

	if (hidden.owner != getpid() || tick_instead())
		return;
	__atomic_store_n(&hidden.stop, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &hidden.stop, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
	/* The process ends: a last sample is not worth a hang. */
	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec++;
	pthread_timedjoin_np(hidden.thread, NULL, &limit);
	hidden.owner = 0;
}
