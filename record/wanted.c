/* SPDX-License-Identifier: MIT */
/* The states of all events, for the processes of a recording; the bell that they ring. */
#include "wanted.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bridge.h"
#include "outbox_layout.h"
#include "tracepoints/wanted.h"

static struct dlt_wanted *wanted;	/* for ever: a thread looks at it */
static bool ended;
static int heard = -1;	/* an eventfd */

/* A thread of its own: the main one polls descriptors, and a process that rings has none to write to. */
static void *listen_to_the_bell(void *unused)
{
	uint32_t before = 0, now;
	uint64_t one = 1;

	(void)unused;
	for (;;) {
		now = __atomic_load_n(&wanted->bell, __ATOMIC_ACQUIRE);
		if (now == before)
			syscall(SYS_futex, &wanted->bell, FUTEX_WAIT, before, NULL, NULL, 0);
		else if (write(heard, &one, sizeof(one)) < 0)
			return NULL;
		before = now;
	}
}

static int start_listening(void)
{
	sigset_t all, before;
	pthread_t thread;
	int error;

	heard = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (heard < 0)
		return -errno;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&thread, NULL, listen_to_the_bell, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -error;
}

int wanted_open(const char *folder)
{
	char path[PATH_MAX];
	void *page = MAP_FAILED;
	int fd, err;

	snprintf(path, sizeof(path), "%s/wanted", folder);
	/* It is there already where another sampler has died. */
	fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	err = posix_fallocate(fd, 0, DLT_WANTED_SIZE);
	if (err == 0)
		page = mmap(NULL, DLT_WANTED_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (page == MAP_FAILED)
		return err ? -err : -ENOMEM;
	wanted = page;
	wanted->layout = DLT_OUTBOX_LAYOUT;
	wanted_update();
	err = start_listening();
	if (err == 0)
		__atomic_store_n(&wanted->magic, DLT_WANTED_MAGIC, __ATOMIC_RELEASE);
	return err;
}

static int state_of(int event)
{
	return dlt_bridge_states[event] ? *(const volatile int *)dlt_bridge_states[event] : 0;
}

/* LTTng enables one event after the other: none is wanted before what holds them can be passed on. */
bool wanted_update(void)
{
	bool any = false, open = state_of(DLT_EV_OUTBOX_EVENTS) != 0;

	for (int i = 0; wanted && !ended && i < DLT_EVENTS; i++) {
		int state = open ? state_of(i) : 0;

		any |= state != 0;
		if (wanted->states[i] != state)
			__atomic_store_n(&wanted->states[i], state, __ATOMIC_RELEASE);
	}
	return any;
}

bool wanted_ready(void)
{
	return !wanted || wanted_update();
}

void wanted_end(void)
{
	ended = true;
	for (int i = 0; wanted && i < DLT_EVENTS; i++)
		__atomic_store_n(&wanted->states[i], 0, __ATOMIC_RELEASE);
}

int wanted_descriptor(void)
{
	return heard;
}

void wanted_heard(void)
{
	uint64_t times;

	if (read(heard, &times, sizeof(times)) < 0)
		return;
}
