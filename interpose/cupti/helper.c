/* SPDX-License-Identifier: MIT */
/* The helper thread: all signals blocked, left out of every count by its library's name. */
#include "helper.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>

#include "clock.h"
#include "records.h"
#include "session.h"

#define TICK 100000000ULL	/* ns */
#define FLUSH 5			/* ticks */
#define ACCOUNT 100		/* ticks */
#define NAMES 600		/* ticks */
/*
 * ns for which work waits for its call. That may lie in its thread's buffer, which CUPTI keeps for as
 * long as anything in it is not finished.
 */
#define WAIT 5000000000ULL
#define LIMIT 1			/* s that the end of the process may take */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wanted, fetched;
static uint64_t asked, done;	/* how often */
static bool running, last_one;
static uint64_t told_until;		/* what had ended then is told; ns CLOCK_MONOTONIC */

static struct timespec from_now(uint64_t ns)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	ns += (uint64_t)t.tv_nsec;
	t.tv_sec += (time_t)(ns / 1000000000);
	t.tv_nsec = (long)(ns % 1000000000);
	return t;
}

/* The flush returns while other threads of CUPTI's still hand over what they had taken before. */
static void fetch_all(void)
{
	if (!session_flush(true))
		session_say_untold(__atomic_load_n(&told_until, __ATOMIC_RELAXED));
	records_finish(LIMIT * 1000000000ULL / 2);
	records_settle(0);
	session_say_account();
}

static void tick(unsigned n)
{
	session_look();
	if (n % FLUSH == 0) {
		uint64_t now = cupti_clock_now();

		if (session_flush(false))
			__atomic_store_n(&told_until, now, __ATOMIC_RELAXED);
	}
	records_settle(WAIT);
	if (n % ACCOUNT == 0)
		session_say_account();
	if (n % NAMES == 0)
		records_again();
}

/* True: somebody waits for a fetch. */
static bool sleep_a_tick(void)
{
	struct timespec end = from_now(TICK);
	bool is_wanted;

	pthread_mutex_lock(&lock);
	while (asked == done)
		if (pthread_cond_timedwait(&wanted, &lock, &end) != 0)
			break;
	is_wanted = asked != done;
	pthread_mutex_unlock(&lock);
	return is_wanted;
}

static void *help(void *unused)
{
	bool stop = false;

	(void)unused;
	for (unsigned n = 1; !stop; n++) {
		if (!sleep_a_tick()) {
			tick(n);
			continue;
		}
		fetch_all();
		pthread_mutex_lock(&lock);
		done = asked;
		stop = last_one;
		pthread_cond_broadcast(&fetched);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int helper_start(void)
{
	sigset_t all, before;
	pthread_condattr_t monotonic;
	pthread_attr_t detached;
	pthread_t thread;
	int error;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&wanted, &monotonic);
	pthread_cond_init(&fetched, &monotonic);
	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	told_until = cupti_clock_now();
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&thread, &detached, help, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&detached);
	running = error == 0;
	return -error;
}

void helper_fetch(bool last)
{
	struct timespec end = from_now(LIMIT * 1000000000ULL);
	bool in_time = true;
	uint64_t mine;

	pthread_mutex_lock(&lock);
	if (running) {
		mine = ++asked;
		last_one |= last;
		pthread_cond_signal(&wanted);
		while (done < mine && in_time)
			in_time = pthread_cond_timedwait(&fetched, &lock, &end) == 0;
		in_time |= done >= mine;
		running = !last_one;
	}
	pthread_mutex_unlock(&lock);
	if (!in_time)
		session_say_untold(__atomic_load_n(&told_until, __ATOMIC_RELAXED));
}

void helper_after_fork(void)
{
	pthread_mutex_init(&lock, NULL);
	running = false;
}
