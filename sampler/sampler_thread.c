/* SPDX-License-Identifier: MIT */
/*
 * The hidden thread: samples its own process where no recorder does. One cheap test a second
 * while nobody listens. Whoever calls start has its guard up, so that the thread is a helper.
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "box_view.h"
#include "sampler.h"
#include "ticks.h"

#define STACK	(256 * 1024)	/* events may need 10 KiB, ours 30; the rest is glibc's TLS */
#define SECOND	1000000000ull
#define FIRST	20000000ull	/* ns from the start to the first tick */

static struct {
	const void *box;
	uint64_t size;
	pthread_t thread;
	int stop;	/* a futex: 1 asks the thread to end */
	pid_t owner;	/* of the thread: a forked child has none */
} hidden;

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

static void tick(struct sampled_process **p, bool final)
{
	uint64_t now = ticks_monotonic();

	if (!sampler_wanted())
		return;
	if (!*p)
		*p = sampled_process_new(getpid(), hidden.box, hidden.size, SAMPLED_OWN);
	if (*p)
		sampled_process_tick(*p, now, final);
	/* One process says it for all of its tree, unless somebody waits for our end. */
	if (!box_value(((const struct dlt_box_header *)hidden.box)->parent) && !is_time_to_end())
		sampled_machine_tick(now);
}

/* The first tick waits: one of the many processes that end at once does all that is due at its end. */
static void *run(void *data)
{
	struct sampled_process *p = NULL;
	uint64_t period, pause = FIRST;

	(void)data;
	prctl(PR_SET_NAME, "dltrace-sampler");
	while (!rest(pause)) {
		tick(&p, false);
		/* At full seconds of the clock, so that all processes sample together. */
		period = sampler_wanted() ? sampler_period() : SECOND;
		pause = period - ticks_monotonic() % period;
	}
	tick(&p, true);
	sampled_process_free(p);
	return NULL;
}

int sampler_thread_start(void *box, uint64_t size)
{
	pthread_attr_t attr;
	sigset_t all, before;
	int err;

	hidden.box = box;
	hidden.size = size;
	hidden.stop = 0;
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

void sampler_thread_stop(void)
{
	struct timespec limit;

	if (hidden.owner != getpid())
		return;
	__atomic_store_n(&hidden.stop, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &hidden.stop, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
	/* The process ends: a last sample is not worth a hang. */
	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec++;
	pthread_timedjoin_np(hidden.thread, NULL, &limit);
	hidden.owner = 0;
}
