/* SPDX-License-Identifier: MIT */
/*
 * heap_vanish N THREADS: threads that end by the bare system call, so that no destructor runs and their stacks go with
 * what dltrace keeps there, or another thread uses them; then N forks. Each child must have inherited what its
 * parent has live.
 */
#include <malloc.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/box_view.h"

#define MOST 4200		/* threads: more than a box has slots */
#define BLOCKS 20
#define BLOCK 1000		/* its usable size is 1000 too */
#define STACK (64UL << 20)	/* more than glibc keeps for the next thread: it is unmapped */

static void *kept[MOST + 2][BLOCKS];
static void *stacks[MOST + 2];	/* an address in each */
static pthread_barrier_t allocated;

static void allocate(void *blocks)
{
	stacks[(void *(*)[BLOCKS])blocks - kept] = (void *)pthread_self();
	for (int i = 0; i < BLOCKS; i++)
		((void **)blocks)[i] = malloc(BLOCK);
	for (int i = 0; i < BLOCKS; i += 2)
		free(((void **)blocks)[i]);
}

static void *vanish(void *blocks)
{
	allocate(blocks);
	syscall(SYS_exit, 0);
	return NULL;
}

/* Not as much as the one before has. */
static void *stay(void *blocks)
{
	allocate(blocks);
	((void **)blocks)[0] = malloc(BLOCKS * BLOCK);
	pthread_barrier_wait(&allocated);
	pause();
	return NULL;
}

static bool is_mapped(const void *p)
{
	unsigned char there;

	return mincore((void *)((uintptr_t)p & ~4095UL), 1, &there) == 0;
}

/* Makes them one after another: glibc unmaps a stack when it is joined, or when another one is. */
static int vanish_all(int threads)
{
	pthread_attr_t attr;
	pthread_t thread;
	int mapped = 0;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	for (int i = 0; i < threads; i++)
		if (pthread_create(&thread, &attr, vanish, kept[i]) || pthread_join(thread, NULL))
			return 1;
	for (int i = 0; i < threads; i++)
		mapped += is_mapped(stacks[i]);
	return mapped == threads ? fprintf(stderr, "no stack was unmapped\n"), 1 : 0;
}

/* A thread that lives on the stack of one that vanished. */
static int stay_in_its_place(int threads)
{
	pthread_t thread;

	pthread_barrier_init(&allocated, NULL, 2);
	if (pthread_create(&thread, NULL, vanish, kept[threads]) || pthread_join(thread, NULL) ||
	    pthread_create(&thread, NULL, stay, kept[threads + 1]))
		return 1;
	pthread_barrier_wait(&allocated);
	return stacks[threads] == stacks[threads + 1] ? 0 : (fprintf(stderr, "another stack\n"), 1);
}

/* What the child inherited, against what the parent had: the fork itself needs a few blocks. */
static int child(int64_t live)
{
	const struct dlt_box_header *h;
	int64_t inherited;

	free(malloc(1));
	h = box_view_of(getpid());
	inherited = h ? (int64_t)h->inherited.bytes : -1;
	if (inherited < live - 4096 || inherited > live + 4096)
		return fprintf(stderr, "inherited %lld bytes of %lld\n", (long long)inherited, (long long)live), 1;
	return 0;
}

int main(int argc, char **argv)
{
	const struct dlt_box_header *box = box_view_of(getpid());
	int forks = argc > 2 ? atoi(argv[1]) : 0, threads = argc > 2 ? atoi(argv[2]) : 0, bad = 0;

	if (!forks || threads < 1 || threads > MOST || !box || vanish_all(threads) || stay_in_its_place(threads))
		return 2;
	for (int i = 0; i < forks; i++) {
		int64_t live = box_view_sums(box).live;
		int status = 0;
		pid_t pid = i % 2 ? fork() : (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

		if (pid == 0)
			_exit(child(live));
		bad |= pid < 0 || waitpid(pid, &status, 0) != pid || status != 0;
	}
	return bad;
}
